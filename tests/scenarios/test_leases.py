"""One runner per run: processes that begin at once, one that is frozen and comes back, one far away."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.cli.main import main
from loopwright.state.store import lease
from loopwright.state.store.holder import this_process
from loopwright.testing import ModelServer

WORKER = Path(__file__).with_name("command_worker.py")
STORE = "sqlite:runs.db"
LETTER = """
kind: graph
name: letter
channels: {to: {type: str, input: true}, draft: str, wish: {type: str, default: none}}
nodes:
  write: {type: think, prompt: "To <{to}>: <{wish}>", writes: draft}
  look: {type: human, text: "Send it?", outcomes: [send, again], on_text: again, writes: wish}
edges: ["write -> look", "look [send] -> end sent", "look [again] -> write, at most 3, then fail not_sent"]
result: draft
"""


class Commands:
    """Commands that are processes of their own and begin at once."""

    def __init__(self, place: Path, *commands: list[str]) -> None:
        self._outs = [place / f"said {number}" for number in range(len(commands))]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._worker: subprocess.Popen[str] = subprocess.Popen([sys.executable, WORKER], **pipes)
        orders = [(words, str(out)) for words, out in zip(commands, self._outs, strict=True)]
        assert self._worker.stdin
        self._worker.stdin.write(json.dumps(orders) + "\n")
        self._worker.stdin.flush()
        self.pids: list[int] = json.loads(self._line())

    def ended(self) -> tuple[int, int, str, str]:
        """The next one that ends: its process, its code, its output, and its errors."""
        pid, code = map(int, self._line().split())
        out = self._outs[self.pids.index(pid)]
        return pid, code, out.read_text(), out.with_suffix(".errors").read_text()

    def _line(self) -> str:
        assert self._worker.stdout
        return self._worker.stdout.readline()

    def close(self) -> None:
        for pipe in (self._worker.stdin, self._worker.stdout):
            assert pipe
            pipe.close()
        self._worker.wait(30)


class Held:
    """A model server whose replies wait until they are let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.server = ModelServer(self._reply)

    def _reply(self, body: Any) -> str:
        assert self.go.wait(60)
        return "Dear Ada."

    def until_asked(self, times: int) -> None:
        while len(self.server.requests) < times:
            time.sleep(0.005)


@pytest.fixture
def held() -> Iterator[Held]:
    made = Held()
    with made.server:
        yield made
        made.go.set()


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: Held) -> lw.Loop[Any]:
    monkeypatch.chdir(tmp_path)
    where = f"{{model: any, base_url: '{held.server.base_url}', api_key_env: '', retries: 0}}"
    Path("letter.yaml").write_text(f"{LETTER}models: {{default: {where}}}\n")
    return lw.load("letter.yaml")


def rows() -> dict[str, list[Any]]:
    """All that the store holds, but for what a holder says of itself."""
    connection = sqlite3.connect("runs.db")
    tables = ("runs", "visits", "answers", "checkpoints", "writes", "blobs")
    found = {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=str) for table in tables}
    connection.close()
    return found


def test_ten_processes_try_to_run_one_run(tmp_path: Path, loop: lw.Loop[Any], held: Held) -> None:
    run = loop.enter_all([{"to": "Ada"}], store=STORE)[0]
    commands = Commands(tmp_path, *[["resume", run.id, "--no-input", "--store", STORE]] * 10)
    refused = [commands.ended() for _ in range(9)]
    held.until_asked(1)
    (winner,) = set(commands.pids) - {pid for pid, *_ in refused}
    words = (
        f"error: run {run.id} is being run by process {winner} on {this_process().host}; wait for it, stop it there,"
        " or, if it is frozen, take it over with take_over=True (on the command line, resume --take-over)\n"
    )
    assert [(code, said) for _, code, _, said in refused] == [(75, words)] * 9
    assert (run.status, run.row.holder and run.row.holder.pid) == ("running", winner)
    held.go.set()
    assert commands.ended()[:2] == (winner, 3)
    commands.close()
    assert (run.status, len(run.visits), len(held.server.requests)) == ("waiting", 1, 1)


@pytest.mark.parametrize("answers", [["again"] * 20, ["again", "send"] * 10], ids=["same", "different"])
def test_twenty_processes_answer_one_question(
    tmp_path: Path, loop: lw.Loop[Any], held: Held, answers: list[str]
) -> None:
    held.go.set()
    run = loop.start({"to": "Ada"}, store=STORE)
    (question,) = run.questions
    asked = len(held.server.requests)
    commands = Commands(
        tmp_path, *[["resume", run.id, word, "--question", question.id, "--json", "--store", STORE] for word in answers]
    )
    ends = [commands.ended() for _ in answers]
    commands.close()
    (kept,) = (each for each in run.store.registry.answers(run.id) if each.question.id == question.id)
    won: Any = kept.answer
    calls = 1 if won["action"] == "again" else 0
    assert len(held.server.requests) == asked + calls
    assert [visit.node for visit in run.visits] == ["write", "look", "write"][: 2 + calls]
    for pid, code, said, _ in ends:
        document = json.loads(said)
        if answers[commands.pids.index(pid)] == won["action"]:
            assert (code, document["id"], document["status"]) == (3 if calls else 0, run.id, run.status)
        else:
            assert (code, document["error"]["type"]) == (2, "AlreadyAnswered")
    copies = [lw.open_run(STORE, run.id).resume(won["action"], question=question.id) for _ in range(19)]
    assert {(copy.status, copy.result, len(copy.visits)) for copy in copies} == {
        (run.status, run.result, len(run.visits))
    }


def test_who_gave_the_same_answer_waits_and_one_goes_on_where_the_first_is_killed(
    tmp_path: Path, loop: lw.Loop[Any], held: Held
) -> None:
    held.go.set()
    run = loop.start({"to": "Ada"}, store=STORE)
    held.go.clear()
    (question,) = run.questions
    answer = ["resume", run.id, "again", "--question", question.id, "--store", STORE]
    commands = Commands(tmp_path, *[answer] * 6)
    held.until_asked(2)
    first = run.row.holder
    assert first
    os.kill(first.pid, signal.SIGKILL)
    assert commands.ended()[:2] == (first.pid, -signal.SIGKILL)
    held.until_asked(3)
    second = run.row.holder
    held.go.set()
    ends = [commands.ended() for _ in range(5)]
    commands.close()
    assert [code for _, code, *_ in ends] == [3] * 5
    assert second
    told = [pid for pid, _, said, _ in ends if f"waiting for process {second.pid} on " in said]
    assert second.pid in set(commands.pids) - {first.pid} - set(told)
    assert (len(told), len(held.server.requests)) == (4, 3)
    assert [visit.node for visit in run.visits] == ["write", "look", "write"]


@pytest.mark.parametrize("way", ["command", "python"])
def test_a_frozen_runner_is_taken_over_and_writes_nothing_more(
    tmp_path: Path, loop: lw.Loop[Any], held: Held, way: str
) -> None:
    run = loop.enter_all([{"to": "Ada"}], store=STORE)[0]
    commands = Commands(tmp_path, ["resume", run.id, "--no-input", "--store", STORE])
    held.until_asked(1)
    os.kill(commands.pids[0], signal.SIGSTOP)
    with pytest.raises(lw.RunBusy, match=f"is being run by process {commands.pids[0]} on "):
        run.resume()
    held.go.set()
    if way == "command":
        assert main(["resume", run.id, "--take-over", "--no-input", "--store", STORE]) == 3
    else:
        run.resume(take_over=True)
    assert (run.status, run.row.token, len(run.visits), len(held.server.requests)) == ("waiting", 2, 1, 2)
    before = rows()
    os.kill(commands.pids[0], signal.SIGCONT)
    pid, code, _, said = commands.ended()
    commands.close()
    assert (pid, code) == (commands.pids[0], 75)
    assert said.endswith(f"error: run {run.id} was taken over by another runner: this one writes nothing more of it\n")
    assert (rows(), len(held.server.requests)) == (before, 2)
    assert run.resume("send").status == "finished"


def test_who_runs_it_now_is_told(tmp_path: Path, loop: lw.Loop[Any], held: Held) -> None:
    run = loop.enter_all([{"to": "Ada"}], store=STORE)[0]
    commands = Commands(tmp_path, ["resume", run.id, "--no-input", "--store", STORE])
    held.until_asked(1)
    claimed = run.store.registry.claim(run.id, take_over=True)
    held.go.set()
    _, code, _, said = commands.ended()
    commands.close()
    assert code == 75
    assert said.endswith(
        f"error: run {run.id} was taken over by another runner; {this_process()} runs it now: this one writes nothing"
        " more of it\n"
    )
    assert (claimed and claimed.token, run.visits) == (2, ())
    run.store.registry.interrupt(run.id, token=2)
    assert run.resume().status == "waiting"


FORK = """
kind: graph
name: rated
channels: {items: {default: [a, b, c, d]}, grades: {}}
nodes:
  rate:
    type: each
    over: items
    as: item
    at_most: 4
    do: {type: think, prompt: "Rate <{item}>"}
    collect: grades
edges: ["rate -> end good"]
result: grades
"""


def test_branches_of_a_runner_that_was_taken_over_write_nothing(drive: Any, tmp_path: Path) -> None:
    """The second runner is in the same process: what tells them apart is the token."""
    (tmp_path / "rated.yaml").write_text(FORK)
    rated, calls = lw.load(tmp_path / "rated.yaml"), Counter[str]()
    with lw.Store(f"sqlite:{tmp_path / 'runs.db'}") as store:

        def answer(call: lw.ModelCall) -> str:
            calls[call.node] += 1
            if calls.total() == 4:
                (row,) = store.registry.all()
                store.registry.claim(row.id, take_over=True)
            return f"grade of {call.node}"

        model = lw.testing.RecordingModel(answer)
        with pytest.raises(lw.LeaseLost, match=re.escape(f"; {this_process()} runs it now")):
            drive.start(rated, store=store, model=model)
        (row,) = store.registry.all()
        assert (row.status, row.token) == ("running", 2)
        kept = len(store.registry.visits(row.id))
        assert kept < 4
        run = lw.open_run(store, row.id, models={"default": model})
        drive.resume(run, take_over=True)
        assert run.result == [f"grade of rate[{place}]/rate" for place in range(4)]
        assert calls.total() == 4 + 4 - kept


def far(store: lw.Store, run: str) -> None:
    """Have a process on another host hold a run."""
    holder = replace(this_process(), host="worker-2 (Linux)", pid=7)
    with store.database.transaction() as connection:
        values = (json.dumps(asdict(holder)), run)
        connection.execute("UPDATE runs SET status = 'running', token = 5, holder = ? WHERE id = ?", values)


def test_a_command_waits_for_a_sign_from_another_host(
    loop: lw.Loop[Any], held: Held, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held.go.set()
    run = loop.enter_all([{"to": "Ada"}], store=STORE)[0]
    far(run.store, run.id)
    monkeypatch.setattr(lease, "SILENT_AFTER", 0.3)
    monkeypatch.setattr(lease, "_SEEN", {})
    assert main(["resume", run.id, "--no-input", "--store", STORE]) == 3
    assert f"run {run.id} is held by process 7 on worker-2 (Linux): waiting for a sign of it" in capsys.readouterr().out
    assert (run.status, run.row.token, len(run.visits)) == ("waiting", 6, 1)
