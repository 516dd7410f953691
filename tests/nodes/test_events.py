"""Events: each has a word of its own, and becomes JSON with all that it holds."""

import json
import re
from dataclasses import asdict

import pytest

from loopwright.nodes import events
from loopwright.nodes.events import (
    Event,
    Held,
    Retrying,
    RunAwaited,
    RunEnded,
    RunStarted,
    RunSuspended,
    RunWaiting,
    TextSaid,
    TextWithdrawn,
    VisitEnded,
    VisitStarted,
)
from loopwright.state.records import Question, Usage, Visit
from loopwright.state.values import JsonObject

VISIT = Visit(0, "write", "think", "done", "review", reply="A", model="m", usage=Usage(calls=1), started=1.5, seconds=2)
EVENTS: list[tuple[Event, JsonObject]] = [
    (RunStarted("r1"), {"type": "run_started", "run": "r1", "resumed": False}),
    (RunAwaited("r1", "process 7 on a"), {"type": "run_awaited", "run": "r1", "holder": "process 7 on a"}),
    (
        VisitStarted("rate[0]/g", "think", "t", "m"),
        {"type": "visit_started", "node": "rate[0]/g", "kind": "think", "task": "t", "model": "m"},
    ),
    (
        Retrying("write", "t", "429", 1.5),
        {"type": "retrying", "node": "write", "task": "t", "reason": "429", "wait": 1.5},
    ),
    (
        Held("write", "t", "m: requests_per_minute=1", 60.0),
        {"type": "held", "node": "write", "task": "t", "reason": "m: requests_per_minute=1", "wait": 60.0},
    ),
    (
        TextSaid("write", "t", "Dear ", "user"),
        {"type": "text_said", "node": "write", "task": "t", "text": "Dear ", "audience": "user"},
    ),
    (
        TextWithdrawn("write", "t", "debug"),
        {"type": "text_withdrawn", "node": "write", "task": "t", "audience": "debug"},
    ),
    (
        VisitEnded(VISIT, "t"),
        {
            "type": "visit_ended",
            "task": "t",
            "visit": {
                "index": 0,
                "node": "write",
                "kind": "think",
                "outcome": "done",
                "target": "review",
                "reason": "",
                "reply": "A",
                "model": "m",
                "usage": asdict(Usage(calls=1)),
                "started": 1.5,
                "seconds": 2,
                "checkpoint": "",
                "note": "",
                "raw": None,
                "effect": "",
            },
        },
    ),
    (
        RunWaiting("r1", (Question("q", "ask", "?", {"type": "integer"}),)),
        {
            "type": "run_waiting",
            "run": "r1",
            "questions": [
                {
                    "id": "q",
                    "node": "ask",
                    "text": "?",
                    "reply": {"type": "integer"},
                    "source": "person",
                    "default": None,
                    "shorthand": {},
                    "formerly": [],
                    "event": "",
                    "where": {},
                    "due": None,
                }
            ],
        },
    ),
    (RunSuspended("r1", "write", "down"), {"type": "run_suspended", "run": "r1", "node": "write", "reason": "down"}),
    (
        RunEnded("r1", "max_rounds", False, "why"),
        {"type": "run_ended", "run": "r1", "end": "max_rounds", "ok": False, "reason": "why"},
    ),
]


@pytest.mark.parametrize(("event", "data"), EVENTS, ids=lambda value: getattr(value, "type", ""))
def test_an_event_is_json(event: Event, data: JsonObject) -> None:
    assert json.loads(json.dumps(event.to_data())) == data


def test_every_event_is_told_by_its_name() -> None:
    known = {each for each in vars(events).values() if isinstance(each, type) and issubclass(each, Event)}
    assert {type(event) for event, _ in EVENTS} == known - {Event}
    for event, _ in EVENTS:
        assert event.type == re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
