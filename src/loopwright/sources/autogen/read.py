"""AutoGen's own shapes, told apart: a queue of chats, a group chat, or a component of a team."""

from collections.abc import Mapping
from typing import Any

from loopwright.documents.document import Document, Path
from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.spec import FORMS
from loopwright.sources.autogen.chats import queue
from loopwright.sources.autogen.flow import flow
from loopwright.sources.autogen.groups import group_chat, team
from loopwright.sources.autogen.literals import read_code
from loopwright.sources.autogen.parts import Reading
from loopwright.sources.conversion import Conversion
from loopwright.sources.specs import validated
from loopwright.state.values import JsonObject

_HEAD = "Made of {file} by: loopwright convert autogen."
_TEAMS = ("RoundRobinGroupChat", "SelectorGroupChat")
_HINT = (
    "a list of chats as initiate_chats takes it, the fields of a GroupChat with its agents, or what dump_component of a"
    " RoundRobinGroupChat, a SelectorGroupChat or a GraphFlow gives"
)


def convert_autogen(text: str, file: str = "team.json") -> Conversion:
    """Read the text of a configuration: a queue of chats, a group chat, or a team's component.

    Args:
        text: JSON or YAML, or Python where the file's name says so; it is not run.
        file: The file's name, for what is wrong.

    Raises:
        SourceError: It is none of these; all that is wrong, each with its line.

    Example:
        >>> made = convert_autogen('{"agents": ["A", "B"], "max_round": 4, "speaker_selection_method": "round_robin"}')
        >>> made.data["kind"], made.data["max_messages"], made.data["opens"]
        ('conversation', 4, 'A')
    """
    try:
        document = read_code(text) if file.lower().endswith(".py") else read_yaml(text)
    except SourceError as error:
        raise SourceError(Document(None, file=file).located(error.faults)) from error
    document = Document(document.data, document.lines, file)
    reading = Reading()
    made = _made(reading, document.data)
    if not reading.faults:
        try:
            validated(FORMS[str(made["kind"])], made)
        except SourceError as error:
            # What does not fit is told by its place in what was made of it: the two have other shapes.
            found = [Fault(f"{fault.key}: {fault.message}", (), fault.hint) for fault in error.faults]
            reading.faults.extend(found)
    if reading.faults:
        raise SourceError(document.located(reading.faults))
    notes = document.located(reading.notes)
    return Conversion(made, {(): _HEAD.format(file=file.rpartition("/")[2])}, tuple(notes))


def _made(reading: Reading, data: Any) -> JsonObject:
    """The spec of whichever shape it is."""
    chats = data.get("chats") if isinstance(data, Mapping) else data
    if isinstance(chats, list) and chats:
        return queue(reading, chats)
    if isinstance(data, Mapping) and isinstance(data.get("config"), Mapping):
        return _component(reading, data)
    if isinstance(data, Mapping) and "nodes" in data:
        return flow(reading, data, {}, ())
    if isinstance(data, Mapping) and "agents" in data:
        return group_chat(reading, data)
    reading.wrong("this is no configuration that can be read", (), _HINT)
    return {}


def _component(reading: Reading, data: Mapping[str, Any]) -> JsonObject:
    kind = str(data.get("provider") or "").rpartition(".")[2]
    config: Mapping[str, Any] = data["config"]
    if kind in _TEAMS:
        return team(reading, config, kind)
    if kind == "GraphFlow":
        path: Path = ("config",)
        entries = reading.items(config.get("participants"), (*path, "participants"))
        agents = [reading.agent(entry, (*path, "participants", place)) for place, entry in enumerate(entries)]
        graph = config.get("graph")
        if not isinstance(graph, Mapping):
            reading.wrong("a GraphFlow has a graph", (*path, "graph"))
            return {}
        return flow(reading, graph, {str(agent["name"]): agent for agent in agents}, (*path, "graph"))
    reading.wrong(f"a {kind or 'component without a provider'} cannot be read", ("provider",), _HINT)
    return {}
