"""A queue of chats; AG-7 as it was written for the original."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.sources.autogen.chats import queue
from loopwright.sources.autogen.parts import Reading
from loopwright.sources.specs import spec_from_data
from loopwright.testing import RecordingModel

CHATS: Any = [
    {"sender": "u", "recipient": "a", "message": "m1", "max_turns": 1},
    {"sender": "u", "recipient": "b", "message": "m2", "max_turns": 1, "carryover": "own"},
    {
        "sender": "u",
        "recipient": "c",
        "message": "m3",
        "max_turns": 1,
        "finished_chat_indexes_to_exclude_from_carryover": [0],
    },
]


def read(chats: Any) -> tuple[Any, Reading]:
    reading = Reading()
    return queue(reading, chats), reading


def test_ag_7_each_chat_has_what_came_before_it() -> None:
    made, reading = read(CHATS)
    assert (reading.faults, reading.notes) == ([], [])
    loop = lw.Loop(spec_from_data(made).plan(), inputs=spec_from_data(made).runs())
    lines = {"chat 1/a": ["14+1"], "chat 2/b": ["sumY"], "chat 3/c": ["end"]}
    answers = RecordingModel(lw.ScriptedModel(lines))
    assert loop.start(model=answers).result == "end"
    asked = [[message["content"] for message in call.messages] for call in answers.calls]
    assert asked == [["m1"], ["m2", "own", "14+1"], ["m3", "sumY"]]


def test_what_is_needed() -> None:
    chats = [
        {**CHATS[0], "chat_id": 1},
        {
            **CHATS[1],
            "chat_id": 2,
        },
    ]
    made, _ = read([*chats, {**CHATS[2], "chat_id": 3, "prerequisites": [1, 2]}])
    assert [step.get("needs") for step in made["steps"]] == [[], [], ["chat 1", "chat 2"]]


@pytest.mark.parametrize(
    ("chat", "key"),
    [
        ({"recipient": 5, "max_turns": 1}, "0.recipient"),
        ({"sender": "a", "recipient": "a", "max_turns": 1}, "0.recipient"),
        ({"recipient": "a", "max_turns": 1, "prerequisites": [9]}, "0.prerequisites"),
        ({"recipient": "a", "max_turns": "2"}, "0.max_turns"),
        ({"recipient": "a", "max_turns": 1, "chat_id": []}, "0.chat_id"),
        ({"recipient": "a", "max_turns": 1, "prerequisites": [[]]}, "0.prerequisites"),
    ],
)
def test_faults_have_their_place(chat: Any, key: str) -> None:
    _, reading = read([chat])
    assert key in [fault.key for fault in reading.faults]


def test_what_was_unbounded_is_told() -> None:
    made, reading = read([{"recipient": "a", "message": "m", "summary_method": "reflection_with_llm", "odd": 1}])
    assert [note.key for note in reading.notes] == ["0", "0.odd"]
    talk = made["steps"][0]["conversation"]
    assert (talk["max_messages"], talk["summary"], made["question"]) == (10, "model", "m")
