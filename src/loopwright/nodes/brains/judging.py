"""The nodes that judge options: each is rated by itself, or one is chosen among all."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loopwright.nodes.brains.asking import BrainNode, as_object, ordinal, plain
from loopwright.nodes.brains.options import CHOSEN, OPTIONS, numbered
from loopwright.nodes.contract import Answer, Ask, Contract, View, parts_of
from loopwright.nodes.prompts import as_text
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema

OPTION, RATING, RATINGS = "option", "rating", "ratings"

RATE: JsonSchema = {"type": "number", "minimum": 1, "maximum": 10}
"""JSON Schema of a rating's number."""

RATED: JsonSchema = as_object({RATING: RATE}, reason=TEXT)
"""JSON Schema of a rating."""

RATING_OR_NONE: JsonSchema = {"anyOf": [RATED, {"type": "null"}]}
"""A rating, or null for one that could not be read."""


@dataclass(frozen=True)
class Rate(BrainNode, type="rate"):
    """Rate one option from 1 to 10. It sees no other.

    Args:
        steps: Whether the option is a line of thought, of which the steps are shown.

    Example:
        >>> node = Rate("judge", prompt="<{task}>", asks="Asked: <{prompt}> Answered: <{option}> Rate it.")
        >>> node.ask({"task": "A name?", "option": "Ada"}).messages
        [{'role': 'user', 'content': 'Asked: A name? Answered: Ada Rate it.'}]
        >>> node.answer({}, {"rating": 8, "reason": "short"}).reason
        'rated 8: short'
    """

    steps: bool = False

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
        option: Any = view[OPTION]
        return self.asking(view, RATED, option=line_of(option) if self.steps else as_text(option))

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


def line_of(path: list[Json]) -> str:
    """A line of thought as it is judged: its steps, one below the other; one that has only an answer is that.

    Example:
        >>> print(line_of(["Pack.", {"day": "Monday"}]))
        1. Pack.
        2. {"day": "Monday"}
        >>> line_of(["Monday"])
        'Monday'
    """
    return numbered(path) if len(path) > 1 else as_text(path[0])
