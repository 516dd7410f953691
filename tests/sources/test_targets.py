"""Targets: what a user names is found, and whatever goes wrong is one error with its place."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.errors import SourceError
from loopwright.sources.targets import Target, find, refused, target_of


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; what is imported from it is forgotten again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


NOBODY = 65534


def write(file: str, text: str) -> None:
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def told(text: str) -> str:
    """The error of a target."""
    target = target_of(text)
    assert target
    with pytest.raises(SourceError) as caught:
        find(target)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("app:graph", Target("app", "graph")),
        ("app.agents:make.graph", Target("app.agents", "make.graph")),
        ("app/agents.py:graph", Target("app/agents.py", "graph")),
        ("../agents.PY", Target("../agents.PY", "")),
        ("notes.ipynb", Target("notes.ipynb", "")),
        ("notes.ipynb:graph", Target("notes.ipynb", "graph")),
        ("bridge.yaml", None),
        ("loops/bridge.yaml:loop", Target("loops/bridge.yaml", "loop")),
        ("C:\\loops\\bridge.yaml", None),
        ("a b:c", None),
    ],
)
def test_what_is_a_target(text: str, target: Target | None) -> None:
    assert target_of(text) == target


def test_a_file_with_a_colon_is_a_file() -> None:
    write("app:graph", "kind: graph")
    assert target_of("app:graph") is None


@pytest.mark.parametrize("text", ["rooms.app:value", "rooms/app.py:value", "./rooms/app.py:value"])
def test_a_module_is_found_by_its_name_and_by_its_path(text: str) -> None:
    write("rooms/app.py", "import beside\nvalue = 3\n" if text.endswith("py:value") else "value = 3\n")
    write("rooms/beside.py", "")
    target = target_of(text)
    assert target
    found = find(target)
    assert (found.value, found.module.__name__, found.file) == (3, "rooms.app", "rooms/app.py")
    assert Path(found.file).read_text().splitlines()[found.line - 1] == "value = 3"


def test_a_file_whose_name_is_taken_or_no_name() -> None:
    write("json.py", "value = 1\n")
    write("my-app.py", "import sys\nvalue = 1 + ('my-app' in sys.modules)\n")
    assert find(Target("json.py", "value")).value == 1
    assert find(Target("my-app.py", "value")).value == 2


def test_a_file_outside_the_current_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("app.py", "value = 4\n")
    (here / "below").mkdir()
    monkeypatch.chdir(here / "below")
    assert find(Target("../app.py", "value")).value == 4


def test_a_function_without_parameters_is_called_and_its_talk_goes_aside(capsys: pytest.CaptureFixture[str]) -> None:
    write("app.py", "print('loading')\ndef make(size=3, *rest, **more):\n    print('making')\n    return size\n")
    assert find(Target("app", "make")).value == 3
    assert capsys.readouterr() == ("", "loading\nmaking\n")


def test_there_is_no_such_module() -> None:
    write("agents.py", "")
    assert told("agent:graph") == (
        "there is no module 'agent' (the current folder is on the path; did you mean 'agents'? there is only agents)"
    )
    assert told("agent.py:graph") == (
        "agent.py: there is no such file (did you mean 'agents.py'? there is only agents.py)"
    )
    assert ": there is no such file (" in told(f"{'x' * 300}.py:graph")
    assert "there is no module 'xxx" in told(f"{'x' * 300}:graph")


@pytest.mark.parametrize("file", ["letter.yaml", "loops/letter.yml", "../letter.JSON"])
def test_a_document_is_named_alone(file: str) -> None:
    assert told(f"{file}:loop") == f"a YAML or JSON file describes one loop, so it is named alone (give {file})"


def test_a_module_may_be_called_as_a_document_ends() -> None:
    write("letter/json.py", "loop = 5\n")
    assert find(Target("letter.json", "loop")).value == 5


@pytest.mark.parametrize("closed", ["closed", "closed/a.py"])
def test_a_file_that_may_not_be_read(here: Path, closed: str) -> None:
    write("closed/a.py", "value = 1\n")
    (here / closed).chmod(0)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)  # root may read everything
    try:
        assert told("closed/a.py:value") == "closed/a.py: cannot be read: Permission denied"
    finally:
        if is_root:
            os.seteuid(0)
        (here / closed).chmod(0o755)


def test_there_is_no_such_attribute() -> None:
    write("app.py", "from json import dumps\nimport loopwright as lw\nplan = lw.PlanBuilder('x')\ndef make(): pass\n")
    assert told("app:plam") == "app.py: app has no 'plam' (did you mean 'plan'? there are: make, plan)"
    assert told("app:plan.nam").startswith("app.py: app has no 'plan.nam' (did you mean 'name'? there are: ")


def test_a_module_alone_is_asked_what_is_meant() -> None:
    write("app.py", "import loopwright as lw\nplan = lw.PlanBuilder('x')\n_own = plan\n")
    assert told("app.py") == ("app.py: a module holds many things; which one is meant? (there are: app.py:plan)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = (\n", "app.py:1: this is no Python: '(' was never closed"),
        (
            "x = 1\nimport nothing_there\n",
            "app.py:2: app:x could not be had: ModuleNotFoundError: No module named 'nothing_there'",
        ),
        ("\n\nraise KeyError('gone')\n", "app.py:3: app:x could not be had: KeyError: 'gone'"),
        ("import sys\nsys.exit(3)\n", "app.py:2: app:x could not be had: SystemExit: 3"),
        ("import json\njson.loads('{')\n", "app.py:2: app:x could not be had: JSONDecodeError: "),
        ("def x():\n    raise ValueError\n", "app.py:2: app:x could not be had: ValueError"),
        (
            "async def x(): pass\n",
            "app.py:1: app:x is an async function (name a function that returns the graph itself)",
        ),
        (
            "def x(model, *, size): pass\n",
            "app.py:1: app:x is a function that needs 'model', 'size' (give them defaults",
        ),
    ],
)
def test_what_fails_is_told_with_its_place(text: str, message: str) -> None:
    write("app.py", text)
    assert told("app:x").startswith(message)


def test_a_notebook_is_told_as_what_it_is() -> None:
    assert told("notes.ipynb:graph") == (
        "notes.ipynb: a notebook is not run"
        " (move the graph into a module, and import it in the notebook; or call loopwright.stategraph.check there)"
    )


def test_a_suffix_may_be_in_capitals() -> None:
    write("AGENTS.PY", "graph = 1")
    assert find(Target("AGENTS.PY", "graph")).value == 1


def test_a_module_that_is_missing_inside_is_told_with_what_to_do() -> None:
    write("app.py", "import no_such_room")
    assert told("app:graph").endswith(
        "No module named 'no_such_room' (install it, or put the folder that it is in on PYTHONPATH)"
    )


STUBBORN = """
class Lazy:
    @property
    def graph(self):
        raise ValueError("not yet")

class Odd:
    @property
    def __class__(self):
        raise ValueError("no class")

lazy, odd = Lazy(), Odd()
"""


def test_an_attribute_that_raises_is_told_with_its_place() -> None:
    write("stubborn.py", STUBBORN)
    assert told("stubborn:lazy.graph") == "stubborn.py:5: stubborn:lazy.graph could not be had: ValueError: not yet"
    assert told("stubborn:graph").startswith("stubborn.py: stubborn has no 'graph'")


def test_what_is_refused_is_told_with_what_there_is() -> None:
    write("app.py", "import loopwright as lw\nx: dict = {}\nplan = lw.PlanBuilder('x')\nclass Y: pass\n")
    target = Target("app", "x")
    error = refused(target, find(target), "a graph")
    assert str(error) == "app.py:2: app:x is of type dict, and not a graph (there are: app:plan)"
    target = Target("app", "Y")
    assert "app:Y is a class, and not a loop (nothing in it could be meant)" in str(
        refused(target, find(target), "a loop", ("langgraph",))
    )
