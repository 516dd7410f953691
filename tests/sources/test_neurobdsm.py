"""`cfg.py`: what becomes of each of its variables, and what is told of a wrong one."""

from collections.abc import Callable
from typing import Any

import pytest

from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import SourceError
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.sources.neurobdsm import convert_neurobdsm
from loopwright.sources.specs import spec_from_data

Make = Callable[..., str]


def faults_of(text: str) -> list[str]:
    with pytest.raises(SourceError) as caught:
        convert_neurobdsm(text, "my/cfg.py")
    return [str(fault) for fault in caught.value.faults]


def notes_of(text: str) -> list[str]:
    return [str(note) for note in convert_neurobdsm(text, "cfg.py").notes]


def test_the_whole_of_it(cfg: Make) -> None:
    made = convert_neurobdsm(cfg())
    data: Any = made.data
    assert {key: value for key, value in data.items() if key not in ("models", "roles")} == {
        "kind": "role_cycle",
        "name": "neurobdsm",
        "tasks": ["How do we test a wooden bridge?", "And\na stone bridge?"],
        "rounds": {"min": 3, "max": 4},
        "stop": {"role": "boss", "word": "Fluggaenkoechiebolsen", "match": "contains"},
        "labels": False,
    }
    assert list(data["roles"]) == ["solver", "detractor", "master", "boss"]
    assert data["roles"]["solver"] == {
        "title": "<Solver>",
        "model": "solver",
        "brief": "Four of you work on one task, in turn.\nYou answer it. Your role is <Solver>\nTask:\n<{task}>",
    }
    assert data["models"]["master"] == {
        "model": "small",
        "api_key_env": "MASTER_APIKEY",
        "base_url": "https://api.test/v1",
    }
    assert made.notes == ()


def test_the_file_is_the_data_with_comments(cfg: Make) -> None:
    made = convert_neurobdsm(cfg(), "here/cfg.py")
    text = made.to_yaml()
    assert read_yaml(text).data == made.data
    assert isinstance(spec_from_data(made.data), RoleCycleSpec)
    assert [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")] == [
        "Made of cfg.py by: loopwright convert neurobdsm. It makes the calls that NeuroBDSM makes, message by message.",
        "min_iterations was 2, counted from 0, so the stop word is heard from round 3 on.",
        "As in the original, the word stops wherever it stands, also denied or quoted. `match: word` wants it alone.",
        "As in the original, roles are not told who said what. `true` puts titles before what others said.",
        "Keys stand in the environment, never here: SOLVER_APIKEY, DETRACTOR_APIKEY, MASTER_APIKEY, BOSS_APIKEY.",
    ]


@pytest.mark.parametrize(
    ("least", "most", "rounds", "said"),
    [
        (0, 4, {"min": 1, "max": 4}, "was 0, counted from 0, so the stop word is heard from round 1 on."),
        (-3, 4, {"min": 1, "max": 4}, "was -3, counted from 0, so the stop word is heard from round 1 on."),
        (1, 2, {"min": 2, "max": 2}, "was 1, counted from 0, so the stop word is heard from round 2 on."),
        (
            4,
            4,
            {"min": 4, "max": 4},
            "was 4, counted from 0, so the stop word is heard from round 5 on: never, as there are 4 of them."
            " Here it is heard in the last one, after the same calls.",
        ),
    ],
)
def test_rounds(cfg: Make, least: int, most: int, rounds: Any, said: str) -> None:
    made = convert_neurobdsm(cfg(min=least, max=most))
    assert made.data["rounds"] == rounds
    assert made.comments["rounds",] == f"min_iterations {said}"


def test_one_task_and_one_model_for_all(cfg: Make) -> None:
    text = cfg().replace(
        """, \"\"\"And
a stone bridge?\"\"\"""",
        "",
    )
    for role in ("solver", "detractor", "master", "boss"):
        text = text.replace(f"unpwdkeys.{role}_apikey", "unpwdkeys.key")
    made: Any = convert_neurobdsm(text).data
    assert (made["task"], "tasks" in made) == ("How do we test a wooden bridge?", False)
    assert made["models"] == {"default": {"model": "small", "api_key_env": "KEY", "base_url": "https://api.test/v1"}}
    assert {"model" in role for role in made["roles"].values()} == {False}


SECRET = "sk-this-is-a-secret"


@pytest.mark.parametrize(
    ("code", "variable"),
    [
        ("unpwdkeys.boss_apikey", "BOSS_APIKEY"),
        ("my_key", "MY_KEY"),
        ("os.environ['TEAM_KEY']", "TEAM_KEY"),
        ("os.getenv('TEAM_KEY', '')", "TEAM_KEY"),
        ("os.environ.get('TEAM_KEY')", "TEAM_KEY"),
        ("''", ""),
        ("None", "OPENAI_API_KEY"),
    ],
)
def test_a_key_becomes_the_name_of_a_variable(cfg: Make, code: str, variable: str) -> None:
    text = cfg().replace("unpwdkeys.boss_apikey", code)
    made: Any = convert_neurobdsm(text)
    assert (made.data["models"]["boss"]["api_key_env"], made.notes) == (variable, ())


def test_a_key_that_stands_beside_its_variable_is_never_copied(cfg: Make) -> None:
    made: Any = convert_neurobdsm(cfg().replace("unpwdkeys.boss_apikey", f"os.getenv('TEAM_KEY', '{SECRET}')"))
    assert made.data["models"]["boss"]["api_key_env"] == "TEAM_KEY"
    assert [note.hint.partition(" in ")[0] for note in made.notes] == ["set TEAM_KEY"]
    assert "secret" not in made.to_yaml()


@pytest.mark.parametrize("code", [f"'{SECRET}'", f"'{SECRET[:6]}' + '{SECRET[6:]}'", f"f('{SECRET}')", f"b'{SECRET}'"])
def test_a_key_that_stands_in_the_file_is_never_copied(cfg: Make, code: str) -> None:
    made: Any = convert_neurobdsm(cfg().replace("unpwdkeys.boss_apikey", code))
    assert made.data["models"]["boss"]["api_key_env"] == "BOSS_APIKEY"
    assert [str(note) for note in made.notes] == [
        "cfg.py:14: llms.boss.apikey: a key stands here, and was not copied (set BOSS_APIKEY in the environment; a key"
        " that stood in a file is best replaced)"
    ]
    assert "secret" not in made.to_yaml()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (("'apikey': unpwdkeys.boss_apikey", f"'api_key': '{SECRET}'"), "llms.boss"),
        (("'https://api.test/v1'}}", f"'https://me:{SECRET}@api.test/v1'}}}}"), "llms.boss.base_url"),
        (("'https://api.test/v1'}}", f"'https://api.test/v1?key={SECRET}'}}}}"), "llms.boss.base_url"),
        (("unpwdkeys.boss_apikey", f"os.getenv('{SECRET}')"), "llms.boss.apikey"),
    ],
)
def test_a_key_in_a_wrong_place_is_never_shown(cfg: Make, change: tuple[str, str], place: str) -> None:
    (said,) = faults_of(cfg().replace(*change))
    assert said.startswith(f"my/cfg.py:14: {place}: ")
    assert "secret" not in said


@pytest.mark.parametrize(
    ("proxy", "address"),
    [
        ("'http://127.0.0.1:3128'", "http://127.0.0.1:3128"),
        ("{'http': 'http://a:1', 'https': 'http://b:2'}", "http://b:2"),
        ("{'http': 'http://a:1'}", "http://a:1"),
    ],
)
def test_a_proxy(cfg: Make, proxy: str, address: str) -> None:
    made: Any = convert_neurobdsm(cfg().replace("proxy = {}", f"proxy = {proxy}"))
    assert {model["proxy"] for model in made.data["models"].values()} == {address}
    assert [str(note) for note in made.notes] == [
        "cfg.py:3: proxy: calls go through the proxy now (with openai 1.0 or later it had no effect)"
    ]


def test_a_proxy_with_a_password_is_left_out(cfg: Make) -> None:
    made: Any = convert_neurobdsm(cfg().replace("proxy = {}", f"proxy = {{'https': 'http://me:{SECRET}@b:2'}}"))
    assert ["proxy" in model for model in made.data["models"].values()] == [False] * 4
    (note,) = made.notes
    assert note.message == "the proxy was left out, as it holds a password or is no address"
    assert "secret" not in made.to_yaml() + str(note)


def test_what_the_original_does_not_look_at_is_left_out(cfg: Make) -> None:
    text = cfg().replace("'model': 'small', 'base_url'", "'model': 'small', 'temperature': 1, 'base_url'", 1)
    text = text.replace(
        "'boss': {'apikey'", "'extra': {'apikey': k, 'model': 'm', 'base_url': None}, 'boss': {'apikey'"
    )
    text = text.replace("stop_word = 'Flugg", "stop_word = ' Flugg").replace("'Weigh", r"'\n Weigh")
    left_out = "NeuroBDSM does not look at this, so it was left out"
    assert notes_of(text) == [
        "cfg.py:8: roles.master.role: the text begins with blank space, which was left out",
        f"cfg.py:11: llms.solver.temperature: {left_out}",
        "cfg.py:14: llms.extra: no role has this model, so it was left out",
        "cfg.py:21: stop_word: blank space around the stop word does not count any more",
    ]


def test_other_roles_in_another_order(cfg: Make) -> None:
    text = cfg().replace("'solver'", "'maker'").replace("'boss'", "'judge'")
    data: Any = convert_neurobdsm(text).data
    assert (data["stop"]["role"], list(data["roles"])) == ("judge", ["maker", "detractor", "master", "judge"])


def test_all_that_is_no_literal_or_missing_is_told_at_once(cfg: Make) -> None:
    text = cfg().replace("'title': '<Boss>'", "'title': title").replace("min_iterations", "min_iteration")
    text = text.replace("stop_word = 'Fluggaenkoechiebolsen'", "tasks.append('x')").replace("'small'", "3", 1)
    literals = "only literals are read, and no code is run: write the value out"
    assert faults_of(text) == [
        "my/cfg.py:1: the variable 'min_iterations' is missing (did you mean 'min_iteration', in line 19?)",
        "my/cfg.py:1: the variable 'stop_word' is missing",
        f"my/cfg.py:9: roles.boss.title: this is the name 'title' ({literals})",
        "my/cfg.py:11: llms.solver.model: expected a text",
        "my/cfg.py:21: this statement is not read, as no code is run (what it changes would be missed: write the values"
        " out, each as NAME = VALUE)",
    ]


def test_what_the_original_would_fail_at_is_told_at_once(cfg: Make) -> None:
    text = cfg(max=0, word="").replace("'solver': {'apikey'", "'solvr': {'apikey'")
    text = text.replace("'apikey': unpwdkeys.master_apikey, ", "").replace("Weigh both", "Weigh <{task}>")
    assert faults_of(text) == [
        "my/cfg.py:8: roles.master.role: <{task}> is a placeholder in loopwright (there is no way to have it in a brief"
        " as it is: write it otherwise)",
        "my/cfg.py:11: llms: there is no model for the role 'solver' (did you mean 'solvr'? there are: boss, detractor,"
        " master, solvr)",
        "my/cfg.py:13: llms.master: the key 'apikey' is missing",
        "my/cfg.py:20: max_iterations: 0 is less than 1 (NeuroBDSM would ask nobody; a role cycle has at least one"
        " round)",
        "my/cfg.py:21: stop_word: the stop word is empty (every reply holds it, so NeuroBDSM would always stop)",
    ]


@pytest.mark.parametrize("variable", ["roles", "llms", "tasks", "min_iterations", "max_iterations", "stop_word"])
@pytest.mark.parametrize("value", ["None", "True", "()", "[None]", "{'a': None}", "{'a': {'role': 1}}", "1.5", "{}"])
def test_values_of_other_types_are_told(cfg: Make, variable: str, value: str) -> None:
    said = faults_of(f"{cfg()}\n".replace(f"\n{variable} = ", f"\n{variable} = {value}\nunread_{variable} = "))
    assert said
    assert {line.partition(":")[0] for line in said} == {"my/cfg.py"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("'solver': {'title'", "'review': {'title'"), "roles.review: no role can be named 'review'"),
        (("'How do we test a wooden bridge?'", "' '"), "tasks.0: the task is empty"),
        (("stop_word = 'Flugg", r"stop_word = 'a\nFlugg"), "stop_word: the stop word has several lines"),
        (
            ("'model': 'small', 'base_url': 'https://api.test/v1'}}", "'model': '', 'base_url': None}}"),
            "llms.boss.model: ",
        ),
    ],
)
def test_what_makes_no_role_cycle_is_told_where_it_stands(cfg: Make, change: tuple[str, str], said: str) -> None:
    text = (
        cfg()
        .replace(*change)
        .replace("llms = {'solver'", "llms = {'review': {'apikey': k, 'model': 'm', 'base_url': None}, 'solver'")
    )
    assert any(f": {said}" in line for line in faults_of(text))


def test_no_python_is_told_with_its_line() -> None:
    assert faults_of("roles = {\n") == ["my/cfg.py:1: broken Python: '{' was never closed"]
