"""Following a run: a person at a terminal is asked, and a run that is stopped in a call goes on with that call."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.run.opening import open_run
from loopwright.testing.model_server import ModelServer, Trouble

STORE = "sqlite:.loopwright/runs.db"
LIMIT = 60.0
"""Seconds after which a process that says nothing has failed the test."""

PASS = {"outcome": "pass", "reason": "good"}


def essay_at(server: ModelServer) -> None:
    model = f"{{model: any, base_url: '{server.base_url}', api_key_env: '', retries: 0, timeout: {LIMIT}}}"
    essay = Path("essay.yaml")
    essay.write_text(f"{essay.read_text()}models: {{default: {model}}}\n")


def until_asked(server: ModelServer, times: int) -> None:
    limit = time.monotonic() + LIMIT
    while len(server.requests) < times:
        assert time.monotonic() < limit, "the model was not asked"
        time.sleep(0.02)


def stopped_in_the_second_call(server: ModelServer, stop: signal.Signals) -> tuple[int, str]:
    """Run an essay until its second call hangs, and stop its process; the exit code and what it said."""
    essay_at(server)
    command = [sys.executable, "-m", "loopwright", "run", "essay.yaml"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as run:
        until_asked(server, 2)
        run.send_signal(stop)
        said, _ = run.communicate(timeout=LIMIT)
    return run.returncode, said


@pytest.fixture
def hanging(place: Path) -> Iterator[ModelServer]:
    with ModelServer(["A draft.", Trouble(hang=True), PASS]) as server:
        yield server


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_how_it_goes_on(loopwright: Any, hanging: ModelServer, stop: signal.Signals) -> None:
    code, said = stopped_in_the_second_call(hanging, stop)
    run = open_run(STORE, "")
    assert (code, run.status, len(run.visits)) == (130, "interrupted", 1)
    assert said.endswith(
        "\ninterrupted, and nothing that was done is lost\nvisits 1 of at most 8, calls 1 of at most 8, tokens"
        f" {run.usage.tokens_in + run.usage.tokens_out}\n\nGo on with:\n  loopwright resume {run.id}\n"
    )
    assert loopwright("resume", run.id).code == 0


def test_a_killed_run_makes_the_call_again_that_was_cut_off(loopwright: Any, hanging: ModelServer) -> None:
    code, said = stopped_in_the_second_call(hanging, signal.SIGKILL)
    run = open_run(STORE, "")
    assert (code, run.status, "interrupted" in said) == (-9, "interrupted", False)
    assert loopwright("runs").out.splitlines()[1].split()[:2] == [run.id, "interrupted"]
    assert loopwright("resume", run.id).code == 0
    first, lost, again = [request.body["messages"] for request in hanging.requests]
    assert lost == again != first
    assert [(visit.node, visit.outcome) for visit in run.visits] == [("write", "done"), ("review", "pass")]


class Terminal:
    """A command at a real terminal."""

    def __init__(self, *words: str) -> None:
        self._ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "loopwright", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)
        self.said = ""
        self._seen = 0

    def until(self, text: str) -> None:
        """Read until the text has come, after what was waited for before."""
        limit = time.monotonic() + LIMIT
        while (found := self.said.find(text, self._seen)) < 0:
            assert time.monotonic() < limit, self.said
            self.said += os.read(self._ours, 4096).decode(errors="ignore")
        self._seen = found + len(text)

    def type(self, text: str) -> None:
        """Type on it."""
        os.write(self._ours, text.encode(errors="surrogateescape"))

    def interrupt(self) -> None:
        """As Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Read what is left; the exit code."""
        try:
            while piece := os.read(self._ours, 4096):
                self.said += piece.decode(errors="ignore")
        except OSError:  # Linux says so when the other side has gone
            pass
        os.close(self._ours)
        return self._process.wait(LIMIT)


def test_a_person_at_a_terminal_is_asked(place: Path) -> None:
    terminal = Terminal("run", "bridge.yaml", "--script", "bridge.script.yaml")
    terminal.until("with the text")
    terminal.type("use metric units\n")
    terminal.until("round 3.")
    terminal.until("with the text")
    terminal.type("\n")
    assert terminal.end() == 0
    run = open_run(STORE, "")
    assert (run.end and run.end.name, run.visits[8].reply) == (
        "accepted",
        {"action": "reject", "text": "use metric units"},
    )
    assert re.search(r"visits \d+ of at most 20, calls \d+ of at most 16", terminal.said)


def test_a_person_who_leaves_leaves_the_run_waiting(place: Path) -> None:
    terminal = Terminal("run", "bridge.yaml", "--script", "bridge.script.yaml")
    terminal.until("with the text")
    terminal.type("\x04")
    assert terminal.end() == 3
    run = open_run(STORE, "")
    assert run.status == "waiting"
    assert terminal.said.endswith(f'Answer it with:\r\n  loopwright resume {run.id} "..."\r\n')


def test_an_answer_that_does_not_fit_is_asked_for_again(place: Path) -> None:
    text = "kind: graph\nchannels: {n: int}\nresult: n\n"
    text += "nodes: {ask: {type: wait, text: How many?, reply: int, source: person, writes: n}}\n"
    Path("count.yaml").write_text(text + "edges: [ask -> end finished]\n")
    terminal = Terminal("run", "count.yaml")
    terminal.until("the answer: int")
    terminal.type("three\n")
    terminal.until("It takes int")
    terminal.type("3\n")
    assert terminal.end() == 0
    assert open_run(STORE, "").result == 3


def test_bytes_that_are_no_text_are_asked_for_again(place: Path) -> None:
    terminal = Terminal("run", "bridge.yaml", "--script", "bridge.script.yaml")
    terminal.until("with the text")
    terminal.type("\udcff\n")
    terminal.until("this is no text in UTF-8; type it again")
    terminal.type("accept\n")
    assert terminal.end() == 0
    assert open_run(STORE, "").visits[8].reply == {"action": "accept", "text": ""}


def test_nobody_is_asked_with_no_input(place: Path) -> None:
    terminal = Terminal("run", "bridge.yaml", "--script", "bridge.script.yaml", "--no-input")
    assert terminal.end() == 3
    assert open_run(STORE, "").status == "waiting"


def test_a_text_is_seen_while_it_is_said(place: Path) -> None:
    words = " ".join(f"word{number}" for number in range(2000))
    Path("slow.yaml").write_text(f"default: [{{delay: 100, reply: {words}}}]\n")
    terminal = Terminal("run", "essay.yaml", "-i", "topic=bridges", "--script", "slow.yaml")
    terminal.until("word3")
    terminal.interrupt()
    assert terminal.end() == 130
    run = open_run(STORE, "")
    assert (run.status, run.visits) == ("interrupted", ())
