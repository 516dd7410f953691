"""The certificate of small plans: the numbers, the words, forks, waits and where it is only an upper bound."""

from dataclasses import replace

import pytest

from loopwright.errors import PlanError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.certificate import regions
from loopwright.graphs.certificate.certify import Worst, certify
from loopwright.graphs.plan import Bound, Edge, End, Plan, Way
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel

FINISHED = End("finished")
GAVE_UP = End("gave_up", ok=False)
LIST = Channel("options", {"type": "array"}, input=True)


def act(name: str, *outcomes: str) -> CodeNode:
    return CodeNode(name, code=CodeRef(name, "1"), outcomes=outcomes or ("done",))


def essay(rounds: int = 3) -> PlanBuilder:
    builder = PlanBuilder("essay").node(Think("write", prompt="Write.")).edge("write", "done", "review")
    builder.node(Judge("review", prompt="Good?", outcomes=["pass", "revise"])).edge("review", "pass", FINISHED)
    return builder.edge("review", "revise", "write", at_most=rounds, bound="rounds", then=GAVE_UP)


def test_a_loop_runs_once_more_than_its_bound() -> None:
    certificate = certify(essay().build())
    assert (certificate.visits, certificate.calls, certificate.steps) == (8, 8, 8)
    assert certificate.per_node == {"write": Worst(4, 4), "review": Worst(4, 4)}
    assert (certificate.rounds, certificate.bounds, certificate.exact) == ({"write": 4}, {"rounds": 3}, True)
    assert str(certificate) == "worst case: 4 rounds, 8 model calls, 8 visits"


def test_without_waits_a_go_is_the_whole_run() -> None:
    certificate = certify(essay().build())
    assert (certificate.per_reply_visits, certificate.per_reply_calls, certificate.per_reply_steps) == (8, 8, 8)
    assert not certificate.paced


@pytest.mark.parametrize(("inner", "outer", "visits"), [(1, 2, 6), (0, 2, 3), (3, 3, 16), (2, 3, 12)])
def test_nested_bounds_multiply(inner: int, outer: int, visits: int) -> None:
    repair = PlanBuilder("repair").node(act("try", "ok", "again")).edge("try", "ok", End("done"))
    repair.edge("try", "again", "try", at_most=inner, then=End("done"))
    builder = PlanBuilder("nested").node(repair.build()).node(act("look", "good", "bad"))
    builder.edge("repair", "done", "look").edge("look", "good", FINISHED)
    builder.edge("look", "bad", "repair", at_most=outer, then=FINISHED)
    certificate = certify(builder.build())
    assert certificate.per_node["repair/try"].visits == visits
    assert certificate.per_node["look"].visits == outer + 1
    assert str(certificate).startswith(f"worst case: {inner + 1} round")


def test_a_back_edge_that_skips_nodes_costs_only_what_it_runs() -> None:
    builder = (
        PlanBuilder("skip")
        .node(act("a", "on", "again"))
        .node(act("b"))
        .edge("a", "on", "b")
        .edge("b", "done", FINISHED)
    )
    builder.edge("a", "again", "a", at_most=2, then=FINISHED)
    assert certify(builder.build()).visits == 4


def test_edges_of_one_bound_share_its_count() -> None:
    builder = PlanBuilder("shared").node(act("a", "on", "again")).node(act("b", "done", "again"))
    builder.edge("a", "on", "b").edge("b", "done", FINISHED)
    builder.edge("a", "again", "a", at_most=2, bound="n", then=FINISHED).edge("b", "again", "a", bound="n")
    assert certify(builder.build()).visits == 6


def test_the_way_after_a_bound_counts_too() -> None:
    builder = essay(rounds=1).node(Think("shorten", prompt="Shorten."))
    plan = builder.edge("shorten", "done", FINISHED).build()
    plan = replace(plan, bounds={"rounds": Bound("rounds", 1, Way("shorten"))}, ends={"finished": FINISHED})
    assert certify(plan).calls == 5


def test_a_plan_with_errors_has_no_certificate() -> None:
    with pytest.raises(PlanError, match="missing-edge"):
        certify(PlanBuilder("broken").node(act("a")).build())


# --- forks ------------------------------------------------------------------------------------------------------------


def rating(at_most: int | None) -> Plan:
    builder = PlanBuilder("rating", [LIST, Channel("ratings", {"type": "array"})])
    rater = Judge("rater", prompt="<{option}>", score=(1, 10))
    builder.each("rate", over="options", as_="option", do=rater, collect="ratings", at_most=at_most)
    return (
        builder.node(act("look", "good", "bad"))
        .edge("rate", "done", "look")
        .edge("look", "good", FINISHED)
        .edge("look", "bad", "rate", at_most=1, then=FINISHED)
        .build()
    )


def test_a_fork_is_three_steps_and_calls_for_every_item() -> None:
    certificate = certify(rating(5))
    assert (certificate.visits, certificate.calls, certificate.steps) == (14, 10, 8)
    assert certificate.per_node == {"rate": Worst(2, 10), "rate/rater": Worst(10, 10), "look": Worst(2, 0)}


def test_any_number_of_items_is_any_number_of_calls() -> None:
    certificate = certify(rating(None))
    assert (certificate.visits, certificate.calls, certificate.per_reply_calls) == (None, None, None)
    assert (certificate.paced, certificate.steps, certificate.per_reply_visits) == (False, 8, None)
    assert certificate.per_node["rate/rater"] == Worst(None, None)
    assert str(certificate) == "worst case: 2 rounds, any number of model calls, any number of visits"


def test_bodies_side_by_side_add_up() -> None:
    builder = PlanBuilder("reviews", [Channel("reviews", {"type": "object"})])
    builder.parallel("reviews", {"style": Think("style", prompt="?"), "facts": essay().build()})
    certificate = certify(builder.edge("reviews", "done", FINISHED).edge("reviews", "failed", GAVE_UP).build())
    assert (certificate.calls, certificate.visits, certificate.steps) == (9, 10, 3)
    assert certificate.per_node["reviews[facts]/write"] == Worst(4, 4)


# --- waits ------------------------------------------------------------------------------------------------------------


def chat() -> PlanBuilder:
    builder = PlanBuilder("chat").node(Think("greet", prompt="Greet.")).edge("greet", "done", "ask")
    builder.node(Human("ask", text="?", outcomes=["more", "enough"])).edge("ask", "enough", FINISHED)
    builder.node(Think("think", prompt="Think.")).node(Think("speak", prompt="Speak."))
    return builder.edge("ask", "more", "think").edge("think", "done", "speak").edge("speak", "done", "ask")


def test_a_loop_that_a_person_paces_is_counted_by_the_reply() -> None:
    certificate = certify(chat().build())
    assert (certificate.visits, certificate.calls, certificate.steps) == (None, None, None)
    assert (certificate.per_reply_visits, certificate.per_reply_calls, certificate.per_reply_steps) == (3, 2, 4)
    assert certificate.per_node["greet"] == Worst(1, 1)
    assert certificate.per_node["ask"] == Worst(None, 0)
    assert str(certificate) == "worst case per reply: 2 model calls, 3 visits"


def test_a_loop_inside_a_paced_one_counts_for_every_reply() -> None:
    builder = chat().node(Judge("check", prompt="Good?", outcomes=["good", "bad"]))
    plan = builder.edge("check", "good", "ask").edge("check", "bad", "think", at_most=2, then="ask").build()
    edges = tuple(Edge("speak", "done", Way("check")) if edge.source == "speak" else edge for edge in plan.edges)
    certificate = certify(replace(plan, edges=edges))
    assert (certificate.per_reply_calls, certificate.per_reply_visits, certificate.per_reply_steps) == (9, 10, 11)
    assert str(certificate) == "worst case per reply: 3 rounds, 9 model calls, 10 visits"


def test_a_paced_loop_without_models_makes_no_calls() -> None:
    builder = (
        PlanBuilder("bell")
        .node(Wait("ring", text="?"))
        .node(act("open", "again", "close"))
        .edge("ring", "done", "open")
    )
    certificate = certify(builder.edge("open", "again", "ring").edge("open", "close", FINISHED).build())
    assert (certificate.visits, certificate.calls) == (None, 0)


def test_waits_without_a_loop_leave_the_whole_run_bounded() -> None:
    builder = essay().node(Wait("publish", text="?")).edge("publish", "done", FINISHED)
    plan = builder.build()
    edges = tuple(replace(edge, way=Way("publish")) if edge.outcome == "pass" else edge for edge in plan.edges)
    certificate = certify(replace(plan, edges=edges))
    assert (certificate.visits, certificate.per_reply_visits, certificate.per_reply_steps) == (9, 8, 9)


# --- exactness --------------------------------------------------------------------------------------------------------


def test_many_bounds_whose_ways_leave_the_loop_are_exact() -> None:
    names = [f"n{i}" for i in range(12)]
    builder = PlanBuilder("star").node(act("head", *names))
    for name in names:
        builder.node(act(name, "again", "out")).edge("head", name, name).edge(name, "out", FINISHED)
        builder.edge(name, "again", "head", at_most=1, then=FINISHED)
    certificate = certify(builder.build())
    assert (certificate.visits, certificate.exact) == (12 * 2 + 2, True)


def knot(size: int) -> Plan:
    """A loop whose bounds open ways to each other, through a loop inside it.

    When the bound of a node is used up, the node leads to its extra node, and from there back to the choice.
    """
    names = [f"n{i}" for i in range(size)]
    builder = PlanBuilder("knot").node(act("head")).node(act("choose", *names)).edge("head", "done", "choose")
    for name in names:
        builder.node(act(name)).node(act(f"extra {name}")).edge("choose", name, name)
        builder.edge(name, "done", "head", at_most=1, then=f"extra {name}").edge(f"extra {name}", "done", "last")
    return builder.node(act("last")).edge("last", "done", "choose", at_most=1, then=FINISHED).build()


def test_a_knot_of_bounds_is_exact_as_long_as_its_orders_can_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = certify(knot(2))
    assert (exact.visits, exact.exact) == (3 + 7 + 9, True)
    monkeypatch.setattr(regions, "TANGLED", 1)
    bound = certify(knot(2))
    assert (bound.visits, bound.exact) == (7 + 7 + 9, False)
    assert str(bound).startswith("worst case (an upper bound): ")


def test_a_loop_that_is_looked_at_in_too_many_states_is_bounded_from_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "CONTEXTS", 0)
    bound = certify(knot(2))
    assert (bound.visits, bound.exact) == (7 + 7 + 9, False)


# --- shapes -----------------------------------------------------------------------------------------------------------


def test_the_json_holds_every_number() -> None:
    data = certify(essay(rounds=0).build()).to_data()
    assert data == {
        "visits": 2,
        "calls": 2,
        "steps": 2,
        "per_reply_visits": 2,
        "per_reply_calls": 2,
        "per_reply_steps": 2,
        "exact": True,
        "per_node": {"write": {"visits": 1, "calls": 1}, "review": {"visits": 1, "calls": 1}},
        "rounds": {"write": 1},
        "bounds": {"rounds": 0},
    }


def test_the_notebook_shows_words_and_nodes_escaped() -> None:
    builder = PlanBuilder("tag").node(Think("<b>", prompt="?")).edge("<b>", "done", FINISHED)
    page = certify(builder.build())._repr_html_()
    assert page.startswith("<p>worst case: 1 model call, 1 visit</p><table>")
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
