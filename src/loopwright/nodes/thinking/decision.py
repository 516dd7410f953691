"""The nodes after a decision: what it says to do, or why there is none."""

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

from loopwright.nodes.actions.names import ACTION, AIM
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.thinking.fields import ACTIONS, DECISION, EXIT, PLAN, WAIT
from loopwright.nodes.thinking.look import TOLD
from loopwright.state.values import Json


@dataclass(frozen=True)
class ReadDecision(Node, type="read_decision"):
    """Do what was decided: the outcome is what kind of action it is.

    Args:
        name: The node's name.

    Its outcomes are `wait`, `exit` and `act`.

    Example:
        >>> node = ReadDecision("decided")
        >>> decision = {"next_action": "Self:wait", "next_action_aim": "hear more", "plan": ["listen"]}
        >>> node.answer({"decision": decision}, None).outcome
        'wait'
    """

    name: str

    @cached_property
    def contract(self) -> Contract:
        """Reads the decision, writes its parts."""
        return Contract("route", (DECISION,), (ACTION, AIM, PLAN), ("wait", "exit", "act"))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The action, its aim and the plan from here on."""
        del reply
        decision: Any = view[DECISION]
        action = decision["next_action"]
        update = {ACTION: action, AIM: decision["next_action_aim"], PLAN: decision["plan"]}
        return Answer({WAIT: "wait", EXIT: "exit"}.get(action, "act"), update, f"{action}: {update[AIM]}")


@dataclass(frozen=True)
class Undecided(Node, type="undecided"):
    """Write down that a decision came to nothing, for the next prompt.

    Args:
        name: The node's name.
        unreadable: Whether no answer could be read.
        told: Whether the brain says why there is none.

    Its one outcome is `done`.

    Example:
        >>> Undecided("unread", unreadable=True).answer({"actions": {"wait": "", "speak": ""}}, None).reason
        'the decision could not be read; the actions on offer are: wait, speak'
    """

    name: str
    _: KW_ONLY
    unreadable: bool = False
    told: bool = True

    @cached_property
    def contract(self) -> Contract:
        """Reads the menu, or what the brain says; writes why."""
        reads = (ACTIONS,) if self.unreadable else (TOLD,) if self.told else ()
        return Contract("route", reads, (LAST_FAILURE,), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """Why there is no decision."""
        del reply
        reason = str(view[TOLD]) if TOLD in view else "no decision was good enough"
        if self.unreadable:
            offered: Any = view[ACTIONS]
            reason = f"the decision could not be read; the actions on offer are: {', '.join(offered)}"
        return Answer("done", {LAST_FAILURE: reason}, reason)
