"""Wait nodes: a question to someone outside. The run waits on disk until the answer comes.

A person's text never picks an edge by what it contains: only the `action` of the answer does, and on the command line a
whole line that is one of the actions, in capitals or not.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

from loopwright.errors import Fault, WrongAnswer
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Answer, Ask, AskOutside, Contract, Node, View, names, parts_of
from loopwright.nodes.prompts import placeholders, render
from loopwright.state.schema import TEXT, as_object, as_schema
from loopwright.state.values import Json, JsonSchema

TEXT_KEY = ""
"""In a shorthand, the answer that takes any other line as its `text`."""

LONG_WORD = 4
"""Letters from which on a word can nearly be another one: shorter ones are near to too much."""


@dataclass(frozen=True)
class Human(Node, type="human"):
    """Ask a person, who answers with an action and, if they like, a text.

    Nothing is guessed: a line that is none of the actions is no answer, unless `default` or `on_text` say what it
    stands for. A single action needs neither.

    Args:
        name: The node's name.
        text: The question, a template with `<{channel}>` placeholders.
        outcomes: The actions; each needs an edge.
        writes: The channel that takes the text; nothing is written when the text is empty.
        default: The action that an empty line stands for.
        on_text: The action that any other line stands for, with the line as its text.

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
        writes = names(self.writes)
        return Contract("wait", placeholders(self.text), writes, tuple(self.outcomes), may_write=writes)

    @property
    def value_type(self) -> JsonSchema:
        """The text."""
        return TEXT

    def faults(self) -> Iterator[Fault]:
        """A line that stands for an action which is not there."""
        yield from super().faults()
        for key, action in (("default", self.default), ("on_text", self.on_text)):
            if action and action not in self.outcomes:
                yield Fault(f"there is no action {action!r}", (key,), did_you_mean(action, self.outcomes))

    def ask(self, view: View) -> Ask:
        """The rendered text, with what the lines of a terminal stand for."""
        only = self.outcomes[0] if len(self.outcomes) == 1 else ""
        return ask_person(
            render(self.text, view), self.contract.outcomes, default=self.default or only, on_text=self.on_text or only
        )

    def answer(self, view: View, reply: Json) -> Answer:
        """The action is the outcome; a text that is not empty is written."""
        del view
        action, text = action_of(reply)
        return Answer(action, dict.fromkeys(self.contract.writes, text) if text else {}, text)


@dataclass(frozen=True)
class Wait(Node, type="wait"):
    """Wait for a value from outside: from a person, an event or a timer.

    Args:
        name: The node's name.
        text: What is waited for, a template with `<{channel}>` placeholders.
        reply: JSON Schema of the value, or a Python type, which is kept as its schema.
        source: Who gives it.
        writes: The channel that takes the value.

    Its one outcome is `done`.

    Example:
        >>> Wait("count", text="How many?", reply=int, writes="count").reply
        {'type': 'integer'}
    """

    name: str
    _: KW_ONLY
    text: str
    reply: Any = field(default_factory=dict)
    source: Literal["person", "event", "timer"] = "event"
    writes: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "declared_type", self.reply)
        object.__setattr__(self, "reply", as_schema(self.reply))
        object.__setattr__(self, "writes", names(self.writes))

    @cached_property
    def contract(self) -> Contract:
        """Reads what its text names, writes the value."""
        return Contract("wait", placeholders(self.text), names(self.writes), ("done",))

    @property
    def value_type(self) -> JsonSchema:
        """What `reply` says."""
        schema: JsonSchema = self.reply
        return schema

    def ask(self, view: View) -> Ask:
        """The rendered text and the shape of the value."""
        return AskOutside(render(self.text, view), self.value_type, self.source)

    def answer(self, view: View, reply: Json) -> Answer:
        """The value, as it came."""
        del view
        return Answer("done", dict.fromkeys(self.contract.writes, reply))


def ask_person(text: str, actions: Sequence[str], *, default: str = "", on_text: str = "") -> AskOutside:
    """The question that a person answers with `{action, text}`.

    Args:
        text: What is asked.
        actions: The actions.
        default: The action that an empty line stands for, or "".
        on_text: The action that a line stands for which is none of them, or "".

    Example:
        >>> ask_person("Publish?", ["yes", "no"], default="no").default
        {'action': 'no', 'text': ''}
    """
    schema = as_object({"action": {"type": "string", "enum": list(actions)}}, text=TEXT)
    shorthand: dict[str, Json] = {action: {"action": action, "text": ""} for action in actions}
    if on_text:
        shorthand[TEXT_KEY] = {"action": on_text, "text": ""}
    empty: Json = {"action": default, "text": ""} if default else None
    return AskOutside(text, schema, "person", empty, shorthand)


def action_of(reply: Json) -> tuple[str, str]:
    """The action and the text of a person's reply.

    Raises:
        ContractError: There is no action.

    Example:
        >>> action_of({"action": "no", "text": "too long"}), action_of({"action": "yes"})
        (('no', 'too long'), ('yes', ''))
    """
    parts = parts_of(reply, "action")
    return str(parts["action"]), str(parts.get("text") or "")


def answer_from_line(line: str, default: Json, shorthand: Mapping[str, Json]) -> Json:
    """The answer that a line of text stands for, on a terminal or in `run.resume("...")`.

    An empty line is the default, a line that is one of the words is that word's answer, and any other line is the text
    of the answer under `TEXT_KEY`. Capitals and the space around a word do not count. Where there are no words, the
    line itself is the answer.

    Raises:
        WrongAnswer: There are words, and the line is none of them and stands for nothing else; or it is a single word
            that is nearly one of them, since a slip of the hand is no text.

    Example:
        >>> shorthand = {"accept": {"action": "accept", "text": ""}, "": {"action": "continue", "text": ""}}
        >>> answer_from_line("use metric units", None, shorthand)
        {'action': 'continue', 'text': 'use metric units'}
        >>> answer_from_line("Accept", None, shorthand)
        {'action': 'accept', 'text': ''}
    """
    said = line.strip()
    if not said and default is not None:
        return default
    words = [word for word in shorthand if word != TEXT_KEY]
    alike = [word for word in words if word.strip().casefold() == said.casefold()]
    if said in words or len(alike) == 1:
        return shorthand[said if said in words else alike[0]]
    whole = shorthand.get(TEXT_KEY)
    if isinstance(whole, dict) and (said or not words):
        _require_no_slip(said, words, whole)
        return {**whole, "text": line}
    if not words:
        return line
    raise WrongAnswer(f"{repr(said) if said else 'an empty line'} is no answer here; answers are: {', '.join(words)}")


def _require_no_slip(said: str, words: Sequence[str], whole: Mapping[str, Json]) -> None:
    """Refuse a single word that is nearly one of the words.

    Raises:
        WrongAnswer: It is.
    """
    long = [word for word in words if len(word) >= LONG_WORD]
    if len(said) < LONG_WORD or len(said.split()) > 1:
        return
    for near in get_close_matches(said.casefold(), long, n=1, cutoff=0.7):
        text = json.dumps({**whole, "text": said}, ensure_ascii=False)
        raise WrongAnswer(f"{said!r} is nearly {near!r}: answer {near}, or, where it is meant as a text, {text}")
