"""A converted `cfg.py` makes the calls that NeuroBDSM makes: the same roles, the same messages, in the same order."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from loopwright.loop.load import load
from loopwright.loop.loop import Loop
from loopwright.nodes.contract import Message
from loopwright.nodes.models.contract import ModelCall
from loopwright.sources.neurobdsm import convert_neurobdsm
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"
NAMES = ["solver", "detractor", "master", "boss"]
Make = Callable[..., str]
Call = tuple[str, list[Message]]
Says = Callable[[str, int], str]


def original(config: Mapping[str, Any], task: str, says: Says) -> list[Call]:
    """The calls of NeuroBDSM for one task, by its rules: a transcript for each role, and a test after each round."""
    seen: dict[str, list[Message]] = {
        name: [{"role": "user", "content": f"{role['role']}\nTask:\n{task}"}] for name, role in config["roles"].items()
    }
    calls: list[Call] = []
    for index in range(config["max_iterations"]):
        said = ""
        for name in seen:
            calls.append((name, list(seen[name])))
            said = says(name, index)
            for other, messages in seen.items():
                messages.append({"role": "assistant" if other == name else "user", "content": said})
        if index >= config["min_iterations"] and config["stop_word"] in said:
            break
        for messages in seen.values():
            messages.append({"role": "user", "content": "Continue"})
    return calls


def settings_of(text: str) -> dict[str, Any]:
    """What the file assigns when it is run, which only a test does."""
    found: dict[str, Any] = {}
    exec(
        text.replace(
            "import unpwdkeys", "class unpwdkeys: solver_apikey = detractor_apikey = master_apikey = boss_apikey = ''"
        ),
        found,
    )
    return found


def converted(text: str, folder: Path) -> Loop[Any]:
    """The loop of the file that a conversion writes."""
    (folder / "spec.yaml").write_text(convert_neurobdsm(text).to_yaml())
    loop = load(folder / "spec.yaml")
    assert list(loop.check()) == []
    return loop


def calls_of(loop: Loop[Any], drive: Any, inputs: Mapping[str, Any], says: Says) -> list[Call]:
    asked: dict[str, int] = dict.fromkeys(NAMES, 0)

    def answer(call: ModelCall) -> str:
        asked[call.node] += 1
        return says(call.node, asked[call.node] - 1)

    model = RecordingModel(answer)
    drive.start(loop, inputs, model=model)
    return [(call.node, list(call.messages)) for call in model.calls]


def says_word(name: str = "boss", rounds: Sequence[int] = range(9), text: str = WORD) -> Says:
    """S0, D0, M0, B0 and so on; and in these rounds this role says something else."""
    return lambda role, index: text if role == name and index in rounds else f"{role[0].upper()}{index}"


@pytest.mark.parametrize(
    ("least", "most", "says", "count"),
    [
        (2, 4, says_word(rounds=[]), 16),
        (2, 4, says_word(), 12),
        (0, 4, says_word(), 4),
        (1, 4, says_word(rounds=[1]), 8),
        (1, 4, says_word(rounds=[0]), 16),
        (2, 4, says_word("solver"), 16),
        (0, 4, says_word(text=WORD.lower()), 16),
        (2, 4, says_word(text=f"I will not say {WORD} yet"), 12),
        (4, 4, says_word(), 16),
        (7, 2, says_word(), 8),
        (-1, 4, says_word(), 4),
        (0, 1, says_word(rounds=[]), 4),
    ],
    ids=[
        "never",
        "always",
        "at once",
        "in time",
        "too early",
        "solver",
        "case",
        "denied",
        "equal",
        "more",
        "less",
        "one",
    ],
)
def test_the_calls_of_the_original(
    drive: Any, cfg: Make, tmp_path: Path, least: int, most: int, says: Says, count: int
) -> None:
    text = cfg(min=least, max=most)
    loop, config = converted(text, tmp_path), settings_of(text)
    for inputs, task in zip(loop.inputs, config["tasks"], strict=True):
        made = calls_of(loop, drive, inputs, says)
        assert made == original(config, task, says)
        assert len(made) == count
        assert [len(messages) for _, messages in made] == [1 + 5 * i + p for i in range(count // 4) for p in range(4)]


def test_other_roles_in_another_order(drive: Any, cfg: Make, tmp_path: Path) -> None:
    text = cfg(min=0)
    head, body = text.split("roles = {"), text.split("roles = {")[1].split("}}\n", 1)
    reordered = f"{head[0]}roles = {{'critic': {{'title': 'C', 'role': 'Doubt.\\n'}}, {body[0]}}}}}\n{body[1]}"
    reordered = reordered.replace("llms = {", "llms = {'critic': {'apikey': '', 'model': 'm', 'base_url': None}, ")
    config, loop = settings_of(reordered), converted(reordered, tmp_path)
    names = list(config["roles"])
    assert names == ["critic", *NAMES]
    model = RecordingModel(lambda call: WORD if call.node == "boss" else f"{call.node} {len(call.messages)}")
    drive.start(loop, loop.inputs[0], model=model)

    def says(name: str, index: int) -> str:
        return WORD if name == "boss" else f"{name} {1 + 6 * index + names.index(name)}"

    made = [(call.node, list(call.messages)) for call in model.calls]
    assert made == original(config, config["tasks"][0], says)
    assert len(made) == 5


def test_each_role_asks_its_model_with_its_key(cfg: Make, tmp_path: Path) -> None:
    loop = converted(cfg().replace("'small'", "'large'", 1), tmp_path)
    asked = {name: loop.plan.models[name] for name in NAMES}
    assert {name: (ref.model, ref.base_url, ref.api_key_env) for name, ref in asked.items()} == {
        "solver": ("large", "https://api.test/v1", "SOLVER_APIKEY"),
        "detractor": ("small", "https://api.test/v1", "DETRACTOR_APIKEY"),
        "master": ("small", "https://api.test/v1", "MASTER_APIKEY"),
        "boss": ("small", "https://api.test/v1", "BOSS_APIKEY"),
    }
