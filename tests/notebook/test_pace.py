"""How often something is drawn, by a clock that is moved by hand."""

from collections.abc import Callable
from dataclasses import dataclass, field

from loopwright.notebook.pace import LEAST_WAIT, SHARE, Pace


@dataclass
class Call:
    """A call that is still to be made."""

    at: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Clock:
    """Time that passes when it is told to, and the calls that are made meanwhile."""

    now: float = 100.0
    calls: list[Call] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def later(self, seconds: float, call: Callable[[], None]) -> Call:
        self.calls.append(Call(self.now + seconds, call))
        return self.calls[-1]

    def go(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [call for call in self.calls if call.at <= end and not call.cancelled]:
            self.calls.remove(due[0])
            self.now = max(self.now, due[0].at)
            due[0].call()
        self.now = end


class Paced:
    """A count that is drawn at a pace; each picture takes `slow` seconds."""

    def __init__(self, slow: float = 0.0) -> None:
        self.clock, self.slow = Clock(), slow
        self.count = 0
        self.drawn: list[tuple[float, int]] = []
        self.pace = Pace(self._draw, self.clock.later, self.clock)

    def _draw(self) -> None:
        self.clock.now += self.slow
        self.drawn.append((round(self.clock.now - 100, 3), self.count))

    def note(self) -> None:
        self.pace.note(self._more)

    def _more(self) -> None:
        self.count += 1


def test_the_first_is_drawn_at_once_and_the_next_in_time() -> None:
    paced = Paced()
    paced.note()
    paced.clock.go(0.05)
    paced.note()
    paced.note()
    assert paced.drawn == [(0.0, 1)]
    paced.clock.go(1)
    assert paced.drawn == [(0.0, 1), (LEAST_WAIT, 3)]
    paced.note()
    assert paced.drawn[-1] == (1.05, 4)


def test_two_thousand_visits_are_no_two_thousand_pictures() -> None:
    paced = Paced()
    for _ in range(2000):
        paced.note()
        paced.clock.go(0.001)
    paced.pace.finish()
    assert 2000 * 0.001 / LEAST_WAIT == 10
    assert len(paced.drawn) == 10 + 2
    assert (paced.drawn[0], paced.drawn[-1]) == ((0.0, 1), (2.0, 2000))


def test_slow_pictures_take_a_share_of_the_time() -> None:
    paced = Paced(slow=0.1)
    for _ in range(2000):
        paced.note()
        paced.clock.go(0.005)
    assert [moment for moment, _ in paced.drawn[:3]] == [0.1, 0.6, 1.1]
    assert len(paced.drawn) * 0.1 <= (paced.clock.now - 100) / (SHARE + 1) + 0.1


def test_the_last_state_is_drawn_once_and_nothing_after_it() -> None:
    paced = Paced()
    paced.note()
    paced.note()
    (waiting,) = paced.clock.calls
    paced.pace.finish()
    assert waiting.cancelled
    waiting.call()  # as a thread does that was on its way already
    paced.note()
    paced.clock.go(1)
    assert paced.drawn == [(0.0, 1), (0.0, 2)]
