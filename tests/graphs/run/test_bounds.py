"""More of a bound for one run: what it goes on with, what is on record, and what is refused with nothing changed."""

from typing import Any

import pytest

from loopwright.errors import NotWaiting, RunBusy, RunError, WrongAnswer
from loopwright.graphs.plan import End
from loopwright.graphs.run.bounds import raised, require_more, sums_of
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.functions import Act
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.role import Review, Role, Rounds
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.records import Extension, Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store

LATE = End("max_rounds", ok=False)
NEVER = {"write": [f"d{i}" for i in range(40)], "review": ["revise"] * 40}


def essay(at_most: int = 4, **wait: Any) -> Loop:
    plan = PlanBuilder("essay", [Channel("draft"), Channel("notes", reduce="append")], result="draft")
    plan.node(Think("write", prompt="Write. <{notes}>", writes="draft"))
    plan.node(Judge("review", prompt="<{draft}>", outcomes=["pass", "revise"], writes="notes"))
    plan.edge("write", "done", "review").edge("review", "pass", End("finished"))
    plan.edge("review", "revise", "write", at_most=at_most, bound="rounds", then=LATE)
    return plan.loop()


def test_a_run_goes_on_from_where_the_bound_ended_it(drive: Any, store: Store) -> None:
    run = drive.start(essay(), store=store, model=ScriptedModel(NEVER))
    assert (run.end, run.result, len(run.visits)) == (LATE, "d4", 10)
    again = open_run(store, run.id)
    drive.resume(again, bounds={"rounds": 3})
    assert (run.end, run.result, len(run.visits)) == (LATE, "d7", 16)
    assert [visit.node for visit in run.visits[10:]] == ["write", "review"] * 3
    assert run.reason == "bound 'rounds' used up: led back to 'write' 7 of 7 times"
    assert run.extensions == (Extension("rounds", 3, 10),)
    assert (run.certificate.visits, run.certificate.limit) == (16, essay(7).certificate.limit)
    drive.resume(again, bounds={"rounds": 1})
    assert (run.result, run.usage.calls) == ("d8", 18)


def test_what_it_holds_is_kept_and_another_end_is_an_end(drive: Any) -> None:
    said = [{"outcome": "revise", "reason": f"r{i}"} for i in range(5)]
    model = ScriptedModel({**NEVER, "review": [*said, {"outcome": "pass", "reason": "good"}]})
    run = drive.start(essay(), model=model)
    drive.resume(run, bounds={"rounds": 3})
    assert (run.end, run.result) == (End("finished"), "d5")
    assert run.state["notes"] == ["r0", "r1", "r2", "r3", "r4", "good"]
    with pytest.raises(NotWaiting) as caught:
        drive.resume(run, bounds={"rounds": 1})
    assert str(caught.value) == (
        f"run {run.id} has ended as 'finished', and no bound led there (review answered 'pass');"
        " a fork of it that stands where the bound is still ahead can be given more"
    )


def test_the_picture_of_a_run_that_went_on(drive: Any) -> None:
    run = drive.start(essay(1), model=ScriptedModel(NEVER))
    drive.resume(run, bounds={"rounds": 2})
    assert "(rounds ≤ 3)" in run.draw(format="txt")
    assert run.draw().startswith("<svg")


def test_events_say_that_it_goes_on(drive: Any) -> None:
    run = drive.start(essay(1), model=ScriptedModel(NEVER))
    events = [type(event).__name__ for event in drive.follow(run, bounds={"rounds": 1})]
    assert (events[0], events[-1], len(run.visits)) == ("RunStarted", "RunEnded", 6)


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ({"round": 1}, "the plan of run ID has no bound 'round' (did you mean 'rounds'? there is only rounds)"),
        ({"rounds": 0}, "run ID can be given 1 more of 'rounds', or more, and not 0"),
        ({"rounds": -2}, "run ID can be given 1 more of 'rounds', or more, and not -2"),
        ({"rounds": True}, "run ID can be given 1 more of 'rounds', or more, and not True"),
        ({"rounds": "3"}, "run ID can be given 1 more of 'rounds', or more, and not '3'"),
        ({}, "bounds are a mapping from names to numbers, as {'rounds': 3}; {} is none"),
        ("rounds", "bounds are a mapping from names to numbers, as {'rounds': 3}; 'rounds' is none"),
    ],
)
def test_what_is_no_bound_changes_nothing(bounds: Any, told: str) -> None:
    run = essay(1).start(model=ScriptedModel(NEVER))
    before = run.row
    with pytest.raises(RunError) as caught:
        run.resume(bounds=bounds)
    assert (str(caught.value).replace(run.id, "ID"), run.row, run.extensions) == (told, before, ())


def test_a_model_that_is_missing_changes_nothing() -> None:
    run = essay(1).start(model=ScriptedModel(NEVER))
    fresh = open_run(run.store, run.id)
    with pytest.raises(RunError):
        fresh.resume(bounds={"rounds": 1}, model=ScriptedModel({"nobody": ["x"]}))
    assert (run.status, run.extensions) == ("finished", ())


def two_loops() -> Loop:
    plan = PlanBuilder("two", [])
    plan.node(Judge("a", prompt="a", outcomes=["on", "again"])).node(Judge("b", prompt="b", outcomes=["on", "again"]))
    plan.edge("a", "on", "b").edge("a", "again", "a", at_most=1, bound="first", then=LATE)
    plan.edge("b", "on", End("finished")).edge("b", "again", "b", at_most=1, bound="second", then=LATE)
    return plan.loop()


def test_only_the_bound_that_ended_it_lets_it_go_on() -> None:
    run = two_loops().start(model=ScriptedModel({"a": ["on"], "b": ["again"] * 9}))
    with pytest.raises(NotWaiting) as caught:
        run.resume(bounds={"first": 1})
    assert str(caught.value) == (
        f"run {run.id} has ended as 'max_rounds', where the bound 'second' led: more of 'first' does not let it go on"
    )
    run.resume(bounds={"first": 1, "second": 1})
    assert [visit.node for visit in run.visits] == ["a", "b", "b", "b"]


def test_a_run_that_stands_in_its_loop_gets_more() -> None:
    run = essay(1).start(model=ScriptedModel({"write": ["d0"], "review": ["revise"]}))
    assert (run.status, run.row.at) == ("suspended", ("write",))
    run.resume(bounds={"rounds": 2}, model=ScriptedModel({"write": ["x"] * 9, "review": ["revise"] * 9}))
    assert (run.end, len(run.visits)) == (LATE, 8)


def test_a_run_that_has_left_its_loop_does_not() -> None:
    run = two_loops().start(model=ScriptedModel({"a": ["again", "on"], "b": [{"error": "down"}]}))
    assert run.row.at == ("b",)
    with pytest.raises(NotWaiting) as caught:
        run.resume(bounds={"first": 1})
    assert str(caught.value) == f"run {run.id} is at 'b', and comes to the bound 'first' no more"
    assert run.resume(bounds={"second": 1}, model=ScriptedModel({"b": ["again"] * 9})).end == LATE
    assert [visit.node for visit in run.visits] == ["a", "a", "b", "b", "b"]


def test_a_run_that_waits_gets_it_with_the_answer(drive: Any) -> None:
    plan = PlanBuilder("ask", [])
    plan.node(Human("ask", text="Good?", outcomes=["yes", "no"])).edge("ask", "yes", End("finished"))
    plan.edge("ask", "no", "ask", at_most=1, bound="tries", then=LATE)
    run = drive.start(plan.loop())
    with pytest.raises(WrongAnswer):
        drive.resume(run, bounds={"tries": 1})
    assert run.extensions == ()
    question = run.questions[0].id
    drive.resume(run, "no", bounds={"tries": 1})
    with pytest.raises(NotWaiting, match="this answer was given before"):
        drive.resume(run, "no", question=question, bounds={"tries": 1})
    assert len(run.extensions) == 1
    drive.resume(run, "no")
    assert (run.status, len(run.visits)) == ("waiting", 2)
    drive.resume(run, "no")
    assert run.end == LATE
    drive.resume(run, bounds={"tries": 1})
    assert run.status == "waiting"


def test_rounds_of_a_role_cycle_say_the_new_number(drive: Any) -> None:
    roles = {"solver": {"brief": "Round <{round}> of <{rounds_max}>. <{task}>"}, "boss": {}}
    loop = RoleCycle(task="T", rounds=Rounds(max=2), roles=roles)
    run = drive.start(loop, model=ScriptedModel({"default": ["x"] * 30}))
    assert (run.end, len(run.visits)) == (LATE, 4)
    drive.resume(run, bounds={"rounds": 1})
    assert (run.end, len(run.visits)) == (LATE, 6)
    assert run.reason.endswith("round 3 of at most 3 is over")
    prompt = run.plan.nodes["solver"].node
    assert prompt.rounds == Rounds(max=3)


def test_a_nested_loop_and_the_end_of_the_plan_around_it(drive: Any) -> None:
    plan = PlanBuilder("outer", [Channel("task", input=True), Channel("text")], result="text")
    inner = RoleCycle(rounds=Rounds(max=2), roles={"solver": {}, "boss": {}})
    plan.node(inner, name="in", writes="text")
    plan.edge("in", "stopped", End("finished")).edge("in", "max_rounds", LATE)
    run = drive.start(plan.loop(), {"task": "T"}, model=ScriptedModel({"default": ["x"] * 30}))
    assert (run.end, list(run.plan.bounds)) == (LATE, ["in/rounds"])
    drive.resume(run, bounds={"in/rounds": 2})
    assert (len(run.visits), run.plan.nodes["in/solver"].node.rounds.max) == (1 + 8, 4)


def test_a_fork_whose_edge_is_bounded(drive: Any) -> None:
    body = PlanBuilder("body", []).node(Judge("look", prompt="x", outcomes=["good", "bad"]))
    body.edge("look", "good", End("good")).edge("look", "bad", End("bad", ok=False))
    plan = PlanBuilder("fork", [Channel("both")])
    plan.parallel("both", {"a": body, "b": body}).edge("both", "done", End("finished"))
    plan.edge("both", "failed", "both", at_most=1, bound="tries", then=LATE)
    run = drive.start(plan.loop(), model=ScriptedModel({"look": ["bad"] * 4 + ["good"] * 2}))
    assert (run.end, len(run.visits)) == (LATE, 6)
    drive.resume(run, bounds={"tries": 1})
    assert (run.end, len(run.visits)) == (End("finished"), 9)


@pytest.mark.parametrize("name", ["both", "in/both"])
def test_a_run_that_stands_in_a_fork_gets_more_of_the_loop_around_it(name: str) -> None:
    body = PlanBuilder("body", []).node(Judge("look", prompt="x", outcomes=["good", "bad"]))
    body.edge("look", "good", End("good")).edge("look", "bad", End("bad", ok=False))
    plan = PlanBuilder("fork", [Channel("all")])
    plan.parallel("both", {"a": body}, collect="all").edge("both", "done", End("finished"))
    plan.edge("both", "failed", "both", at_most=1, bound="tries", then=LATE)
    loop, bound = plan.loop(), "tries"
    if name != "both":
        outer = PlanBuilder("outer", []).node(loop, name="in").edge("in", "finished", End("finished"))
        loop, bound = outer.edge("in", "max_rounds", LATE).loop(), "in/tries"
    run = loop.start(model=ScriptedModel({"look": [{"error": "down"}]}))
    assert run.row.at == (f"{name}[a]/look",)
    run.resume(bounds={bound: 1}, model=ScriptedModel({"look": ["bad"] * 9}))
    assert (run.end, [visit.node for visit in run.visits].count(name)) == (LATE, 3)


def test_a_run_that_was_interrupted_in_a_fork_or_before_its_first_visit() -> None:
    loop = essay(1)
    row = RunRow("r", "essay", loop.plan.fingerprint)
    inside = Visit(0, "write[0]/look", "think", "good")
    require_more(row, loop.plan, {"rounds": 1}, None)
    require_more(row, loop.plan, {"rounds": 1}, inside)
    require_more(row, loop.plan, {"rounds": 1}, Visit(0, "write", "think", "done", "review"))
    with pytest.raises(NotWaiting, match="has ended as 'finished', and no bound led there"):
        require_more(row, loop.plan, {"rounds": 1}, Visit(0, "review", "think", "pass", "finished"))


def test_a_bound_whose_end_is_a_node_is_not_given_more() -> None:
    plan = PlanBuilder("then a node", [])
    plan.node(Judge("a", prompt="a", outcomes=["on", "again"])).node(Think("sum", prompt="s"))
    plan.edge("a", "on", End("finished")).edge("a", "again", "a", at_most=1, bound="tries", then="sum")
    run = plan.edge("sum", "done", LATE).loop().start(model=ScriptedModel({"a": ["again"] * 2, "sum": ["x"]}))
    with pytest.raises(NotWaiting, match="no bound led there"):
        run.resume(bounds={"tries": 1})


def test_a_kill_after_it_was_given_loses_nothing_and_gives_it_once(store: Store) -> None:
    run = essay(1).start(store=store, model=ScriptedModel(NEVER))
    store.registry.claim(run.id, more={"rounds": 2})  # killed here: the row is written, and nothing else
    with pytest.raises(RunBusy):
        run.resume(bounds={"rounds": 1})
    store.registry.interrupt(run.id)
    assert (run.status, run.row.end) == ("interrupted", "")
    run.resume()
    assert (run.end, len(run.visits)) == (LATE, 8)
    assert run.extensions == (Extension("rounds", 2, 4),)


def test_it_needs_the_code_of_its_plan() -> None:
    plan = PlanBuilder("code", [Channel("n", {"type": "integer"}, default=0)])
    plan.node(Act("more", _more, outcomes=["again"])).edge("more", "again", "more", at_most=2, bound="b", then=LATE)
    loop = plan.loop()
    run = loop.start()
    with pytest.raises(RunError, match="names code that is not here"):
        open_run(run.store, run.id).resume(bounds={"b": 1})
    assert (run.status, run.extensions) == ("finished", ())
    assert len(open_run(run.store, run.id, loop=loop).resume(bounds={"b": 1}).visits) == 4


def _more() -> str:
    return "again"


def test_a_plan_with_raised_bounds() -> None:
    plan = essay(2).plan
    assert raised(plan, {}) == plan
    assert raised(plan, {"rounds": 3}).bounds["rounds"].at_most == 5
    assert sums_of([]) == {}


def test_more_rounds_are_said_and_more_of_another_bound_is_not() -> None:
    role = Role("boss", brief="b", order=("boss",), rounds=Rounds(1, 4))
    review = Review("review", shows=("boss",), rounds=Rounds(1, 4))
    for node in (role, review):
        more = node.given_more("rounds", 3)
        assert isinstance(more, Role | Review)
        assert (more.rounds, more.name) == (Rounds(1, 7), node.name)
        assert node.given_more("tries", 3) == node
