"""A queue of chats, as `initiate_chats` takes it, as a pipeline of conversations."""

from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.documents.document import Path
from loopwright.sources.autogen.parts import TERMINATE, Reading, stops
from loopwright.state.values import Json, JsonObject

_CHAT = {"sender", "recipient", "message", "max_turns", "summary_method", "carryover", "chat_id", "prerequisites"}
_CHAT |= {"finished_chat_indexes_to_exclude_from_carryover", "clear_history", "silent", "cache", "summary_args"}

_TURNS = 5
"""Turns of a chat that says none: AutoGen's are without end."""


def queue(reading: Reading, chats: Sequence[Any]) -> JsonObject:
    """Chats one after the other, each with what came of those before it.

    Args:
        reading: What takes what is wrong, and what is told.
        chats: The chats, as mappings.
    """
    names = [f"chat {index + 1}" for index in range(len(chats))]
    ids = _ids(reading, chats, names)
    by_need = any(isinstance(chat, Mapping) and chat.get("prerequisites") for chat in chats)
    if by_need:  # then one that needs nothing begins at once, as in a_initiate_chats
        chats = [{"prerequisites": [], **chat} if isinstance(chat, Mapping) else chat for chat in chats]
    made = (_step(reading, chat, index, names, ids) for index, chat in enumerate(chats))
    steps: list[Json] = [step for step in made if step]
    found: JsonObject = {"kind": "pipeline", "name": "chats", "steps": steps}
    if isinstance(chats[0], Mapping) and isinstance(chats[0].get("message"), str) and chats[0]["message"].strip():
        found["question"] = chats[0]["message"]
    return found


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int)


def _ids(reading: Reading, chats: Sequence[Any], names: Sequence[str]) -> dict[Any, str]:
    """The steps by the ids of their chats; the place of one that has none."""
    found: dict[Any, str] = {}
    for index, chat in enumerate(chats):
        own = chat.get("chat_id", index) if isinstance(chat, Mapping) else index
        if not _is_id(own):
            reading.wrong("the id of a chat is a number or a text", (index, "chat_id"))
        elif own in found:
            reading.wrong(f"{found[own]!r} has the id {own!r}, too", (index, "chat_id"), "give each an id of its own")
        else:
            found[own] = names[index]
    return found


def _step(reading: Reading, chat: Any, index: int, names: Sequence[str], ids: Mapping[Any, str]) -> JsonObject | None:
    path: Path = (index,)
    if not isinstance(chat, Mapping):
        reading.wrong("a chat is a mapping", path)
        return None
    sender = reading.agent(chat.get("sender") or "sender", (*path, "sender"))
    recipient = reading.agent(chat.get("recipient"), (*path, "recipient"))
    if sender["name"] == recipient["name"]:
        reading.wrong("nobody talks with themselves", (*path, "recipient"))
    turns = reading.number(chat.get("max_turns"), (*path, "max_turns"))
    if turns is None:
        reading.note(f"nothing bounded it; it has {_TURNS} turns, as max_messages says", path)
    talk: JsonObject = {"agents": [sender, recipient], "opens": sender["name"], "max_messages": 2 * (turns or _TURNS)}
    talk["stop"] = stops(TERMINATE, "word")
    if chat.get("summary_method") == "reflection_with_llm":
        talk["summary"] = "model"
    notes = _notes(reading, chat, index, sender["name"])
    if notes:
        talk["notes"] = notes
    step: JsonObject = {"name": names[index], "conversation": talk}
    step |= _carry(reading, chat, index, names, ids)
    reading.left_out(chat, _CHAT, path)
    return step


def _notes(reading: Reading, chat: Mapping[str, Any], index: int, sender: Json) -> list[Json]:
    """What is said beside what is carried: the message of a later chat, and a carry-over of its own."""
    notes: list[Json] = []
    message = chat.get("message")
    if index and message:
        notes.append({"text": reading.text(message, (index, "message")), "sender": sender})
    own = chat.get("carryover")
    listed = own if isinstance(own, list) else [own] if own else []
    notes.extend({"text": str(each), "sender": sender} for each in listed if str(each).strip())
    return notes


def _carry(
    reading: Reading, chat: Mapping[str, Any], index: int, names: Sequence[str], ids: Mapping[Any, str]
) -> JsonObject:
    """What a chat has of those before it; all but those that are left out, or those that it needs."""
    if (needed := chat.get("prerequisites")) is not None:
        if not isinstance(needed, list) or any(not _is_id(each) or each not in ids for each in needed):
            reading.wrong("prerequisites are a list of the ids of chats", (index, "prerequisites"))
            return {}
        return {"needs": [ids[each] for each in needed]}
    excluded = chat.get("finished_chat_indexes_to_exclude_from_carryover") or []
    if not isinstance(excluded, list) or not all(isinstance(each, int) for each in excluded):
        reading.wrong("it is a list of places of chats", (index, "finished_chat_indexes_to_exclude_from_carryover"))
        return {}
    kept: list[Json] = [name for place, name in enumerate(names[:index]) if place not in excluded]
    return {"carry": kept or ["question"]} if index else {}
