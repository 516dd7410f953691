"""Rate limits, by a clock that the tests move."""

import subprocess
import sys
import textwrap
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.models.limiter import MINUTE, Entry, Limiter, limiter_of
from loopwright.nodes.models.reference import ModelRef


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def begun(limiter: Limiter, *entries: Entry) -> list[bool]:
    return [limiter.pause(entry) is None for entry in entries]


def seconds(limiter: Limiter, entry: Entry) -> float | None:
    pause = limiter.pause(entry)
    assert pause is not None
    return pause.seconds


def test_calls_of_a_minute() -> None:
    clock = Clock()
    limiter = Limiter(requests=2, clock=clock)
    first, second, third, fourth = (limiter.enter() for _ in range(4))
    assert begun(limiter, first, second, third) == [True, True, False]
    assert (seconds(limiter, third), seconds(limiter, fourth)) == (MINUTE, None)
    pause = limiter.pause(third)
    assert pause is not None
    assert pause.why == "requests_per_minute=2"
    clock.now += 59
    assert (begun(limiter, third), seconds(limiter, third)) == ([False], 1)
    clock.now += 1
    assert begun(limiter, third, fourth) == [True, True]


def test_calls_at_the_same_time() -> None:
    limiter = Limiter(at_once=1, clock=Clock())
    first, second = limiter.enter(), limiter.enter()
    pause = limiter.pause(second)
    assert pause is not None
    assert (pause.seconds, pause.why, pause.woken.done()) == (None, "max_concurrency=1", False)
    limiter.leave(first, 0)
    assert (pause.woken.done(), begun(limiter, second)) == (True, [True])


def test_tokens_of_a_minute_are_reserved_and_settled() -> None:
    clock = Clock()
    limiter = Limiter(tokens=100, clock=clock)
    first, second = limiter.enter(80), limiter.enter(80)
    assert (begun(limiter, first), seconds(limiter, second)) == ([True], MINUTE)
    limiter.leave(first, 20)  # it took less than it might have
    assert begun(limiter, second) == [True]
    third = limiter.enter(10)
    assert seconds(limiter, third) == MINUTE
    limiter.leave(second, 80)
    clock.now += MINUTE
    assert begun(limiter, third) == [True]


def test_a_call_that_is_too_large_is_made_when_nothing_else_is() -> None:
    clock = Clock()
    limiter = Limiter(tokens=100, clock=clock)
    small, large, next_ = limiter.enter(1), limiter.enter(1000), limiter.enter(1)
    limiter.leave(small, 1)
    assert begun(limiter, small, large, next_) == [True, False, False]
    clock.now += MINUTE
    assert begun(limiter, large, next_) == [True, False]


def test_whoever_leaves_the_queue_gives_its_place_back() -> None:
    clock = Clock()
    limiter = Limiter(requests=1, clock=clock)
    first, second, third = (limiter.enter() for _ in range(3))
    waiting = limiter.pause(third)
    assert waiting is not None
    limiter.leave(second)
    assert (waiting.woken.done(), seconds(limiter, third)) == (True, MINUTE)
    limiter.leave(first)  # it was not made, and does not count
    assert begun(limiter, third) == [True]


def test_the_server_holds_all_calls_back() -> None:
    clock = Clock()
    limiter = Limiter(clock=clock)
    assert limiter.is_open
    limiter.hold_back(5)
    limiter.hold_back(2)
    assert not limiter.is_open
    entry = limiter.enter()
    pause = limiter.pause(entry)
    assert pause is not None
    assert (pause.seconds, pause.why) == (5, "the server's Retry-After")
    clock.now += 5
    assert (begun(limiter, entry), limiter.is_open) == ([True], True)


def test_equal_references_share_one() -> None:
    ref = ModelRef("shared", requests_per_minute=3)
    assert limiter_of(ref) is limiter_of(ModelRef("shared", requests_per_minute=3))
    assert limiter_of(ref) is not limiter_of(ModelRef("shared", requests_per_minute=4))


def require_limits(
    requests: int | None, tokens: int | None, at_once: int | None, now: float, live: list[Entry], made: list[Entry]
) -> None:
    recent = [entry for entry in made if entry.began + MINUTE > now]
    assert at_once is None or sum(entry.granted for entry in live) <= at_once
    assert requests is None or len(recent) <= requests
    assert tokens is None or len(recent) <= 1 or sum(entry.tokens for entry in recent) <= tokens


@given(
    requests=st.none() | st.integers(1, 4),
    tokens=st.none() | st.integers(10, 60),
    at_once=st.none() | st.integers(1, 3),
    moves=st.lists(st.tuples(st.sampled_from(["enter", "settle", "cancel", "tick"]), st.integers(0, 30)), max_size=40),
)
def test_no_limit_is_ever_passed(
    requests: int | None, tokens: int | None, at_once: int | None, moves: list[tuple[str, int]]
) -> None:
    clock = Clock()
    limiter = Limiter(requests, tokens, at_once, clock=clock)
    entered: list[Entry] = []
    live: list[Entry] = []
    made: list[Entry] = []

    for move, number in moves:
        if move == "enter":
            entry = limiter.enter(number)
            entered.append(entry)
            live.append(entry)
        elif move == "tick":
            clock.now += number
        elif live:
            entry = live.pop(number % len(live))
            took = None if move == "cancel" else min(number, entry.tokens)
            if took is None and entry in made:
                made.remove(entry)
            limiter.leave(entry, took)
        made += [entry for entry in live if limiter.pause(entry) is None and entry not in made]
        require_limits(requests, tokens, at_once, clock.now, live, made)
        assert [entry for entry in entered if entry in made] == made  # the first first
    while live:  # and nobody waits for ever
        clock.now += MINUTE
        granted = [entry for entry in live if limiter.pause(entry) is None]
        assert granted
        for entry in granted:
            live.remove(entry)
            limiter.leave(entry, 0)


def test_a_process_that_was_forked_does_not_wait_for_calls_of_the_other() -> None:
    script = """
        import os
        from loopwright.nodes.models.limiter import limiter_of
        from loopwright.nodes.models.reference import ModelRef
        ref = ModelRef("m", max_concurrency=1)
        assert limiter_of(ref).enter().granted
        if child := os.fork():
            assert os.waitpid(child, 0)[1] == 0
            assert not limiter_of(ref).enter().granted
        else:
            assert limiter_of(ref).enter().granted
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)
