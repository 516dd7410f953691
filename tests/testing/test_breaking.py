"""The store that fails, and the breaker: it finds what is lost, and passes what is not."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.state.store.saver import _Change
from loopwright.state.store.store import Store
from loopwright.testing import breaking
from loopwright.testing.breaking import BreakingStore, Breaks, break_at_every_write
from loopwright.testing.scripts import RecordingModel

TEXT = {"type": "string"}


def letter() -> lw.Loop[Any]:
    plan = lw.PlanBuilder("letter", [lw.Channel("to", TEXT, input=True), lw.Channel("draft", TEXT)], result="draft")
    plan.node(lw.Think("write", prompt="To <{to}>.", writes="draft")).edge("write", "done", "look")
    plan.node(lw.Human("look", text="Well?", outcomes=["send", "stop"])).edge("look", "send", lw.End("sent"))
    return plan.edge("look", "stop", lw.End("stopped", ok=False)).loop()


def test_writes_are_counted_and_read_by_others(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    with BreakingStore(url) as store:
        assert store.writes == 0
        entered = letter().enter_all([{"to": "Ada"}], store=store, model=RecordingModel(lambda call: "Dear."))[0]
        assert store.writes == 1
        list(store.registry.all())
        assert store.writes == 1
    with Store(url) as other:
        assert [row.id for row in other.registry.all()] == [entered.id]


@pytest.mark.parametrize(("after", "kept"), [(False, 0), (True, 1)])
def test_the_write_that_fails_is_kept_or_not_and_none_after_it(tmp_path: Path, after: bool, kept: int) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    with BreakingStore(url, at=1, after=after) as store:
        for _ in range(3):
            with pytest.raises(lw.StoreError, match="the disk fails; nothing of this step was written"):
                letter().enter_all([{"to": "Ada"}], store=store, model=RecordingModel(lambda call: "Dear."))
            assert store.writes == 1
    with Store(url) as other:
        assert len(list(other.registry.all())) == kept


def test_what_breaks_in_memory_leaves_nothing() -> None:
    with pytest.raises(lw.StoreError, match="nothing would be left of what breaks in memory; give sqlite:PATH"):
        BreakingStore("memory:")


def test_a_loop_that_loses_nothing(drive: Any) -> None:
    scripted = break_at_every_write(
        letter(), {"to": "Ada"}, model={"write": ["Dear Ada."]}, people={"look": ["send"]}, awaited=drive.awaited
    )
    assert scripted == Breaks(scripted.writes, 2 * scripted.writes, 1, scripted.repeated, scripted.most)
    assert scripted.writes > 1
    assert (scripted.most <= 1, scripted.repeated <= scripted.breaks) == (True, True)
    asked = break_at_every_write(
        letter(), {"to": "Ada"}, model=lambda call: "Dear.", people={"look": ["send"]}, awaited=drive.awaited
    )
    assert (asked.breaks, asked.calls, asked.most <= 1) == (2 * asked.writes, 1, True)


def test_a_reply_that_is_another_one_the_second_time_is_found() -> None:
    said = iter(range(1000))
    with pytest.raises(AssertionError) as caught:
        break_at_every_write(letter(), {"to": "Ada"}, model=lambda call: f"Dear {next(said)}.")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("broken before write 1 of ")
    assert 'its state is {"to": "Ada", "draft": "Dear 1."}, and not {"to": "Ada", "draft": "Dear 0."}' in lines[0]


def test_a_visit_that_is_not_kept_with_what_it_wrote_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(self: _Change, connection: sqlite3.Connection) -> None:
        self.placed, waited = self.saver.steps.write(connection, self.config, self.tasks, self.reached)
        connection.commit()
        connection.execute("BEGIN")
        for each in waited:
            self.saver.put_waited(each)
        self.result = self.write_own() or self.config

    monkeypatch.setattr(_Change, "write", write)
    with pytest.raises(AssertionError, match=r'\["write", "done", "look", "Dear."\], \["write", "done", "look"'):
        break_at_every_write(letter(), {"to": "Ada"}, model=lambda call: "Dear.")


def test_calls_that_are_made_once_too_often_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hasty(RecordingModel):
        """A model that asks twice where it is asked in a run that goes on."""

        def ask(self, call: lw.ModelCall) -> lw.ModelReply:
            if len(self.calls) == 1:
                super().ask(call)
            return super().ask(call)

    monkeypatch.setattr(breaking, "RecordingModel", Hasty)
    with pytest.raises(AssertionError, match="2 calls were made again, where 1 could be at work at once"):
        break_at_every_write(letter(), {"to": "Ada"}, model=lambda call: "Dear.")
