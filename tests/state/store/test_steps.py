"""The steps of a run on their way to disk, beside what the saver's tests tell of them."""

from langchain_core.runnables import RunnableConfig

from loopwright.state.records import Visit
from loopwright.state.store.saver import Saver
from loopwright.state.store.steps import ALONE, SENT, Steps, Writes
from loopwright.state.store.store import Store

CONFIG: RunnableConfig = {"configurable": {"thread_id": "run", "checkpoint_ns": "", "checkpoint_id": "1"}}


def noted(store: Store, *tasks: str) -> Steps:
    Saver(store.database).setup()
    steps = Steps(store.database, None)
    for task in tasks:
        steps.note(task, f"{task}:1", Visit(-1, task, "think", "done", "end"), lambda place: None)
    return steps


def test_writes_of_a_lone_task_wait_for_their_checkpoint(store: Store) -> None:
    steps = noted(store, "write")
    assert not steps.are_put_off(Writes(CONFIG, [("draft", "text")], "write", "branch"))
    assert not steps.are_put_off(Writes(CONFIG, [("draft", "text")], "other", ALONE))
    assert steps.are_put_off(Writes(CONFIG, [(SENT, "text")], "other", ALONE))
    assert steps.left == []
    assert steps.are_put_off(Writes(CONFIG, [("draft", "text")], "write", ALONE))
    assert [waiting.task for waiting in steps.left] == ["write"]


def test_places_are_counted_anew_where_what_was_written_is_undone(store: Store) -> None:
    steps = noted(store, "a", "b")
    connection = store.database.connection
    assert steps.write(connection, CONFIG, ["a"], None) == ([("a", 0)], [])
    connection.rollback()
    steps.undone()
    placed, _ = steps.write(connection, CONFIG, ["a", "b"], None)
    connection.commit()
    steps.kept(placed)
    assert placed == [("a", 0), ("b", 1)]
    assert steps.of_graph("") == []
