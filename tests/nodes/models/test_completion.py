"""Completions as servers send them, and what is none."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.models.completion import Completion, NoCompletion, Parts, completion
from loopwright.state.records import Usage

CALL = {"id": "a", "function": {"name": "now", "arguments": "{}"}}


def body(finish: Any = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (body(content="Rot."), Completion("Rot.", "stop")),
        (body(content=None, refusal="I will not."), Completion("I will not.", "stop")),
        (body(content=None), Completion("", "stop")),
        (body(content=[{"type": "text", "text": "Ro"}, {"type": "image"}, "t."]), Completion("Rot.", "stop")),
        (body(content={"score": 8}), Completion({"score": 8}, "stop")),
        (body(3, content="Rot."), Completion("Rot.")),
        (body(content="", tool_calls=[CALL]), Completion("", "stop", functions=(CALL,))),
        (body(content="", tool_calls=[{"id": "a"}, 3, {"function": "now"}]), Completion("", "stop")),
        (body(content="x", tool_calls="none"), Completion("x", "stop")),
        (
            body(usage={"prompt_tokens": 3, "completion_tokens": 2}, content="x"),
            Completion("x", "stop", Usage(1, 3, 2)),
        ),
        (body(usage={"prompt_tokens": "3", "completion_tokens": -2}, content="x"), Completion("x", "stop", Usage(1))),
        (body(usage={"prompt_tokens": True, "completion_tokens": 2.5}, content="x"), Completion("x", "stop", Usage(1))),
        (body(usage=[3], content="x"), Completion("x", "stop", Usage(1))),
    ],
)
def test_completions(said: Any, read: Completion) -> None:
    assert completion(said) == read


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (None, "it is no object"),
        ({"error": "overloaded"}, "it has no choices: overloaded"),
        ({"error": {"message": 3}}, "it has no choices"),
        ({"choices": {}}, "it has no choices"),
        ({"choices": [[]]}, "its choice is no object"),
        ({"choices": [{}]}, "its choice has no message"),
    ],
)
def test_what_is_no_completion(said: Any, words: str) -> None:
    with pytest.raises(NoCompletion) as caught:
        completion(said)
    assert str(caught.value) == words


def test_only_the_token_limit_cuts() -> None:
    assert [Completion("x", reason).reply().truncated for reason in ("length", "stop", "", "tool_calls")] == [
        True,
        False,
        False,
        False,
    ]


def delta(finish: Any = None, **said: Any) -> dict[str, Any]:
    return {"choices": [{"delta": said, "finish_reason": finish}]}


def test_parts_make_one_completion() -> None:
    parts = Parts()
    assert not parts
    pieces = [
        delta(role="assistant", content=""),
        delta(content="Let me "),
        delta(content="see.", tool_calls=[{"index": 0, "id": "a", "function": {"name": "now", "arguments": '{"zo'}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": 'ne": 1}'}}]),
        delta(tool_calls=[{"index": 1, "id": "b", "function": {"name": "stop", "arguments": {"x": 1}}}]),
        delta("tool_calls"),
        {"choices": [{"delta": None}]},
        {"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 2}},
    ]
    assert [parts.add(piece) for piece in pieces] == ["", "Let me ", "see.", "", "", "", "", ""]
    functions = (
        {"id": "a", "function": {"name": "now", "arguments": '{"zone": 1}'}},
        {"id": "b", "function": {"name": "stop", "arguments": {"x": 1}}},
    )
    assert parts.completion() == Completion("Let me see.", "tool_calls", Usage(1, 4, 2), functions)
    assert parts


@pytest.mark.parametrize("piece", [3, {"choices": [3]}, {"choices": None}, delta(content={"a": 1})])
def test_what_is_no_part(piece: Any) -> None:
    with pytest.raises(NoCompletion):
        Parts().add(piece)


KEYS = ("choices", "message", "delta", "content", "tool_calls", "function", "usage", "finish_reason", "error", "index")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=15,
)


@given(JSON)
def test_any_data_is_a_completion_or_is_told_as_none(said: Any) -> None:
    for read in (completion, Parts().add):
        with suppress(NoCompletion):
            read(said)
