"""Random action maps with random outcomes against a plain loop: the same history, and no follow-up is ever lost."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import loopwright as lw
from loopwright.graphs.actions.follow_ups import queues
from loopwright.nodes.models.contract import ModelCall
from loopwright.testing import RecordingModel

RETRIES = 2
NAMES = ["a", "b", "c", "d"]
BRAINS: Any = {"fill": {"type": "zero_shot", "prompt": "Do it.", "output": {"type": "object"}}}
ARGS = {"ok": "bool"}


def interpreted(follow: dict[str, list[str]], action: str, works: list[bool]) -> tuple[str, list[str], list[str], int]:
    """The end, the events, what is pending, and the number of calls, as a plain loop has them."""
    pending: list[str] = []
    events: list[str] = []
    calls = tries = 0
    forced = False
    while True:
        worked = works[calls] if calls < len(works) else True
        calls += 1
        if worked:
            events.append(action)
            pending, tries = pending[1:] or list(follow[action]), 0
            if not pending:
                return "done", events, pending, calls
            action, forced = pending[0], True
        elif not forced:
            return "nothing", events, pending, calls
        elif tries == RETRIES:
            return "follow_up_failed", events, pending, calls
        else:
            tries += 1


def ends(follow: dict[str, list[str]], action: str) -> bool:
    """Whether what has to follow comes to an end."""
    pending, seen = list(follow[action]), set()
    while pending and tuple(pending) not in seen:
        seen.add(tuple(pending))
        pending = pending[1:] or list(follow[pending[0]])
    return not pending


maps = st.fixed_dictionaries({name: st.lists(st.sampled_from(NAMES), max_size=3) for name in NAMES})


@given(maps, st.sampled_from(NAMES), st.lists(st.booleans(), max_size=12))
def test_a_map_does_what_a_plain_loop_does(follow: dict[str, list[str]], action: str, works: list[bool]) -> None:
    loop = lw.ActionMap(
        {name: {"brains": ["fill"], "next_actions": after, "event": ARGS} for name, after in follow.items()},
        brains=BRAINS,
        retries=RETRIES,
    )
    endless = not all(ends(follow, name) for name in NAMES)
    assert bool(loop.check()) == endless
    if endless:
        return
    asked: list[ModelCall] = []

    def answer(call: ModelCall) -> Any:
        asked.append(call)
        index = len(asked) - 1
        return {"ok": True} if index >= len(works) or works[index] else {"no": 1}

    run = loop.start({"action": action, "aim": "go"}, model=RecordingModel(answer))
    end, events, pending, calls = interpreted(follow, action, works)
    assert run.end is not None
    assert (run.end.name, [event["event_type"] for event in run.result]) == (end, events)
    assert (run.state.get("pending", []), len(asked)) == (pending, calls)
    assert len(asked) <= (loop.certificate.calls or 0)
    for visit in run.visits:
        assert any(move.source == visit.node and move.way.target == visit.target for move in loop.plan.moves)


@given(maps)
def test_the_steps_of_a_map_are_no_more_than_its_entries(follow: dict[str, list[str]]) -> None:
    found = queues(follow)
    assert len(found) <= sum(map(len, follow.values()))
    assert all(any(list(queue) == after[-len(queue) :] for after in follow.values()) for queue in found)
