"""The broadcast of a level that was achieved: an event to the network that the channel is part of."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.levels.stage import Stage
from loopwright.state.records import Outgoing
from loopwright.state.values import Json

EVENT = "network"
"""The type of the events that a network listens to."""

ADDRESS = ("network", "channel", "origin", "hop")
"""The inputs of a channel that is part of a network: the network's run, the channel's name, the channel that the first
summary came from ("" for this one), and how many channels lie between."""


@dataclass(frozen=True)
class Broadcast(Node, type="level_broadcast"):
    """Send the summary and the key outputs of a level to the network. It leaves with the visit, exactly once.

    Args:
        name: The node's name.
        stage: The level.

    Its one outcome is `done`.

    Example:
        >>> from loopwright.nodes.history import Window
        >>> stage = Stage("Muse", "You help.", 1, "ideas", {"ideas": "list"}, Window(last=9))
        >>> view = {"network": "n1", "channel": "birds", "origin": "", "hop": 0, "chat_summary": "Likes birds."}
        >>> sent = Broadcast("level 1/broadcast", stage=stage).answer(
        ...     {**view, "key_outputs": {"level_1": {"ideas": ["a nest"]}}}, None).events[0]
        >>> sent.to, sent.payload["summary"], sent.payload["origin"], sent.payload["key_output"]
        ('n1', 'Likes birds.', 'birds', {'ideas': ['a nest']})
    """

    name: str
    _: KW_ONLY
    stage: Stage

    @property
    def contract(self) -> Contract:
        """Reads the address, the summary and the key outputs; it can do nothing but send."""
        return Contract("act", (*ADDRESS, "chat_summary", "key_outputs"), (), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """The event."""
        del reply
        gathered: Any = view["key_outputs"]
        payload: dict[str, Json] = {
            "kind": "broadcast",
            "agent": self.stage.agent,
            "channel": view["channel"],
            "level": self.stage.number,
            "summary": view["chat_summary"],
            "key_output": gathered.get(self.stage.key, {}),
            "origin": view["origin"] or view["channel"],
            "hop": view["hop"],
        }
        sent = Outgoing(EVENT, payload, str(view["network"]))
        return Answer("done", {}, f"the summary of level {self.stage.number} was broadcast", (sent,))
