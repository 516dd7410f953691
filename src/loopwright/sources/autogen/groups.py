"""Group chats and teams as conversations."""

from collections.abc import Iterator, Mapping
from typing import Any

from loopwright.documents.document import Path
from loopwright.sources.autogen.parts import TERMINATE, Reading, named, stops
from loopwright.state.values import Json, JsonObject

_GROUP = {
    "agents",
    "max_round",
    "speaker_selection_method",
    "allowed_or_disallowed_speaker_transitions",
    "speaker_transitions_type",
    "allow_repeat_speaker",
    "max_retries_for_selecting_speaker",
    "admin_name",
    "messages",
    "name",
}
_TEAM = {"participants", "termination_condition", "max_turns", "name", "description", "selector_prompt"}
_TEAM |= {"allow_repeated_speaker", "max_selector_attempts", "model_client", "emit_team_events", "graph"}
_ROUND_ROBIN = ("round_robin", "random", "manual")


def group_chat(reading: Reading, data: Mapping[str, Any]) -> JsonObject:
    """A `GroupChat` of AutoGen 0.2, by its fields.

    Args:
        reading: What takes what is wrong, and what is told.
        data: The fields.
    """
    agents: list[Any] = [
        reading.agent(entry, ("agents", index)) for index, entry in enumerate(_listed(reading, data, "agents"))
    ]
    most = reading.number(data.get("max_round", 10), ("max_round",)) or 10
    found: JsonObject = {"kind": "conversation", "name": "group chat", "agents": agents, "max_messages": max(most, 2)}
    found["stop"] = stops(TERMINATE, "word")
    if agents:
        found["opens"] = agents[0]["name"]
    method = data.get("speaker_selection_method", "auto")
    if method == "auto":
        found["speaker"] = "chosen"
        retries = data.get("max_retries_for_selecting_speaker", 2)
        reading.note(f"who chooses is asked again as often as the model's repairs say, and not {retries} times", ())
    elif method != "round_robin":
        reading.note(f"{method!r} is no way of choosing here: they speak in turn", ("speaker_selection_method",))
    transitions = data.get("allowed_or_disallowed_speaker_transitions")
    if transitions:
        kind = data.get("speaker_transitions_type", "allowed")
        found["transitions" if kind == "allowed" else "disallowed"] = _transitions(reading, transitions)
    elif data.get("allow_repeat_speaker") and method == "auto":
        found["repeat"] = True
    reading.left_out(data, _GROUP, ())
    return found


def _transitions(reading: Reading, given: Any) -> Json:
    path: Path = ("allowed_or_disallowed_speaker_transitions",)
    if not isinstance(given, Mapping) or not all(isinstance(each, list) for each in given.values()):
        reading.wrong("transitions are a mapping from agents to lists of agents", path)
        return {}
    return {named(str(source)): [named(str(each)) for each in after] for source, after in given.items()}


def team(reading: Reading, data: Mapping[str, Any], kind: str) -> JsonObject:
    """A team of AutoGen 0.4 and later: `RoundRobinGroupChat` or `SelectorGroupChat`, by its component's fields.

    Args:
        reading: What takes what is wrong, and what is told.
        data: The fields of the component.
        kind: Its class.
    """
    path: Path = ("config",)
    entries = _listed(reading, data, "participants", path)
    agents: list[Any] = [reading.agent(entry, (*path, "participants", index)) for index, entry in enumerate(entries)]
    found: JsonObject = {"kind": "conversation", "name": str(data.get("name") or kind), "agents": agents}
    found |= _ends(reading, data, path)
    if kind == "SelectorGroupChat":
        found["speaker"] = "chosen"
        if data.get("allow_repeated_speaker"):
            found["repeat"] = True
        if data.get("selector_prompt"):
            reading.note("the prompt of who chooses is our own; choose_prompt sets another", (*path, "selector_prompt"))
    reading.left_out(data, _TEAM, path)
    return found


def _ends(reading: Reading, data: Mapping[str, Any], path: Path) -> JsonObject:
    """How a team ends: the least number of messages, and the one text that stops it."""
    turns = reading.number(data.get("max_turns"), (*path, "max_turns"))
    most = [turns + 1] if turns else []
    words: list[str] = []
    for condition, place in _conditions(data.get("termination_condition"), (*path, "termination_condition")):
        kind, config = _class(condition), reading.mapping(condition.get("config"), (*place, "config"))
        if kind == "MaxMessageTermination":
            if number := reading.number(config.get("max_messages"), (*place, "config", "max_messages")):
                most.append(number)
        elif kind == "TextMentionTermination":
            words.append(reading.text(config.get("text"), (*place, "config", "text")))
        else:
            reading.note(f"{kind or 'it'} ends nothing here", place)
    found: JsonObject = {"stop": stops(words[0]) if words else None}
    if len(words) > 1:
        reading.note(f"only {words[0]!r} stops it, and not {', '.join(map(repr, words[1:]))}", path)
    if most:
        found["max_messages"] = max(min(most), 2)
    else:
        reading.note("nothing bounded it; it has 10 messages, as max_messages says", path)
    return found


def _conditions(given: Any, path: Path) -> Iterator[tuple[Mapping[str, Any], Path]]:
    """The conditions that are joined by `or`; those joined by `and` are told one by one, too."""
    if not isinstance(given, Mapping):
        return
    config = given.get("config")
    inner = config.get("conditions") if isinstance(config, Mapping) else None
    if not isinstance(inner, list):
        yield given, path
        return
    for index, each in enumerate(inner):
        yield from _conditions(each, (*path, "config", "conditions", index))


def _class(component: Mapping[str, Any]) -> str:
    return str(component.get("provider") or "").rpartition(".")[2]


def _listed(reading: Reading, data: Mapping[str, Any], key: str, path: Path = ()) -> list[Any]:
    found = data.get(key)
    if isinstance(found, list) and found:
        return found
    reading.wrong(f"there are no {key}", (*path, key))
    return []
