"""The lines between boxes."""

from loopwright.graphs.draw.routes import beside, head, tidy, toward


def test_lines_beside_a_line_keep_their_distance() -> None:
    line = [(0.0, 0.0), (0.0, 20.0), (30.0, 20.0), (30.0, 50.0)]
    assert beside(line, 5) == ((-5.0, 0.0), (-5.0, 25.0), (25.0, 25.0), (25.0, 50.0))
    assert beside(line, -5) == ((5.0, 0.0), (5.0, 15.0), (35.0, 15.0), (35.0, 50.0))
    assert beside(line, 0) == tuple(line)


def test_a_straight_line_is_moved_whole() -> None:
    assert beside([(0.0, 0.0), (0.0, 9.0), (0.0, 20.0)], 4) == ((-4.0, 0.0), (-4.0, 9.0), (-4.0, 20.0))


def test_a_line_that_is_nearly_level_becomes_level() -> None:
    line = [(0.0, 0.0), (0.0, 9.0), (40.0, 9.4), (40.0, 30.0)]
    assert tidy(line) == ((0.0, 0.0), (0.0, 9.0), (40.0, 9.0), (40.0, 30.0))


def test_ends_stay_where_they_are() -> None:
    assert tidy([(0.0, 0.0), (0.4, 20.0)]) == ((0.0, 0.0), (0.4, 20.0))


def test_a_line_that_turns_back_keeps_its_turn() -> None:
    line = ((0.0, 0.0), (0.0, 20.0), (0.0, 5.0))
    assert tidy(line) == line


def test_an_arrowhead_points_along_its_line() -> None:
    tip, one, other = head([(0.0, 0.0), (0.0, 50.0)], 10)
    assert tip == (0.0, 50.0)
    assert {one, other} == {(-4.8, 40.0), (4.8, 40.0)}


def test_toward_a_point() -> None:
    assert toward((0.0, 0.0), (10.0, 0.0), 4) == (4.0, 0.0)
    assert toward((0.0, 0.0), (10.0, 0.0), -4) == (-4.0, 0.0)
    assert toward((1.0, 1.0), (1.0, 1.0), 4) == (1.0, 1.0)
