"""What a run came to, and what differs between two runs."""

from typing import Any

import loopwright as lw
from loopwright.testing.histories import differences, outcome_of, settle, width_of
from loopwright.testing.scripts import RecordingModel

TEXT = {"type": "string"}


def letter() -> lw.Loop[Any]:
    plan = lw.PlanBuilder("letter", [lw.Channel("draft", TEXT), lw.Channel("wish", TEXT)], result="draft")
    plan.node(lw.Think("write", prompt="Write.", writes="draft")).edge("write", "done", "look")
    plan.node(lw.Human("look", text="Well?", outcomes=["send", "again"], on_text="again", writes="wish"))
    plan.edge("look", "send", lw.End("sent")).edge("look", "again", "write", at_most=3, then=lw.End("no", ok=False))
    return plan.loop()


def fork(sizes: list[int]) -> lw.Loop[Any]:
    items = lw.Channel("items", {"type": "array", "items": {"type": "integer"}}, default=sizes)
    plan = lw.PlanBuilder("fork", [items, lw.Channel("texts")], result="texts")
    body = lw.Think("write", prompt="Write <{item}>")
    plan.each("rate", over="items", as_="item", do=body, collect="texts", at_most=9)
    return plan.edge("rate", "done", lw.End("good")).loop()


def test_a_run_is_answered_until_there_is_no_answer(drive: Any) -> None:
    for said, status, visits in ((["shorter", "send"], "finished", 4), (["shorter"], "waiting", 3), ([], "waiting", 1)):
        run = letter().enter_all(model=RecordingModel(lambda call: "Dear Ada."))[0]
        assert settle(run, {"look": said}, awaited=drive.awaited) is run
        assert (run.status, len(run.visits)) == (status, visits)


def test_a_run_that_is_suspended_rests() -> None:
    run = letter().enter_all(model=lw.ScriptedModel({"write": [{"error": "down"}]}))[0]
    assert settle(run, {}).status == "suspended"


def test_what_a_run_came_to() -> None:
    run = settle(letter().enter_all(model=RecordingModel(lambda call: "Dear Ada."))[0], {"look": ["send"]})
    assert outcome_of(run) == {
        "status": "finished",
        "end": "sent",
        "reason": "look answered 'send'",
        "at": [],
        "result": "Dear Ada.",
        "state": {"draft": "Dear Ada."},
        "visits": {
            "": [
                ["write", "done", "look", "Dear Ada."],
                ["look", "send", "sent", {"action": "send", "text": ""}],
            ]
        },
        "sent": [],
    }


def test_branches_are_told_apart_whichever_was_faster() -> None:
    run = fork([1, 2, 3]).start(model=RecordingModel(lambda call: call.node))
    told: Any = outcome_of(run)["visits"]
    assert told == {
        "": [["rate", "done", "good", [f"rate[{place}]/write" for place in range(3)]]],
        **{f"rate[{place}": [[f"rate[{place}]/write", "done", "done", f"rate[{place}]/write"]] for place in range(3)},
    }
    assert width_of(run) == 3
    assert width_of(letter().start(model=RecordingModel(lambda call: "x"))) == 1


def test_each_part_that_differs_is_told() -> None:
    whole: dict[str, Any] = {
        "status": "finished",
        "result": "a",
        "visits": {"": [["write", "done", "look", "x" * 600]]},
    }
    assert differences(whole, whole) == []
    assert differences(whole, {**whole, "status": "waiting", "result": "b"}) == [
        'its status is "waiting", and not "finished"',
        'its result is "b", and not "a"',
    ]
    (long,) = differences(whole, {**whole, "visits": {}})
    assert long.startswith('its visits is {}, and not {"": [["write", "done", "look", "xxx')
    assert long.endswith("x...")
