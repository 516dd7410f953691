"""Questions by digests: equal where the questions are, and where two differ is told in words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.contract import Message, ToolSpec
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.recording.asked import Asked, asked_in, difference, digest_of, likeness

TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXTS), max_size=5)


def chat(pairs: list[tuple[str, str]]) -> list[Message]:
    return [{"role": role, "content": content} for role, content in pairs]


def told(old: ModelCall, new: ModelCall) -> str:
    (before, parts), (now, more) = asked_in(old), asked_in(new)
    return difference(before, now, {**parts, **more})


@given(MESSAGES, MESSAGES)
def test_questions_are_equal_where_their_messages_are(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> None:
    calls = ModelCall("a", chat(one)), ModelCall("b", chat(other))
    digests = [asked_in(call)[0].digest for call in calls]
    assert (digests[0] == digests[1]) == (one == other)
    assert (told(*calls) == "") == (one == other)


def test_the_node_is_no_part_of_a_question_and_schema_and_tools_are() -> None:
    said = chat([("user", "A risk?")])
    tools = [ToolSpec("now", "The time.")]
    calls = [
        ModelCall("a", said),
        ModelCall("b", said, {"type": "number"}),
        ModelCall("b", said, {}),
        ModelCall("b", said, tools=tools),
        ModelCall("b", said, {"type": "number"}, tools),
    ]
    assert len({asked_in(call)[0].digest for call in calls}) == len(calls)
    assert asked_in(ModelCall("a", said))[0] == asked_in(ModelCall("z", tuple(said)))[0]


def test_what_is_no_json_has_a_digest_too() -> None:
    assert digest_of({"a": {1, 2}}) == digest_of({"a": {1, 2}})
    assert digest_of(float("nan")) != digest_of(0.0)


LONG = "The beams rot where they lie on the stone, and nobody sees it from the path that leads below"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            ModelCall("a", chat([("user", "one\ntwo"), ("user", "x")])),
            ModelCall("a", chat([("user", "one\ntwi"), ("user", "y")])),
            "message 0 differs in line 2: 'two' there, 'twi' now",
        ),
        (
            ModelCall("a", chat([("user", "one")])),
            ModelCall("a", chat([("user", "one\n")])),
            "message 0 differs in line 2: no such line there, '' now",
        ),
        (
            ModelCall("a", chat([("user", "x")])),
            ModelCall("a", chat([("system", "x")])),
            "message 0 differs in its role: user there, system now",
        ),
        (
            ModelCall("a", chat([("user", "x")])),
            ModelCall("a", chat([("user", "x"), ("user", "Continue")])),
            "message 1 of now, user: 'Continue', is not there",
        ),
        (
            ModelCall("a", chat([("user", "x"), ("assistant", "Rot.")])),
            ModelCall("a", chat([("user", "x")])),
            "it has message 1 more, assistant: 'Rot.'",
        ),
        (
            ModelCall("a", [], {"type": "number"}),
            ModelCall("a", [], {"type": "string"}),
            """the schema differs in line 2: ' "type": "number"' there, ' "type": "string"' now""",
        ),
        (ModelCall("a", [], {}), ModelCall("a", []), "the schema differs in line 1: '{}' there, 'none' now"),
        (
            ModelCall("a", [], tools=[ToolSpec("now")]),
            ModelCall("a", [], tools=[ToolSpec("late")]),
            """the tools differ in line 4: '  "name": "now",' there, '  "name": "late",' now""",
        ),
        (
            ModelCall("a", [{"role": "tool", "content": "x", "tool_call_id": "1"}]),
            ModelCall("a", [{"role": "tool", "content": "x", "tool_call_id": "2"}]),
            """message 0 differs in line 2: ' "tool_call_id": "1"' there, ' "tool_call_id": "2"' now""",
        ),
        (
            ModelCall("a", chat([("user", f"{LONG} it")])),
            ModelCall("a", chat([("user", f"{LONG} us")])),
            "message 0 differs in line 1: ...'th that leads below it' there, ...'th that leads below us' now",
        ),
    ],
)
def test_where_two_questions_first_differ(old: ModelCall, new: ModelCall, words: str) -> None:
    assert told(old, new) == words


def test_a_part_that_is_lost_is_told_as_such() -> None:
    old, new = asked_in(ModelCall("a", chat([("user", "x")]))), asked_in(ModelCall("a", chat([("user", "y")])))
    assert difference(old[0], new[0], new[1]) == "message 0 differs in a text that the file does not have any more"
    assert difference(old[0], Asked(()), {}) == "it has message 0 more, whose text is not known"


def test_the_most_alike_begin_alike_and_are_as_long() -> None:
    asked: Any = Asked(("a", "b", "c"))
    others = [Asked(("a",)), Asked(("x", "b", "c")), Asked(("a", "b")), Asked(("a", "b", "d")), Asked(())]
    assert max(others, key=lambda other: likeness(other, asked)) == Asked(("a", "b", "d"))
