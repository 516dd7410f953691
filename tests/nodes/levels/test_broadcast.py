"""The event of a level."""

from typing import Any

from loopwright.nodes.history import Window
from loopwright.nodes.levels.broadcast import Broadcast
from loopwright.nodes.levels.stage import Stage
from loopwright.state.records import Outgoing

STAGE = Stage("Muse", "You help.", 2, "ideas", {"ideas": "list"}, Window(last=9))


def test_it_tells_where_the_summary_came_from() -> None:
    view: dict[str, Any] = {"network": "n1", "channel": "birds", "origin": "trees", "hop": 2, "chat_summary": "S"}
    found = Broadcast("level 2/broadcast", stage=STAGE).answer(
        {**view, "key_outputs": {"level_1": {}, "level_2": {"ideas": ["a"]}}}, None
    )
    payload: dict[str, Any] = {
        "kind": "broadcast",
        "agent": "Muse",
        "channel": "birds",
        "level": 2,
        "summary": "S",
        "key_output": {"ideas": ["a"]},
        "origin": "trees",
        "hop": 2,
    }
    assert found.events == (Outgoing("network", payload, "n1"),)
