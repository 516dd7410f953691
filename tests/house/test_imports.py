"""Imports go one way, make no circle, and keep the walls; those inside functions and under TYPE_CHECKING count too."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

import networkx as nx
import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "loopwright"

ROOMS = {
    "errors": 0,
    "hints": 0,
    "version": 0,
    "documents": 1,
    "state": 2,
    "nodes": 3,
    "graphs": 4,
    "sources": 5,
    "loop": 6,
    "stategraph": 6,
    "": 7,
    "cli": 8,
    "web": 8,
    "notebook": 8,
    "testing": 8,
    "__main__": 9,
}
"""The floor of every room; "" is the door, `loopwright/__init__.py`."""

ENGINE = r"state\.store.*|graphs\.compile.*|graphs\.run.*|sources\.langgraph.*"
MODELS = r"nodes\.models\..*"
WALLS = {
    r"langgraph\b.*|langchain_core\.runnables\b.*": ENGINE,
    r"langchain(?!_core\.runnables).*|openai\b.*": MODELS,
}
"""Which modules may import a library. The engine's own calls take the config of `langchain_core.runnables`."""

LATE = r"cli\..*|nodes\.models\.recording\.file"
"""Which modules may import late: commands, so that they start quickly, and one that locks files where that can be."""

SEAMS = {
    "graphs.run.program": {"graphs.run.session", "graphs.run.past", "graphs.run.moving"},
    "nodes.models.client": {"nodes.models.openai"},
    "nodes.models.prices": {"nodes.models.pricelist"},
    "graphs.draw.png": {"graphs.draw.raster"},
}
"""Which modules load one of the package by name when it is first needed: the engine and the clients wait for it, and an
extra may be missing."""

BY_NAME = r"|sources\..*|cli\..*"
"""Which modules may import by a name that is only known when they run: the door, and what a user names in a command."""


@dataclass(frozen=True)
class Arrow:
    """One import: from a module to a module, both without `loopwright.` where they are of the package.

    An import by a name that the code does not hold has the target "".
    """

    source: str
    target: str
    line: int
    late: bool = False
    by_name: bool = False

    def __str__(self) -> str:
        return f"{self.source or '__init__'}:{self.line} imports {self.target}"


def arrows_of(source: str, text: str, modules: Mapping[str, bool]) -> Iterator[Arrow]:
    """All imports of a module.

    Args:
        source: The module's name.
        text: Its code.
        modules: The package's modules; whether each is a package with an `__init__`.
    """
    tree = ast.parse(text)
    at_top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        late = id(node) not in at_top
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Arrow(source, _inside(alias.name), node.lineno, late)
        elif isinstance(node, ast.ImportFrom):
            base = _inside(node.module or "")
            for alias in node.names:
                inner = f"{base}.{alias.name}" if base != "loopwright" else alias.name
                yield Arrow(source, inner if inner in modules else base, node.lineno, late)
        elif isinstance(node, ast.Call) and _imports_by_name(node):
            match node.args[0]:
                case ast.Constant(str() as name):
                    yield Arrow(source, _inside(name), node.lineno, by_name=True)
                case _:
                    yield Arrow(source, "", node.lineno, by_name=True)


def _imports_by_name(call: ast.Call) -> bool:
    return ast.unparse(call.func) in {"import_module", "importlib.import_module", "__import__"}


def _inside(name: str) -> str:
    return name.removeprefix("loopwright.")


def modules_of(package: Path) -> dict[str, Path]:
    """The package's files by module name without `loopwright.`; the door is ""."""
    files = sorted(package.rglob("*.py"))
    return {
        ".".join(file.relative_to(package).with_suffix("").parts).removesuffix("__init__").rstrip("."): file
        for file in files
    }


def circles_of(arrows: list[Arrow]) -> list[list[str]]:
    """For each knot of modules that import each other, one way round it."""
    graph: nx.DiGraph[str] = nx.DiGraph((arrow.source, arrow.target) for arrow in arrows)
    knots = (knot for knot in nx.strongly_connected_components(graph) if len(knot) > 1)
    looped = [[(node, node)] for node in nx.nodes_with_selfloops(graph)]
    found = [nx.find_cycle(graph.subgraph(knot)) for knot in knots] + looped
    return sorted([source for source, _ in edges] for edges in found)


MODULES = modules_of(PACKAGE)
IS_PACKAGE = {name: file.name == "__init__.py" for name, file in MODULES.items()}
ARROWS = [arrow for name, file in MODULES.items() for arrow in arrows_of(name, file.read_text(), IS_PACKAGE)]
INNER = [arrow for arrow in ARROWS if arrow.target and (arrow.target in MODULES or arrow.target == "loopwright")]


def room_of(module: str) -> str:
    return module.partition(".")[0]


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(module) for module in MODULES}
    assert rooms <= set(ROOMS), f"give {rooms - set(ROOMS)} a floor in ROOMS and a line in docs/house.md"


def test_imports_go_one_way() -> None:
    up = [
        str(arrow)
        for arrow in INNER
        if arrow.target != "loopwright"
        and room_of(arrow.source) != room_of(arrow.target)
        and ROOMS[room_of(arrow.source)] <= ROOMS[room_of(arrow.target)]
    ]
    assert up == []


def test_the_ground_imports_nothing_of_the_package() -> None:
    assert [str(arrow) for arrow in INNER if ROOMS[room_of(arrow.source)] == 0] == []


def test_there_is_no_circle() -> None:
    assert circles_of(INNER) == []


def test_nothing_inside_comes_through_a_door() -> None:
    through = [str(arrow) for arrow in INNER if arrow.target == "loopwright" or IS_PACKAGE[arrow.target]]
    assert through == [], "import the module that defines the name, not a package's __init__"


@pytest.mark.parametrize(("library", "behind"), WALLS.items(), ids=["engine", "models"])
def test_libraries_stay_behind_their_walls(library: str, behind: str) -> None:
    outside = [arrow for arrow in ARROWS if arrow.target not in MODULES and not re.fullmatch(behind, arrow.source)]
    assert [str(arrow) for arrow in outside if re.fullmatch(library, arrow.target)] == []


def test_every_library_is_asked_for() -> None:
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["png"]]
    asked_for = {re.split(r"[<>=\[ ]", line)[0].replace("-", "_") for line in lines}
    homes = packages_distributions()
    libraries = {arrow.target.partition(".")[0] for arrow in ARROWS if arrow.target} - {
        room_of(name) for name in MODULES
    }
    owners = {name: {home.replace("-", "_") for home in homes.get(name, [name])} for name in libraries}
    missing = {name for name in libraries - sys.stdlib_module_names if not owners[name] & asked_for}
    assert missing <= {"pydantic_core"}, "pyproject.toml asks for what is imported; pydantic pins pydantic_core itself"


def test_imports_stand_at_the_top() -> None:
    late = [str(arrow) for arrow in ARROWS if arrow.late and not re.fullmatch(LATE, arrow.source)]
    assert late == [], f"only {LATE} may import inside a function; nothing imports under TYPE_CHECKING"


def test_few_modules_import_by_name() -> None:
    found = [arrow for arrow in ARROWS if arrow.by_name and not re.fullmatch(BY_NAME, arrow.source)]
    assert [str(arrow) for arrow in found if arrow.target not in SEAMS.get(arrow.source, ())] == []


SAMPLE = """
import json, langgraph.graph
from typing import TYPE_CHECKING
from loopwright.state import store
from loopwright.state.values import Json
from loopwright import errors, Loop
if TYPE_CHECKING:
    import loopwright.loop
def f():
    from loopwright.nodes import Think
    return importlib.import_module("loopwright.state.values")
"""


def test_arrows_are_seen_wherever_they_stand() -> None:
    modules = {
        "": True,
        "errors": False,
        "state": True,
        "state.store": True,
        "state.values": False,
        "nodes": True,
        "loop": False,
    }
    found = [(arrow.target, arrow.line, arrow.late) for arrow in arrows_of("graphs.plan", SAMPLE, modules)]
    assert found == [
        ("json", 2, False),
        ("langgraph.graph", 2, False),
        ("typing", 3, False),
        ("state.store", 4, False),
        ("state.values", 5, False),
        ("errors", 6, False),
        ("loopwright", 6, False),
        ("loop", 8, True),
        ("nodes", 10, True),
        ("state.values", 11, False),
    ]


def test_circles_are_found() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "e")]
    assert circles_of([Arrow(source, target, 1) for source, target in pairs]) == [["a", "b", "c"], ["e"]]
