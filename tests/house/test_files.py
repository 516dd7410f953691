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


def test_tests_mirror_the_sources() -> None:
    rooms = {folder.name for folder in PACKAGE.iterdir() if folder.is_dir()}
    places = {file.parent.relative_to(ROOT / "tests") for file in (ROOT / "tests").rglob("test_*.py")}
    homeless = [
        str(place)
        for place in places
        if place.parts[:1] in {(room,) for room in rooms} and not (PACKAGE / place).is_dir()
    ]
    assert homeless == [], "tests/graphs/test_x.py is for src/loopwright/graphs/x.py"


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
        if file.is_file() and file != Path(__file__) and mark.search(file.read_text(errors="ignore"))
    ]
    assert named == [], "no absolute path of a machine and no download address stands in a file"


@pytest.mark.parametrize(("length", "found"), [(60, []), (61, [("f", 61)])])
def test_long_functions_are_found(length: int, found: list[tuple[str, int]]) -> None:
    text = "def f():\n    '''Two\n    lines.'''\n" + "    x = 1\n" * length
    assert list(long_functions(text, 60)) == found


def test_waivers_are_counted() -> None:
    text = "a = 1  # type: ignore[x]\nb = cast('int', a)  # noqa: E501\nbroadcast(c)\n"
    assert waivers_of(text) == 3
