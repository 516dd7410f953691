"""The last node of a turn that a world gives: what came of it, for the world to confirm or to refuse."""

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Literal

from loopwright.nodes.actions.names import ACTION, AIM, EVENTS, PENDING
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.thinking.fields import ME, PLAN
from loopwright.state.schema import TEXT, as_list, as_object
from loopwright.state.values import Json, JsonSchema

TURN: JsonSchema = as_object(
    {
        "id": TEXT,
        "action": TEXT,
        "event": {"type": ["object", "null"]},
        "pending": as_list(TEXT),
        "aim": TEXT,
        "plan": {},
        "last_failure": TEXT,
        "tries": {"type": "integer", "minimum": 0},
        "asleep": {"type": "boolean"},
        "exits": {"type": "boolean"},
    }
)
"""What a turn comes to. `event` is what the agent wants to happen; `pending` is so if it does."""


@dataclass(frozen=True)
class EndTurn(Node, type="end_turn"):
    """Say what a turn came to.

    Args:
        name: The node's name.
        how: The agent acted, its attempt came to nothing, it waits, or it leaves.
        retries: How often in a row an attempt may come to nothing before the agent sleeps.

    Its one outcome is `done`.

    Example:
        >>> state = {"id": "ada", "pending": [], "aim": "greet", "plan": [], "last_failure": "no", "tries": 0}
        >>> turn = EndTurn("failed", how="failed").answer({**state, "action": "speak"}, None).update["turn"]
        >>> turn["event"], turn["tries"], turn["asleep"]
        (None, 1, False)
    """

    name: str
    _: KW_ONLY
    how: Literal["acted", "failed", "waits", "exits"]
    retries: int = 3

    @cached_property
    def contract(self) -> Contract:
        """Reads all that is known of the turn."""
        reads = (ME, ACTION, PENDING, AIM, PLAN, LAST_FAILURE, "tries")
        return Contract("route", (*reads, *((EVENTS,) if self.how == "acted" else ())), ("turn",), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The turn."""
        del reply
        events: Any = view.get(EVENTS) or [None]
        tries: Any = view["tries"]
        tries = tries + 1 if self.how == "failed" else 0
        gives_up = tries > self.retries
        turn: dict[str, Json] = {
            **{name: view[name] for name in (ME, ACTION, PENDING, AIM, PLAN, LAST_FAILURE)},
            "event": events[-1],
            "tries": 0 if gives_up else tries,
            "asleep": gives_up or self.how in ("waits", "exits"),
            "exits": self.how == "exits",
        }
        reason = str(view[LAST_FAILURE]) if self.how == "failed" else f"{view[ME]} {self.how}"
        return Answer("done", {"turn": turn}, reason)
