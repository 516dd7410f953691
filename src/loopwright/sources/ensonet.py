"""EnsoNet's definitions of agents: the agent's name as the key, and under it what defines the agent.

A file that defines one agent is taken as it is wherever a spec is: it is a channel of that agent, of `kind: levels`.
"""

from dataclasses import replace

from loopwright.documents.document import Document
from loopwright.documents.json_text import read_json
from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.levels import LevelsSpec
from loopwright.sources.conversion import Conversion
from loopwright.sources.definitions import channel_document, is_definitions
from loopwright.sources.specs import validated

_HEAD = "Made of {file} by: loopwright convert ensonet. It is one channel of the agent."


def convert_ensonet(text: str, file: str = "agents.json") -> Conversion:
    """Read the text of an agent's definition, in JSON or, where the file's name says so, in YAML.

    Args:
        text: The definition.
        file: The file's name, for what is wrong.

    Raises:
        SourceError: It defines no agent, or more than one, or the definition has faults; all of them, with their lines.

    Example:
        >>> text = '''{"Muse": {"purpose_of_agent": "You find topics.",
        ...   "definition_of_level": {"level_1": {"criteria": "a topic", "key_output": {"topic": ""}}}}}'''
        >>> list(convert_ensonet(text).data)
        ['kind', 'agent', 'purpose_of_agent', 'definition_of_level']
        >>> try:
        ...     convert_ensonet(text.replace("level_1", "level_2"))
        ... except SourceError as error:
        ...     print(error.faults[0].line, error.faults[0].key, error.faults[0].message)
        2 Muse.definition_of_level there is no level_1
    """
    try:
        read = read_yaml(text) if file.lower().endswith((".yaml", ".yml")) else read_json(text)
    except SourceError as error:
        raise SourceError(Document(None, file=file).located(error.faults)) from error
    document = replace(read, file=file)
    if not is_definitions(document.data):
        hint = 'it begins as in {"Brainstorming": {"purpose_of_agent": ...}}'
        raise SourceError(document.located([Fault("this defines no agent", hint=hint)]))
    channel = channel_document(document)
    validated(LevelsSpec, channel.data, channel)
    data = channel.data
    assert isinstance(data, dict)
    return Conversion(data, {(): _HEAD.format(file=file)})
