"""An end that many nodes lead to stands beside each of them."""

from loopwright.graphs.draw.ends import MANY, MANY_FAILING, spread
from loopwright.graphs.draw.scene import Arrow, Box, Scene


def scene(count: int, taken: int = 0, *, ok: bool = True) -> Scene:
    boxes = (*(Box(f"n{number}", "think") for number in range(count)), Box("over", "end", visits=taken, ok=ok))
    arrows = [Arrow(number, count, (word,), "plain", "") for number in range(count) for word in ("a", "b")]
    arrows[0] = Arrow(0, count, ("a",), "plain", "", taken=taken)
    return Scene("many", boxes, tuple(arrows))


def test_few_ways_share_their_end() -> None:
    assert spread(scene(MANY)) == scene(MANY)


def test_each_node_has_the_end_to_itself_and_no_arrow_is_more_or_less() -> None:
    before, after = scene(MANY + 1), spread(scene(MANY + 1))
    assert [box.name for box in after.boxes] == [box.name for box in before.boxes] + ["over"] * MANY
    assert [(arrow.source, arrow.words) for arrow in after.arrows] == [(a.source, a.words) for a in before.arrows]
    assert len({(arrow.source, arrow.target) for arrow in after.arrows}) == MANY + 1
    assert len({arrow.target for arrow in after.arrows}) == MANY + 1


def test_an_end_that_is_no_success_is_busy_earlier() -> None:
    few, many = scene(MANY_FAILING, ok=False), scene(MANY_FAILING + 1, ok=False)
    assert spread(few) == few
    assert [box.ok for box in spread(many).boxes if box.name == "over"] == [False] * (MANY_FAILING + 1)


def test_only_the_one_that_a_run_came_to_was_visited() -> None:
    assert [box.visits for box in spread(scene(MANY + 1, taken=1)).boxes if box.name == "over"] == [1] + [0] * MANY


def test_a_node_that_many_lead_to_stays_one() -> None:
    boxes = tuple(Box(f"n{number}", "think") for number in range(MANY + 2))
    crowd = Scene("crowd", boxes, tuple(Arrow(number, 0, (), "plain", "") for number in range(1, MANY + 2)))
    assert spread(crowd) == crowd
