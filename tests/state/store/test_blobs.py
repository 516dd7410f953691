"""Long values: on disk once, however many checkpoints hold them, and there again wherever one is read."""

from contextlib import suppress
from typing import Any

import pytest

from loopwright.errors import StoreError
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Judge
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.blobs import APART, LONG
from loopwright.state.store.saver import Saver
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

TEXT = "a long text, " * LONG


def reading() -> Loop[Any]:
    builder = PlanBuilder("reading", [Channel("text", str, input=True), Channel("why", str)])
    builder.node(Judge("judge", prompt="<{text}>", outcomes=["yes", "no"], writes="why"))
    builder.node(Human("look", text="Go on?", outcomes=["go", "stop"])).edge("look", "stop", End("stopped"))
    builder.edge("judge", "no", "judge", at_most=20, bound="tries", then="look").edge("judge", "yes", "look")
    return builder.edge("look", "go", "judge").loop()


@pytest.fixture
def run(store: Store) -> Any:
    model = RecordingModel(lambda call: {"outcome": "no", "reason": "short"})
    return reading().start({"text": TEXT}, store=store, model=model)


def test_a_long_input_is_kept_once(store: Store, run: Any) -> None:
    size = store.database.connection.execute("SELECT sum(length(checkpoint)) FROM checkpoints").fetchone()[0]
    blobs = store.database.connection.execute("SELECT channel, length(value) FROM blobs").fetchall()
    assert [name for name, _ in blobs] == ["__start__", "text"]
    assert len(run.visits) == 21
    assert size < 22 * 1000 < sum(length for _, length in blobs) * 22


def test_it_is_there_wherever_a_checkpoint_is_read(store: Store, run: Any) -> None:
    assert run.state == {"text": TEXT, "why": "short"}
    found = list(Saver(store.database).list({"configurable": {"thread_id": run.id}}))
    assert [each.checkpoint["channel_values"]["text"] for each in found[:-1]] == [TEXT] * 22
    assert all(APART not in each.checkpoint["channel_values"] for each in found)
    opened = open_run(store, run.id)
    opened.resume("go", model=RecordingModel({"judge": ["yes"]}))
    assert opened.state["text"] == TEXT


def test_one_that_is_gone_is_told(store: Store, run: Any) -> None:
    store.database.connection.execute("DELETE FROM blobs WHERE channel = 'text'")
    store.database.connection.commit()
    with pytest.raises(StoreError, match="cannot be read: the value of 'text' is not there"):
        run.resume("stop")


def test_it_goes_with_its_run(store: Store, run: Any) -> None:
    Saver(store.database).delete_thread(run.id)
    assert store.database.connection.execute("SELECT count(*) FROM blobs").fetchall() == [(0,)]


def test_what_was_rolled_back_is_kept_anew(store: Store, run: Any) -> None:
    saver = Saver(store.database)
    config: Any = {"configurable": {"thread_id": run.id, "checkpoint_ns": ""}}
    latest = saver.get_tuple(config)
    assert latest is not None
    longer = {**latest.checkpoint["channel_values"], "why": TEXT}
    versions = {**latest.checkpoint["channel_versions"], "why": "99999999"}
    checkpoint: Any = {**latest.checkpoint, "id": "f" * 36, "channel_values": longer, "channel_versions": versions}
    with suppress(KeyboardInterrupt), saver.cursor():
        saver.put(config, checkpoint, {}, {})
        raise KeyboardInterrupt
    saver.put(config, checkpoint, {}, {})
    found = Saver(store.database).get_tuple(config)
    assert found is not None
    assert found.checkpoint["channel_values"]["why"] == TEXT
