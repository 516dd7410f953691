"""`send`: an event from outside, by the command."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.state.store.store import Store

STORE = "sqlite:.loopwright/runs.db"


def sent() -> list[tuple[str, Any, str]]:
    with Store(STORE) as store:
        return [(each.type, each.payload, each.to) for each in store.inbox.all()]


def test_a_payload_is_pairs_or_json(loopwright: Any) -> None:
    done = loopwright("send", "rings", "-p", "who=ada", "-p", "count=3", "-p", '{"near": [true]}')
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "sent rings to all that wait for it",
        "runs take it when they are resumed, or with: loopwright serve",
    ]
    assert sent() == [("rings", {"who": "ada", "count": 3, "near": [True]}, "")]


def test_an_id_is_sent_once(loopwright: Any) -> None:
    first, second = (json.loads(loopwright("send", "rings", "--id", "today", "--json").out) for _ in range(2))
    assert (first["new"], second["new"]) == (True, False)
    assert sent() == [("rings", {}, "")]
    assert loopwright("send", "rings", "--id", "today").out == (
        "an event with the id today was sent before; nothing was done\n"
    )


def test_it_is_for_a_run_or_the_runs_of_a_loop(loopwright: Any) -> None:
    assert loopwright("run", "essay.yaml", "--script", "essay.script.yaml").code == 0
    with Store(STORE) as store:
        (row,) = store.registry.all()
    assert loopwright("send", "rings", "--to", row.id[:5]).code == 0
    assert loopwright("send", "rings", "--to", row.name).code == 0
    assert sent() == [("rings", {}, row.id), ("rings", {}, row.name)]
    done = loopwright("send", "rings", "--to", "nobody")
    assert (done.code, len(sent())) == (2, 2)
    assert f"the latest runs are: {row.id}; and none is of a loop called 'nobody'" in done.err


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["rings", "-p", "who"], "-p who: write it as NAME=VALUE, or as a JSON object"),
        (["rings", "-p", "{who", "-p", "=3"], "-p {who: write it as NAME=VALUE, or as a JSON object; -p =3: write it"),
        (["rings", "-p", "a=1", "-p", '{"a": 2}'], "-p {\"a\": 2}: 'a' is given twice"),
        ([""], "an event has a type: loopwright send TYPE"),
    ],
)
def test_what_is_no_event_is_refused(loopwright: Any, words: list[str], fault: str) -> None:
    done = loopwright("send", *words)
    assert (done.code, done.out) == (2, "")
    assert fault in done.err


def asleep(loopwright: Any) -> str:
    """The id of a run of a society that sleeps."""
    Path("world.yaml").write_text("kind: society\nagents: {ada: {awake: false}, bob: {awake: false}}\n")
    Path("script.yaml").write_text("default: [unused]\n")
    done = loopwright("run", "world.yaml", "--script", "script.yaml", "--no-input")
    assert done.code == 3
    with Store(STORE) as store:
        (row,) = store.registry.all()
    assert f'loopwright send {row.id} --to ada "TEXT"' in done.out + done.err
    return row.id


def test_a_text_is_said_to_an_agent_of_a_run(loopwright: Any) -> None:
    run = asleep(loopwright)
    done = loopwright("send", run[:5], "--to", "bob", "Are you there?")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "said to bob",
        "bob hears it when the run is resumed, or with: loopwright serve",
    ]
    word = {"event_type": "user_speaks_with_agent_event", "sender_id": "user", "message": "Are you there?"}
    assert sent() == [("agent_event", {**word, "target_id": "bob"}, run)]
    first, second = (
        json.loads(loopwright("send", run, "--to", "ada", "Hi", "--id", "1", "--json").out)["new"] for _ in range(2)
    )
    assert (first, second) == (True, False)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--to", "bop", "Hi"), "(did you mean 'bob'? there are: ada, bob)"),
        (("Hi",), "say to whom: there are: ada, bob"),
        (("--to", "bob", "Hi", "-p", "a=1"), "a text is said as it is, and has no payload"),
    ],
)
def test_a_text_that_nobody_hears_is_refused(loopwright: Any, words: Any, fault: str) -> None:
    done = loopwright("send", asleep(loopwright), *words)
    assert (done.code, fault in done.err, sent()) == (2, True, [])


def test_a_text_is_for_a_run_that_is_there(loopwright: Any) -> None:
    asleep(loopwright)
    done = loopwright("send", "zzzz", "--to", "bob", "Hi")
    assert (done.code, "zzzz" in done.err) == (2, True)
