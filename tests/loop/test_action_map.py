"""The action-brain map in Python."""

from typing import Any

import loopwright as lw

FILL: Any = {"type": "zero_shot", "role": "event_filler"}


def test_a_model_and_a_budget_may_be_given(store: lw.Store) -> None:
    model = lw.ScriptedModel({"default": [{}], "repeat": "last"})
    loop = lw.ActionMap({"wave": ["fill"]}, brains={"fill": FILL}, model=model, budget={"calls": 1}, name="waver")
    run = loop.start({"action": "wave", "aim": "greet"}, store=store)
    assert run.result == [{"event_type": "wave", "sender_id": "waver"}]
    assert loop.plan.name == "waver"


def test_it_can_be_a_node_of_another_plan() -> None:
    inner = lw.ActionMap({"wave": ["fill"]}, brains={"fill": FILL})
    plan = lw.PlanBuilder(
        "outer",
        [lw.Channel("aim", str, input=True), lw.Channel("action", str), lw.Channel("made", list, reduce="append")],
        result="made",
    )
    plan.node(lw.Act("pick", lambda: "wave", writes="action")).node(inner, name="do", writes="made")
    plan.edge("pick", "done", "do").edge("do", "done", lw.End("done")).edge("do", "nothing", lw.End("no", ok=False))
    loop = plan.loop()
    assert not loop.check()
    run = loop.start({"aim": "greet"}, model=lw.ScriptedModel({"decide": [{}]}))
    assert run.end == lw.End("done")
