"""A `world_definition` of GenWorlds as a society.

In the original the classes of agents hold their code: brains and a map of actions. A file only names them, so agents of
the class of the round table get the map of the round table, and all others a brain that fills whatever was decided.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from loopwright.documents.document import Document, Path
from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.society import SocietySpec
from loopwright.sources.conversion import Conversion
from loopwright.sources.specs import validated
from loopwright.state.values import Json, JsonObject

_TEXTS = ("role", "background", "personality", "communication_style", "topic_of_conversation")
_LISTS = ("goals", "constraints", "evaluation_principles")
_AGENT = (*_TEXTS, *_LISTS, "agent_goals", "name", "description", "wakeup_events", "interesting_events")
_READ: Mapping[str, tuple[str, ...]] = {
    "definition": ("world", "base_agent", "base_args"),
    "world": ("id", "name", "description", "locations", "objects", "agents", "base_agent"),
    "object": ("id", "class", "name", "description", "world_properties"),
    "agent": ("id", "class", "world_properties", *_AGENT),
    "properties": ("held_by", "location"),
}
"""What is read of each part; whatever else stands there is told as left out."""

_SPEAK, _GIVE = "Microphone:agent_speaks_into_microphone", "World:agent_gives_object_to_agent_event"
_FILL: Json = ["event_filler_brain"]
_ROUNDTABLE: JsonObject = {
    "wakes_on": {"agent_gives_object_to_agent_event": {"recipient_agent_id": "<{id}>"}},
    "brains": {
        "podcast_brain": {"type": "zero_shot", "role": "execution", "output": {"podcast_response": "str"}},
        "event_filler_brain": {"type": "zero_shot", "role": "event_filler"},
    },
    "actions": {
        _SPEAK: {"brains": ["podcast_brain", "event_filler_brain"], "next_actions": [_GIVE]},
        _GIVE: {"brains": _FILL, "next_actions": []},
        "default": {"brains": _FILL, "next_actions": []},
    },
}
"""The map of the round table's agents, as their class has it."""

_HEAD = "Made of {file} by: loopwright convert genworlds."


def convert_genworlds(text: str, file: str = "world_definition.yaml") -> Conversion:
    """Read the text of a world definition.

    Args:
        text: The YAML.
        file: The file's name, for what is wrong.

    Raises:
        SourceError: It is no world definition; all that is wrong, each with its line.

    Example:
        >>> made = convert_genworlds("world_definition: {world: {agents: [{id: ada, agent_goals: [talk]}]}}")
        >>> made.data["agents"]
        {'ada': {'goals': ['talk']}}
    """
    try:
        document = read_yaml(text)
    except SourceError as error:
        raise SourceError(Document(None, file=file).located(error.faults)) from error
    document = Document(document.data, document.lines, file)
    faults = list(_misshapen(document.data))
    if faults:
        raise SourceError(document.located(faults))
    data: Any = document.data
    definition = data["world_definition"]
    made = _converted(definition)
    try:
        validated(SocietySpec, made)
    except SourceError as error:
        found = [Fault(fault.message, _place(fault.path, definition), fault.hint) for fault in error.faults]
        raise SourceError(document.located(found)) from error
    notes = document.located([*_left_out(definition), *_told(definition)])
    return Conversion(made, {(): _HEAD.format(file=file.rpartition("/")[2])}, tuple(notes))


def _misshapen(data: Any) -> Iterator[Fault]:
    """Whatever keeps it from being read at all."""
    path: Path = ("world_definition",)
    if not isinstance(data, dict) or not isinstance(data.get("world_definition"), dict):
        yield Fault("there is no mapping `world_definition`", () if not isinstance(data, dict) else path)
        return
    definition = data["world_definition"]
    if not isinstance(definition.get("world"), dict):
        yield Fault("a world definition has a mapping `world`", (*path, "world"))
        return
    world = definition["world"]
    for place, base in ((path, definition), ((*path, "world"), world)):
        if not isinstance(base.get("base_agent", {}), dict):
            yield Fault("what all agents have in common is a mapping", (*place, "base_agent"))
        else:
            yield from _misshapen_fields(base.get("base_agent", {}), (*place, "base_agent"))
    for key in ("agents", "objects"):
        yield from _misshapen_list(key, world.get(key) or [], (*path, "world", key))


def _misshapen_list(key: str, listed: Any, path: Path) -> Iterator[Fault]:
    """Agents or objects that are none, or are called alike."""
    if not isinstance(listed, list):
        yield Fault(f"the {key} are a list", path)
        return
    ids: list[Any] = []
    for index, entry in enumerate(listed):
        here = (*path, index)
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str) or not entry["id"]:
            yield Fault("it is a mapping with an `id`", here)
            continue
        if entry["id"] in ids:
            yield Fault(f"the id {entry['id']!r} is there already", (*here, "id"), "give it another one")
        ids.append(entry["id"])
        yield from _misshapen_fields(entry, here)


def _misshapen_fields(entry: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    """Fields of an agent or an object that are not what they are there."""
    for key, value in entry.items():
        if key in (*_TEXTS, "class", "name", "description") and not isinstance(value, str | None):
            yield Fault("it is a text", (*path, key))
        texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
        if key in (*_LISTS, "agent_goals") and value is not None and not texts:
            yield Fault("it is a list of texts", (*path, key))
        if key == "world_properties" and not isinstance(value, dict):
            yield Fault("it is a mapping", (*path, key))


def _converted(definition: Mapping[str, Any]) -> JsonObject:
    """The society of a definition that has its shape."""
    world = definition["world"]
    agents = world.get("agents") or []
    base = {**_agent(definition.get("base_agent", {})), **_agent(world.get("base_agent", {}))}
    if any(_class(agent) == "RoundtableAgent" for agent in agents):
        base = {**_ROUNDTABLE, **base}
    places: Json = list(world.get("locations") or [])
    about = {"id": world.get("id"), "name": world.get("name"), "description": world.get("description")}
    objects: JsonObject = {thing["id"]: _object(thing) for thing in world.get("objects") or []}
    named: JsonObject = {agent["id"]: {**_agent(agent), **_properties(agent)} for agent in agents}
    return {
        "kind": "society",
        "name": str(world.get("name") or "world").strip(),
        "world": {**{key: value for key, value in about.items() if value}, **({"places": places} if places else {})},
        **({"objects": objects} if objects else {}),
        **({"base_agent": base} if base else {}),
        "agents": named,
    }


def _class(entry: Mapping[str, Any]) -> str:
    """The class of an agent or an object, without its module."""
    return str(entry.get("class") or "").rpartition(".")[2]


def _object(thing: Mapping[str, Any]) -> JsonObject:
    known = _class(thing) if _class(thing) in ("Microphone", "Blackboard") else ""
    said = {"class": known, "name": thing.get("name"), "description": thing.get("description")}
    return {**{key: str(value).strip() for key, value in said.items() if value}, **_properties(thing)}


def _agent(agent: Mapping[str, Any]) -> JsonObject:
    found: JsonObject = {}
    for name in (*_TEXTS, "name", "description"):
        if said := str(agent.get(name) or "").strip():
            found[name] = said
    for name in _LISTS:
        own = [*(agent.get("agent_goals") or [] if name == "goals" else []), *(agent.get(name) or [])]
        if own:
            found[name] = own
    if wakes := agent.get("wakeup_events"):
        found["wakes_on"] = wakes if isinstance(wakes, dict) else {name: {} for name in wakes}
    if heeds := agent.get("interesting_events"):
        found["heeds"] = list(heeds)
    return found


def _properties(entry: Mapping[str, Any]) -> JsonObject:
    """Where it is, or who holds it; what is held is where its holder is."""
    given = entry.get("world_properties", {})
    found: JsonObject = {name: given[name] for name in ("held_by", "location") if given.get(name)}
    return {"held_by": found["held_by"]} if "held_by" in found else found


def _left_out(definition: Mapping[str, Any]) -> Iterator[Fault]:
    """Every key that has no counterpart."""
    path: Path = ("world_definition",)
    world = definition["world"]
    yield from _unread(definition, "definition", path)
    yield from (Fault("it was left out: there is no server to connect to", (*path, "base_args")),) * (
        "base_args" in definition
    )
    yield from _unread(world, "world", (*path, "world"))
    for place, base in (((*path, "base_agent"), definition), ((*path, "world", "base_agent"), world)):
        yield from _unread(base.get("base_agent", {}), "agent", place)
    for key, what in (("objects", "object"), ("agents", "agent")):
        for index, entry in enumerate(world.get(key) or []):
            here: Path = (*path, "world", key, index)
            yield from _unread(entry, what, here)
            yield from _unread(entry.get("world_properties", {}), "properties", (*here, "world_properties"))


def _unread(entry: Mapping[str, Any], what: str, path: Path) -> Iterator[Fault]:
    for key in entry:
        if key not in _READ[what]:
            yield Fault("it has no counterpart here, and was left out", (*path, key))


def _told(definition: Mapping[str, Any]) -> Iterator[Fault]:
    """What is otherwise than it was."""
    world = definition["world"]
    for index, thing in enumerate(world.get("objects") or []):
        if _class(thing) not in ("", "Microphone", "Blackboard"):
            hint = "say its actions under classes, and name the class at the object"
            place: Path = ("world_definition", "world", "objects", index, "class")
            yield Fault(f"the code of {_class(thing)} is not in the file: nothing can be done with it", place, hint)
    for index, agent in enumerate(world.get("agents") or []):
        if _class(agent) not in ("", "RoundtableAgent", "BasicAssistant"):
            hint = "say its brains and actions"
            place = ("world_definition", "world", "agents", index, "class")
            yield Fault(f"the code of {_class(agent)} is not in the file: its map is not known", place, hint)
        if agent.get("agent_goals"):
            where: Path = ("world_definition", "world", "agents", index, "agent_goals")
            yield Fault("these are goals now; the original left them out", where)


def _place(path: Path, definition: Mapping[str, Any]) -> Path:
    """Where a part of the society stands in the definition."""
    world: Path = ("world_definition", "world")
    match path:
        case ("agents" | "objects" as key, str(id), *field):
            ids = [entry["id"] for entry in definition["world"].get(key) or []]
            inside = {"held_by": ("world_properties", "held_by"), "location": ("world_properties", "location")}
            return (*world, key, ids.index(id), *(inside.get(str(field[0]), tuple(field)) if field else ()))
        case ("world", "places", *_):
            return (*world, "locations")
        case ("world", *field):
            return (*world, *field)
        case ("base_agent", *field):
            return (*world, "base_agent", *field)
    return (*world, *path)
