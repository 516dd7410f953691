"""JSON with lines."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.documents.json_text import read_json
from loopwright.errors import Fault, SourceError

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def fault_in(text: str) -> Fault:
    with pytest.raises(SourceError) as caught:
        read_json(text)
    (fault,) = caught.value.faults
    return fault


@settings(max_examples=50, deadline=None)
@given(json_values, st.sampled_from([None, 1, "\t"]))
def test_the_data_is_what_the_library_reads(value: object, indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent)
    document = read_json(text)
    assert document.data == value
    assert max(document.lines.values()) <= text.count("\n") + 1


def test_every_place_has_its_line() -> None:
    document = read_json('{"a":\n  [1,\n\t{"b, {": "\\"]"}],\n "c": {}}')
    assert document.lines == {(): 1, ("a",): 1, ("a", 0): 2, ("a", 1): 3, ("a", 1, "b, {"): 3, ("c",): 4}


@pytest.mark.parametrize("text", ['{"a": 1,\n}', '{"a": 1\n,\n}', "[1,\n2,]", "[[1,]\n]"])
def test_a_trailing_comma_is_named(text: str) -> None:
    fault = fault_in(text)
    assert (fault.message, fault.hint) == ("a comma stands before a closing bracket", "JSON has no trailing commas")
    assert text.splitlines()[fault.line - 1].strip().endswith((",", ",]"))


def test_broken_json_names_line_and_column() -> None:
    assert fault_in('{"a": 1,\n "b" 2}') == Fault("broken JSON at column 6: expecting ':' delimiter", line=2)


def test_a_key_that_stands_twice() -> None:
    fault = fault_in('{"x": {"a": 1,\n"b": 2,\n"\\u0061": 3}}')
    assert fault == Fault("the key 'a' stands twice, in lines 1 and 3", ("x", "a"), line=3)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_must_be_finite(number: str) -> None:
    assert fault_in(f'{{"a":\n{number}}}') == Fault(f"{number} is not a finite number", ("a",), line=2)


def test_a_number_of_too_many_digits() -> None:
    assert fault_in("9" * 5000).message.startswith("a number is too long: ")


@pytest.mark.parametrize("depth", [66, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    assert fault_in("[" * depth + "]" * depth) == Fault("nested deeper than 64 levels", line=1)
