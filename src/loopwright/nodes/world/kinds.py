"""The node that begins a turn where agents of several kinds take turns in one fork."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.state.values import Json


@dataclass(frozen=True)
class WhichKind(Node, type="which_kind"):
    """Lead an agent to the turn of its kind: agents that are made of the same brains are of one kind.

    Args:
        name: The node's name.
        kinds: The kinds, each an outcome.

    Example:
        >>> WhichKind("kind", kinds=("ada", "bob")).answer({"agent": {"id": "eve", "kind": "bob"}}, None).outcome
        'bob'
    """

    name: str
    _: KW_ONLY
    kinds: Sequence[str]

    @cached_property
    def contract(self) -> Contract:
        """Reads the agent."""
        return Contract("route", ("agent",), (), tuple(self.kinds))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """Its kind."""
        del reply
        agent: Any = view["agent"]
        return Answer(str(agent["kind"]), {}, str(agent["id"]))
