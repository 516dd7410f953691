"""Which turn an agent takes."""

from loopwright.nodes.world.kinds import WhichKind


def test_an_agent_takes_the_turn_of_its_kind() -> None:
    node = WhichKind("kind", kinds=("ada", "eve"))
    assert node.contract.outcomes == ("ada", "eve")
    assert node.answer({"agent": {"id": "bob", "kind": "eve"}}, None).outcome == "eve"
