"""What a turn comes to."""

from typing import Any

import pytest

from loopwright.nodes.contract import Node
from loopwright.nodes.thinking.end_turn import TURN, EndTurn
from loopwright.state.schema import check_for

STATE: Any = {
    "id": "ada",
    "action": "sing",
    "pending": ["give"],
    "aim": "greet",
    "plan": [],
    "last_failure": "",
    "tries": 3,
    "events": [{"event_type": "sing"}],
}


def turn(how: Any, **state: Any) -> Any:
    made = EndTurn("end", how=how, retries=3).answer({**STATE, **state}, None).update["turn"]
    check_for(TURN)(made)
    return made


def test_what_it_did_is_told_with_what_would_be_pending() -> None:
    made = turn("acted")
    assert (made["event"], made["pending"], made["tries"], made["asleep"]) == (STATE["events"][0], ["give"], 0, False)


@pytest.mark.parametrize(("tries", "after", "asleep"), [(0, 1, False), (2, 3, False), (3, 0, True)])
def test_too_many_failures_in_a_row_put_it_to_sleep(tries: int, after: int, asleep: bool) -> None:
    made = turn("failed", tries=tries, events=[])
    assert (made["tries"], made["asleep"], made["pending"], made["event"]) == (after, asleep, ["give"], None)


@pytest.mark.parametrize(("how", "exits"), [("waits", False), ("exits", True)])
def test_it_sleeps_when_it_waits_and_when_it_leaves(how: str, exits: bool) -> None:
    made = turn(how, events=[])
    assert (made["asleep"], made["exits"], made["tries"], made["event"]) == (True, exits, 0, None)


def test_it_is_data() -> None:
    node = EndTurn("acted", how="acted")
    assert "events" in node.contract.reads
    assert "events" not in EndTurn("waits", how="waits").contract.reads
    assert Node.from_data(node.to_data()) == node
