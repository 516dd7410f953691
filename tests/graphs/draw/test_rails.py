"""Rails lead from a row back to one above it."""

from loopwright.graphs.draw.rails import MANY, WIDEST, railed


def test_short_ways_back_run_inside_long_ones() -> None:
    assert railed(["a", "b", "c", "d", "e"], {0: [3], 1: [2]}) == [
        "a ◀───╮",
        "b ◀─╮ │",
        "c ──╯ │",
        "d ────╯",
        "e",
    ]


def test_a_line_that_meets_another_rail_crosses_it() -> None:
    assert railed(["a", "b", "c", "d"], {0: [2], 1: [3]}) == ["a ◀─╮", "b ◀─┼─╮", "c ──╯ │", "d ────╯"]


def test_several_rows_share_the_rail_to_one() -> None:
    assert railed(["a", "b", "c"], {0: [1, 2]}) == ["a ◀─╮", "b ──┤", "c ──╯"]


def test_rails_one_after_the_other_share_a_column() -> None:
    assert railed(["a", "b", "c", "d"], {0: [1], 2: [3]}) == ["a ◀─╮", "b ──╯", "c ◀─╮", "d ──╯"]


def test_wide_letters_take_two_columns() -> None:
    assert railed(["日本", "b"], {0: [1]}) == ["日本 ◀─╮", "b ─────╯"]


def test_where_rails_would_be_a_thicket_there_are_none() -> None:
    rows = ["x"] * (2 * MANY + 2)
    assert railed(rows, {head: [2 * MANY + 1 - head] for head in range(MANY + 1)}) == rows
    assert railed(["x" * WIDEST, "b"], {0: [1]}) == ["x" * WIDEST, "b"]
    assert railed([], {}) == []
