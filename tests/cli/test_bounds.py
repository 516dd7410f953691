"""More of a bound on the command line."""

import pytest

from loopwright.cli.bounds import parse_bounds
from loopwright.cli.exits import WrongUse


def test_bounds_are_read() -> None:
    assert parse_bounds([]) == {}
    assert parse_bounds(["rounds +3", "review revise +2"]) == {"rounds": 3, "review revise": 2}


@pytest.mark.parametrize("word", ["rounds", "rounds 3", "rounds +x", "+3", "rounds -1", "rounds +1.5"])
def test_what_is_written_otherwise_is_told(word: str) -> None:
    with pytest.raises(WrongUse) as caught:
        parse_bounds([word])
    assert str(caught.value) == f"--bound {word}: write it as --bound NAME +N, as in --bound rounds +3"


def test_a_bound_stands_once() -> None:
    with pytest.raises(WrongUse) as caught:
        parse_bounds(["rounds +1", "rounds +2"])
    assert str(caught.value) == "--bound rounds stands twice; say once how many more"
