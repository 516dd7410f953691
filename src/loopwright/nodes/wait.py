"""Wait nodes: a question to someone outside. The run waits on disk until the answer comes.

A person's text never picks an edge by what it contains: only the `action` of the answer does, and on the command line a
whole line that is exactly one of the actions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Literal

from loopwright.nodes.contract import Answer, Ask, AskOutside, Contract, Node, View, names
from loopwright.nodes.prompts import placeholders, render
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema

TEXT_KEY = ""
"""In a shorthand, the answer that takes any other line as its `text`."""


@dataclass(frozen=True)
class Human(Node, type="human"):
    """Ask a person, who answers with an action and, if they like, a text.

    Args:
        name: The node's name.
        text: The question, a template with `<{channel}>` placeholders.
        outcomes: The actions; each needs an edge.
        writes: The channel that takes the text; nothing is written when the text is empty.
        default: The action that an empty line stands for; the first one when left out.
        on_text: The action that any other line stands for; the default when left out.

    Example:
        >>> node = Human("approve", text="Publish?\\n<{draft}>", outcomes=["yes", "no"], writes="notes")
        >>> node.answer({}, {"action": "no", "text": "too long"})
        Answer(outcome='no', update={'notes': 'too long'}, reason='too long')
    """

    name: str
    _: KW_ONLY
    text: str
    outcomes: Sequence[str] = ("done",)
    writes: str | Sequence[str] = ()
    default: str = ""
    on_text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "writes", names(self.writes))
        object.__setattr__(self, "outcomes", names(self.outcomes))

    @cached_property
    def contract(self) -> Contract:
        """Reads what its text names; its outcomes are its actions."""
        return Contract("wait", placeholders(self.text), names(self.writes), tuple(self.outcomes))

    @property
    def value_type(self) -> JsonSchema:
        """The text."""
        return TEXT

    @cached_property
    def reply(self) -> JsonSchema:
        """JSON Schema of the answer: `{action, text}`."""
        return {
            "type": "object",
            "properties": {"action": {"type": "string", "enum": list(self.outcomes)}, "text": {"type": "string"}},
            "required": ["action"],
            "additionalProperties": False,
        }

    def ask(self, view: View) -> Ask:
        """The rendered text, with what the lines of a terminal stand for."""
        default = self.default or self.outcomes[0]
        shorthand: dict[str, Json] = {action: {"action": action, "text": ""} for action in self.outcomes}
        shorthand[TEXT_KEY] = {"action": self.on_text or default, "text": ""}
        return AskOutside(render(self.text, view), self.reply, "person", {"action": default, "text": ""}, shorthand)

    def answer(self, view: View, reply: Json) -> Answer:
        """The action is the outcome; a text that is not empty is written."""
        del view
        value: Mapping[str, Json] = reply if isinstance(reply, dict) else {}
        text = str(value.get("text") or "")
        return Answer(str(value.get("action")), dict.fromkeys(names(self.writes), text) if text else {}, text)


@dataclass(frozen=True)
class Wait(Node, type="wait"):
    """Wait for a value from outside: from a person, an event or a timer.

    Args:
        name: The node's name.
        text: What is waited for, a template with `<{channel}>` placeholders.
        reply: JSON Schema of the value.
        source: Who gives it.
        writes: The channel that takes the value.

    Its one outcome is `done`.
    """

    name: str
    _: KW_ONLY
    text: str
    reply: JsonSchema = field(default_factory=dict)
    source: Literal["person", "event", "timer"] = "event"
    writes: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "writes", names(self.writes))

    @cached_property
    def contract(self) -> Contract:
        """Reads what its text names, writes the value."""
        return Contract("wait", placeholders(self.text), names(self.writes), ("done",))

    @property
    def value_type(self) -> JsonSchema:
        """What `reply` says."""
        return self.reply

    def ask(self, view: View) -> Ask:
        """The rendered text and the shape of the value."""
        return AskOutside(render(self.text, view), self.reply, self.source)

    def answer(self, view: View, reply: Json) -> Answer:
        """The value, as it came."""
        del view
        return Answer("done", dict.fromkeys(names(self.writes), reply))


def answer_from_line(line: str, default: Json, shorthand: Mapping[str, Json]) -> Json:
    """The answer that a line of text stands for, on a terminal or in `run.resume("...")`.

    An empty line is the default, a line that is exactly one of the words is that word's answer, and any other line is
    the text of the answer under `TEXT_KEY`; where there is none, the line itself is the answer.

    Example:
        >>> shorthand = {"accept": {"action": "accept", "text": ""}, "": {"action": "continue", "text": ""}}
        >>> answer_from_line("use metric units", None, shorthand)
        {'action': 'continue', 'text': 'use metric units'}
        >>> answer_from_line("accept", None, shorthand)
        {'action': 'accept', 'text': ''}
    """
    words = line.strip()
    if not words and default is not None:
        return default
    if words and words in shorthand:
        return shorthand[words]
    whole = shorthand.get(TEXT_KEY)
    return {**whole, "text": line} if isinstance(whole, dict) else line
