"""The bound of a history: never more than it, the order kept, calls with their answers, and the same for the same."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.contract import Message
from loopwright.nodes.history import Window, left_out, tokens_of

TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """What is said in turn, calls of tools among it; each message can be told from all others."""
    history: list[Message] = []
    for turn in range(draw(st.integers(0, 6))):
        text = f"{turn} {draw(TEXTS)}"
        if calls := draw(st.integers(0, 3)):
            wishes: Any = [{"id": f"{turn}.{n}", "name": "look", "args": {"at": draw(TEXTS)}} for n in range(calls)]
            history.append({"role": "assistant", "content": text, "tool_calls": wishes})
            history += [{"role": "tool", "content": draw(TEXTS), "tool_call_id": f"{turn}.{n}"} for n in range(calls)]
        else:
            history.append({"role": draw(st.sampled_from(["user", "assistant"])), "content": text})
    return history


BOUNDS = st.none() | st.integers(1, 60)
WINDOWS = st.builds(Window, last=BOUNDS, tokens=st.integers(1, 60)) | st.builds(Window, last=st.integers(1, 20))


def newest(history: list[Message]) -> list[Message]:
    """What was said last, with all that belongs to it."""
    begin = max(index for index, message in enumerate(history) if message["role"] != "tool")
    return history[begin:]


@given(WINDOWS, histories())
def test_the_end_is_sent_and_no_more_than_the_bound(window: Window, history: list[Message]) -> None:
    kept = window.kept(history)
    assert kept == history[len(history) - len(kept) :]
    if kept != (newest(history) if history else []):
        assert window.last is None or len(kept) <= window.last
        assert window.tokens is None or sum(map(tokens_of, kept)) <= window.tokens


@given(WINDOWS, histories())
def test_a_call_and_its_answers_stay_together(window: Window, history: list[Message]) -> None:
    kept = window.kept(history)
    called = [call["id"] for message in kept for call in message.get("tool_calls", ())]
    assert called == [message["tool_call_id"] for message in kept if message["role"] == "tool"]
    assert not history or kept[-len(newest(history)) :] == newest(history)


@given(WINDOWS, histories())
def test_as_much_is_sent_as_fits(window: Window, history: list[Message]) -> None:
    kept = window.kept(history)
    rest = history[: len(history) - len(kept)]
    if rest:
        more = [*newest(rest), *kept]
        over_last = window.last is not None and len(more) > window.last
        assert over_last or (window.tokens is not None and sum(map(tokens_of, more)) > window.tokens)


@given(WINDOWS, histories())
def test_what_is_left_out_is_said_in_one_line(window: Window, history: list[Message]) -> None:
    sent, kept = window.of(history), window.kept(history)
    assert window.of(history) == sent
    if kept == history:
        assert sent == history
    else:
        assert sent == [{"role": "user", "content": left_out(len(history) - len(kept))}, *kept]


@given(st.lists(TEXTS, max_size=5))
def test_tokens_grow_with_the_text(texts: list[str]) -> None:
    whole = tokens_of({"role": "user", "content": "".join(texts)})
    parts = [tokens_of({"role": "user", "content": text}) for text in texts]
    assert max(parts, default=0) <= whole <= sum(parts) + 4


def test_calls_are_counted_too() -> None:
    calls: Any = [{"id": "1", "name": "look", "args": {"at": "x" * 400}}]
    assert tokens_of({"role": "assistant", "content": "", "tool_calls": calls}) > 100


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (Window, "a history has a bound: last, a number of messages, or tokens"),
        (lambda: Window(last=0), "last is a whole number of at least 1; 0 is not"),
        (lambda: Window(last=2, tokens=-5), "tokens is a whole number of at least 1; -5 is not"),
        (lambda: Window(tokens=2.5), "tokens is a whole number of at least 1; 2.5 is not"),  # type: ignore[arg-type]
        (lambda: Window(last=1, summary=1), "summary is true or false; 1 is not"),  # type: ignore[arg-type]
        (lambda: Window(summary=True), "a history has a bound: last, a number of messages, or tokens"),
        (lambda: Window(last=True), "last is a whole number of at least 1; True is not"),
    ],
)
def test_what_is_no_bound(make: Callable[[], Window], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
