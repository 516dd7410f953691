"""Loops of each form, broken at every write and killed at random: nothing is lost, and nothing is done twice.

`make test` kills four times each, `make soak` two hundred times.
"""

import runpy
from pathlib import Path

import pytest

from loopwright.testing import break_at_every_write, kill_at_random

FILE = Path(__file__).with_name("breakable.py")
HELD = runpy.run_path(str(FILE))
CALLS_AND_WIDTH = {
    "roles": (12, 1),
    "fan_out": (14, 3),
    "nested": (12, 1),
    "by_hand": (4, 1),
    "tools": (3, 2),
    "talk": (5, 1),
    "steps": (4, 2),
}
"""Of each loop the calls of a run, and how many branches are at work at once."""

AWAITED = {name: name in ("fan_out", "nested", "talk") for name in CALLS_AND_WIDTH}
"""`make test` does one of the two, `make soak` both."""

both = pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
each = pytest.mark.parametrize("name", CALLS_AND_WIDTH)


def broken(name: str, *, awaited: bool) -> None:
    made = break_at_every_write(HELD[name], model=HELD["answer"], people=HELD["PEOPLE"], awaited=awaited)
    calls, width = CALLS_AND_WIDTH[name]
    assert (made.calls, made.breaks) == (calls, 2 * made.writes)
    assert made.writes > made.calls
    assert made.most <= width


def killed(name: str, kills: int, seed: int, *, awaited: bool) -> None:
    options = {"replies": HELD["slow_reply"], "people": HELD["PEOPLE"]}
    made = kill_at_random(f"{FILE}:{name}", **options, kills=kills, seed=seed, awaited=awaited)
    print(name, "async" if awaited else "sync", made)  # noqa: T201 - the figures of `make soak`
    assert made.kills == kills
    assert (made.calls, made.width) == CALLS_AND_WIDTH[name]
    assert made.repeated <= kills * made.width


@each
def test_broken_at_every_write(name: str) -> None:
    broken(name, awaited=AWAITED[name])


@each
def test_killed_at_random_moments(name: str) -> None:
    killed(name, 4, 1, awaited=AWAITED[name])


@pytest.mark.soak
@pytest.mark.timeout(600)
@each
def test_broken_at_every_write_in_the_other_way(name: str) -> None:
    broken(name, awaited=not AWAITED[name])


@pytest.mark.soak
@pytest.mark.timeout(3600)
@both
@each
def test_killed_again_and_again(name: str, awaited: bool) -> None:
    killed(name, 100, 2, awaited=awaited)
