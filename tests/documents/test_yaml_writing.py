"""Writing YAML: what is written is read again as it was."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.documents.yaml_text import read_yaml
from loopwright.documents.yaml_writing import write_yaml

TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12),
    st.text(alphabet=" \n\t#:-'\"\\|>{}[],&*!%@`ab1", max_size=12),
    st.sampled_from(
        ["yes", "null", "~", "1", "1e3", "0x1f", "2026-01-02", "<<", "a: b", "a #b", "---", "...", "\ufeff"]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.sampled_from([0.5, -2.25, 1e-9]), TEXTS)
KEYS = TEXTS.filter(lambda text: text != "<<")  # the reader refuses a key of this name, quoted or not
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_what_is_written_is_read_again(data: Any) -> None:
    assert read_yaml(write_yaml(data)).data == data


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=3), st.text(max_size=20))
def test_comments_change_nothing(data: Any, words: str) -> None:
    comments = dict.fromkeys(read_yaml(write_yaml(data)).lines, words)
    assert read_yaml(write_yaml(data, comments)).data == data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"a": "x", "b": 1, "c": None, "d": True}, "a: x\nb: 1\nc: null\nd: true\n"),
        ({"a": "yes", "b": "1", "c": "", "d": "a: b"}, 'a: "yes"\nb: "1"\nc: ""\nd: "a: b"\n'),
        ({"a": "<Solver>", "b": "gpt-4o-mini"}, "a: <Solver>\nb: gpt-4o-mini\n"),
        ({"a": "one\ntwo"}, "a: |-\n  one\n  two\n"),
        ({"a": "one\n\ntwo\n"}, "a: |\n  one\n\n  two\n"),
        ({"a": "one\n\n"}, "a: |+\n  one\n\n"),
        ({"a": " one\ntwo"}, "a: |2-\n   one\n  two\n"),
        ({"a": "one\r\ntwo\x07"}, 'a: "one\\r\\ntwo\\x07"\n'),
        ({"a": ["x\ny", {"b": ["x\ny"]}]}, "a:\n  - |-\n    x\n    y\n  -\n    b:\n      - |-\n        x\n        y\n"),
        ({"a": ["x" * 60, "y" * 60]}, f"a:\n  - {'x' * 60}\n  - {'y' * 60}\n"),
        ({"a": {}, "b": []}, "a: {}\nb: []\n"),
    ],
)
def test_how_it_is_written(data: Any, text: str) -> None:
    assert write_yaml(data) == text


def test_where_comments_stand() -> None:
    data: Any = {"a": {"b": 1, "c": 2}, "d": [1, 2]}
    comments = {(): "first\nsecond", ("a", "c"): "the c", ("d", 1): "the two", ("x",): "nowhere"}
    assert write_yaml(data, comments) == (
        "# first\n# second\na:\n  b: 1\n  # the c\n  c: 2\nd:\n  - 1\n  # the two\n  - 2\n"
    )
