"""A saver's async methods are its sync ones, on another thread."""

import threading

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from loopwright.state.store.saver import Saver
from loopwright.state.store.store import Store

RUN: RunnableConfig = {"configurable": {"thread_id": "run", "checkpoint_ns": ""}}


async def test_what_is_awaited_is_what_is_called(store: Store) -> None:
    saver = Saver(store.database)
    kept = await saver.aput(RUN, empty_checkpoint(), {"step": 3}, {})
    found = await saver.aget_tuple(kept)
    assert found is not None
    assert (found, found.metadata["step"]) == (saver.get_tuple(kept), 3)
    assert [each async for each in saver.alist(RUN)] == [found]
    assert await saver.aget_delta_channel_history(config=kept, channels=["list"]) == (
        saver.get_delta_channel_history(config=kept, channels=["list"])
    )
    await saver.adelete_thread("run")
    assert saver.get_tuple(RUN) is None


async def test_the_loop_does_not_wait_for_the_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    monkeypatch.setattr(Saver, "get_tuple", lambda *_: threads.append(threading.current_thread()))
    await Saver(store.database).aget_tuple(RUN)
    assert threads != [threading.current_thread()]
