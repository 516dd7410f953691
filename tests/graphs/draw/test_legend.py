"""The legend names the types of nodes that a plan has."""

import pytest

from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.legend import legend_of
from loopwright.graphs.draw.scene import Scene, scene_of
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.functions import Route
from loopwright.nodes.think import Think


def test_samples_are_called_as_the_types_of_their_nodes(role_cycle: Plan) -> None:
    named = [(sample.boxes[0].box.name, words) for sample, words in legend_of(scene_of(role_cycle)) if sample.boxes]
    assert named == [
        ("start", "where a run begins"),
        ("think", "one question to a model"),
        ("judge", "a model's verdict: one of several outcomes"),
        ("human", "waits for someone outside"),
        ("end", "an end that is a success"),
        ("end", "an end that is no success"),
    ]


def test_a_picture_has_its_legend_where_that_is_wanted(role_cycle: Plan) -> None:
    words = [words for _, words in legend_of(scene_of(role_cycle))]
    plain, told = picture(role_cycle), picture(role_cycle, legend=True)
    assert [text for text in words if f">{text}</text>" in plain] == []
    assert [text for text in words if f">{text}</text>" in told] == words
    assert picture(role_cycle, "txt", legend=True) == picture(role_cycle, "txt")


def test_what_picks_by_ratings_is_not_said_to_ask() -> None:
    said = dict(words(scene_of(brain("multi_eval", {}).build(), opened=True)))
    assert (said["generate, rate"], said["pick"]) == ("one question to a model", "decides from the state alone")


def words(scene: Scene) -> list[tuple[str, str]]:
    return [(sample.boxes[0].box.name, said) for sample, said in legend_of(scene) if sample.boxes]


@pytest.mark.parametrize(
    ("routed", "sample", "said"),
    [
        (False, "enter", "a nested plan begins"),
        (True, "route, enter", "decides from the state alone; enter: a nested plan begins"),
    ],
)
def test_where_a_nested_plan_begins_is_said_where_one_does(routed: bool, sample: str, said: str) -> None:
    inner = PlanBuilder("inner").node(Think("say", prompt="?"))
    inner.edge("say", "done", End("said")).edge("say", "failed", "say", at_most=1, then=End("mute", ok=False))
    plan = PlanBuilder("outer")
    if routed:
        plan.node(Route("which", lambda: "yes", outcomes=["yes"])).edge("which", "yes", "inner")
    plan.node(inner).edge("inner", "said", End("said")).edge("inner", "mute", End("mute", ok=False))
    assert (sample, said) in words(scene_of(plan.build()))
