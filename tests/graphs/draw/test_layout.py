"""The layout: no overlaps, a straight spine, ways back at the sides."""

import math
from itertools import combinations, pairwise

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.labels import CROSSED, Label
from loopwright.graphs.draw.layout import Picture, PlacedBox, layout
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge, Think
from loopwright.state.records import Visit


def overlap(one: PlacedBox | Label, other: PlacedBox | Label) -> bool:
    wide = abs(one.x - other.x) < (one.width + other.width) / 2
    return wide and abs(one.y - other.y) < (one.height + other.height) / 2


def place(picture: Picture, name: str) -> PlacedBox:
    return next(placed for placed in picture.boxes if placed.box.name == name)


def test_the_role_cycle_is_a_straight_spine(role_cycle: Plan) -> None:
    picture = layout(scene_of(role_cycle))
    spine = [place(picture, name) for name in ("start", "solver", "detractor", "master", "boss", "review", "accepted")]
    assert [round(placed.x - spine[0].x, 1) for placed in spine] == [0.0] * 7
    assert all(above.y < below.y for above, below in pairwise(spine))


def test_nothing_in_the_role_cycle_lies_on_anything_else(role_cycle: Plan) -> None:
    picture = layout(scene_of(role_cycle))
    things: list[PlacedBox | Label] = [*picture.boxes, *picture.labels]
    assert [pair for pair in combinations(things, 2) if overlap(*pair)] == []
    assert [label.lines for label in picture.labels if label.cost >= CROSSED] == []


def test_lines_are_level_or_upright(role_cycle: Plan) -> None:
    for placed in layout(scene_of(role_cycle)).arrows:
        for (ax, ay), (bx, by) in pairwise(placed.points):
            assert min(abs(ax - bx), abs(ay - by)) < 0.01, placed.arrow.title


def test_everything_is_inside_the_picture(role_cycle: Plan) -> None:
    picture = layout(scene_of(role_cycle))
    things: list[PlacedBox | Label] = [*picture.boxes, *picture.labels]
    for thing in things:
        assert 0 <= thing.x - thing.width / 2 < thing.x + thing.width / 2 <= picture.width
        assert 0 <= thing.y - thing.height / 2 < thing.y + thing.height / 2 <= picture.height


def test_a_run_changes_no_place(role_cycle: Plan, visits: list[Visit]) -> None:
    before, after = layout(scene_of(role_cycle)), layout(scene_of(role_cycle, visits, ["review"]))
    assert [placed.points for placed in before.arrows] == [placed.points for placed in after.arrows]
    assert before.labels == after.labels


def test_loops_are_apart_and_outcomes_with_one_way_share_a_line() -> None:
    builder = PlanBuilder("odd").node(Judge("judge", prompt="x", outcomes=list("abcde")))
    builder.edge("judge", "a", "judge", at_most=2, then="judge").edge("judge", "b", "judge")
    for outcome in "cde":
        builder.edge("judge", outcome, End("over"))
    picture = layout(scene_of(builder.build()))
    lines = [placed.points for placed in picture.arrows]
    assert len(set(lines)) == len(lines) == 5
    loops = [placed.points for placed in picture.arrows if placed.arrow.source == placed.arrow.target]
    judge = place(picture, "judge")
    assert len(loops) == 3
    for points in loops:
        assert max(x for x, _ in points) > judge.x + judge.width / 2
        assert all(abs(y - judge.y) < judge.height / 2 for _, y in points)
    assert [label.lines for label in picture.labels] == [("a ≤ 2",), ("a used up",), ("b",), ("c, d, e",)]
    things: list[PlacedBox | Label] = [*picture.boxes, *picture.labels]
    assert [pair for pair in combinations(things, 2) if overlap(*pair)] == []


def test_every_line_between_the_same_boxes_has_its_label() -> None:
    builder = PlanBuilder("odd").node(Judge("judge", prompt="x", outcomes=["on", "again"]))
    builder.node(Judge("next", prompt="x", outcomes=["stop", "back"]))
    builder.edge("judge", "on", "next").edge("judge", "again", "judge", at_most=2, bound="tries", then="next")
    builder.edge("next", "stop", End("over")).edge("next", "back", End("back"))
    picture = layout(scene_of(builder.build()))
    lines = {placed.arrow.label: placed.points for placed in picture.arrows}
    labels = {label.lines[0]: label for label in picture.labels}
    on, used_up = lines["on"], lines["tries used up"]
    assert (on[0][0] < used_up[0][0]) == (labels["on"].x < labels["tries used up"].x)
    things: list[PlacedBox | Label] = [*picture.boxes, *picture.labels]
    assert [pair for pair in combinations(things, 2) if overlap(*pair)] == []


def test_a_crowded_plan_stands_on_a_circle() -> None:
    builder = PlanBuilder("crowd")
    names = [f"n{number}" for number in range(16)]
    for name in names:
        builder.node(Judge(name, prompt="x", outcomes=names))
        for target in names:
            builder.edge(name, target, target)
    picture = layout(scene_of(builder.build()))
    assert len(picture.arrows) == len(picture.labels) + 1 == 1 + 16 * 16
    assert [pair for pair in combinations(picture.boxes, 2) if overlap(*pair)] == []
    assert {len(placed.points) for placed in picture.arrows} == {2, 4}
    centres = [(box.x, box.y) for box in picture.boxes]
    middle = (sum(x for x, _ in centres) / 17, sum(y for _, y in centres) / 17)
    assert len({round(math.dist(centre, middle)) for centre in centres}) == 1


def test_bodies_lie_inside_their_opened_fork(forked: Plan) -> None:
    picture = layout(scene_of(forked, opened=True))
    counts = {}
    for placed in picture.boxes:
        counts[placed.box.name] = len(placed.bodies)
        for body in placed.bodies:
            assert placed.x - placed.width / 2 <= body.x
            assert body.x + body.picture.width <= placed.x + placed.width / 2 + 0.01
            assert placed.y - placed.height / 2 < body.y
            assert body.y + body.picture.height <= placed.y + placed.height / 2
        for one, other in pairwise(placed.bodies):
            assert one.x + one.picture.width <= other.x + 0.01
    assert counts["rate"] == 1
    assert counts["voices"] == 3


@pytest.mark.parametrize("count", [2, 40])
def test_a_box_is_wide_enough_for_what_comes_to_it(count: int) -> None:
    builder = PlanBuilder("many").node(Think("over", prompt="x"))
    for number in range(count):
        builder.node(Judge(f"n{number}", prompt="x", outcomes=["on", "over"]))
        builder.edge(f"n{number}", "on", f"n{number + 1}" if number + 1 < count else End("last"))
        builder.edge(f"n{number}", "over", "over")
    over = place(layout(scene_of(builder.build())), "over")
    assert (over.width > 400) == (count == 40)
