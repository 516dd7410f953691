"""Plans that the pictures' tests share."""

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.records import Visit


@pytest.fixture
def role_cycle() -> Plan:
    """Four roles, a person, and one bound that three edges share."""
    builder = PlanBuilder("bridge")
    for name in ("solver", "detractor", "master"):
        builder.node(Think(name, prompt="Go on"))
    builder.node(Judge("boss", prompt="Enough?", outcomes=["continue", "stop"]))
    builder.node(Human("review", text="Good?", outcomes=["accept", "reject", "continue"]))
    builder.edge("solver", "done", "detractor").edge("detractor", "done", "master").edge("master", "done", "boss")
    builder.edge("boss", "continue", "solver", at_most=3, bound="rounds", then=End("max_rounds", ok=False))
    builder.edge("boss", "stop", "review").edge("review", "accept", End("accepted"))
    builder.edge("review", "reject", "solver", bound="rounds").edge("review", "continue", "solver", bound="rounds")
    return builder.build()


@pytest.fixture
def visits() -> list[Visit]:
    """Two rounds of the role cycle; it waits for the person then."""
    once = [("solver", "done", "detractor"), ("detractor", "done", "master"), ("master", "done", "boss")]
    steps = [*once, ("boss", "continue", "solver"), *once, ("boss", "stop", "review")]
    return [Visit(index, node, "think", outcome, target) for index, (node, outcome, target) in enumerate(steps)]


@pytest.fixture
def forked() -> Plan:
    """An `each` whose body loops, then a `parallel` of three."""
    body = PlanBuilder("rating", [Channel("option", input=True)])
    body.node(Think("rater", prompt="<{option}>")).node(Judge("again", prompt="Sure?", outcomes=["ok", "redo"]))
    body.edge("rater", "done", "again").edge("again", "ok", End("rated"))
    body.edge("again", "redo", "rater", at_most=2, then=End("unrated", ok=False))
    builder = PlanBuilder("brain", [Channel("options", input=True), Channel("scores")])
    builder.each("rate", over="options", as_="option", do=body.build(), collect="scores", at_most=3)
    names = ("optimist", "pessimist", "somebody with a long name")
    builder.parallel("voices", {name: Think(name, prompt="Speak") for name in names})
    builder.edge("rate", "done", "voices").edge("rate", "failed", End("no scores", ok=False))
    return builder.edge("voices", "done", End("heard")).build()
