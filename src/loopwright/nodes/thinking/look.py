"""The nodes by which an agent sees what it can do now: in a loop of its own, or in a turn that a world gives it."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

from loopwright.nodes.actions.names import ACTION, AIM, COMMANDS, PENDING
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.thinking.fields import ACTIONS, ME, MEMORY, PERSONA, PLAN, RULES, SURROUNDINGS, FollowUp, menu
from loopwright.state.values import Json

TOLD = f"{LAST_FAILURE} of navigate"
"""What the decision is told of the last failure; a decision that is fine does not hide it from the brains after it."""


@dataclass(frozen=True)
class Look(Node, type="look"):
    """See what can be done.

    Args:
        name: The node's name.
        offers: The actions on offer, each with what is said of it.
        follow_up: With `edges` what has to follow is done at once; with `ask` it is decided, and hardly anything else
            can be chosen.

    Its outcomes are `navigate` and, with `edges`, `follow`.

    Example:
        >>> node = Look("look", offers={"speak": "", "give": ""})
        >>> node.answer({"pending": ["give"], "last_failure": ""}, None)
        Answer(outcome='follow', update={'action': 'give'}, reason='give has to follow')
    """

    name: str
    _: KW_ONLY
    offers: Mapping[str, str]
    follow_up: FollowUp = "edges"

    @cached_property
    def contract(self) -> Contract:
        """Reads what is pending; writes the menu, or the action that has to follow."""
        writes = (ACTIONS, TOLD, ACTION)
        outcomes = ("navigate", "follow") if self.follow_up == "edges" else ("navigate",)
        return Contract("route", (PENDING, LAST_FAILURE), writes, outcomes, may_write=writes)

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """What has to follow, or the menu."""
        del reply
        pending: Any = view[PENDING]
        return seen(self.offers, pending, self.follow_up, view[LAST_FAILURE])


@dataclass(frozen=True)
class TakeTurn(Node, type="take_turn"):
    """Begin the turn of an agent: what it is and what there is to see, as a world tells it, come to their channels.

    Args:
        name: The node's name.
        follow_up: As of `Look`.
        fields: The fields of the agent that its prompts show.
        only: The actions that it can do, where it cannot do all that a world may offer.

    Its outcomes are those of `Look`.

    Example:
        >>> node = TakeTurn("look", fields=("goals",))
        >>> answer = node.answer({"agent": {"id": "ada", "commands": {"speak": {"description": "Say it."}}}}, None)
        >>> answer.outcome, answer.update["actions"]["speak"], answer.update["goals"]
        ('navigate', 'Say it.', '')
    """

    name: str
    _: KW_ONLY
    follow_up: FollowUp = "edges"
    fields: tuple[str, ...] = (*PERSONA, *RULES)
    only: tuple[str, ...] = ()

    @cached_property
    def contract(self) -> Contract:
        """Reads the agent; writes all that is known of it."""
        may_write = (ACTIONS, TOLD, ACTION)
        outcomes = ("navigate", "follow") if self.follow_up == "edges" else ("navigate",)
        return Contract("route", ("agent",), (*self._shown, *_STATE, *may_write), outcomes, may_write=may_write)

    @property
    def _shown(self) -> tuple[str, ...]:
        return (*self.fields, MEMORY, *SURROUNDINGS)

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """All that is known of the agent, and the menu."""
        del reply
        agent: Any = view["agent"]
        known = {name: agent.get(name, "") for name in self._shown}
        state = {name: agent.get(name, empty) for name, empty in _STATE.items()}
        offers = {
            name: str(command.get("description", ""))
            for name, command in state[COMMANDS].items()
            if not self.only or name in self.only
        }
        found = seen(offers, state[PENDING], self.follow_up, state[LAST_FAILURE])
        return Answer(found.outcome, {**known, **state, **found.update}, found.reason)


_STATE: Mapping[str, Any] = {ME: "", PLAN: [], PENDING: [], AIM: "", "tries": 0, LAST_FAILURE: "", COMMANDS: {}}


def seen(offers: Mapping[str, str], pending: Sequence[Json], follow_up: FollowUp, failure: Json) -> Answer:
    """What an agent sees that it can do."""
    if pending and follow_up == "edges":
        return Answer("follow", {ACTION: pending[0]}, f"{pending[0]} has to follow")
    return Answer("navigate", {ACTIONS: menu(offers, pending), TOLD: failure})
