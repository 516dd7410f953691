"""What is read from a model's words, and what is not: one table each."""

from typing import Any

import pytest

from loopwright.errors import Unreadable
from loopwright.nodes.structured import Reading, kept, read_value
from loopwright.nodes.think import Judge
from loopwright.state.schema import check_for, schema_of
from loopwright.state.values import Json, JsonObject, JsonSchema

VERDICT = Judge("review", prompt="?", outcomes=["pass", "revise"]).schema
SCORE = Judge("rate", prompt="?", score=(1, 10)).schema
ACHIEVED: JsonSchema = {"type": "object", "properties": {"achieved": {"type": "boolean"}}, "required": ["achieved"]}
WORD: JsonObject = {"type": "string", "enum": ["pass", "revise"]}
RATING: JsonObject = {"type": "number", "minimum": 1, "maximum": 10}
INDEX: JsonObject = {"type": "integer", "minimum": 0, "maximum": 4}
PASS = {"outcome": "pass"}

NO_JSON = "the answer is not valid JSON:"
NO_VERDICT = "not JSON of the form {outcome: pass | revise, reason?: str}"
NO_SCORE = "not JSON of the form {score: float, reason?: str}"
TWO_VALUES = "the answer holds 2 values that differ; give exactly one"

THE_ANSWER_ITSELF: list[tuple[JsonSchema, Any, Any]] = [
    (VERDICT, PASS, PASS),
    (VERDICT, '{"outcome": "pass"}', PASS),
    (VERDICT, ' {"outcome": "pass", "reason": "short"}\n', {"outcome": "pass", "reason": "short"}),
    (WORD, "pass", "pass"),
    (WORD, '"pass"', "pass"),
    (RATING, "8", 8),
    (RATING, 8.0, 8.0),
    (RATING, "8.0", 8.0),
    (ACHIEVED, '{"achieved": true}', {"achieved": True}),
    ({"type": "string"}, "hello there", "hello there"),
    ({"type": "string"}, "8", "8"),
    ({"type": "string"}, "code:\n```py\nx = 1\n```\nend", "code:\n```py\nx = 1\n```\nend"),
    ({}, '{"a": 1}', {"a": 1}),
    ({}, 'see {"a": 1}', 'see {"a": 1}'),
    (schema_of(float | None), "null", None),
    ({"type": "array", "items": {"type": "string"}}, '["a", "b"]', ["a", "b"]),
]

ONE_MEANING: list[tuple[JsonSchema, Any, Any, str]] = [
    (VERDICT, "Pass.", PASS, 'read "Pass." as {"outcome": "pass"}'),
    (VERDICT, " PASS ", PASS, 'read " PASS " as {"outcome": "pass"}'),
    (VERDICT, "**Pass**", PASS, 'read "**Pass**" as {"outcome": "pass"}'),
    (VERDICT, {"outcome": "Revise!"}, {"outcome": "revise"}, 'read {"outcome": "Revise!"} as {"outcome": "revise"}'),
    (
        VERDICT,
        {"outcome": "pass", "reason": None},
        PASS,
        'read {"outcome": "pass", "reason": null} as {"outcome": "pass"}',
    ),
    (VERDICT, 'Well: {"outcome": "pass"}. Done.', PASS, "taken out of the text around it"),
    (VERDICT, '```json\n{"outcome": "pass"}\n```', PASS, "taken out of the text around it"),
    (VERDICT, 'As {x} says: {"outcome": "pass"}', PASS, "taken out of the text around it"),
    (VERDICT, '{"outcome": "pass"} so {"outcome": "pass"}', PASS, "taken out of the text around it"),
    (
        VERDICT,
        "My verdict:\n```\npass\n```",
        PASS,
        'taken out of the text around it; read "pass" as {"outcome": "pass"}',
    ),
    (WORD, "PASS!", "pass", 'read "PASS!" as "pass"'),
    (WORD, "'Pass'.", "pass", 'read "\'Pass\'." as "pass"'),
    (SCORE, "8", {"score": 8}, 'read 8 as {"score": 8}'),
    (SCORE, 8.0, {"score": 8.0}, 'read 8.0 as {"score": 8.0}'),
    (SCORE, "8.0", {"score": 8.0}, 'read 8.0 as {"score": 8.0}'),
    (SCORE, "8/10", {"score": 8}, 'read "8/10" as {"score": 8}'),
    (SCORE, {"score": "7.5 / 10"}, {"score": 7.5}, 'read {"score": "7.5 / 10"} as {"score": 7.5}'),
    (SCORE, '{"score": "8"}', {"score": 8}, 'read {"score": "8"} as {"score": 8}'),
    (RATING, "8/10.", 8, 'read "8/10." as 8'),
    (INDEX, 3.0, 3, "read 3.0 as 3"),
    (schema_of(list[float]), ["1", 2.5], [1, 2.5], 'read ["1", 2.5] as [1, 2.5]'),
    ({"anyOf": [RATING, {"type": "null"}]}, "8/10", 8, 'read "8/10" as 8'),
]

ONE_MEANING += [
    (
        VERDICT,
        '{"outcome": "pass", "reason": "two\nlines"}',
        {"outcome": "pass", "reason": "two\nlines"},
        "read with line ends inside of its texts",
    ),
    (VERDICT, r'"{\"outcome\": \"pass\"}"', PASS, "read the JSON that stands in a text"),
    (VERDICT, '<think>{"outcome": "revise"}? No.</think>\n{"outcome": "pass"}', PASS, "taken from after the thought"),
    (VERDICT, 'Hm, revise.</think>{"outcome": "pass"}', PASS, "taken from after the thought"),
    (VERDICT, "<think>Hm.</think>Pass.", PASS, 'read "Pass." as {"outcome": "pass"}'),
    (RATING, 'Here: ```json\n{"value": 8}\n```', 8, "taken out of the text around it"),
    (
        SCORE,
        'Here:\n```json\n{"score": "8/10"}\n```',
        {"score": 8},
        'taken out of the text around it; read {"score": "8/10"} as {"score": 8}',
    ),
    (RATING, "```\n8/10\n```", 8, 'taken out of the text around it; read "8/10" as 8'),
    (SCORE, '{"score": 8} or {"score": "8/10"}', {"score": 8}, "taken out of the text around it"),
]

DOES_NOT_FIT: list[tuple[JsonSchema, Any, Any]] = [
    (VERDICT, 'So: {"outcome": "banana"}', {"outcome": "banana"}),
    (VERDICT, {"outcome": "pass", "mood": 1}, {"outcome": "pass", "mood": 1}),
    (VERDICT, '{"verdict": {"outcome": "pass"}}', {"verdict": {"outcome": "pass"}}),
    (WORD, "passed", "passed"),
    (WORD, "banana", "banana"),
    (WORD, "...", "..."),
    (WORD, 8, 8),
    ({"enum": ["Pass", "pass."]}, "PASS", "PASS"),
    (SCORE, 11, {"score": 11}),
    (SCORE, "11", {"score": 11}),
    (SCORE, -1, {"score": -1}),
    (SCORE, '{"score": true}', {"score": True}),
    (SCORE, '{"score": "8."}', {"score": "8."}),
    (SCORE, True, True),
    (RATING, "8.", "8."),
    (RATING, "eight", "eight"),
    (RATING, "between 7 and 8", "between 7 and 8"),
    (RATING, "11/10", 11),
    (RATING, "NaN", "NaN"),
    (RATING, float("nan"), float("nan")),
    (INDEX, "2.5", 2.5),
    (ACHIEVED, '{"achieved": "true"}', {"achieved": "true"}),
]

NO_MEANING: list[tuple[Any, Any, str]] = [
    (VERDICT, "passed", f'the answer is "passed", and {NO_VERDICT}'),
    (VERDICT, "pass or revise", f'the answer is "pass or revise", and {NO_VERDICT}'),
    (VERDICT, "pass?", f'the answer is "pass?", and {NO_VERDICT}'),
    (VERDICT, '{"outcome": "pass"} or {"outcome": "revise"}', TWO_VALUES),
    (VERDICT, 'No: {"outcome": "revise"}\n```json\n{"outcome": "pass"}\n```', TWO_VALUES),
    (VERDICT, '{"outcome": "pass", "outcome": "revise"}', f'{NO_JSON} the key "outcome" stands twice in one object'),
    (VERDICT, '{"outcome": "pass", "rea', f"{NO_JSON} Unterminated string starting at: line 1 column 21 (char 20)"),
    (VERDICT, '[{"outcome": "pass"}, {"outcome": ', f"{NO_JSON} Expecting value: line 1 column 34 (char 33)"),
    (VERDICT, "[" * 100_000, f"{NO_JSON} it is nested too deeply"),
    (SCORE, "eight", f'the answer is "eight", and {NO_SCORE}'),
    (SCORE, "between 7 and 8", f'the answer is "between 7 and 8", and {NO_SCORE}'),
    (SCORE, "8/5", f'the answer is "8/5", and {NO_SCORE}'),
    (SCORE, '{"score": 0.', f"{NO_JSON} Expecting ',' delimiter: line 1 column 12 (char 11)"),
    (SCORE, '{"score": NaN}', f"{NO_JSON} NaN is not a JSON value"),
    (ACHIEVED, "Sure! achieved", 'the answer is "Sure! achieved", and not JSON of the form {achieved: bool}'),
    (VERDICT, '<think>{"outcome": "pass"}', "the answer is a thought without an answer after it"),
    (VERDICT, "<think>Hm.</think> ", "the answer is a thought without an answer after it"),
    (RATING, '{"value": 7} {"value": 8}', TWO_VALUES),
    (None, "half \ud83d", "the answer holds halves of characters, which no text can have"),
    (None, float("nan"), "a text was asked for, and the answer is data that cannot be kept"),
    ({"type": "array"}, "a, b", 'the answer is "a, b", and not JSON of the form list'),
]


def ids(rows: list[Any]) -> list[str]:
    return [f"{ascii(row[1])[:40]} for {row[0].get('type', 'any') if row[0] else 'text'}" for row in rows]


@pytest.mark.parametrize(("schema", "said", "value"), THE_ANSWER_ITSELF, ids=ids(THE_ANSWER_ITSELF))
def test_the_answer_itself(schema: JsonSchema, said: Any, value: Any) -> None:
    reading = read_value(said, schema)
    assert reading == Reading(value)
    assert type(reading.value) is type(value)
    assert not reading.repaired


@pytest.mark.parametrize(("schema", "said", "value", "note"), ONE_MEANING, ids=ids(ONE_MEANING))
def test_one_meaning(schema: JsonSchema, said: Any, value: Any, note: str) -> None:
    reading = read_value(said, schema)
    assert reading == Reading(value, note)
    assert type(reading.value) is type(value)
    assert reading.repaired


@pytest.mark.parametrize(("schema", "said", "value"), DOES_NOT_FIT, ids=ids(DOES_NOT_FIT))
def test_what_does_not_fit_has_the_words_of_the_check(schema: JsonSchema, said: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=r".") as check:
        check_for(schema)(value)
    with pytest.raises(Unreadable) as caught:
        read_value(said, schema)
    assert str(caught.value) == str(check.value)


@pytest.mark.parametrize(("schema", "said", "words"), NO_MEANING, ids=ids(NO_MEANING))
def test_no_meaning(schema: JsonSchema, said: Any, words: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_value(said, schema)
    assert str(caught.value) == words


@pytest.mark.parametrize("schema", [None, VERDICT, WORD, {}])
@pytest.mark.parametrize("said", ["", " \n\t", None])
def test_nothing_is_never_an_answer(schema: JsonSchema | None, said: str | None) -> None:
    with pytest.raises(Unreadable, match=r"^the answer is empty$"):
        read_value(said, schema)


def test_plain_text_is_taken_as_it_is() -> None:
    assert read_value(' {"a": 1} \n', None) == Reading(' {"a": 1} \n')


def test_data_is_no_plain_text() -> None:
    with pytest.raises(Unreadable, match=r'^a text was asked for, and the answer is \{"a": 1\}$'):
        read_value({"a": 1}, None)


def test_what_was_cut_is_read_as_text_only() -> None:
    assert read_value("The end is mis", None, truncated=True) == Reading("The end is mis")
    with pytest.raises(Unreadable, match=r"^the answer was cut off at the token limit; give a shorter one$"):
        read_value("8", RATING, truncated=True)


def test_long_answers_are_quoted_without_their_middle() -> None:
    said = "no " * 1000
    with pytest.raises(ValueError, match=r".") as check:
        check_for(WORD)(said)
    with pytest.raises(Unreadable) as caught:
        read_value(said, WORD)
    whole = str(check.value)
    assert len(whole) > 3000
    assert str(caught.value) == f"{whole[:150]} ... {whole[-150:]}"


@pytest.mark.parametrize("said", ["9" * 5000, '"' + "9" * 5000 + '"', '{"score": "' + "9" * 5000 + '/10"}'])
def test_more_digits_than_python_reads_are_unreadable(said: str) -> None:
    with pytest.raises(Unreadable):
        read_value(said, SCORE)


def test_references_and_nested_values_are_followed() -> None:
    schema: JsonSchema = {
        "type": "object",
        "properties": {"votes": {"type": "array", "items": {"$ref": "#/$defs/Vote"}}},
        "required": ["votes"],
        "$defs": {
            "Vote": {"type": "object", "properties": {"for": WORD, "weight": INDEX}, "required": ["for", "weight"]}
        },
    }
    reading = read_value({"votes": [{"for": "Pass", "weight": "2"}]}, schema)
    assert reading.value == {"votes": [{"for": "pass", "weight": 2}]}


def test_reading_changes_nothing_of_what_was_said() -> None:
    said: Json = {"outcome": "Pass.", "reason": None}
    read_value(said, VERDICT)
    assert said == {"outcome": "Pass.", "reason": None}


@pytest.mark.parametrize("said", ["8/10", {"a": [1, None]}, None])
def test_what_can_be_kept_is_kept_as_it_is(said: Any) -> None:
    assert kept(said) is said


def test_anything_else_is_kept_as_a_text() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert kept("half \ud83d") == "half \\ud83d"
    assert kept(float("nan")) == "nan"
    assert kept({"half": "\ud83d"}) == "{'half': '\\ud83d'}"
    assert kept(deep) == "list that is nested too deeply"


def test_words_about_an_answer_can_be_sent() -> None:
    with pytest.raises(Unreadable) as caught:
        read_value("half \ud83d", VERDICT)
    assert str(caught.value).encode().startswith(b'the answer is "half \\ud83d", and')


TREE: JsonSchema = {"$ref": "#/$defs/Tree", "$defs": {"Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}


def test_a_schema_that_holds_itself_meets_an_answer_that_goes_too_deep() -> None:
    assert read_value("[[], [[]]]", TREE) == Reading([[], [[]]])
    for depth in (150, 400, 900, 100_000):
        with pytest.raises(Unreadable):
            read_value("[" * depth + "]" * depth, TREE)
