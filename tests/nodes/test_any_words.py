"""Whatever a model says: a value that fits its schema, or unreadable in words; never another exception."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.errors import Unreadable
from loopwright.nodes.structured import kept, read_value
from loopwright.nodes.think import Judge
from loopwright.state.schema import check_for, schema_of

VERDICT = Judge("review", prompt="?", outcomes=["pass", "revise"]).schema
SCORE = Judge("rate", prompt="?", score=(1, 10)).schema
TREE = {"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}
SCHEMAS: list[Any] = [
    *(None, {}, VERDICT, SCORE, TREE, schema_of(list[float]), schema_of(float | None), schema_of(dict[str, bool])),
    {"type": "string", "enum": ["pass", "revise"]},
    {"type": "number", "minimum": 1, "maximum": 10},
    {"type": "integer", "minimum": 0, "maximum": 4},
]

CHARACTERS = st.sampled_from([*"{}[]\",:0123456789.eE/-+ \n\\`*'", "\ud83d", "ü", "\x00"])
WORDS = st.sampled_from(
    [
        *(
            "pass",
            "revise",
            "Pass.",
            "outcome",
            "score",
            "reason",
            "value",
            "NaN",
            "Infinity",
            "null",
            "true",
            "8/10",
            "11",
        ),
        *(
            '{"outcome": "pass"',
            '{"score": 8',
            '"score": 0.',
            "```json\n",
            "```",
            "<think>",
            "</think>",
            "between 7 and 8",
        ),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
SAID = (
    st.text()
    | st.lists(CHARACTERS | WORDS, max_size=25).map("".join)
    | JSON
    | JSON.map(json.dumps)
    | st.tuples(WORDS, JSON.map(json.dumps), WORDS).map("".join)
    | st.binary(max_size=40).map(lambda data: data.decode("latin-1"))
)


@settings(max_examples=600)
@given(SAID, st.sampled_from(SCHEMAS), st.booleans())
def test_whatever_is_said_is_a_value_that_fits_or_unreadable(said: Any, schema: Any, truncated: bool) -> None:
    try:
        reading = read_value(said, schema, truncated=truncated)
    except Unreadable as error:
        words = str(error)
        words.encode()
    else:
        check_for({"type": "string"} if schema is None else schema)(reading.value)
        json.dumps(reading.note, ensure_ascii=False).encode()
        if not reading.repaired and not isinstance(said, str):
            assert reading.value == said
    json.dumps(kept(said), ensure_ascii=False, allow_nan=False).encode()


@given(
    st.floats(min_value=-1e6, max_value=1e6) | st.integers(-50, 50), st.sampled_from(["{}", "{}/10", '{{"score": {}}}'])
)
def test_a_score_that_is_read_is_the_number_that_was_said(number: float, form: str) -> None:
    try:
        reading = read_value(form.format(number), SCORE)
    except Unreadable:
        if "e" not in str(number) and "E" not in str(number):
            assert not 1 <= number <= 10
    else:
        assert reading.value == {"score": number}
        assert 1 <= number <= 10
