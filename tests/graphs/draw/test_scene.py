"""A plan becomes boxes and arrows: one arrow for every move."""

from dataclasses import replace

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.scene import Arrow, Box, scene_of
from loopwright.graphs.plan import Bound, Edge, End, Plan, Way
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.records import Visit


def drawn(plan: Plan) -> list[tuple[str, str, str, str]]:
    scene = scene_of(plan)
    names = [box.name for box in scene.boxes]
    return [(names[arrow.source], arrow.label, names[arrow.target], arrow.style) for arrow in scene.arrows]


def test_every_way_on_of_the_role_cycle_is_an_arrow(role_cycle: Plan) -> None:
    assert drawn(role_cycle) == [
        ("start", "", "solver", "start"),
        ("solver", "", "detractor", "plain"),
        ("detractor", "", "master", "plain"),
        ("master", "", "boss", "plain"),
        ("boss", "continue (rounds ≤ 3)", "solver", "plain"),
        ("boss", "rounds used up", "max_rounds", "used_up"),
        ("boss", "stop", "review", "plain"),
        ("review", "accept", "accepted", "plain"),
        ("review", "reject, continue (rounds ≤ 3)", "solver", "plain"),
        ("review", "rounds used up", "max_rounds", "used_up"),
    ]


def test_each_kind_has_its_shape() -> None:
    builder = PlanBuilder("kinds").node(Think("t", prompt="x")).node(Judge("j", prompt="x", outcomes=["a", "b"]))
    builder.node(Judge("s", prompt="x", score=(1, 10))).node(Human("h", text="?"))
    builder.node(Act("a", str.upper, reads=[])).node(Route("r", str.lower, reads=[], outcomes=["x", "y"]))
    builder.each("e", over="items", as_="item", do=Think("body", prompt="x"), collect="found")
    plan = builder.parallel("p", {"left": Think("l", prompt="x")}).build()
    shapes = {box.name: box.shape for box in scene_of(plan).boxes}
    assert shapes == {
        "start": "start",
        "t": "think",
        "j": "judge",
        "s": "think",
        "h": "wait",
        "a": "act",
        "r": "route",
        "e": "each",
        "p": "parallel",
        "nowhere": "nowhere",
    }


def test_a_box_says_the_type_of_its_node() -> None:
    inner = PlanBuilder("inner").node(Judge("j", prompt="x", outcomes=["a", "b"]))
    inner.edge("j", "a", "j", at_most=1, then=End("over")).edge("j", "b", End("over"))
    builder = (
        PlanBuilder("kinds")
        .node(inner.build())
        .edge("inner", "over", End("fine"))
        .node(Human("h", text="?"))
        .node(Act("a", str.upper, reads=[]))
    )
    kinds = {
        box.name: box.kind
        for box in scene_of(builder.each("e", over="i", as_="i", do=inner.build(), collect="f").build()).boxes
    }
    assert kinds == {
        "start": "start",
        "inner": "enter",
        "inner/j": "judge",
        "h": "human",
        "a": "act",
        "e": "each",
        "fine": "end",
        "nowhere": "an edge is missing",
    }


def test_an_outcome_is_written_where_there_is_a_choice() -> None:
    builder = PlanBuilder("labels").node(Think("write", prompt="x")).edge("write", "done", End("finished"))
    assert [label for _, label, _, _ in drawn(builder.build())] == ["", ""]
    builder.edge("write", "failed", End("broken", ok=False))
    assert drawn(builder.build())[1:] == [
        ("write", "done", "finished", "plain"),
        ("write", "failed", "broken", "failure"),
    ]


def test_a_bound_without_a_name_of_its_own_speaks_of_the_outcome() -> None:
    inner = PlanBuilder("inner").node(Judge("review", prompt="x", outcomes=["pass", "revise"]))
    inner.edge("review", "pass", End("ok")).edge("review", "revise", "review", at_most=2, then=End("ok"))
    plan = PlanBuilder("outer").node(inner.build()).edge("inner", "ok", End("finished")).build()
    labels = [(source, label) for source, label, _, _ in drawn(plan) if source == "inner/review"]
    assert labels == [
        ("inner/review", "pass"),
        ("inner/review", "revise ≤ 2"),
        ("inner/review", "revise used up"),
    ]


def test_bounds_that_lead_to_bounds_are_arrows_too() -> None:
    plan = PlanBuilder("chain").node(Think("a", prompt="x")).edge("a", "done", "a", at_most=1, then="a").build()
    first = Bound("a done", 1, Way("a", "second"))
    plan = replace(
        plan, bounds={"a done": first, "second": Bound("second", 5, Way("over"))}, ends={"over": End("over")}
    )
    assert drawn(plan)[1:] == [
        ("a", "≤ 1", "a", "plain"),
        ("a", "done used up (second ≤ 5)", "a", "used_up"),
        ("a", "second used up", "over", "used_up"),
    ]


def test_names_that_the_plan_does_not_have_are_shown_once() -> None:
    plan = PlanBuilder("faulty", start="nobody").node(Think("a", prompt="x")).edge("a", "done", "nowhere").build()
    plan = replace(plan, edges=(*plan.edges, Edge("ghost", "done", Way("nowhere"))))
    scene = scene_of(plan)
    assert [box.name for box in scene.boxes if box.shape == "unknown"] == ["nobody", "nowhere", "ghost"]
    assert len(scene.arrows) == 3


def test_an_outcome_without_an_edge_leads_nowhere() -> None:
    builder = PlanBuilder("gaps").node(Judge("a", prompt="x", outcomes=["on", "done", "off"]))
    builder.node(Think("b", prompt="x")).node(Think("c", prompt="x"))
    plan = builder.edge("a", "on", "b").edge("c", "done", End("over")).build()
    scene = scene_of(plan)
    assert [(place, box.shape) for place, box in enumerate(scene.boxes)][4:] == [
        (4, "end"),
        (5, "nowhere"),
        (6, "nowhere"),
    ]
    assert scene.arrows[3:] == (
        Arrow(1, 5, ("done,", "off"), "missing", "a [done, off] → nowhere: an edge is missing"),
        Arrow(2, 6, ("done",), "missing", "b [done] → nowhere: an edge is missing"),
    )


def test_a_plan_without_anything_has_a_start() -> None:
    scene = scene_of(PlanBuilder("empty").build())
    assert (scene.boxes, scene.arrows) == ((Box("start", "start"),), ())


def test_a_path_is_counted(role_cycle: Plan, visits: list[Visit]) -> None:
    scene = scene_of(role_cycle, visits, ["review"])
    assert {box.name: box.visits for box in scene.boxes} == {
        "start": 1,
        "solver": 2,
        "detractor": 2,
        "master": 2,
        "boss": 2,
        "review": 0,
        "max_rounds": 0,
        "accepted": 0,
    }
    assert [box.name for box in scene.boxes if box.pending] == ["review"]
    assert [arrow.taken for arrow in scene.arrows] == [1, 2, 2, 2, 1, 0, 1, 0, 0, 0]


def test_the_way_of_a_used_up_bound_is_told_from_the_edge(role_cycle: Plan) -> None:
    scene = scene_of(role_cycle, [Visit(0, "boss", "think", "continue", "max_rounds")])
    assert [arrow.title for arrow in scene.arrows if arrow.taken] == [
        "start → solver",
        "boss [continue], rounds used up → max_rounds",
    ]
    assert [box.name for box in scene.boxes if box.visits] == ["start", "boss", "max_rounds"]


def test_a_closed_fork_says_what_it_runs(forked: Plan) -> None:
    notes = {box.name: (box.note, box.bodies) for box in scene_of(forked).boxes if box.note}
    assert notes == {
        "rate": ("each option: rating", ()),
        "voices": ("optimist + pessimist + 1 more", ()),
    }


def test_an_opened_fork_has_its_bodies_with_their_own_path(forked: Plan) -> None:
    visits = [
        Visit(0, "rate[0]/rater", "think", "done", "again"),
        Visit(1, "rate[1]/rater", "think", "done", "again"),
        Visit(2, "rate[0]/again", "think", "ok"),
        Visit(3, "voices[optimist]/optimist", "think", "done"),
    ]
    boxes = {box.name: box for box in scene_of(forked, visits, ["rate[1]/again"], opened=True).boxes}
    (rating,) = boxes["rate"].bodies
    assert boxes["rate"].pending
    assert [(box.name, box.visits, box.pending) for box in rating.scene.boxes] == [
        ("start", 1, False),
        ("rater", 2, False),
        ("again", 1, True),
        ("rated", 0, False),
        ("unrated", 0, False),
    ]
    assert [arrow.taken for arrow in rating.scene.arrows] == [1, 2, 1, 0, 0]
    assert [(body.name, body.scene.boxes[0].visits) for body in boxes["voices"].bodies] == [
        ("", 1),
        ("", 0),
        ("", 0),
    ]


def test_titles_tell_the_whole_of_an_arrow(role_cycle: Plan) -> None:
    assert scene_of(role_cycle).arrows[5] == Arrow(
        4, 6, ("rounds used up",), "used_up", "boss [continue], rounds used up → max_rounds"
    )
