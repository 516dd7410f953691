"""`serve`: runs go on by the command, and what they wait for is told."""

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from loopwright.state.store.store import Store

STORE = "sqlite:.loopwright/runs.db"
ASLEEP = """
kind: graph
name: asleep
channels: {me: {type: str, input: true}, gift: {type: dict}}
nodes:
  sleep: {type: wait, event: gives, where: {to: "<{me}>"}, writes: gift}
  pause: {type: wait, source: timer, after: AFTER}
  thank: {type: emit, event: thanks, payload: {from: "<{me}>", for: "<{gift}>"}}
edges: ["sleep -> pause", "pause -> thank", "thank -> end awake"]
result: gift
"""


@pytest.fixture
def run(loopwright: Any, place: Path) -> str:
    (place / "asleep.yaml").write_text(ASLEEP.replace("AFTER", "0"))
    assert loopwright("run", "asleep.yaml", "-i", "me=ada").code == 3
    with Store(STORE) as store:
        return next(store.registry.all()).id


def test_a_run_is_woken_and_goes_on_to_its_end(loopwright: Any, run: str) -> None:
    assert loopwright("serve", "--once").out == "runs went on 0 times\n"
    loopwright("send", "gives", "-p", "to=ada")
    done = loopwright("serve", "--once", "--json")
    assert done.code == 0
    told = json.loads(done.out)
    assert (told["gone_on"], told["runs"][-1]) == (2, {"run": run, "said": "finished as awake: sent thanks"})
    with Store(STORE) as store:
        (event,) = store.inbox.all("thanks")
    assert event.payload == {"from": "ada", "for": {"to": "ada"}}


def test_what_it_waits_for_is_told(loopwright: Any, run: str) -> None:
    lines = loopwright("show", run).out.splitlines()
    assert lines[lines.index("Send it with:") + 1 :] == [
        f"  loopwright send gives -p to=ada --to {run}",
        "and let the run go on with:",
        "  loopwright serve",
    ]
    assert 'gives (to="ada")' in loopwright("runs").out
    asked = json.loads(loopwright("show", run, "--json").out)["questions"][0]
    assert (asked["source"], asked["event"], asked["where"], asked["due"]) == ("event", "gives", {"to": "ada"}, None)


def test_a_timer_is_told_with_its_time(loopwright: Any, place: Path) -> None:
    (place / "asleep.yaml").write_text(ASLEEP.replace("AFTER", "3600"))
    loopwright("run", "asleep.yaml", "-i", "me=ada")
    loopwright("send", "gives", "-p", "to=ada")
    assert "waiting for a timer of 3600 s" in loopwright("serve", "--once").out
    with Store(STORE) as store:
        run = next(store.registry.all()).id
    lines = loopwright("show", run).out.splitlines()
    assert lines[-2].startswith("due at 20")
    assert lines[-2].endswith(", while this runs:")
    assert lines[-1] == "  loopwright serve"
    assert "timer 20" in loopwright("runs").out
    assert loopwright("resume", run, "").code == 0


def test_without_a_server_resume_takes_what_has_come(loopwright: Any, run: str) -> None:
    assert loopwright("resume", run).code == 3
    loopwright("send", "gives", "-p", "to=ada")
    assert loopwright("resume", run).code == 3
    assert loopwright("resume", run).code == 0


def test_ctrl_c_leaves_it_with_nothing_lost(loopwright: Any, run: str) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    done = loopwright("serve")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == f"serving {STORE}; Ctrl-C leaves it, with nothing lost"


def test_a_loop_that_is_not_given_is_told(loopwright: Any, place: Path) -> None:
    (place / "voices.py").write_text(
        "import loopwright as lw\n"
        "def upper(got: str) -> str:\n    return got.upper()\n"
        "plan = lw.PlanBuilder('shout', [lw.Channel('got', str)], result='got')\n"
        "plan.node(lw.Wait('wait', event='rings', reply=str, writes='got'))\n"
        "plan.node(lw.Act('shout', upper, writes='got'))\n"
        "loop = plan.edge('wait', 'done', 'shout').edge('shout', 'done', lw.End('shouted')).loop()\n"
    )
    assert loopwright("run", "voices.py:loop").code == 3
    with Store(STORE) as store:
        store.send("rings", "hello")
    assert "does not go on: it is a run of 'shout', which calls functions" in loopwright("serve", "--once").out
    assert "finished as shouted" in loopwright("serve", "--once", "--loop", "voices.py:loop").out
