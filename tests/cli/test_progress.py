"""The live lines: what they say of a run at one moment."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from loopwright.cli.phrases import said_in
from loopwright.cli.progress import SPOKEN, Asking, Columns, Progress, retry_line, spoken_lines, status_line
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.plan import Plan
from loopwright.loop.load import load
from loopwright.nodes.events import Event, TextSaid, TextWithdrawn, VisitEnded
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.records import Usage, Visit
from loopwright.state.values import Json

ESSAY = Path(__file__).parents[2] / "examples" / "essay.yaml"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ([], "working"),
        ([Asking("review", "gpt-4o-mini", 7.0)], "review asks gpt-4o-mini, 3.0 s"),
        (
            [Asking("rate[0]/rater", "m", 9.5), Asking("rate[1]/rater", "m", 9.9)],
            "rate[0]/rater and 1 more asks m, 0.5 s",
        ),
        ([Asking("a\x1bb", "m\n", 10.0)], "a\ufffdb asks m , 0.0 s"),
    ],
)
def test_the_status_line(asked: list[Asking], words: str) -> None:
    usage = Usage(calls=4, tokens_in=1000, tokens_out=234)
    tasks = {str(number): each for number, each in enumerate(asked)}
    line = status_line(tasks, 10.0, 5, usage, certify(load(ESSAY).plan))
    assert line == f"{words} · visits 5 of at most 8, calls 4 of at most 8, tokens 1,234"


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (95, "m at http://a.test:80/v1 answered with status 503: as the test wants it"),
        (94, "m answered with status 503: as the test wants it"),
        (72, "m answered with status 503: as the test wants it"),
        (70, "m answered with status 503: as the test wants…"),
    ],
)
def test_a_retry_keeps_its_wait(width: int, said: str) -> None:
    reason = "m at http://a.test:80/v1 answered with status 503: as the test wants it"
    line = retry_line("w", reason, 0.71, width)
    assert line == f"     w: {said}; again in 0.7 s"
    assert len(line) <= width


def test_a_retry_without_a_connection_keeps_its_cause() -> None:
    line = retry_line("write", "no connection to m at http://a.test/v1: refused", 61, 60)
    assert line == "     write: no connection to m: refused; again in 1 min 1 s"


def test_a_visit_fits_its_line() -> None:
    visit = Visit(11, "review", "think", "revise", reply={"outcome": "revise"}, reason="too\nlong " * 9, seconds=61.2)
    line = Columns(load(ESSAY).plan).line(visit, 40, tokens=False)
    assert line == " 11  review  revise  too"


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (62, ["  1  review  revise    1.2 s   1,239 tokens  Too long by half."]),
        (61, ["  1  review  revise    1.2 s   1,239 tokens  Too long by hal…"]),
        (60, ["  1  review  revise    1.2 s  Too long by half."]),
        (46, ["  1  review  revise    1.2 s  Too long by hal…"]),
        (45, ["  1  review  revise  Too long by half."]),
        (37, ["  1  review  revise  Too long by hal…"]),
        (36, ["1 review revise", "  Too long by half."]),
        (14, ["1 review", "  revise", "  Too long by…"]),
    ],
)
def test_a_narrow_terminal_gets_less_of_a_visit_but_its_text(width: int, lines: list[str]) -> None:
    usage = Usage(tokens_in=5, tokens_out=1234)
    visit = Visit(1, "review", "think", "revise", reply="Too long by half.", usage=usage, seconds=1.2)
    assert Columns(load(ESSAY).plan).line(visit, width).splitlines() == lines


def plan_of(text: str, folder: Path) -> Plan:
    file = folder / "x.yaml"
    file.write_text(f"kind: graph\nchannels: {{items: {{type: list, input: true}}, out: any}}\nnodes: {{{text}}}\n")
    return load(file).plan


@pytest.mark.parametrize(
    ("nodes", "name"),
    [
        ("ask: {type: parallel, bodies: {ann: {type: think, prompt: A}}, collect: out}", "ask[ann]/ann"),
        (
            "rate: {type: each, over: items, as: one, at_most: 12, do: {type: think, prompt: x}, collect: out}",
            "rate[11]/rate",
        ),
    ],
)
def test_a_name_inside_a_fork_is_not_cut(tmp_path: Path, nodes: str, name: str) -> None:
    line = Columns(plan_of(nodes, tmp_path)).line(Visit(0, name, "think", "done", reply="Yes."), 60, tokens=False)
    assert line == f"  0  {name}  done    0.0 s  Yes."


@pytest.mark.parametrize(
    ("reply", "reason", "said"),
    [
        ("A text.\nMore.", "a reason", "A text."),
        ({"message": "Go on.", "stop": True}, "boss decided to stop in round 1", "Go on."),
        ({"outcome": "pass", "reason": "fine"}, "fine", "fine"),
        ({"message": "a value of its own"}, "", '{"message": "a value of its own"}'),
        (8, "", "8"),
        (None, "", ""),
    ],
)
def test_what_a_visit_came_to(reply: Json, reason: str, said: str) -> None:
    assert said_in(Visit(0, "boss", "think", "done", reply=reply, reason=reason)) == said


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("Dear Ada,\n\nthank you.", ["Dear Ada,", "", "thank you."]),
        ("\x1b[2Ja word  too long", ["\ufffd[2Ja word", "too long"]),
        ("\n".join("abcdefgh"), [*"cdefgh"]),
    ],
)
def test_of_a_text_that_is_being_said_the_last_lines_are_shown(text: str, lines: list[str]) -> None:
    shown = [line.plain.rstrip() for line in spoken_lines(text, Console(width=13, file=io.StringIO()))]
    assert shown == lines
    assert len(shown) <= SPOKEN


def said(task: str, text: str) -> TextSaid:
    return TextSaid("write", task, text, "debug")


@pytest.mark.parametrize(
    ("events", "shown"),
    [
        ([said("1", "Dear "), said("1", "Ada.")], ["Dear Ada."]),
        ([said("1", "Dear "), said("2", "Good "), said("1", "Ada.")], ["Dear Ada."]),
        ([said("1", "Dear "), said("2", "Good "), TextWithdrawn("write", "2", "debug")], ["Dear"]),
        ([said("1", "Dear "), VisitEnded(Visit(0, "write", "think", "done"), "1")], []),
    ],
)
def test_whoever_spoke_last_is_shown_above_the_line(events: list[Event], shown: list[str]) -> None:
    out = io.StringIO()
    run = load(ESSAY).stream({"topic": "bridges"}, model=ScriptedModel({"default": ["unused"]})).run
    with Progress(Console(file=out, force_terminal=True, width=80), run, []) as progress:
        for event in events:
            progress.tell(event)
        out.truncate(0)
        assert progress._live is not None
        progress._live.refresh()
        lines = [line for line in out.getvalue().splitlines() if "\x1b[2m" in line]
    assert [line.partition("\x1b[2m")[2].removesuffix("\x1b[0m").rstrip() for line in lines] == shown
