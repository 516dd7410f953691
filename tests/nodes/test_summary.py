"""The node that sums up, without a model: when it asks, of what, and what the roles are shown after it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.contract import AskModel, View
from loopwright.nodes.history import Window
from loopwright.nodes.role import Role, Rounds
from loopwright.nodes.summary import Summarise
from loopwright.state.values import Json

ORDER = ("solver", "boss")
TITLES = {"solver": "Solver", "boss": "Boss"}


def said(texts: str) -> list[Json]:
    """A transcript: `S1` is what the solver says in round 1, `P1` what a person wrote after it."""
    names = {"S": "solver", "B": "boss", "P": "person"}
    return [{"speaker": names[text[0]], "text": text, "round": int(text[1:])} for text in texts.split()]


def view(texts: str, summary: str = "", covers: int = 0) -> View:
    return {"task": "T", "transcript": said(texts), "summary": {"text": summary, "covers": covers}}


def node(window: Window) -> Summarise:
    return Summarise("summarise", history=window, first="solver", titles=TITLES, model="cheap", rounds=Rounds(max=99))


def asked(window: Window, state: View) -> str | None:
    ask = node(window).ask(state)
    if ask is None:
        return None
    assert isinstance(ask, AskModel)
    assert (ask.model, ask.schema, ask.audience, len(ask.messages)) == ("cheap", None, "debug", 1)
    return ask.messages[0]["content"]


def covers(window: Window, state: View) -> Any:
    update: Any = node(window).answer(state, "Short.").update
    assert update["summary"]["text"] == "Short."
    return update["summary"]["covers"]


def test_within_the_bound_nobody_is_asked() -> None:
    assert asked(Window(last=3), view("S1 B1")) is None
    answer = node(Window(last=3)).answer(view("S1 B1"), None)
    assert (answer.outcome, answer.update) == ("done", {})
    assert asked(Window(last=2), view("S1 B1")) is not None, "the word that opens the next round is a message too"
    assert asked(Window(last=3), view("S1 B1 P1")) is None, "a person's text opens it instead"


def test_the_question_has_the_task_the_earlier_summary_and_what_is_left_out_from_now_on() -> None:
    first = asked(Window(last=4), view("S1 B1 S2 B2"))
    assert first is not None
    assert "The task:\nT\n\nWhat was said:\n\nSolver: S1\n\nBoss: B1\n\nSolver: S2" in first
    assert first.endswith("Solver: S2"), "of a bound of 4, two messages stay: B2, and the word for round 3"
    again = asked(Window(last=4), view("S1 B1 S2 B2 P2 S3 B3 S4 B4", "Wood rots.", 3))
    assert again is not None
    assert "Your summary of what was said before:\nWood rots.\n\nWhat was said:\n\nBoss: B2\n\nPerson: P2" in again
    assert again.endswith("Solver: S4")


def test_the_summary_covers_what_was_asked_of() -> None:
    state = view("S1 B1 S2 B2")
    answer = node(Window(last=4)).answer(state, " Short. \n")
    assert answer.update == {"summary": {"text": "Short.", "covers": 3}}
    assert answer.reason == "3 messages summed up"


def test_after_the_last_round_nobody_is_asked_unless_there_are_more() -> None:
    last = Summarise("summarise", history=Window(last=1), first="solver", rounds=Rounds(max=2))
    assert last.ask(view("S1 B1")) is not None
    assert last.ask(view("S1 B1 S2 B2")) is None
    assert last.answer(view("S1 B1 S2 B2"), None).reason == "round 2 of at most 2 is over"
    assert last.given_more("rounds", 1).ask(view("S1 B1 S2 B2")) is not None
    assert last.given_more("other", 1) == last


def test_what_was_said_last_is_never_summed_up() -> None:
    assert covers(Window(tokens=1), view("S1 B1")) == 1
    assert asked(Window(tokens=1), view("S1 B1", "Short.", 1)) is None


@given(
    st.builds(Window, last=st.integers(1, 20)) | st.builds(Window, tokens=st.integers(1, 200)),
    st.integers(1, 12),
    st.data(),
)
def test_after_a_summary_the_next_question_is_within_the_bound(
    window: Window, rounds: int, data: st.DataObject
) -> None:
    state = view(" ".join(f"S{n} B{n}" for n in range(1, rounds + 1)), "x", data.draw(st.integers(0, 2 * rounds - 1)))
    question = asked(window, state)
    assert asked(window, state) == question
    if question is None:
        return
    before: Any = state["summary"]
    after = covers(window, state)
    assert before["covers"] < after < 2 * rounds
    done = {**state, "summary": {"text": "Short.", "covers": after}}
    assert asked(window, done) is None


def role(window: Window, name: str = "solver", brief: str = "<{task}>", labels: bool = True) -> Role:
    return Role(name, brief=brief, order=ORDER, titles=TITLES, history=window, labels=labels)


def shown(made: Role, state: View) -> str:
    return " | ".join(f"{message['role'][0]} {message['content']}" for message in sent(made, state).messages)


def sent(made: Role, state: View) -> AskModel:
    ask = made.ask(state)
    assert isinstance(ask, AskModel)
    return ask


SUMMED = "u T | u (What was said before, summed up: 2 messages.)\nWood rots."


def test_a_role_is_shown_the_summary_after_its_brief_and_then_the_rest() -> None:
    window = Window(last=9, summary=True)
    state = view("S1 B1 S2 B2", "Wood rots.", 2)
    assert shown(role(window), state) == f"{SUMMED} | u Continue | a S2 | u Boss: B2 | u Continue"
    assert shown(role(window, labels=False), state) == f"{SUMMED} | u Continue | a S2 | u B2 | u Continue"
    assert shown(role(window), view("S1 B1")) == "u T | a S1 | u Boss: B1 | u Continue"


def test_the_bound_holds_for_what_was_said_since_the_summary_too() -> None:
    state = view("S1 B1 S2 B2 S3", "Wood rots.", 2)
    boss = role(Window(last=2, summary=True), "boss")
    assert shown(boss, state) == f"{SUMMED} | u (3 earlier messages are left out here.) | u Continue | u Solver: S3"
    assert sent(boss, state).note == "2 messages summed up; 3 earlier messages left out"


def test_the_round_is_counted_by_the_whole_transcript() -> None:
    state = view("S1 B1 S2 B2", "Wood rots.", 3)
    solver = role(Window(last=9, summary=True), brief="<{round}>")
    assert sent(solver, state).messages[0]["content"].startswith("3")
    entry: Any = solver.answer(state, "S3").update["transcript"]
    assert entry["round"] == 3


def test_it_is_kept_as_data() -> None:
    made = node(Window(tokens=40, summary=True))
    assert Summarise.from_data(made.to_data()) == made
    assert (made.models, made.calls, list(made.faults())) == (("cheap",), 1, [])


@pytest.mark.parametrize(
    ("window", "half"),
    [
        (Window(last=1), Window(last=1)),
        (Window(last=9, tokens=100, summary=True), Window(last=4, tokens=50, summary=True)),
    ],
)
def test_half_of_a_bound(window: Window, half: Window) -> None:
    assert window.half == half
