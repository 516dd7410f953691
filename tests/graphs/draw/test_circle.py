"""The circle has room for its boxes, and a line each way between any two."""

import math
from itertools import combinations

from loopwright.graphs.draw.circle import DENSE, around, chord, crowded

SIZE = (80.0, 34.0)


def test_boxes_on_the_circle_do_not_touch() -> None:
    centres = around([SIZE] * 60)
    assert min(math.dist(one, other) for one, other in combinations(centres, 2)) > 100


def test_a_way_and_the_way_back_are_apart() -> None:
    there, back = chord((0, 0), SIZE, (200, 0), SIZE), chord((200, 0), SIZE, (0, 0), SIZE)
    assert there == (((40, 5), "right"), ((160, 5), "left"))
    assert back == (((160, -5), "left"), ((40, -5), "right"))


def test_only_many_arrows_between_few_boxes_are_a_crowd() -> None:
    assert [crowded(10, DENSE), crowded(10, DENSE + 1), crowded(DENSE, DENSE + 1)] == [False, True, False]
