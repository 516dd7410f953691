"""Files and functions are short, say what they are, and are called after what they hold."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "loopwright"
SOURCES = sorted(PACKAGE.rglob("*.py"))
CODE = [
    *SOURCES,
    *(file for room in ("tests", "examples", "benchmarks") for file in sorted((ROOT / room).rglob("*.py"))),
]

LINES_OF_A_FILE = 350
LINES_OF_A_FUNCTION = 60
WAIVERS = 20

ATTICS = {"utils", "util", "helpers", "helper", "misc", "common", "types", "typing"}
"""Names that say nothing of what a file holds, or hide a module of the standard library."""

UNTESTED = {
    "src/loopwright/__main__.py": "calls the command, and tests/cli/test_main.py starts it",
    "src/loopwright/version.py": "holds a number",
    "src/loopwright/nodes/driver/steps.py": "holds the words in which tests/nodes/driver/test_visit.py speaks",
}
"""Modules without a test file of their own, and why."""

BEHAVIOURS = {
    "tests/graphs/certificate/test_worst_case.py": "the whole certificate against an exhaustive search",
    "tests/graphs/compile/test_random_plans.py": "random plans on the engine against an interpreter of plans",
    "tests/graphs/forms/test_graph_faults.py": "the faults of graph.py, which fill a file",
    "tests/graphs/migrate/test_random_changes.py": "random changes of random plans: what is called safe goes on so",
    "tests/cli/test_effect_decisions.py": "effects that were cut off, in resume, show and history together",
    "tests/graphs/run/test_moved_effects.py": "effects under way in runs whose plan changes: moving.py and the ledger",
    "tests/graphs/run/test_moved_waits.py": "waits of runs whose plan changes: moving.py and the inbox",
    "tests/graphs/run/test_questions.py": "answers to runs that wait: handle.py and session.py together",
    "tests/graphs/stategraph/test_random_graphs.py": "the steps that are played against those of the engine",
    "tests/graphs/verify/test_garbage.py": "all checks on plans of garbage, and on large ones",
    "tests/nodes/driver/test_asked_again.py": "a visit that is asked again, and what is kept of it",
    "tests/nodes/test_any_words.py": "any words at all, read by all that reads",
    "tests/sources/test_mutations.py": "a good document with one place of it broken",
}
"""Test files in a mirrored folder that are called after a behaviour of several modules, or of one in two files."""

WAIVER = re.compile(r"#\s*(type:\s*ignore|noqa|pragma:\s*no cover)|\bcast\(")


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def long_functions(text: str, limit: int) -> Iterator[tuple[str, int]]:
    """Names and lengths of the functions that are longer than the limit, their docstrings left out."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first, last = node.body[0], node.body[-1]
            begin = first if ast.get_docstring(node) is None else node.body[min(1, len(node.body) - 1)]
            length = (last.end_lineno or 0) - begin.lineno + 1
            if length > limit:
                yield node.name, length


def waivers_of(text: str) -> int:
    return len(WAIVER.findall(text))


def test_no_file_is_long() -> None:
    lengths = {name_of(file): len(file.read_text().splitlines()) for file in CODE}
    long = {name: length for name, length in lengths.items() if length > LINES_OF_A_FILE}
    assert long == {}, f"a file of more than {LINES_OF_A_FILE} lines becomes a folder of the same name"


def test_no_function_is_long() -> None:
    long = {
        f"{name_of(file)}:{name}": n
        for file in CODE
        for name, n in long_functions(file.read_text(), LINES_OF_A_FUNCTION)
    }
    assert long == {}, f"a function has at most {LINES_OF_A_FUNCTION} lines"


def test_names_say_what_a_file_holds() -> None:
    named = {
        name_of(file) for file in SOURCES if {*file.relative_to(PACKAGE).parts[:-1], file.stem.strip("_")} & ATTICS
    }
    assert named == set(), "a function lives with its noun"


def test_every_file_says_what_it_is() -> None:
    silent = [name_of(file) for file in CODE if not ast.get_docstring(ast.parse(file.read_text()))]
    assert silent == [], "a file begins with a docstring"


def test_waivers_are_few() -> None:
    waivers = {name_of(file): count for file in SOURCES if (count := waivers_of(file.read_text()))}
    assert sum(waivers.values()) <= WAIVERS, f"too many type: ignore, noqa and cast: {waivers}"


def test_nothing_is_left_to_do() -> None:
    mark = re.compile("TO" + "DO|FIX" + "ME|XX" + "X")
    assert [name_of(file) for file in CODE if mark.search(file.read_text())] == []


def mirror(source: Path) -> str:
    """The test file of a source file."""
    place = source.relative_to(PACKAGE)
    return str(Path("tests") / place.parent / f"test_{place.name}")


def test_every_module_has_its_test_file() -> None:
    modules = {mirror(file): name_of(file) for file in SOURCES if file.name != "__init__.py"}
    tested = {name_of(file) for file in CODE}
    untested = {module for test, module in modules.items() if test not in tested}
    assert untested == set(UNTESTED), "src/loopwright/graphs/x.py is tested by tests/graphs/test_x.py"


def test_every_test_file_has_its_module() -> None:
    rooms = {folder.name for folder in PACKAGE.iterdir() if folder.is_dir()}
    mirrored = {name_of(file) for room in rooms for file in (ROOT / "tests" / room).rglob("test_*.py")}
    homeless = mirrored - {mirror(file) for file in SOURCES}
    assert homeless == set(BEHAVIOURS), "tests/graphs/test_x.py is for src/loopwright/graphs/x.py"


def test_no_file_names_a_place_of_one_machine() -> None:
    texts = [
        file
        for pattern in ("*", ".ci/*", "docs/**/*.md", "examples/*", "notebooks/*.ipynb")
        for file in ROOT.glob(pattern)
    ]
    mark = re.compile(r"(?<![\w.}])/(?:root|home|work|Users)/\w|--(?:extra-)?index-url|--hash=")
    named = [
        name_of(file)
        for file in (*CODE, *texts)
        if file.is_file()
        and file.name != ".git"
        and file != Path(__file__)
        and mark.search(file.read_text(errors="ignore"))
    ]
    assert named == [], "no absolute path of a machine and no download address stands in a file"


@pytest.mark.parametrize(("length", "found"), [(60, []), (61, [("f", 61)])])
def test_long_functions_are_found(length: int, found: list[tuple[str, int]]) -> None:
    text = "def f():\n    '''Two\n    lines.'''\n" + "    x = 1\n" * length
    assert list(long_functions(text, 60)) == found


def test_waivers_are_counted() -> None:
    text = "a = 1  # type: ignore[x]\nb = cast('int', a)  # noqa: E501\nbroadcast(c)\n"
    assert waivers_of(text) == 3
