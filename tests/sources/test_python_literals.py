"""Python as data: what is read, what is told, and that nothing is run."""

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.errors import SourceError
from loopwright.sources.python_literals import read_literals

LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(LITERALS)
def test_literals_are_read_as_python_reads_them(value: Any) -> None:
    assert read_literals(f"x = {value!r}", {"x"}).document.data == {"x": value}


def test_a_tuple_is_a_list_and_texts_beside_each_other_are_one() -> None:
    assert read_literals("x = ('a' 'b', -1)", {"x"}).document.data == {"x": ["ab", -1]}


def test_lines_are_those_of_the_keys() -> None:
    document = read_literals("x = {\n  'a': [\n    1,\n    2],\n  'b':\n    3}\n", {"x"}).document
    assert [document.line(path) for path in (("x",), ("x", "a"), ("x", "a", 1), ("x", "b"))] == [1, 2, 4, 5]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("name", "this is the name 'name'"),
        ("a.b", "this is an attribute, a.b"),
        ("open('x')", "this is a call"),
        ("f'{a}'", "this is an f-string"),
        ("'a' + 'b'", "this is a calculation"),
        ("a[0]", "this is an item of something"),
        ("{1, 2}", "this is a set"),
        ("b'x'", "this is no literal"),
        ("...", "this is no literal"),
        ("[x for x in y]", "this is no literal"),
        ("{**a}", "a key of this dictionary is no text"),
        ("{1: 2}", "a key of this dictionary is no text"),
        ("[*a]", "this is a starred value"),
    ],
)
def test_what_is_no_literal_is_told(value: str, message: str) -> None:
    (fault,) = read_literals(f"\nx = {value}", {"x"}).faults
    assert (fault.message, fault.path[0], fault.line) == (message, "x", 2)
    assert fault.hint == "only literals are read, and no code is run: write the value out"


@pytest.mark.parametrize(
    "statement",
    [
        "x['a'] = 1",
        "x += 1",
        "x.append(1)",
        "if a:\n  x = 1",
        "def f(): pass",
        "for x in y: pass",
        "x, y = 1, 2",
        "del x",
    ],
)
def test_a_statement_that_could_change_something_is_told(statement: str) -> None:
    (fault,) = read_literals(f"x = 1\n{statement}", {"x"}).faults
    assert (fault.message, fault.line) == ("this statement is not read, as no code is run", 2)


def test_what_changes_nothing_is_passed_over() -> None:
    text = "'''Settings.'''\nimport os\nfrom a import *\nx: int = 1\ny = z = 2\nother = f(x)\npass\n"
    read = read_literals(text, {"x", "y", "z"})
    assert (read.document.data, read.faults, read.others) == ({"x": 1, "y": 2, "z": 2}, (), {"other": 6})


def test_what_is_assigned_twice_is_told() -> None:
    read = read_literals("x = 1\nx = {'a': 1,\n'a': 2}", {"x"})
    assert [(fault.line, fault.message) for fault in read.faults] == [
        (2, "the key 'x' stands twice, in lines 1 and 2"),
        (3, "the key 'a' stands twice, in lines 2 and 3"),
    ]


def test_what_stands_instead_is_given_place_and_code() -> None:
    def shown(path: Any, node: ast.expr) -> str:
        return f"{path[1]}: {ast.unparse(node)}"

    read = read_literals("x = {'a': {'key': f(1), 'n': 2}}", {"x"}, {("x", "*", "key"): shown})
    assert (read.document.data, read.faults) == ({"x": {"a": {"key": "a: f(1)", "n": 2}}}, ())


@pytest.mark.parametrize(
    ("text", "line"),
    [("x = (\n", 1), ("x = 1\ny = = 2\n", 2), ("x = 1\0", 1), (f"x = {'[' * 5000}{']' * 5000}", 1)],
)
def test_what_is_no_python_is_told(text: str, line: int) -> None:
    with pytest.raises(SourceError) as caught:
        read_literals(text, {"x"})
    assert [fault.line for fault in caught.value.faults] == [line]


def test_a_value_that_is_nested_too_deep_is_told() -> None:
    with pytest.raises(SourceError, match="nested deeper than 64 levels"):
        read_literals(f"x = {'[' * 70}{']' * 70}", {"x"})


def test_a_backslash_that_stands_for_itself_warns_nobody() -> None:
    assert read_literals(r"x = '\d'", {"x"}).document.data == {"x": r"\d"}
