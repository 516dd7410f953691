"""The role cycle as users call it."""

from typing import Any

import loopwright as lw
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"
QUICK = {"solver": ["S0"], "detractor": ["D0"], "master": ["M0"], "boss": [WORD]}


def test_a_task_at_the_start_is_instead_of_the_loops(drive: Any) -> None:
    model = RecordingModel(QUICK)
    drive.start(lw.RoleCycle(task="one"), {"task": "two"}, model=model)
    assert "two" in model.prompts("solver")[0][0]["content"]
    assert "one" not in model.prompts("solver")[0][0]["content"].split("Task:")[-1]


def test_runs_of_one_batch(store: lw.Store) -> None:
    loop = lw.RoleCycle(tasks=["one", "two"])
    for inputs in loop.inputs:
        loop.start(inputs, store=store, model=RecordingModel(QUICK), batch="b")
    rows = [(row.batch, row.inputs) for row in store.registry.all()]
    assert rows == [("b", {"task": "two"}), ("b", {"task": "one"})]


def test_one_loop_is_run_many_times_and_each_begins_its_script() -> None:
    loop = lw.RoleCycle(task="T", model=lw.ScriptedModel(QUICK))
    assert [loop.start().result for _ in range(3)] == ["S0"] * 3
