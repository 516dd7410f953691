"""What differs, in words: each part once, with the names concerned."""

from typing import Any

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.migrate.differences import differences
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel


def essay(
    write: str = "write",
    text: str = "text",
    end: str = "good",
    *,
    prompt: str = "Write.",
    at_most: int = 2,
    **more: Any,
) -> Plan:
    models = {"default": more.get("model", ModelRef("small"))}
    builder = PlanBuilder(
        more.get("name", "essay"), [Channel(text, more.get("type", "str"))], result=text, models=models
    )
    builder.node(Think(write, prompt=prompt, writes=text)).edge(write, "done", "review")
    builder.node(Judge("review", prompt="Good?", outcomes=["pass", "revise", *more.get("words", ())]))
    builder.edge("review", "pass", End(end)).edge(
        "review", "revise", more.get("back", write), at_most=at_most, bound="rounds", then=End("late", ok=False)
    )
    for word in more.get("words", ()):
        builder.edge("review", word, End("late", ok=False))
    return builder.build()


def test_the_same_plan_differs_in_nothing() -> None:
    assert differences(essay(), essay()) == ()


def test_each_part_is_told_once() -> None:
    now = essay(
        prompt="Write!", at_most=5, words=["drop"], back="review", name="letter", type="any", model=ModelRef("big")
    )
    assert differences(essay(), now) == (
        "it is called 'letter', and was 'essay'",
        "node 'write' differs in its prompt",
        "node 'review' differs in its outcomes",
        "review [revise] leads to 'review', and led to 'write'",
        "review [drop] is new",
        "bound 'rounds' is 5 now, and was 2",
        "channel 'text' differs in its type",
        "model 'default' differs in its model",
    )


def test_what_is_gone_and_what_is_new() -> None:
    assert differences(essay(), essay("compose", end="fine")) == (
        "node 'write' is gone",
        "node 'compose' is new",
        "end 'good' is gone",
        "end 'fine' is new",
        "it starts at 'compose', and did at 'write'",
        "review [pass] leads to 'fine', and led to 'good'",
        "review [revise] leads to 'compose', and led to 'write'",
    )


def test_what_is_declared_is_one_difference() -> None:
    declared = Migration(nodes={"write": "compose"}, channels={"text": "draft"}, ends={"good": "fine"})
    assert differences(essay(), essay("compose", "draft", "fine"), declared) == (
        "node 'write' is 'compose' now",
        "end 'good' is 'fine' now",
        "channel 'text' is 'draft' now",
        "node 'compose' differs in its writes",
    )
