"""Brains in pictures: one box that says the technique, or all nodes; every way once, in every format."""

import re
from collections import Counter
from typing import Any

import pytest

from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.folding import drawn
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.lettering import TIMES
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.draw.text import text_of
from loopwright.graphs.plan import End, Plan
from loopwright.loop.loop import Loop
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.think import Judge
from loopwright.state.channels import Channel
from loopwright.state.values import Json
from loopwright.testing.scripts import RecordingModel

WORDS = {
    "zero_shot": "zero_shot",
    "single_eval": "single_eval n=2",
    "multi_eval": "multi_eval n=2 threshold=7",
    "tree_of_thought": "tree_of_thought n=2 breadth=3 depth=2 threshold=7",
}


def around(technique: str, **more: Any) -> Plan:
    """A brain and a judge that sends back to it."""
    plan = PlanBuilder("titles", [Channel("title")])
    fields = {"prompt": "A title.", "n": 2, "threshold": 7, **more}
    plan.node(brain(technique, fields), name="think", writes="title")
    plan.node(Judge("look", prompt="<{title}>?", outcomes=["good", "bad"]))
    plan.edge("think", "done", "look").edge("think", "none", End("nothing", ok=False))
    plan.edge("think", "failed", End("broken", ok=False)).edge("look", "good", End("good"))
    return plan.edge("look", "bad", "think", at_most=2, bound="rounds", then=End("bad", ok=False)).build()


def arrows(plan: Plan) -> list[str]:
    return [arrow.title for arrow in scene_of(plan).arrows]


@pytest.mark.parametrize("technique", WORDS)
def test_a_brain_is_one_box_with_its_technique_and_every_way_out_once(technique: str) -> None:
    plan = around(technique)
    boxes = {box.name: (box.shape, box.below) for box in scene_of(plan).boxes if box.shape != "end"}
    assert boxes == {"start": ("start", ""), "think": ("brain", WORDS[technique]), "look": ("judge", "")}
    never = ": never taken" if technique in ("zero_shot", "single_eval") else ""
    assert sorted(arrows(plan)) == sorted(
        [
            "start → think",
            "think [done] → look",
            f"think [none] → nothing{never}",
            "think [failed] → broken",
            "look [good] → good",
            "look [bad] → think",
            "look [bad], rounds used up → bad",
        ]
    )


@pytest.mark.parametrize("technique", WORDS)
def test_the_text_says_it_in_one_line(technique: str) -> None:
    lines = picture(around(technique), "txt").splitlines()
    (line,) = [line for line in lines if line.startswith("  think")]
    assert re.sub(r"[ ◀─╮]+$", "", line).strip() == f"think · {WORDS[technique]}"


@pytest.mark.parametrize("technique", WORDS)
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("format", ["svg", "html", "dot", "txt", "mmd"])
def test_every_arrow_is_in_every_format_once(technique: str, opened: bool, format: str) -> None:
    plan = around(technique)
    scene = scene_of(plan, opened=opened, bodies=format != "mmd")
    expected = Counter(arrow.title for part in scene.walk() for arrow in part.arrows)
    text = str(picture(plan, format, opened=opened))
    if format in ("txt", "mmd"):
        sign = r"[→⇢↛] " if format == "txt" else r"^    n\d+ -\.?-[>x]"
        assert len(re.findall(sign, text, re.M)) == sum(expected.values())
    else:
        quoted = text.replace("&gt;", ">").replace("&amp;", "&")
        found = Counter({title: len(re.findall(f'[">]{re.escape(title)}["<]', quoted)) for title in expected})
        assert found == expected


def test_opened_it_shows_all_its_nodes_and_the_bodies_of_its_forks() -> None:
    scene = scene_of(around("multi_eval"), opened=True)
    names = [box.name for part in scene.walk() for box in part.boxes if box.shape not in ("start", "end")]
    assert names == ["think/generate", "think/rate", "think/pick", "look", "judge"]


def run_of(plan: Plan, ratings: list[Json]) -> Any:
    def reply(call: ModelCall) -> Json:
        if call.node == "look":
            return {"outcome": "bad"}
        asked: Any = (call.schema or {})["properties"]
        return {"options": ["a", "b"]} if "options" in asked else ratings[0]

    return Loop(plan).start(model=RecordingModel(reply))


def test_a_run_counts_how_often_the_brain_was_entered() -> None:
    plan = around("multi_eval")
    run = run_of(plan, [{"rating": 8}])
    scene = scene_of(plan, run.visits, run.row.at)
    assert {box.name: box.visits for box in scene.boxes if box.visits} == {"start": 1, "think": 3, "look": 3, "bad": 1}
    assert {arrow.title: arrow.taken for arrow in scene.arrows if arrow.taken} == {
        "start → think": 1,
        "think [done] → look": 3,
        "look [bad] → think": 2,
        "look [bad], rounds used up → bad": 1,
    }
    for format in ("txt", "mmd", "dot"):
        assert f"{TIMES}3" in str(picture(plan, format, visits=run.visits))


def test_a_run_that_rests_inside_is_shown_at_the_box() -> None:
    plan = around("multi_eval")
    run = run_of(plan, ["no rating"])
    assert run.row.at == ("think/pick",)
    scene = scene_of(plan, run.visits, run.row.at)
    assert [(box.name, box.visits) for box in scene.boxes if box.pending] == [("think", 1)]
    inside = scene_of(plan, [], ["think/rate[1]/judge"])
    assert [box.name for box in inside.boxes if box.pending] == ["think"]


def test_what_lacks_an_edge_is_shown_at_the_box() -> None:
    plan = PlanBuilder("titles").node(brain("multi_eval", {"prompt": "?", "threshold": 7}), name="think")
    scene = scene_of(plan.edge("think", "done", End("done")).build())
    assert [arrow.title for arrow in scene.arrows][1:] == [
        "think [done] → done",
        "think [none] → nowhere: an edge is missing",
    ]


def test_a_brain_by_itself_is_one_box() -> None:
    plan = brain("multi_eval", {"name": "titles"}).build()
    assert [(box.name, box.shape) for box in scene_of(plan).boxes] == [
        ("start", "start"),
        ("titles", "brain"),
        ("done", "end"),
        ("none", "end"),
    ]


def test_the_plan_that_is_drawn_leaves_the_given_one_as_it_is() -> None:
    plan = around("single_eval")
    before = plan.to_data()
    assert drawn(plan, [], [], opened=True).plan is plan
    assert list(drawn(plan, [], [], opened=False).plan.nodes) == ["think", "look"]
    assert plan.to_data() == before


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("technique", ["zero_shot", "multi_eval"])
def test_a_way_back_to_the_brain_is_drawn_with_and_without_a_bound(technique: str, bounded: bool) -> None:
    plan = PlanBuilder("titles", [Channel("title")])
    plan.node(brain(technique, {"prompt": "?", "n": 2, "threshold": 7}), name="think", writes="title")
    plan.edge("think", "done", End("done"))
    bound: Any = {"at_most": 1, "then": End("bad", ok=False)} if bounded else {}
    made = plan.edge("think", "none", "think", **bound).build()
    never = ": never taken" if technique == "zero_shot" else ""
    assert [title for title in arrows(made) if "none]" in title and "used up" not in title] == [
        f"think [none] → think{never}"
    ]
    if bounded and technique == "multi_eval":
        run = run_of(made, [{"rating": 3}])
        scene = scene_of(made, run.visits)
        assert {box.name: box.visits for box in scene.boxes if box.visits} == {"start": 1, "think": 2, "bad": 1}
        assert {arrow.title: arrow.taken for arrow in scene.arrows if "none]" in arrow.title} == {
            "think [none] → think": 1,
            "think [none], think none used up → bad": 1,
        }


def test_a_way_that_no_visit_takes_is_told_from_that_of_a_used_up_bound() -> None:
    plan = around("zero_shot")
    styles = {arrow.title: (arrow.dashed, arrow.dotted) for arrow in scene_of(plan).arrows}
    assert styles["think [none] → nothing: never taken"] == (False, True)
    assert styles["look [bad], rounds used up → bad"] == (True, False)
    text = picture(plan, "txt")
    assert "none ↛ nothing" in text
    assert "rounds used up ⇢ bad" in text
    assert "none -/> nothing" in text_of(scene_of(plan), ascii=True)
    dot, mermaid, svg = picture(plan, "dot"), picture(plan, "mmd"), picture(plan)
    assert (dot.count("style=dotted"), dot.count("style=dashed")) == (1, 1)
    assert (mermaid.count(" -.-x"), mermaid.count(" -.->")) == (1, 1)
    assert (svg.count('stroke-dasharray="1.5 3.5"'), svg.count('stroke-dasharray="5 4"')) == (1, 1)


def test_mermaid_opens_a_brain_and_leaves_its_forks_closed() -> None:
    text = picture(around("multi_eval"), "mmd", opened=True)
    assert 'n1("think/generate")' in text
    assert 'n2[["think/rate<br>each option: rating"]]' in text


def test_what_decides_by_ratings_alone_is_no_question_to_a_model() -> None:
    boxes = {box.name: box for box in scene_of(around("tree_of_thought"), opened=True).boxes}
    assert {boxes[name].shape for name in ("think/keep 1", "think/pick", "think/gather 1")} == {"route"}
    assert boxes["think/pick"].type == "pick"


@pytest.mark.parametrize("technique", ["multi_eval", "tree_of_thought"])
def test_an_opened_run_marks_what_was_visited_inside_of_forks(technique: str) -> None:
    run = run_of(around(technique), [{"rating": 8}])
    scene = scene_of(run.plan, run.visits, opened=True)
    inner = {
        box.name: sum(node.visits for body in box.bodies for node in body.scene.boxes if node.shape == "think")
        for box in scene.boxes
        if box.bodies
    }
    asked = [visit.node for visit in run.visits]
    assert inner == {fork: sum(name.startswith(f"{fork}[") for name in asked) for fork in inner}
    assert inner
    assert 0 not in inner.values()
