"""The saver: what LangGraph wants of one, and the record of visits in its transactions."""

import asyncio
import os
import pickle
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.types import Send

from loopwright.errors import LeaseLost, StoreError
from loopwright.graphs.plan import End
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.functions import Act
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.records import Outgoing, Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.store.saver import Saver
from loopwright.state.store.steps import ALONE, SENT, Writes
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

UNTOLD = list[int]().append
HERE = "write:1"
INNER = "rate body:1|write:2"


@pytest.fixture
def saver(store: Store) -> Saver:
    return Saver(store.database)


@pytest.fixture
def kept(saver: Saver) -> RunnableConfig:
    """The configuration of a checkpoint that is there."""
    config: RunnableConfig = {"configurable": {"thread_id": "run", "checkpoint_ns": ""}}
    return saver.put(config, empty_checkpoint(), {}, {})


async def test_it_conforms(store: Store) -> None:
    @checkpointer_test(name="loopwright")
    async def savers() -> AsyncIterator[Saver]:
        with Store("memory:") as fresh:
            yield Saver(fresh.database)

    report = await validate(savers)
    assert report.passed_all_base()
    assert {name: result.passed for name, result in report.results.items() if result.detected} == {
        "put": True,
        "put_writes": True,
        "get_tuple": True,
        "list": True,
        "delete_thread": True,
    }


def visit(node: str) -> Visit:
    return Visit(-1, node, "think", "done", "end", reply="text")


def nodes(store: Store) -> list[str]:
    return [kept.node for kept in store.registry.visits("run")]


def test_a_visit_is_kept_with_its_writes(store: Store, saver: Saver, kept: RunnableConfig) -> None:
    told: list[int] = []
    saver.steps.note("1", HERE, visit("write"), told.append)
    assert (nodes(store), told) == ([], [])
    saver.put_writes(kept, [("draft", "text")], "1")
    assert told == [0]
    (found,) = store.registry.visits("run")
    assert (found.index, found.node, found.checkpoint) == (0, "write", kept["configurable"]["checkpoint_id"])


def test_a_visit_is_kept_once_with_the_checkpoint_where_that_comes_first(
    store: Store, saver: Saver, kept: RunnableConfig
) -> None:
    saver.steps.note("1", HERE, visit("write"), UNTOLD)
    saver.steps.note("2", INNER, visit("inner"), UNTOLD)
    after = saver.put(kept, empty_checkpoint(), {}, {})
    assert nodes(store) == ["write"]
    assert store.registry.visits("run")[0].checkpoint == kept["configurable"]["checkpoint_id"]
    saver.put_writes(kept, [("draft", "text")], "1")
    saver.put(after, empty_checkpoint(), {}, {})
    assert nodes(store) == ["write"]
    inner: RunnableConfig = {"configurable": {**kept["configurable"], "checkpoint_ns": "rate body:1"}}
    saver.put(inner, empty_checkpoint(), {}, {})
    assert nodes(store) == ["write", "inner"]


def count_writes(store: Store) -> int:
    ((count,),) = store.database.connection.execute("SELECT count(*) FROM writes")
    return int(count)


def test_a_step_of_one_task_is_kept_whole_with_its_checkpoint(store: Store, saver: Saver, kept: RunnableConfig) -> None:
    saver.steps.note("1", HERE, visit("write"), UNTOLD)
    saver.put_writes(kept, [("draft", "text"), ("log", ["text"]), ("branch:to:check", None)], "1", ALONE)
    assert (nodes(store), count_writes(store)) == ([], 0)
    commits: list[str] = []
    store.database.connection.set_trace_callback(commits.append)
    versions: dict[str, Any] = {"draft": "1", "log": "1"}
    saver.put(kept, {**empty_checkpoint(), "channel_values": {"draft": "text"}, "channel_versions": versions}, {}, {})
    store.database.connection.set_trace_callback(None)
    assert (nodes(store), commits.count("COMMIT")) == (["write"], 1)
    # What the checkpoint holds is not kept again; a list is what was written to it.
    assert store.database.connection.execute("SELECT channel FROM writes").fetchall() == [("log",)]


def test_a_step_that_is_left_before_its_checkpoint_keeps_what_was_done(
    store: Store, saver: Saver, kept: RunnableConfig
) -> None:
    saver.steps.note("1", HERE, visit("write"), UNTOLD)
    saver.put_writes(kept, [("draft", "text")], "1", ALONE)
    saver.release()
    saver.release()
    assert (nodes(store), count_writes(store)) == (["write"], 1)
    found = saver.get_tuple(kept)
    assert found is not None
    assert found.pending_writes == [("1", "draft", "text")]


async def test_branches_that_end_together_are_kept_in_one_transaction(tmp_path: Path) -> None:
    told: list[int] = []
    with Store(f"sqlite:{tmp_path}/runs.db") as store:
        saver = Saver(store.database)
        kept = saver.put({"configurable": {"thread_id": "run", "checkpoint_ns": ""}}, empty_checkpoint(), {}, {})
        for number in range(5):
            saver.steps.note(str(number), HERE, visit(f"rate[{number}]"), told.append)
        statements: list[str] = []
        store.database.connection.set_trace_callback(statements.append)
        await asyncio.gather(*(saver.aput_writes(kept, [("rating", number)], str(number)) for number in range(5)))
        store.database.connection.set_trace_callback(None)
        assert (told, len(nodes(store)), count_writes(store)) == ([0, 1, 2, 3, 4], 5, 5)
        assert statements.count("COMMIT") == 1


def test_a_visit_is_written_once_where_its_writes_and_its_checkpoint_come_together(
    store: Store, saver: Saver, kept: RunnableConfig
) -> None:
    saver.steps.note("1", HERE, visit("write"), UNTOLD)
    writing = saver._writing(Writes(kept, [("draft", "text")], "1", ""))
    stepping = saver._stepping(kept, empty_checkpoint(), {}, {})
    assert writing is not None
    with store.database.transaction() as connection:
        writing.write(connection)
        stepping.write(connection)
    writing.kept()
    stepping.kept()
    assert nodes(store) == ["write"]


def test_what_is_sent_to_branches_is_kept_by_the_checkpoint_alone(
    store: Store, saver: Saver, kept: RunnableConfig
) -> None:
    sent = [(SENT, Send("body", {"index": 0})), (SENT, Send("body", {"index": 1}))]
    saver.put_writes(kept, sent, "1", f"{ALONE}, rate")
    assert count_writes(store) == 0
    saver.put_writes(kept, [*sent, ("rating", 1)], "2", f"{ALONE}, rate")
    assert count_writes(store) == 3


def test_neither_the_visit_nor_its_writes_are_kept_when_one_cannot_be(
    store: Store, saver: Saver, kept: RunnableConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    saver.steps.note("1", HERE, visit("write"), UNTOLD)
    store.database.connection.execute("ALTER TABLE writes RENAME TO away")
    with pytest.raises(StoreError, match="no such table: writes"):
        saver.put_writes(kept, [("draft", "text")], "1")
    assert (nodes(store), store.database.connection.in_transaction) == ([], False)
    store.database.connection.execute("ALTER TABLE away RENAME TO writes")
    saver.put_writes(kept, [("draft", "text")], "1")
    assert nodes(store) == ["write"]


def test_a_step_that_cannot_be_kept_in_the_end_leaves_no_gap(store: Store, saver: Saver, kept: RunnableConfig) -> None:
    store.database.connection.executescript(
        "PRAGMA foreign_keys=ON; CREATE TABLE parents (id INTEGER PRIMARY KEY);"
        "CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED);"
        "CREATE TRIGGER orphan AFTER INSERT ON visits BEGIN INSERT INTO children VALUES (1); END;"
    )
    told: list[int] = []
    saver.steps.note("1", HERE, visit("write"), told.append)
    with pytest.raises(StoreError, match="FOREIGN KEY constraint failed"):  # so says the commit
        saver.put_writes(kept, [("draft", "text")], "1")
    assert (nodes(store), told, store.database.connection.in_transaction) == ([], [], False)
    store.database.connection.execute("DROP TRIGGER orphan")
    saver.put_writes(kept, [("draft", "text")], "1")
    assert (nodes(store), told, store.registry.count_visits("run")) == (["write"], [0], 1)


def test_visits_count_on_where_another_process_stopped(store: Store, saver: Saver, kept: RunnableConfig) -> None:
    for place, each in enumerate([saver, Saver(store.database), saver]):
        task = str(place)
        if each is not saver or place == 0:
            each.steps.note(task, HERE, visit(task), UNTOLD)
            each.put_writes(kept, [("draft", task)], task)
    assert [(found.index, found.node) for found in store.registry.visits("run")] == [(0, "0"), (1, "1")]


class Evil:
    """What runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.mark}",)


@pytest.fixture
def marks(tmp_path: Path) -> Iterator[Path]:
    mark = tmp_path / "it ran"
    yield mark
    assert not mark.exists()


def two_steps() -> Any:
    builder = PlanBuilder("two", [Channel("draft"), Channel("final")], result="final")
    builder.node(Think("write", prompt="Write.", writes="draft")).edge("write", "done", "check")
    builder.node(Think("check", prompt="<{draft}>", writes="final")).edge("check", "done", End("good"))
    return builder.loop()


@pytest.mark.parametrize("kind", ["pickle", "msgpack", "json"])
def test_a_row_that_was_tampered_with_runs_nothing(store: Store, marks: Path, kind: str) -> None:
    model = RecordingModel({"write": ["A"], "check": [{"error": "down"}, "B"]})
    run = two_steps().start(store=store, model=model)
    assert run.status == "suspended"
    evil = pickle.dumps(Evil(marks))
    if kind == "json":
        evil = b'{"lc": 2, "type": "constructor", "id": ["os", "system"], "args": ["touch %s"]}' % str(marks).encode()
    store.database.connection.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", (kind, evil))
    store.database.connection.commit()
    with pytest.raises(StoreError, match="cannot be read"):
        run.resume()
    assert len(model.calls) == 2


def test_nothing_but_json_comes_to_disk(store: Store) -> None:
    builder = PlanBuilder("odd", [Channel("found")]).node(Act("look", _odd, writes="found"))
    run = builder.edge("look", "done", End("good")).loop().start(store=store)
    assert run.status == "suspended"
    types = store.database.connection.execute("SELECT DISTINCT type FROM checkpoints").fetchall()
    assert types == [("msgpack",)]


def _odd() -> set[int]:
    return {1, 2}


@pytest.mark.parametrize("path", ["", ALONE], ids=["branch", "alone"])
def test_who_has_lost_a_run_writes_nothing_of_it(store: Store, kept: RunnableConfig, path: str) -> None:
    store.registry.enter(RunRow("run", "plan", "f"), {})
    store.registry.claim("run")
    mine = Saver(store.database, token=1)
    after = mine.put(kept, empty_checkpoint(), {}, {})
    mine.steps.note("1", HERE, visit("write"), UNTOLD)
    mine.put_writes(after, [("draft", "text")], "1", path)
    store.registry.claim("run", take_over=True)
    told: list[int] = []
    before = (nodes(store), count_writes(store), mine.get_tuple(kept))
    lost = "^run run was taken over by another runner; process .* runs it now: this one writes nothing more of it$"
    with pytest.raises(LeaseLost, match=lost):  # a checkpoint, with the visit that waits for it where it is alone
        mine.put(after, empty_checkpoint(), {}, {})
    mine.steps.note("2", HERE, visit("review"), told.append)
    with pytest.raises(LeaseLost, match=lost):  # a visit
        mine.put_writes(after, [("verdict", "good")], "2")
    with pytest.raises(LeaseLost, match=lost):  # writes without a visit, as those of a question
        mine.put_writes(after, [("__interrupt__", [])], "3")
    mine.put_writes(after, [("verdict", "good")], "2", ALONE)
    with pytest.raises(LeaseLost, match=lost):  # what waits for a checkpoint that does not come
        mine.release()
    assert (nodes(store), count_writes(store), mine.get_tuple(kept), told) == (*before, [])
    theirs = Saver(store.database, token=2)
    theirs.put_writes(after, [("verdict", "good")], "3")
    assert count_writes(store) == before[1] + 1


def test_events_are_kept_with_their_visit_or_not_at_all(store: Store, saver: Saver, kept: RunnableConfig) -> None:
    rung: list[int] = []
    store.database.bells.append(lambda: rung.append(len(list(store.inbox.all()))))
    saver.steps.note("1", HERE, visit("give"), UNTOLD, (Outgoing("gives", 1), Outgoing("gives", 2, "ada")))
    with pytest.raises(TypeError):
        saver.put_writes(kept, [("draft", object())], "1")
    assert (nodes(store), list(store.inbox.all()), rung) == ([], [], [])
    saver.put_writes(kept, [("draft", "text")], "1")
    assert [(each.id, each.payload, each.to, each.sender, each.visit) for each in store.inbox.all()] == [
        ("run/0/0", 1, "", "run", 0),
        ("run/0/1", 2, "ada", "run", 0),
    ]
    assert (nodes(store), rung) == (["give"], [2])
