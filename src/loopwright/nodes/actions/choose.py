"""The node that leads to the chain of an action."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

from loopwright.errors import ContractError
from loopwright.nodes.actions.names import ACTION, DEFAULT, PENDING
from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.state.values import Json


@dataclass(frozen=True)
class ChooseAction(Node, type="choose_action"):
    """Lead to the chain of the action that was chosen, or of the one that has to follow.

    Args:
        name: The node's name.
        actions: The actions, each an outcome; one of them may be `default`, for all others.
        queues: For each line of actions that may be pending here, its outcome; nothing may be pending when left out.

    Example:
        >>> node = ChooseAction("choose", actions=("speak", "default"), queues={"then give": ("give",)})
        >>> node.answer({"action": "sing", "pending": []}, None).outcome
        'default'
        >>> node.answer({"action": "speak", "pending": ["give"]}, None).outcome
        'then give'
    """

    name: str
    _: KW_ONLY
    actions: tuple[str, ...]
    queues: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def contract(self) -> Contract:
        """Reads the action and, where something may be, what is pending; writes nothing."""
        reads = (ACTION, PENDING) if self.queues else (ACTION,)
        return Contract("route", reads, (), (*self.actions, *self.queues))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """What is pending comes first; the map's `default` is for actions that it does not name."""
        del reply
        pending: Any = view.get(PENDING) or []
        for outcome, queue in self.queues.items():
            if pending and list(queue) == pending:
                return Answer(outcome, {}, f"{pending[0]} has to follow")
        action = str(view[ACTION])
        if action in self.actions or DEFAULT in self.actions:
            return Answer(action if action in self.actions else DEFAULT, {}, action)
        raise ContractError(f"node {self.name!r}: there is no action {action!r}")
