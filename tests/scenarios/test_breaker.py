"""Loops of each form, broken at every write and killed at random: nothing is lost, and nothing is done twice.

`make test` kills twenty times in all, `make soak` a thousand times.
"""

from pathlib import Path

import pytest

from loopwright.testing import break_at_every_write, kill_at_random
from tests.scenarios import breakable

FILE = Path(breakable.__file__)
WIDTHS = {"roles": 1, "fan_out": 4, "nested": 1, "by_hand": 1, "tools": 3}
CALLS = {"roles": 12, "fan_out": 18, "nested": 8, "by_hand": 4, "tools": 3}


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("name", WIDTHS)
def test_broken_at_every_write(name: str, awaited: bool) -> None:
    loop = getattr(breakable, name)
    broken = break_at_every_write(loop, model=breakable.answer, people=breakable.PEOPLE, awaited=awaited)
    assert (broken.calls, broken.breaks) == (CALLS[name], 2 * broken.writes)
    assert broken.writes > broken.calls
    assert 0 < broken.most <= WIDTHS[name]


def killed(name: str, kills: int, *, seed: int, awaited: bool) -> None:
    made = kill_at_random(
        f"{FILE}:{name}",
        replies=breakable.reply,
        people=breakable.PEOPLE,
        kills=kills,
        seed=seed,
        awaited=awaited,
    )
    print(name, "async" if awaited else "sync", made)  # noqa: T201 - the figures of `make soak`, where -s shows them
    assert (made.kills, made.calls, made.width) == (kills, CALLS[name], WIDTHS[name])
    assert made.repeated <= kills * made.width


@pytest.mark.parametrize(("name", "awaited"), [(name, place % 2 == 0) for place, name in enumerate(WIDTHS)])
def test_killed_a_few_times(name: str, awaited: bool) -> None:
    killed(name, 4, seed=1, awaited=awaited)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("name", WIDTHS)
def test_killed_again_and_again(name: str, awaited: bool) -> None:
    killed(name, 100, seed=2, awaited=awaited)
