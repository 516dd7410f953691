"""Prompts: placeholders are found and filled in one pass, and all else stays to the letter."""

import json
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.prompts import as_text, filled, in_braces, named_in, placeholders, render
from loopwright.state.values import Json

# Without ">" no text ends a placeholder; all else that could be taken for a part of one is there.
PLAIN = st.text(st.sampled_from("a {}<\\\n1"))
NAMES = st.text(st.sampled_from("ab/ .\\g"), min_size=1).map(str.strip).filter(bool)
VALUES = st.sampled_from(["<{a}>", "<{b}> <{a}>", "}>", "<{", "\\g<0>", "\\1", ""]) | st.text()


@given(st.lists(st.tuples(PLAIN, NAMES)), PLAIN, st.data())
def test_rendering_is_one_pass(parts: list[tuple[str, str]], tail: str, data: st.DataObject) -> None:
    names = [name for _, name in parts]
    values = {name: data.draw(VALUES) for name in names}
    template = "".join(f"{text}<{{{name}}}>" for text, name in parts) + tail
    assert placeholders(template) == tuple(dict.fromkeys(names))
    assert render(template, values) == "".join(chain(*((text, values[name]) for text, name in parts))) + tail


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("", ()),
        ("<{a}> <{ a }> <{b c}>", ("a", "b c")),
        ("<{}> <a> {a} < {a} > <{a} >", ()),
        ("<{<{a}>}>", ("a",)),
        ('{"x": {"y": "<{a}>"}}', ("a",)),
        ("<{a\n}>", ("a",)),
    ],
)
def test_what_is_a_placeholder(template: str, names: tuple[str, ...]) -> None:
    assert placeholders(template) == names


def test_a_placeholder_without_a_value() -> None:
    with pytest.raises(KeyError, match="topic"):
        render("<{topic}>", {"draft": "x"})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as <{it}> is", "as <{it}> is"),
        ("", ""),
        (["a", "b\nc"], "- a\n- b\nc"),
        ([], "[]"),
        (["a", 1], '["a", 1]'),
        ([["a"]], '[["a"]]'),
        ({"a": "ü"}, '{"a": "ü"}'),
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
    ],
)
def test_a_value_in_a_prompt(value: Json, text: str) -> None:
    assert as_text(value) == text


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).filter(lambda v: v != []))
def test_what_is_neither_a_text_nor_a_list_of_texts_is_json(value: Json) -> None:
    lines = isinstance(value, list) and all(isinstance(item, str) for item in value)
    if not isinstance(value, str) and not lines:
        assert json.loads(as_text(value)) == value


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("{a} {{a}} {{ b }}", {"{a}": "a", "{{a}}": "a", "{{ b }}": "b"}),
        ("<{a}> {<{b}>} {}", {}),
        ("<{{a}}>", {"{{a}}": "a"}),
        ('{"a": 1}', {'{"a": 1}': '"a": 1'}),
        ("{a b}", {"{a b}": "a b"}),
    ],
)
def test_what_stands_in_braces_alone(template: str, found: dict[str, str]) -> None:
    assert in_braces(template) == found


def test_a_value_with_placeholders_is_filled_all_the_way_down() -> None:
    value: Json = {
        "whole": " <{n}> ",
        "part": "n is <{n}>",
        "in": ["<{n}>", {"deep": "<{m}>"}],
        "none": None,
    }
    assert named_in(value) == ("n", "m")
    assert filled(value, {"n": [1], "m": {"a": "<{n}>"}}) == {
        "whole": [1],
        "part": "n is [1]",
        "in": [[1], {"deep": {"a": "<{n}>"}}],
        "none": None,
    }
    with pytest.raises(KeyError):
        filled("<{gone}>", {})
