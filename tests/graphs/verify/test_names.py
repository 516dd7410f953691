"""Names: all that is named exists and is named once, every outcome has one edge, and nodes keep their own rules."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import Bound, Edge, End, Plan, Way
from loopwright.graphs.verify.check import verify
from loopwright.graphs.verify.findings import Finding
from loopwright.graphs.verify.names import edges, outcomes, own_rules, place_names, references
from loopwright.nodes.code import UNVERSIONED, CodeNode, CodeRef
from loopwright.nodes.contract import Node
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel

PlanOf = Callable[..., Plan]
LOOP = ("a -> b", "b [no] -> a, at most 1 rounds, then end late", "b [yes] -> end good")


def act(name: str, *outcomes: str, version: str = "1") -> CodeNode:
    return CodeNode(name, code=CodeRef(f"{name}()", version), outcomes=outcomes)


@pytest.fixture
def loop(plan_of: PlanOf) -> Plan:
    return plan_of(*LOOP)


def told(finding: Finding) -> tuple[str, str, str, tuple[str | int, ...]]:
    return finding.code, finding.message, finding.hint, finding.place


def test_a_plan_whose_names_are_right(loop: Plan) -> None:
    for check in (place_names, edges, outcomes, own_rules, references):
        assert list(check(loop)) == []


def test_a_plan_without_nodes_is_told_so_and_not_that_its_start_is_missing() -> None:
    (finding,) = place_names(PlanBuilder("nothing").build())
    assert told(finding)[:2] == ("empty-plan", "the plan 'nothing' has no nodes")


def test_the_start_and_the_result(loop: Plan) -> None:
    plan = replace(loop, start="c", result="drfat", channels={"draft": Channel("draft")})
    assert [told(finding) for finding in place_names(plan)] == [
        ("unknown-start", "the start 'c' is no node", "there are: a, b", ("start",)),
        (
            "unknown-channel",
            "the result 'drfat' is no channel",
            "did you mean 'draft'? there is only draft",
            ("result",),
        ),
    ]


def test_an_outcome_that_is_missing_in_a_brain_is_that_of_the_brain() -> None:
    plan = PlanBuilder("titles", [Channel("topic", input=True), Channel("title")])
    plan.node(brain("single_eval", {"prompt": "<{topic}>"}), name="think", writes="title")
    (finding,) = (each for each in verify(plan.build()) if each.code == "missing-edge")
    assert told(finding)[1:3] == ("'think' [done] leads nowhere", "add an edge from 'think' for 'done'")


def test_a_name_of_a_node_and_an_end(loop: Plan) -> None:
    (finding,) = place_names(replace(loop, ends={**loop.ends, "b": End("b")}))
    assert told(finding) == ("name-of-two", "'b' is a node and an end", "rename one of them", ("nodes", "b"))


def test_names_that_are_empty_are_all_told(loop: Plan) -> None:
    plan = replace(
        loop,
        nodes={**loop.nodes, "": loop.nodes["a"]},
        channels={"": Channel("")},
        bounds={**loop.bounds, "": Bound("", 1, Way("a"))},
    )
    found = [finding.message for finding in place_names(plan)]
    assert found == [f"{what} of 'small' has an empty name" for what in ("a node", "a channel", "a bound")]
    both = place_names(replace(plan, ends={**loop.ends, "": End("")}))
    assert [finding.code for finding in both] == ["name-of-two", *["empty-name"] * 4]


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        (
            Edge("x", "done", Way("a")),
            ("unknown-source", "the edge 'x' [done] starts at no node", "there are: a, b", ("edges", "x", "done", "a")),
        ),
        (
            Edge("b", "yess", Way("a")),
            (
                "unknown-outcome",
                "'b' has no outcome 'yess'",
                f"did you mean 'yes'? there are: {', '.join(sorted(['failed', 'unreadable', 'no', 'yes']))}",
                ("edges", "b", "yess", "a"),
            ),
        ),
        (
            Edge("b", "failed", Way("goood")),
            (
                "unknown-target",
                "'b' [failed] leads to 'goood', which is neither a node nor an end",
                "did you mean 'good'? there are: a, b, good, late",
                ("edges", "b", "failed", "goood"),
            ),
        ),
        (
            Edge("b", "failed", Way("a", "round")),
            (
                "unknown-bound",
                "'b' [failed] carries the bound 'round', which does not exist",
                "did you mean 'rounds'? there is only rounds",
                ("edges", "b", "failed", "a"),
            ),
        ),
    ],
)
def test_an_edge_names_what_exists(loop: Plan, edge: Edge, expected: tuple[object, ...]) -> None:
    (finding,) = edges(replace(loop, edges=(*loop.edges, edge)))
    assert told(finding) == expected


def test_the_way_of_a_bound_must_lead_somewhere(loop: Plan) -> None:
    plan = replace(loop, bounds={"rounds": Bound("rounds", 1, Way("x", "y"))})
    words = "the bound 'rounds', when it is used up,"
    assert [(finding.message, finding.place) for finding in edges(plan)] == [
        (f"{words} leads to 'x', which is neither a node nor an end", ("bounds", "rounds")),
        (f"{words} carries the bound 'y', which does not exist", ("bounds", "rounds")),
    ]


def test_failures_may_have_edges_where_there_are_some(plan_of: PlanOf) -> None:
    think = plan_of("a -> end good", "a [failed] -> end bad", nodes=(Think("a", prompt="?"),))
    assert [*edges(think), *outcomes(think)] == []
    (finding,) = edges(plan_of("a -> end good", "a [failed] -> end bad", nodes=(Wait("a", text="?"),)))
    assert told(finding)[:2] == ("unknown-outcome", "'a' has no outcome 'failed'")


def test_every_outcome_has_one_edge(plan_of: PlanOf) -> None:
    lines = ("a [left] -> end good", "a [left] -> end bad", "a [left] -> end good")
    two, missing = outcomes(plan_of(*lines, nodes=(act("a", "left", "right", "right"),)))
    assert (two.code, two.message, two.place) == ("two-edges", "'a' [left] has 3 edges", ("edges", "a", "left"))
    assert told(missing) == (
        "missing-edge",
        "'a' [right] leads nowhere",
        "add an edge from 'a' for 'right'",
        ("nodes", "a"),
    )


@pytest.mark.parametrize(
    ("node", "message", "about"),
    [
        (Judge("a", prompt="?"), "a judge needs outcomes or a score", ()),
        (Judge("a", prompt="?", score=(10, 1)), "the lowest score is not less than the highest", ("score",)),
        (Human("a", text="?", outcomes=["yes", "no"], default="ok"), "there is no action 'ok'", ("default",)),
        (act("a", "done", "done"), "the outcome 'done' stands twice", ("outcomes", 1)),
        (
            act("a", "failed"),
            "the outcome 'failed' is that of a model or a function that fails",
            ("outcomes", 0),
        ),
        (
            Think("a", prompt="?", writes=["b", "c"]),
            "an answer that is plain text cannot go to several channels",
            ("writes",),
        ),
    ],
)
def test_a_node_keeps_the_rules_of_its_type(
    plan_of: PlanOf, node: Node, message: str, about: tuple[str | int, ...]
) -> None:
    finding = next(iter(own_rules(plan_of(nodes=(node,)))))
    assert (finding.code, finding.message) == ("bad-node", f"'a': {message}")
    assert finding.place == ("nodes", "a", *about)


def test_models_that_are_asked_exist_and_default_need_not(plan_of: PlanOf) -> None:
    nodes = (Think("a", prompt="?"), Think("b", prompt="?", model="strng"))
    (finding,) = references(plan_of(nodes=nodes, models={"strong": ModelRef("m")}))
    assert told(finding) == (
        "unknown-model",
        "'b' asks the model 'strng', which does not exist",
        "did you mean 'strong'? there are: default, strong",
        ("nodes", "b", "model"),
    )
    assert list(references(plan_of(nodes=nodes, models={"strng": ModelRef("m")}))) == []


def test_code_without_a_version_is_a_warning(plan_of: PlanOf) -> None:
    (finding,) = references(plan_of(nodes=(act("a", "done"), act("b", "done", version=UNVERSIONED))))
    assert (finding.code, finding.severity) == ("unversioned-code", "warning")
    assert finding.message == "changes of the code 'b()' of 'b' cannot be seen"
