"""What is summed up, and when."""

from typing import Any

from loopwright.nodes.history import Window
from loopwright.nodes.levels.remember import SUM_UP, Remember
from loopwright.nodes.levels.stage import Stage


def node(**window: Any) -> Remember:
    stage = Stage("Muse", "You help.", 1, "ideas", {"ideas": "list"}, Window(**window, summary=True))
    return Remember("level 1/remember", stage=stage, prompt=SUM_UP)


def view(count: int, text: str = "") -> dict[str, Any]:
    said = [{"level": 1, "speaker": "person", "text": f"t{number}"} for number in range(count)]
    return {"transcript": said, "earlier": {"text": text, "covers": 2 if text else 0}}


def test_the_rest_takes_half_of_the_bound() -> None:
    found: Any = node(last=4).answer(view(5, "before"), " new ")
    assert found.update["earlier"] == {"text": "new", "covers": 5}
    assert [each["text"] for each in found.update["transcript"]] == ["t3", "t4"]
    assert found.reason == "3 messages summed up"


def test_the_question_holds_the_earlier_summary() -> None:
    asked: Any = node(last=4).ask(view(5, "before"))
    assert asked.messages[1]["content"].startswith(
        'Summed up before:\nbefore\n{"level": 1, "speaker": "person", "text": "t0"}'
    )


def test_within_the_bound_nobody_is_asked() -> None:
    assert node(last=4).ask(view(4)) is None
    assert node(last=4).answer(view(4), None).update == {}


def test_what_was_said_last_is_never_summed_up() -> None:
    assert node(tokens=1).ask(view(1)) is None
    found: Any = node(tokens=1).answer(view(3), "s")
    assert [each["text"] for each in found.update["transcript"]] == ["t2"]
