"""Each arrow has a lane; which sides it takes depends on what it is."""

from collections.abc import Sequence

from loopwright.graphs.draw.lanes import MANY, Lane, answers
from loopwright.graphs.draw.scene import Arrow

SIZE = (80.0, 34.0)


def arrow(source: int, target: int, label: str = "", style: str = "plain") -> Arrow:
    return Arrow(source, target, (label,), "used_up" if style == "used_up" else "plain", "")


def lanes_of(arrows: Sequence[Arrow]) -> list[Lane]:
    return [Lane(found) for found in arrows]


def test_a_lane_says_where_its_arrow_leads_and_what_is_written_on_it() -> None:
    lanes = lanes_of([arrow(0, 1, "a"), arrow(1, 0), arrow(1, 1, "b" * 50)])
    assert [(lane.ends, lane.lines, lane.loop) for lane in lanes] == [
        ((0, 1), ("a",), False),
        ((1, 0), (), False),
        ((1, 1), (f"{'b' * 18}…{'b' * 17}",), True),
    ]


def test_ordinary_ways_pull_more_than_quiet_ones() -> None:
    lanes = lanes_of([arrow(0, 1), arrow(0, 1, "stop"), arrow(0, 1, "", "used_up")])
    assert [lane.weight for lane in lanes] == [4.0, 2.0, 0.5]
    assert [lane.quiet for lane in lanes] == [False, False, True]


def test_ways_back_are_tried_on_both_sides() -> None:
    lanes = lanes_of([arrow(0, 1), arrow(1, 2), arrow(2, 0, "again")])
    sides = {layout.edges[2]["target_port"]["side"] for layout in answers([SIZE] * 3, lanes)}
    assert {"left", "right"} <= sides


def test_nothing_else_is_where_a_loop_is() -> None:
    lanes = lanes_of([arrow(0, 1), arrow(1, 2), arrow(2, 2, "redo"), arrow(2, 0, "again")])
    sides = [layout.edges[3]["source_port"]["side"] for layout in answers([SIZE] * 3, lanes)]
    assert sides[:3] == ["left"] * 3


def test_a_large_plan_gets_one_answer() -> None:
    few = lanes_of([arrow(0, 1), arrow(1, 2)])
    many = lanes_of([arrow(place, place + 1) for place in range(MANY)])
    assert len(list(answers([SIZE] * 3, few))) == 4
    assert len(list(answers([SIZE] * (MANY + 1), many))) == 1


def test_a_box_that_only_leads_to_itself_has_its_place() -> None:
    lanes = lanes_of([arrow(0, 1), arrow(2, 2, "again")])
    assert [len(layout.edges) for layout in answers([SIZE] * 3, lanes)] == [2] * 4


def test_where_lines_cross_quiet_ends_are_tried_below_everything_else() -> None:
    ways = [arrow(0, 1), arrow(0, 2), arrow(1, 3, "accept"), arrow(2, 3, "accept")]
    lanes = lanes_of([*ways, arrow(1, 4, "over", "used_up"), arrow(2, 4, "over", "used_up")])
    *usual, lowered = answers([SIZE] * 5, lanes)
    assert [layout.metrics()["crossings"] for layout in usual] == [1, 3, 3, 1]
    assert lowered.metrics()["crossings"] == 0
    assert [node["rank"] for node in lowered.nodes] == [0, 1, 1, 2, 3]
