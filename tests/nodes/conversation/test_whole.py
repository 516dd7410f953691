"""An agent that is a whole plan."""

from typing import Any

from loopwright.nodes.conversation.talk import StopRule, Talk
from loopwright.nodes.conversation.whole import Hear, Utter

TALK = Talk(agents=("team", "boss"), most=9, opens="boss", stop=StopRule())


def test_it_hears_all_as_one_text_and_forgets_its_last_answer() -> None:
    view: Any = {"task": "A story.", "transcript": []}
    found = Hear("team hears", talk=TALK, agent="team").answer(view, None)
    assert found.update == {"heard": "boss: A story.", "answered": ""}


def test_what_it_answers_is_its_message() -> None:
    view: Any = {"task": "A story.", "transcript": [], "answered": {"story": 1}}
    found = Utter("team says", talk=TALK, agent="team").answer(view, None)
    assert found.update["transcript"] == {"speaker": "team", "text": '{"story": 1}', "stops": False}
    assert Utter("team says", talk=TALK, agent="team").answer({**view, "answered": "TERMINATE"}, None).outcome == "stop"
