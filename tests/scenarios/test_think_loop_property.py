"""Random maps and random decisions against a plain loop: the same menus and events, and no follow-up is ever lost."""

from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

import loopwright as lw
from loopwright.nodes.models.contract import ModelCall
from loopwright.testing import RecordingModel

NAMES = ["a", "b", "c"]
BRAINS: Any = {"fill": {"type": "zero_shot", "prompt": "Do it.", "output": {"type": "object"}}}
WAIT, SPEAK, EXIT = "Self:wait", "Self:agent_speaks_with_user_event", "Self:exit"
RETRIES, ACTS = 1, 4

Step = tuple[int, bool]
"""Which of the actions on offer is chosen, and whether what its brain says can be used."""


class World:
    """What a plain loop makes of decisions: the menus, the events, what is pending, and where it stops."""

    def __init__(self, follow: dict[str, list[str]], steps: list[Step], follow_up: Literal["edges", "ask"]) -> None:
        self.follow, self.steps, self.forces = follow, list(steps), follow_up == "edges"
        self.menus: list[list[str]] = []
        self.events: list[str] = []
        self.pending: list[str] = []

    def live(self) -> None:
        """Act until it sleeps or leaves."""
        acts = failures = 0
        while acts < ACTS and failures <= RETRIES:
            action = self.decide()
            if action in (WAIT, EXIT):
                return
            if not self.do(action):
                failures += 1
                continue
            acts, failures = acts + 1, 0
            while self.forces and self.pending:
                if not any(self.do(self.pending[0]) for _ in range(RETRIES + 1)):
                    return

    def decide(self) -> str:
        """The action of the next step: the first of the menu that there is where the steps are over."""
        self.menus.append([WAIT, SPEAK, self.pending[0]] if self.pending else [WAIT, SPEAK, EXIT, *NAMES])
        return self.menus[-1][self.steps[0][0] % len(self.menus[-1])] if self.steps else WAIT

    def do(self, action: str) -> bool:
        """Do an action, if what its brain says can be used."""
        works = self.steps.pop(0)[1] if self.steps else True
        if works:
            self.events.append(action.rpartition(":")[2])
            if not self.pending or self.pending[0] == action:
                self.pending = self.pending[1:] or list(self.follow.get(action, []))
        return works


def ends(follow: dict[str, list[str]]) -> bool:
    """Whether what has to follow comes to an end, whatever is done first."""
    for action in follow:
        pending, seen = list(follow[action]), set()
        while pending:
            if tuple(pending) in seen:
                return False
            seen.add(tuple(pending))
            pending = pending[1:] or list(follow[pending[0]])
    return True


maps = st.fixed_dictionaries({name: st.lists(st.sampled_from(NAMES), max_size=2) for name in NAMES})
steps = st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=10)


@settings(max_examples=40)
@given(maps, steps, st.sampled_from(["edges", "ask"]))
def test_an_agent_does_what_a_plain_loop_does(follow: Any, given_steps: list[Step], follow_up: Any) -> None:
    loop = lw.ThinkLoop(
        {
            SPEAK: {"brains": ["fill"], "event": {"ok": "bool"}},
            **{name: {"brains": ["fill"], "next_actions": follow[name], "event": {"ok": "bool"}} for name in NAMES},
        },
        brains=BRAINS,
        navigation={"type": "zero_shot"},
        follow_up=follow_up,
        retries=RETRIES,
        acts=ACTS,
    )
    if follow_up == "edges" and not ends(follow):
        assert loop.check()
        return
    assert not loop.check()
    expected = World(follow, given_steps, follow_up)
    expected.live()
    left = list(given_steps)
    menus: list[list[str]] = []

    def answer(call: ModelCall) -> Any:
        if call.node != "navigate/decide":
            return {"ok": True} if not left or left.pop(0)[1] else {"no": 1}
        schema: Any = call.schema
        menus.append(schema["properties"]["next_action"]["enum"])
        action = menus[-1][left[0][0] % len(menus[-1])] if left else WAIT
        said: Any = {"inventory": [], "step_completed": "", "plan": [], "violated_constraints": []}
        return {**said, "next_action_aim": "go", "next_action": action, "is_action_valid": True}

    run = loop.start(model=RecordingModel(answer))
    assert menus == expected.menus
    sent: list[Any] = [event.payload for event in run.store.inbox.all()]
    assert [event["event_type"] for event in sent] == expected.events
    assert run.state.get("pending", []) == expected.pending
    for visit in run.visits:
        assert any(move.source == visit.node and move.way.target == visit.target for move in loop.plan.moves)
