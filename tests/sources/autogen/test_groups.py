"""Group chats and teams."""

from typing import Any

import pytest

from loopwright.graphs.forms.conversation import ConversationSpec
from loopwright.sources.autogen.groups import group_chat, team
from loopwright.sources.autogen.parts import Reading

MENTION = {"provider": "x.TextMentionTermination", "config": {"text": "DONE"}}
MOST = {"provider": "x.MaxMessageTermination", "config": {"max_messages": 7}}


def read(data: Any) -> tuple[Any, Reading]:
    reading = Reading()
    made = group_chat(reading, data)
    assert reading.faults == []
    ConversationSpec.model_validate(made)
    return made, reading


def test_who_may_speak_after_whom() -> None:
    given = {"A": ["B"], "B": ["A", "C"], "C": []}
    fields = {"agents": ["A", "B", "C"], "allowed_or_disallowed_speaker_transitions": given}
    allowed, _ = read({**fields, "speaker_transitions_type": "allowed"})
    disallowed, _ = read({**fields, "speaker_transitions_type": "disallowed"})
    assert (allowed["transitions"], disallowed["disallowed"]) == (given, given)
    assert allowed["speaker"] == "chosen"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({}, {"speaker": "chosen", "max_messages": 10}),
        ({"allow_repeat_speaker": True}, {"repeat": True}),
        ({"speaker_selection_method": "round_robin", "max_round": 3}, {"max_messages": 3, "opens": "A"}),
    ],
)
def test_fields_of_a_group(fields: Any, found: Any) -> None:
    made, _ = read({"agents": ["A", "B"], **fields})
    assert found.items() <= made.items()


def test_a_way_of_choosing_that_is_not_here_is_told() -> None:
    made, reading = read({"agents": ["A", "B"], "speaker_selection_method": "random"})
    assert "speaker" not in made
    assert [note.key for note in reading.notes] == ["speaker_selection_method"]


@pytest.mark.parametrize(
    ("fields", "found", "notes"),
    [
        ({"termination_condition": MOST}, {"max_messages": 7, "stop": None}, 0),
        ({"max_turns": 3}, {"max_messages": 4}, 0),
        ({"termination_condition": MENTION}, {"stop": {"word": "DONE", "match": "contains"}}, 1),
        ({"termination_condition": {"provider": "x.TimeoutTermination", "config": {}}}, {"stop": None}, 2),
        ({"termination_condition": {"provider": "x.Or", "config": {"conditions": [MOST, MENTION, MENTION]}}}, {}, 1),
    ],
)
def test_how_a_team_ends(fields: Any, found: Any, notes: int) -> None:
    reading = Reading()
    made = team(reading, {"participants": ["A", "B"], **fields}, "RoundRobinGroupChat")
    assert found.items() <= made.items()
    assert (reading.faults, len(reading.notes)) == ([], notes)


def test_transitions_that_are_none() -> None:
    reading = Reading()
    group_chat(reading, {"agents": ["A", "B"], "allowed_or_disallowed_speaker_transitions": ["A"]})
    assert [fault.key for fault in reading.faults] == ["allowed_or_disallowed_speaker_transitions"]
