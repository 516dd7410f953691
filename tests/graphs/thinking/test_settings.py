"""What an agent is made of."""

from typing import Any

from loopwright.graphs.actions.action_map import MapAction
from loopwright.graphs.actions.chains import map_brain
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.thinking.settings import SPEAKER, ThinkSettings, unknown
from loopwright.nodes.thinking.fields import SPEAK

FILL = map_brain(brain("zero_shot", {"role": "event_filler"}), once=True)
NAVIGATE = map_brain(brain("zero_shot", {"role": "navigation"}), once=True)


def settings(actions: dict[str, MapAction], **more: Any) -> ThinkSettings:
    return ThinkSettings("ada", actions, {"fill": FILL, SPEAKER: FILL}, NAVIGATE, **more)


def test_speaking_with_the_person_is_there_unless_the_map_says_it_itself() -> None:
    assert settings({"wave": MapAction(["fill"])}).with_own[SPEAK].brains == (SPEAKER,)
    own = MapAction(["fill"])
    assert settings({SPEAK: own}).with_own == {SPEAK: own}


def test_where_nothing_has_to_follow_there_is_no_edge_for_it() -> None:
    assert settings({"wave": MapAction(["fill"])}).its_way == "ask"
    assert settings({"wave": MapAction(["fill"], ["wave"])}).its_way == "edges"
    assert settings({"wave": MapAction(["fill"], ["wave"])}, follow_up="ask").its_way == "ask"


def test_without_a_default_it_can_do_only_what_its_map_has() -> None:
    assert settings({"wave": MapAction(["fill"])}).only == ("wave",)
    assert settings({"wave": MapAction(["fill"]), "default": MapAction(["fill"])}).only == ()


def test_what_a_brain_asks_for_that_no_agent_has() -> None:
    made = map_brain(brain("zero_shot", {"prompt": "<{goals}> <{weather}> <{aim}>"}), once=True)
    assert unknown(made) == ["weather"]
    assert unknown(made, ["weather"]) == ["goals"]
