"""The nodes that judge options: each is rated by itself, or one is chosen among all."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from loopwright.nodes.brains.asking import BrainNode, ordinal, plain
from loopwright.nodes.brains.options import CHOSEN, OPTIONS, numbered
from loopwright.nodes.contract import Answer, Ask, Contract, View, parts_of
from loopwright.nodes.prompts import as_text
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonSchema

Line = Literal["", "part", "whole"]
"""Whether an option is a line of thought, and how far it has come."""

OPTION, RATING, RATINGS = "option", "rating", "ratings"

RATE: JsonSchema = {"type": "number", "minimum": 1, "maximum": 10}
"""JSON Schema of a rating's number."""

RATED: JsonSchema = as_object({RATING: RATE}, reason=TEXT)
"""JSON Schema of a rating."""

RATING_OR_NONE: JsonSchema = {"anyOf": [dict(RATED), {"type": "null"}]}
"""A rating, or null for one that could not be read."""


@dataclass(frozen=True)
class Rate(BrainNode, type="rate"):
    """Rate one option from 1 to 10. It sees no other.

    Args:
        line: What the option is: `part`, the first steps of a line of thought; `whole`, one with its answer; or "".

    Example:
        >>> node = Rate("judge", prompt="<{task}>", asks="Asked: <{prompt}> Answered: <{option}> Rate it.")
        >>> node.ask({"task": "A name?", "option": "Ada"}).messages
        [{'role': 'user', 'content': 'Asked: A name? Answered: Ada Rate it.'}]
        >>> node.answer({}, {"rating": 8, "reason": "short"}).reason
        'rated 8: short'
    """

    line: Line = ""

    @cached_property
    def contract(self) -> Contract:
        """Reads the option, writes the rating."""
        return Contract("think", (*self.asked_of_state, OPTION), (RATING,), ("done",))

    @property
    def own_words(self) -> frozenset[str]:
        """The prompt, and the option."""
        return frozenset({"prompt", OPTION})

    @property
    def value_type(self) -> JsonSchema:
        """A rating."""
        return RATED

    def ask(self, view: View) -> Ask:
        """The question, with the one option."""
        return self.asking(view, RATED, option=shown(view[OPTION], self.line))

    def answer(self, view: View, reply: Json) -> Answer:
        """The rating, with its reason."""
        del view
        rating: Any = parts_of(reply, RATING)
        reason = rating.get("reason") or ""
        return Answer("done", {RATING: rating}, f"rated {plain(rating[RATING])}{f': {reason}' if reason else ''}")


@dataclass(frozen=True)
class Choose(BrainNode, type="choose"):
    """Choose one of the options, by its number: what is taken is the option as it was generated.

    Example:
        >>> node = Choose("choose", prompt="<{task}>", asks="<{options}> Which?", writes="answer")
        >>> view = {"task": "A name?", "options": ["Ada", "Bo"]}
        >>> node.ask(view).schema["properties"]["choice"]
        {'type': 'integer', 'minimum': 1, 'maximum': 2}
        >>> node.answer(view, {"choice": 2, "reason": "short"}).update
        {'answer': 'Bo', 'chosen': 1}
    """

    @cached_property
    def contract(self) -> Contract:
        """Reads the options, writes the answer and its place among them."""
        writes = (*self.writes, CHOSEN, *self.written_beside)
        return Contract("think", (*self.asked_of_state, OPTIONS), writes, ("done",))

    @property
    def own_words(self) -> frozenset[str]:
        """The prompt, the options, and their number."""
        return frozenset({"prompt", OPTIONS, "n"})

    def ask(self, view: View) -> Ask:
        """The question, with all options, and the numbers that may be said."""
        options: Any = view[OPTIONS]
        choice: JsonSchema = {"type": "integer", "minimum": 1, "maximum": len(options)}
        schema = as_object({"choice": choice}, reason=TEXT)
        return self.asking(view, schema, options=numbered(options), n=len(options))

    def answer(self, view: View, reply: Json) -> Answer:
        """The option of that number."""
        said: Any = parts_of(reply, "choice")
        options: Any = view[OPTIONS]
        place = int(said["choice"]) - 1
        why = f": {said['reason']}" if said.get("reason") else ""
        update = {**dict.fromkeys(self.writes, options[place]), CHOSEN: place, **self.told("")}
        return Answer("done", update, f"the {ordinal(place)} of {len(options)} options was chosen{why}")


def shown(option: Json, line: Line) -> str:
    """An option as it is judged: a line of thought with its steps one below the other.

    Example:
        >>> print(shown(["Pack.", "Monday"], "whole"))
        Monday
        <BLANKLINE>
        The steps to it:
        1. Pack.
        >>> print(shown(["Pack."], "part"))
        The first steps, before there is an answer:
        1. Pack.
    """
    if not line or not isinstance(option, list):
        return as_text(option)
    if line == "part":
        return f"The first steps, before there is an answer:\n{numbered(option)}"
    answer = as_text(option[-1])
    return f"{answer}\n\nThe steps to it:\n{numbered(option[:-1])}" if len(option) > 1 else answer
