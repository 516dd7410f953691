"""What a changed plan means for a run, by where it stands and what it holds."""

from typing import Any

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.migrate.classify import Position, Verdict, classify
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel
from loopwright.state.records import Question

TYPES: Any = {"text": "str", "size": "int"}


def plan_of(*row: Any, types: Any = None, bound: str = "", head: str = "") -> Plan:
    """A row of nodes; the last one leads back where a bound is given."""
    channels = [each if isinstance(each, Channel) else Channel(name, each) for name, each in (types or TYPES).items()]
    builder = PlanBuilder("row", channels)
    for node, after in zip(row, [*(each.name for each in row[1:]), End("end")], strict=True):
        builder.node(node)
        words = list(node.contract.outcomes)
        builder.edge(node.name, words[0], after)
        for word in words[1:]:
            target = head or row[0].name
            builder.edge(node.name, word, target, at_most=2, bound=bound or "rounds", then=End("late", ok=False))
    return builder.build()


WRITE, ASK = Think("write", prompt="?", writes="text"), Human("ask", text="Send? <{text}>", outcomes=["yes", "no"])
BEFORE = plan_of(WRITE, ASK)


def question(node: Human | Wait = ASK) -> Question:
    ask: Any = node.ask({"text": "T"})
    return Question("q1", node.name, ask.text, ask.reply, ask.source, ask.default, ask.shorthand)


WAITS = Position("ask", {"text": "T"}, {"rounds": 1}, (question(),))


def verdict(now: Plan, at: Position = WAITS, before: Plan = BEFORE, **declared: Any) -> Verdict:
    return classify(before, now, at, Migration(**declared)).verdict


@pytest.mark.parametrize(
    "now",
    [
        plan_of(Think("write", prompt="Other.", writes="text"), ASK),
        plan_of(Think("write", prompt="?", writes="text", model="fast"), ASK),
        plan_of(WRITE, ASK, Think("tell", prompt="<{text}>")),
        plan_of(WRITE, ASK, types={**TYPES, "mood": Channel("mood", "str", default="")}),
        plan_of(Think("plan", prompt="?"), WRITE, ASK),
        plan_of(Think("compose", prompt="?", writes="text"), ASK, head="compose"),
    ],
    ids=["prompt", "model", "later node", "channel with a default", "node not on the way", "other node renamed"],
)
def test_what_is_safe(now: Plan) -> None:
    found = verdict(now, Position("ask", {"text": "T"}, {}, (question(),)))
    assert (found.kind, found.goes_on, found.reasons) == ("safe", True, ())
    assert found.changes


def test_the_same_plan() -> None:
    assert verdict(plan_of(WRITE, ASK)) == Verdict("same")


def test_a_node_that_is_gone_needs_a_name_or_breaks() -> None:
    sign = Human("sign", text="Send? <{text}>", outcomes=["yes", "no"])
    found = verdict(plan_of(WRITE, sign))
    assert found.kind == "needs migration"
    assert not found.goes_on
    assert found.reasons == (
        "it waits at node 'ask', which is gone: declare what it is called now (nodes: ask to sign?)",
    )
    moved = classify(BEFORE, plan_of(WRITE, sign), WAITS, Migration(nodes={"ask": "sign"}))
    assert (moved.verdict.kind, moved.verdict.goes_on) == ("needs migration", True)
    assert (moved.position.node, moved.position.questions[0].node, moved.position.counts) == (
        "sign",
        "sign",
        {"rounds": 1},
    )
    gone = verdict(plan_of(WRITE, Judge("judge", prompt="?", outcomes=["yes", "no"])))
    assert (gone.kind, gone.broken) == (
        "breaking",
        ("it waits at node 'ask', which is gone, and no node that is new could be it",),
    )


def test_a_question_whose_answers_are_not_taken_breaks() -> None:
    fewer = plan_of(WRITE, Human("ask", text="?", outcomes=["yes", "maybe"]))
    assert verdict(fewer).broken == ("node 'ask' no longer takes all answers that its open question does",)
    wider = plan_of(WRITE, Human("ask", text="?", outcomes=["yes", "no", "maybe"]))
    assert verdict(wider).kind == "safe"
    other = plan_of(WRITE, Judge("ask", prompt="?", outcomes=["yes", "no"]))
    assert verdict(other).broken == ("node 'ask' asks nobody outside any more, and a question of it is open",)
    waiting = Wait("ask", text="Come?", source="event", reply={})
    before = plan_of(WRITE, waiting)
    at = Position("ask", {"text": "T"}, {}, (question(waiting),))
    timer = plan_of(WRITE, Wait("ask", text="Come?", source="timer", reply={}))
    assert verdict(timer, at, before).broken == ("node 'ask' asks a timer now, and its open question a event",)


def test_a_value_that_does_not_fit_breaks_unless_there_is_a_default() -> None:
    now = plan_of(WRITE, Human("ask", text="Send?", outcomes=["yes", "no"]), types={"text": "int", "size": "int"})
    found = verdict(now)
    assert found.kind == "breaking"
    assert found.broken == (
        'what it holds in channel \'text\' does not fit: "T" is not of type "integer"; a declared default would replace'
        " it",
    )
    replaced = classify(BEFORE, now, WAITS, Migration(defaults={"text": 3}))
    assert (replaced.verdict.moved, replaced.position.state) == (
        ("what channel 'text' holds does not fit, and its declared default does",),
        {"text": 3},
    )
    listed = plan_of(WRITE, ASK, types={"text": Channel("text", list[str], reduce="append"), "size": "int"})
    assert "it is written by append, and 'T' is nothing that could be so written" in verdict(listed).broken[0]
    assert verdict(plan_of(WRITE, ASK, types={"text": "any", "size": "int"})).kind == "safe"


def test_a_channel_that_is_gone_is_renamed_or_dropped_by_word() -> None:
    now = plan_of(
        Think("write", prompt="?", writes="draft"),
        Human("ask", text="?", outcomes=["yes", "no"]),
        types={"draft": "str"},
    )
    found = verdict(now)
    assert found.missing == (
        "it holds something in channel 'text', which is gone (channels: text to draft?): declare what it is called now,"
        " or that it is dropped",
    )
    assert verdict(now, channels={"text": "draft"}).moved == ("channel 'text' is 'draft' now",)
    assert verdict(now, channels={"text": None}).moved == ("what channel 'text' holds is dropped",)
    both = Position("ask", {"text": "T", "size": 3}, {}, (question(),))
    assert verdict(now, both, channels={"text": "draft", "size": "draft"}).missing == (
        "channel 'draft' would take what 'size' held and what another one did",
    )


def test_what_is_read_further_on_must_be_there() -> None:
    now = plan_of(WRITE, ASK, Think("tell", prompt="<{size}>"))
    assert verdict(now).missing == (
        "node 'tell' may read channel 'size' before anything is written to it: declare a default",
    )
    assert verdict(now, Position("ask", {"text": "T", "size": 2})).kind == "safe"
    found = classify(BEFORE, now, WAITS, Migration(defaults={"size": 1}))
    assert (found.verdict.moved, found.position.state) == (
        ("channel 'size' holds its declared default",),
        {"text": "T", "size": 1},
    )


def test_a_bound_that_has_counted_and_is_gone_or_is_of_another_loop() -> None:
    now = plan_of(WRITE, ASK, bound="tries")
    assert verdict(now).missing == (
        "bound 'rounds' has counted 1, and is gone (bounds: rounds to tries?): declare what it is called now, or that"
        " it is dropped",
    )
    assert verdict(now, bounds={"rounds": "tries"}).moved == ("bound 'rounds' is 'tries' now",)
    assert verdict(now, bounds={"rounds": None}).moved == ("what bound 'rounds' has counted is dropped",)
    assert verdict(now, Position("ask", {"text": "T"}, {"rounds": 0}, (question(),))).kind == "safe"
    other = plan_of(WRITE, ASK, head="ask")
    assert verdict(other).missing == (
        "bound 'rounds' has counted 1 in the loop of 'write', and is that of 'ask' now: declare that it is the same"
        " (bounds: rounds to rounds), or dropped",
    )
    assert verdict(other, bounds={"rounds": "rounds"}).goes_on
    given = Position("ask", {"text": "T"}, {}, (), more=("rounds",))
    assert verdict(now, given).missing == (
        "it was given more of bound 'rounds', which is gone: declare what it is called now",
    )


def test_all_faults_are_told_at_once() -> None:
    sign = Human("sign", text="?", outcomes=["yes", "no"])
    found = verdict(plan_of(Think("write", prompt="?", writes="draft"), sign, types={"draft": "str"}, bound="tries"))
    assert [each.split(",")[0] for each in found.missing] == [
        "it waits at node 'ask'",
        "it holds something in channel 'text'",
        "bound 'rounds' has counted 1",
    ]
