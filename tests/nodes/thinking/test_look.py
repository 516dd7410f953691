"""What an agent sees that it can do."""

from typing import Any

from loopwright.nodes.contract import Node
from loopwright.nodes.thinking.fields import WAIT
from loopwright.nodes.thinking.look import TOLD, Look, TakeTurn


def test_by_edges_what_has_to_follow_is_no_choice() -> None:
    node = Look("look", offers={"give": ""})
    answer = node.answer({"pending": ["give"], "last_failure": "it fell"}, None)
    assert (answer.outcome, answer.update) == ("follow", {"action": "give"})


def test_when_asked_it_is_nearly_the_only_choice() -> None:
    node = Look("look", offers={"give": "", "sing": ""}, follow_up="ask")
    assert node.contract.outcomes == ("navigate",)
    answer = node.answer({"pending": ["give"], "last_failure": "it fell"}, None)
    actions: Any = answer.update["actions"]
    assert "sing" not in actions
    assert answer.update[TOLD] == "it fell"


def test_a_turn_begins_with_what_the_world_tells() -> None:
    agent: Any = {
        "id": "ada",
        "goals": ["talk"],
        "plan": ["wait"],
        "memory": "rain",
        "last_failure": "refused",
        "tries": 2,
        "commands": {"sing": {"description": "Sing."}, "dig": {}},
    }
    node = TakeTurn("look", fields=("role", "goals"), only=("sing",))
    update: Any = node.answer({"agent": agent}, None).update
    assert (update["id"], update["goals"], update["role"], update["tries"]) == ("ada", ["talk"], "", 2)
    assert (update["memory"], update["inventory"], update[TOLD]) == ("rain", "", "refused")
    assert update["actions"]["sing"] == "Sing."
    assert "dig" not in update["actions"]
    assert WAIT in update["actions"]
    assert set(update) <= set(node.contract.writes)
    assert set(node.contract.sure_writes) <= set(update)


def test_a_turn_follows_up_first() -> None:
    answer = TakeTurn("look").answer({"agent": {"id": "ada", "pending": ["give"]}}, None)
    assert (answer.outcome, answer.update["action"]) == ("follow", "give")


def test_they_are_data() -> None:
    for node in (Look("look", offers={"a": "b"}), TakeTurn("look", follow_up="ask")):
        assert node.ask({}) is None
        assert Node.from_data(node.to_data()).to_data() == node.to_data()
