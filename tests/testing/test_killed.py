"""The process that makes processes: what it takes for a loop, and what it does with an order."""

from pathlib import Path

import pytest

import loopwright as lw
from loopwright.testing.killed import loop_of, obey
from loopwright.testing.model_server import ModelServer

TEXT = {"type": "string"}
LOOPS = """
import loopwright as lw
loop = lw.RoleCycle(task="T")
number = 1
"""


def hello() -> lw.PlanBuilder:
    plan = lw.PlanBuilder("hello", [lw.Channel("text", TEXT, default="")], result="text")
    plan.node(lw.Think("say", prompt="Hello?", writes="text")).edge("say", "done", "look")
    plan.node(lw.Human("look", text="Well?", outcomes=["send"])).edge("look", "send", lw.End("said"))
    return plan


def test_loops_by_name_and_by_plan(tmp_path: Path) -> None:
    (tmp_path / "killed_loops.py").write_text(LOOPS)
    (tmp_path / "roles.yaml").write_text("kind: role_cycle\ntask: T\n")
    plan = hello().build()
    assert loop_of({"plan": plan.to_data()}).plan == plan
    assert loop_of({"loop": f"{tmp_path / 'killed_loops.py'}:loop"}).plan.name == "role_cycle"
    assert loop_of({"loop": str(tmp_path / "roles.yaml")}).inputs == ({"task": "T"},)
    with pytest.raises(lw.SourceError, match="a Loop"):
        loop_of({"loop": f"{tmp_path / 'killed_loops.py'}:number"})


@pytest.mark.parametrize("awaited", [False, True])
def test_an_order_starts_a_run_and_goes_on_with_it(tmp_path: Path, awaited: bool) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    with ModelServer("Hello.") as server:
        order = {"store": store, "server": server.base_url, "inputs": None, "awaited": awaited}
        obey(hello().loop(), {**order, "people": {}})
        (run,) = lw.runs(store)
        assert (run.status, len(server.requests)) == ("waiting", 1)
        obey(hello().loop(), {**order, "people": {"look": ["send"]}})
        assert (run.status, run.result, len(server.requests)) == ("finished", "Hello.", 1)
