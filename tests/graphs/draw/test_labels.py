"""Labels sit on their lines and out of the way of boxes."""

from loopwright.graphs.draw.labels import Text, place_labels

DOWN = [(0.0, 0.0), (0.0, 100.0)]


def test_a_label_sits_on_the_middle_of_its_line() -> None:
    (label,) = place_labels([Text(("stop",), 0)], [DOWN], [])
    assert (label.x, label.y, label.cost) == (0.0, 45.5, 0.0)


def test_a_label_covers_no_arrowhead() -> None:
    across = [(-60.0, 45.0), (0.0, 45.0)]
    (label,) = place_labels([Text(("stop",), 0)], [[(4.0, 0.0), (4.0, 100.0)], across], [])
    assert (label.cost, label.x) == (0.0, 4.0)
    assert abs(label.y - 45.0) > (label.height + 8.6) / 2


def test_a_label_makes_way_for_a_box() -> None:
    (label,) = place_labels([Text(("stop",), 0)], [DOWN], [(0.0, 40.0, 40.0, 30.0)])
    assert label.cost == 0.0
    assert abs(label.y - 40.0) >= 15 + label.height / 2


def test_a_label_makes_way_for_another_line_and_for_labels() -> None:
    across = [(-50.0, 45.0), (50.0, 45.0)]
    first, second = place_labels([Text(("stop",), 0), Text(("go",), 1)], [DOWN, across], [])
    assert abs(first.y - 45.0) > first.height / 2
    assert abs(second.x) > second.width / 2
    assert first.cost == 0.0


def test_where_a_line_is_too_short_the_label_stands_beside_it() -> None:
    boxes = [(0.0, -10.0, 20.0, 20.0), (0.0, 30.0, 20.0, 20.0)]
    (label,) = place_labels([Text(("stop",), 0)], [[(0.0, 0.0), (0.0, 20.0)]], boxes)
    assert abs(label.x) > label.width / 2


def test_a_label_of_a_short_line_comes_first_where_that_covers_less() -> None:
    short, long = [(0.0, 30.0), (0.0, 60.0)], [(20.0, 0.0), (20.0, 90.0)]
    boxes = [(0.0, 20.0, 30.0, 20.0), (0.0, 70.0, 30.0, 20.0), (-40.0, 45.0, 50.0, 90.0)]
    labels = place_labels([Text(("long",), 1), Text(("short",), 0)], [short, long], boxes)
    assert [(label.lines, round(label.cost, 1)) for label in labels] == [(("short",), 371.9), (("long",), 30.0)]


def test_a_fixed_label_is_placed_first_and_where_it_must_be() -> None:
    loop = [(0.0, 40.0), (20.0, 40.0), (20.0, 50.0), (0.0, 50.0)]
    texts = [Text(("stop",), 0), Text(("again",), 1, (-10.0, 45.0))]
    fixed, other = place_labels(texts, [DOWN, loop], [])
    assert (fixed.lines, fixed.x - fixed.width / 2, fixed.y) == (("again",), -10.0, 45.0)
    assert abs(other.y - fixed.y) > (other.height + fixed.height) / 2
