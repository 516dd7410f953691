"""`check`: every kind of bad file has its own words, and findings their exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.forms.spec import FORMS

ROLES = "kind: role_cycle\ntask: a\n"

BAD_FILES = {
    "broken": (
        "kind: role_cycle\n  task: [",
        "error: x.yaml:2: broken YAML at column 7: mapping values are not allowed here"
        " (a text that holds ': ' stands in quotes)\n",
    ),
    "duplicate key": (
        "kind: role_cycle\ntask: a\ntask: b\n",
        "error: x.yaml:3: task: the key 'task' stands twice, in lines 2 and 3\n",
    ),
    "unknown key": (
        f"{ROLES}roundz: 3\n",
        "error: x.yaml:3: roundz: the key 'roundz' is not known here (did you mean 'rounds'? there are:"
        " answer, budget, history, kind, labels, models, name, order, review, roles, rounds, stop, task, tasks)\n",
    ),
    "unknown kind": (
        "kind: role_cycl\ntask: a\n",
        "error: x.yaml:1: kind: there is no kind 'role_cycl' (did you mean 'role_cycle'? there are:"
        f" {', '.join(sorted(FORMS))})\n",
    ),
    "unknown role": (
        f"{ROLES}stop: {{role: bos}}\n",
        "error: x.yaml:3: stop.role: no role 'bos' speaks (did you mean 'boss'? there are:"
        " boss, detractor, master, solver)\n",
    ),
    "min above max": (
        f"{ROLES}rounds: {{min: 5, max: 4}}\n",
        "error: x.yaml:3: rounds.min: 5 is more than rounds.max, which is 4\n",
    ),
    "max below 1": (
        f"{ROLES}rounds: {{min: 1, max: 0}}\n",
        "error: x.yaml:3: rounds.max: 0 is less than 1 (a cycle has at least one round)\n"
        "x.yaml:3: rounds.min: 1 is more than rounds.max, which is 0\n",
    ),
    "empty stop word": (
        f"{ROLES}stop: {{word: ''}}\n",
        "error: x.yaml:3: stop.word: the stop word is empty (every reply would hold it)\n",
    ),
    "unknown placeholder": (
        f"{ROLES}roles:\n  boss: {{brief: 'Hi <{{tsk}}>'}}\n",
        "error: x.yaml:4: roles.boss.brief: a brief has no placeholder <{tsk}> (did you mean 'task'? there are:"
        " role, round, rounds_max, stop_word, task)\n",
    ),
    "several at once": (
        f"{ROLES}rounds: {{min: 5, max: 4}}\nstop: {{word: ''}}\n",
        "error: x.yaml:3: rounds.min: 5 is more than rounds.max, which is 4\n"
        "x.yaml:4: stop.word: the stop word is empty (every reply would hold it)\n",
    ),
}


@pytest.mark.parametrize(("text", "words"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_told_with_its_line(loopwright: Any, text: str, words: str) -> None:
    Path("x.yaml").write_text(text)
    done = loopwright("check", "x.yaml")
    assert (done.code, done.out, done.err) == (2, "", words)


def test_a_missing_file_is_told_with_what_is_there(loopwright: Any) -> None:
    done = loopwright("check", "brigde.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: brigde.yaml: there is no such file (did you mean 'bridge.yaml'? there are:"
        " bridge.script.yaml, bridge.yaml, essay.script.yaml, essay.yaml)\n"
    )


def test_faults_are_a_document(loopwright: Any) -> None:
    Path("x.yaml").write_text(f"{ROLES}rounds: {{min: 5, max: 4}}\n")
    done = loopwright("check", "x.yaml", "--json")
    assert (done.code, done.err) == (2, "")
    message = "5 is more than rounds.max, which is 4"
    fault = {"message": message, "key": "rounds.min", "file": "x.yaml", "line": 3, "hint": ""}
    told = {"type": "SourceError", "message": f"x.yaml:3: rounds.min: {message}", "faults": [fault]}
    assert json.loads(done.out) == {"error": told}


def test_a_good_file_is_told_with_its_worst_case(loopwright: Any) -> None:
    done = loopwright("check", "bridge.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "bridge: 5 nodes, 8 edges, 2 ends\nno findings\nworst case: 4 rounds, 16 model calls, 20 visits\n"
    )


def test_a_good_file_is_a_document(loopwright: Any) -> None:
    done = loopwright("check", "essay.yaml", "--json")
    document = json.loads(done.out)
    assert (done.code, document["name"], document["findings"]) == (0, "draft and review", [])
    assert (document["certificate"]["visits"], document["certificate"]["calls"]) == (8, 8)


def without_an_edge() -> None:
    essay = Path("essay.yaml")
    essay.write_text(essay.read_text().replace("  - review [pass] -> end finished\n", ""))


def test_findings_are_a_table(loopwright: Any) -> None:
    without_an_edge()
    done = loopwright("check", "essay.yaml")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "draft and review: 2 nodes, 2 edges, 1 end\n"
        "error  missing-edge  essay.yaml:18: 'review' [pass] leads nowhere\n"
        "                     add an edge from 'review' for 'pass'\n"
        "1 error\n"
    )


def test_findings_are_a_document(loopwright: Any) -> None:
    without_an_edge()
    done = loopwright("check", "essay.yaml", "--json")
    document = json.loads(done.out)
    assert (done.code, document["certificate"]) == (1, None)
    assert [finding["code"] for finding in document["findings"]] == ["missing-edge"]


def test_a_plan_with_errors_does_not_run(loopwright: Any) -> None:
    without_an_edge()
    done = loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    assert (done.code, done.out, Path(".loopwright").exists()) == (1, "", False)
    assert done.err == (
        "error: this plan cannot run\n"
        "error  missing-edge  essay.yaml:18: 'review' [pass] leads nowhere\n"
        "                     add an edge from 'review' for 'pass'\n"
        "1 error\n"
    )


def test_a_name_of_two_lines_stands_on_one(loopwright: Any) -> None:
    essay = Path("essay.yaml")
    essay.write_text(essay.read_text().replace("name: draft and review", 'name: "draft\\nand \\u009b2Jreview"'))
    name = "draft and \ufffd2Jreview"
    assert loopwright("check", "essay.yaml").out.splitlines()[0] == f"{name}: 2 nodes, 3 edges, 2 ends"
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    assert loopwright("show", "").out.splitlines()[0].endswith(f" of {name}")


APP = """\
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    topic: str

def idle(state):
    return {}

def seen(state):
    return state

graph = StateGraph(State)
graph.add_node("ask", seen).add_node("web", idle).add_node("books", idle).add_node("answer", idle)
graph.add_edge(START, "ask").add_edge(["web", "books"], "answer").add_edge("answer", END)
graph.add_conditional_edges("ask", lambda state: "web" if state["topic"] else "books", ["web", "books"])
good = StateGraph(State).add_node("ask", idle).add_edge(START, "ask").add_edge("ask", END).compile()
doubtful = StateGraph(State).add_node("ask", idle).add_edge(START, "ask")
"""

DROPPED = "'answer' is dropped, and what follows it: its join still waits for 'books' when the run ends"


@pytest.fixture
def app(place: Path) -> None:
    (place / "checked_app.py").write_text(APP)


@pytest.mark.usefixtures("app")
def test_a_langgraph_graph_is_checked(loopwright: Any) -> None:
    done = loopwright("check", "checked_app:graph")
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "graph: 4 nodes, 6 edges\n"
        f"error  dropped-join  checked_app.py:7: {DROPPED}\n"
        "                     after a choice, lead each way to 'answer' by an edge of its own, without a list\n"
        "                     path: start -> ask -> web -> end\n"
        "1 error\n"
        "cannot be seen: all that 'ask' may write\n"
    )


@pytest.mark.usefixtures("app")
def test_a_langgraph_graph_is_a_document(loopwright: Any) -> None:
    for words in (("--json",), ("--format", "json"), ("--json", "--format", "json")):
        document = json.loads(loopwright("check", "checked_app.py:graph", *words).out)
        assert (document["name"], document["unseen"]) == ("graph", {"ways": [], "writes": ["ask"]})
        (finding,) = document["findings"]
        assert (finding["code"], finding["file"], finding["line"]) == ("dropped-join", "checked_app.py", 7)


@pytest.mark.usefixtures("app")
def test_findings_are_annotations(loopwright: Any) -> None:
    done = loopwright("check", "checked_app.py:graph", "--format", "github")
    assert (done.code, done.err) == (1, "")
    command, head = done.out.splitlines()
    assert command.startswith(f"::error file=checked_app.py,line=7,title=dropped-join in graph::{DROPPED}%0Aafter")
    assert head == "graph: 4 nodes, 6 edges"


def test_findings_of_a_file_are_annotations(loopwright: Any) -> None:
    without_an_edge()
    done = loopwright("check", "essay.yaml", "--format=github")
    assert (done.code, done.out.splitlines()[0]) == (
        1,
        "::error file=essay.yaml,line=18,title=missing-edge in draft and review::'review' [pass] leads nowhere%0A"
        "add an edge from 'review' for 'pass'",
    )


def test_faults_of_a_file_are_annotations(loopwright: Any) -> None:
    Path("x.yaml").write_text(f"{ROLES}roundz: 3\n")
    done = loopwright("check", "x.yaml", "--format", "github")
    assert done.code == 2
    assert done.out.startswith(
        "::error file=x.yaml,line=3,title=loopwright::roundz: the key 'roundz' is not known here"
    )
    assert done.err.startswith("error: x.yaml:3: roundz")


@pytest.mark.usefixtures("app")
def test_warnings_count_where_that_is_wanted(loopwright: Any) -> None:
    assert loopwright("check", "checked_app:good", "--strict").code == 0
    assert loopwright("check", "checked_app:doubtful").code == 0
    done = loopwright("check", "checked_app:doubtful", "--strict", "--format", "json")
    assert (done.code, [finding["code"] for finding in json.loads(done.out)["findings"]]) == (1, ["dead-end"])


def test_two_formats_are_refused(loopwright: Any) -> None:
    done = loopwright("check", "essay.yaml", "--json", "--format", "text")
    assert done.code == 2
    message = "--json and --format text are two formats; give one of them"
    assert json.loads(done.out)["error"]["message"] == message


def test_errors_are_a_document_in_every_spelling(loopwright: Any) -> None:
    for words in (("--json",), ("--format", "json"), ("--format=json",)):
        done = loopwright("check", "nothing:here", *words)
        assert (done.code, done.err, json.loads(done.out)["error"]["type"]) == (2, "", "SourceError")


@pytest.mark.parametrize(
    ("technique", "words"), [("zero_shot", "zero_shot"), ("multi_eval", "multi_eval n=2 threshold=7")]
)
def test_what_a_brain_goes_by_is_said_and_what_has_no_effect_is_no_finding(
    loopwright: Any, technique: str, words: str
) -> None:
    Path("name.yaml").write_text(f"kind: brain\ntype: {technique}\nprompt: A name.\nn: 2\nthreshold: 7\n")
    done = loopwright("check", "name.yaml", "--strict")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == f"{technique}: {words}"
