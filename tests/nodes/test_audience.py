"""What is told to whom."""

import pytest

from loopwright.errors import RunError
from loopwright.nodes.audience import AUDIENCES, Listener
from loopwright.nodes.events import (
    Event,
    Retrying,
    RunAwaited,
    RunEnded,
    RunStarted,
    RunSuspended,
    RunWaiting,
    TextSaid,
    TextWithdrawn,
    VisitEnded,
    VisitStarted,
)
from loopwright.state.records import Question, Visit

PERSON = Question("q1", "look", "Send it?")
PRINTER = Question("q2", "print", "The printer reports.", source="event")
FOR_A_USER = [TextSaid("write", "t", "Dear ", "user"), TextWithdrawn("write", "t", "user")]
FOR_NO_USER: list[Event] = [
    RunStarted("r1"),
    RunAwaited("r1", "process 7 on a"),
    VisitStarted("judge", "think", "t", "m"),
    TextSaid("plan", "t", "secret", "debug"),
    TextWithdrawn("plan", "t", "debug"),
    Retrying("write", "t", "m at an address: 503", 0.5),
    VisitEnded(Visit(0, "judge", "think", "pass", reply={"outcome": "pass"}), "t"),
]


@pytest.mark.parametrize("event", FOR_A_USER)
def test_a_user_is_told_what_is_for_the_user(event: Event) -> None:
    assert Listener("user").told(event) == event


@pytest.mark.parametrize("event", FOR_NO_USER, ids=lambda event: event.type)
def test_a_user_is_told_nothing_else(event: Event) -> None:
    assert Listener("user").told(event) is None


def test_a_user_is_asked_what_people_are_asked() -> None:
    assert Listener("user").told(RunWaiting("r1", (PERSON, PRINTER))) == RunWaiting("r1", (PERSON,))


def test_a_user_is_told_how_a_run_rests_without_the_words_of_judges_and_servers() -> None:
    assert Listener("user").told(RunEnded("r1", "done", False, "judge: poor")) == RunEnded("r1", "done", False, "")
    assert Listener("user").told(RunSuspended("r1", "write", "key refused")) == RunSuspended("r1", "write", "")


@pytest.mark.parametrize("listener", [None, "debug"])
def test_all_others_are_told_all(listener: None) -> None:
    events = [*FOR_A_USER, *FOR_NO_USER, RunWaiting("r1", (PERSON, PRINTER)), RunEnded("r1", "done", True, "why")]
    assert [Listener(listener).told(event) for event in events] == events


def test_whose_texts_are_heard() -> None:
    assert [set(Listener(listener).hears) for listener in (None, "user", "debug")] == [
        set(),
        {"user"},
        {"user", "debug"},
    ]


@pytest.mark.parametrize("wrong", ["users", "", True])
def test_another_audience_is_refused(wrong: str) -> None:
    for listener in (None, *AUDIENCES):
        assert Listener(listener).audience == listener
    with pytest.raises(RunError, match=rf"there is no audience {wrong!r}; it is user, debug, or None"):
        Listener(wrong)  # type: ignore[arg-type]
