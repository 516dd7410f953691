"""Answers: those that lead nowhere, and routers that may say anything."""

from collections.abc import Callable

from loopwright.graphs.stategraph.answers import lost, open_choices
from loopwright.graphs.stategraph.reading import END, Choice, Option, Reading

ReadingOf = Callable[..., Reading]
STOP = Option((END,), "pass")


def with_choice(reading_of: ReadingOf, choice: Choice) -> Reading:
    return reading_of("start -> write", "write -> review", nodes={"review": {"choices": (choice,)}})


def test_an_answer_that_no_edge_handles(reading_of: ReadingOf) -> None:
    (finding,) = lost(with_choice(reading_of, Choice("route", (STOP,), lost=("Pass.",))))
    assert (finding.code, finding.path) == ("unknown-target", ("start", "write", "review", "?"))
    assert finding.message == (
        "the router 'route' of 'review' answers 'Pass.', and no node has this name: the run ends there, as if all were"
        " well"
    )


def test_with_a_path_map_the_run_fails(reading_of: ReadingOf) -> None:
    (finding,) = lost(with_choice(reading_of, Choice("route", (STOP,), lost=("Pass.",), mapped=True)))
    assert finding.message.endswith("answers 'Pass.', and its path map has no such answer: the run fails there")
    assert finding.hint == "did you mean 'pass'? there is only pass"


def test_a_command_to_nowhere(reading_of: ReadingOf) -> None:
    (finding,) = lost(with_choice(reading_of, Choice("Command", lost=("wrte",), command=True)))
    assert finding.message.startswith("'review' goes to 'wrte', and no node has this name")
    assert finding.hint == "did you mean 'write'? there are: review, write"


def test_a_router_that_may_answer_anything(reading_of: ReadingOf) -> None:
    (finding,) = open_choices(with_choice(reading_of, Choice("route", open=True)))
    assert (finding.severity, finding.code) == ("warning", "open-router")
    assert finding.message == "the router 'route' of 'review' may answer anything: it has no path map"


def test_a_command_that_may_go_anywhere(reading_of: ReadingOf) -> None:
    (finding,) = open_choices(with_choice(reading_of, Choice("Command", open=True, command=True)))
    assert finding.message.startswith("'review' goes where its code does not show")


def test_a_router_at_the_start_and_one_that_is_not_reached(reading_of: ReadingOf) -> None:
    paths = [finding.path for finding in open_choices(reading_of("start ?? a", "b ?? a"))]
    assert paths == [("start", "?"), ("b", "?")]


def test_closed_choices_are_well(reading_of: ReadingOf) -> None:
    reading = with_choice(reading_of, Choice("route", (STOP,)))
    assert [*lost(reading), *open_choices(reading)] == []
