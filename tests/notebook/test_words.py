"""Runs in words."""

from typing import Any

import pytest

from loopwright.graphs.plan import End
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.events import Event, Retrying, RunStarted, VisitEnded
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.notebook.words import Lines, lines_of, words_at_rest
from loopwright.state.channels import Channel
from loopwright.state.records import Visit
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"


def asking() -> Loop[Any]:
    plan = PlanBuilder("ask", [Channel("draft")], result="draft")
    plan.node(Think("write", prompt="?", writes="draft")).node(Human("look", text="Send <{draft}>?"))
    return plan.edge("write", "done", "look").edge("look", "done", End("sent")).loop()


def cycle(*boss: Any) -> Any:
    loop = RoleCycle(name="two", task="T", roles={"solver": {}, "boss": {}}, rounds={"max": 1})
    return loop.start(model=RecordingModel({"solver": ["S"], "boss": [*boss]}))


def test_a_run_that_waits() -> None:
    run = asking().start(model=RecordingModel({"write": ["a\x1b[2J\nb"]}))
    (question,) = run.questions
    assert words_at_rest(run).splitlines() == [
        f"run {run.id} of ask waits",
        "1 of at most 2 visits, 1 of at most 1 model calls",
        f"question {question.id[:8]} of look:",
        "Send a\ufffd[2J",
        "b?",
        "answer with run.resume(...), or watch(run.stream(...))",
    ]


@pytest.mark.parametrize(
    ("boss", "words"),
    [
        (WORD, "ended as stopped: boss said the stop word in round 1"),
        ("again", "ended as max_rounds, no success: bound 'rounds' used up:"),
        ({"error": "down"}, "is suspended: boss: down"),
    ],
)
def test_a_run_that_rests(boss: Any, words: str) -> None:
    run = cycle(boss)
    first, *_ = words_at_rest(run).splitlines()
    assert first.startswith(f"run {run.id} of two {words}")


def test_a_run_that_was_left() -> None:
    with asking().stream(model=RecordingModel({"write": ["a"]})) as stream:
        next(stream)
        assert words_at_rest(stream.run).splitlines()[0] == f"run {stream.run.id} of ask is running in another process"
    assert words_at_rest(stream.run).splitlines() == [
        f"run {stream.run.id} of ask is interrupted",
        "0 of at most 2 visits, 0 of at most 1 model calls",
        "go on with run.resume(), or watch(run.stream())",
    ]


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (VisitEnded(Visit(4, "bo\nss", "think", "stop", "stopped"), "t"), "4 bo ss [stop] -> stopped\n"),
        (Retrying("boss", "t", "429\x1b", 0.5), "  boss asks again: 429\ufffd\n"),
        (RunStarted("r1"), ""),
    ],
)
def test_a_line_for_each_visit(event: Event, line: str) -> None:
    written: list[str] = []
    Lines(cycle(WORD), written.append).note(event)
    assert "".join(written) == line


def test_the_last_lines() -> None:
    written: list[str] = []
    run = cycle(WORD)
    Lines(run, written.append).finish()
    assert written == [words_at_rest(run) + "\n"]


def test_a_terminal_is_given_nothing_to_obey() -> None:
    assert lines_of("a\r\nb\x07", "", "c\u202ed") == "a\nb\ufffd\nc\ufffdd"
