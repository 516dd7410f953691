"""The nodes that decide by ratings alone: the best option is picked, or the best lines of thought are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loopwright.errors import Unreadable
from loopwright.nodes.brains.asking import BrainNode, ordinal, plain
from loopwright.nodes.brains.judging import RATE, RATING, RATINGS, Line, shown
from loopwright.nodes.brains.options import CHOSEN, OPTIONS, PATHS, numbered
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.contract import Answer, Ask, Contract, Node, View, parts_of
from loopwright.state.schema import as_list, as_object
from loopwright.state.values import Json, JsonSchema

PATHS_KEPT, STEPS, EXPANSIONS = "paths", "steps", "expansions"


@dataclass(frozen=True)
class Rated(BrainNode):
    """A node that decides by ratings. It asks nobody; arguments as of `BrainNode`.

    Where no rating can be read it is `unreadable`. A run that is suspended by that and resumed asks for all ratings in
    one question, as often as it is resumed.

    Args:
        line: What the options are, as of `Rate`.
    """

    line: Line = ""

    @property
    def calls(self) -> int:
        """None: what it asks after a resume is repeated, and is not counted in the worst case."""
        return 0

    @property
    def asked_of_state(self) -> tuple[str, ...]:
        """What it would ask by, the options and their ratings."""
        return (*super().asked_of_state, OPTIONS, RATINGS)

    @property
    def own_words(self) -> frozenset[str]:
        """Those of the question after a resume."""
        return frozenset({"prompt", OPTIONS, "n"})

    def ask(self, view: View) -> Ask | None:
        """Nothing."""
        del view
        return None

    def ask_again(self, view: View) -> Ask | None:
        """All ratings, in one question."""
        options = _list(view, OPTIONS)
        if any(rating is not None for rating in _list(view, RATINGS)):
            return None
        ratings = as_list(RATE, minItems=len(options), maxItems=len(options))
        listed = numbered([shown(option, self.line) for option in options])
        return self.asking(view, as_object({RATINGS: ratings}), options=listed, n=len(options))

    def numbers(self, view: View, reply: Json) -> list[float | None]:
        """The rating of each option, None for one that is absent.

        Raises:
            Unreadable: All are absent.
        """
        found: list[Any] = _list(parts_of(reply, RATINGS), RATINGS) if reply is not None else _list(view, RATINGS)
        numbers = [each[RATING] if isinstance(each, dict) else each for each in found]
        if all(number is None for number in numbers):
            options = f"none of the {len(numbers)} ratings" if len(numbers) > 1 else "the rating"
            raise Unreadable(f"{options} could be read")
        return numbers


@dataclass(frozen=True)
class Pick(Rated, type="pick"):
    """Pick the option that is rated best; the first one of those that are rated alike.

    Args:
        threshold: The least rating that is enough, or None.

    Its outcomes are `done` and, with a threshold, `none`.

    Example:
        >>> node = Pick("pick", prompt="", writes="answer", threshold=7)
        >>> view = {"options": ["a", "b", "c"], "ratings": [{"rating": 3}, {"rating": 8, "reason": "clear"}, None]}
        >>> node.answer(view, None).reason
        'the 2nd of 3 options is the best, rated 8: clear; 1 rating could not be read'
    """

    threshold: float | None = None

    @cached_property
    def contract(self) -> Contract:
        """Writes the answer, and its place among the options."""
        steps = (STEPS,) if self.line else ()
        return Contract(
            "think",
            self.asked_of_state,
            (*self.writes, CHOSEN, *steps, *self.written_beside),
            ("done",) if self.threshold is None else ("done", "none"),
            never=("none",) if self.threshold is None else (),
        )

    def answer(self, view: View, reply: Json) -> Answer:
        """The best option, where it is good enough."""
        options, numbers = _list(view, OPTIONS), self.numbers(view, reply)
        place = best(numbers, 1)[0]
        rated = f"rated {plain(numbers[place] or 0)}{_why(view, place, reply)}{_absent(numbers)}"
        number = numbers[place] or 0
        if self.threshold is not None and number < self.threshold:
            what = f"the {ordinal(place)} of {len(options)} options" if len(options) > 1 else "the only option"
            reason = f"no option reaches {plain(self.threshold)}: {what} is the best, {rated}"
            return Answer("none", self.told(reason), reason)
        option: Any = options[place]
        answer = option[-1] if self.line else option
        update = {**dict.fromkeys(self.writes, answer), CHOSEN: place, **self.told("")}
        if self.line:
            update[STEPS] = option[:-1]
        which = f"the {ordinal(place)} of {len(options)} options is the best" if len(options) > 1 else "the only option"
        return Answer("done", update, f"{which}, {rated}")


@dataclass(frozen=True)
class Keep(Rated, type="keep"):
    """Keep the lines of thought that are rated best; of those that are rated alike, those that came first.

    Args:
        breadth: How many are kept at most.

    Its one outcome is `done`.

    Example:
        >>> node = Keep("keep", prompt="", breadth=1, line="part")
        >>> node.answer({"options": [["a"], ["b"]], "ratings": [{"rating": 3}, {"rating": 8}]}, None).update
        {'paths': [['b']]}
    """

    breadth: int = 1

    @cached_property
    def contract(self) -> Contract:
        """Writes the lines that are kept."""
        return Contract("think", self.asked_of_state, (PATHS_KEPT,), ("done",))

    @property
    def value_type(self) -> JsonSchema:
        """Lines of thought."""
        return PATHS

    def answer(self, view: View, reply: Json) -> Answer:
        """The best lines, the best first. One whose rating is absent is kept only where there are too few others."""
        options, numbers = _list(view, OPTIONS), self.numbers(view, reply)
        kept = best(numbers, self.breadth)
        said = ", ".join(f"the {ordinal(place)} ({_said(numbers[place])})" for place in kept)
        return Answer("done", {PATHS_KEPT: [options[place] for place in kept]}, f"of {len(options)} kept: {said}")


@dataclass(frozen=True)
class Gather(Node, type="gather"):
    """Put the lines of thought that several others became into one list.

    Args:
        name: The node's name.
        closing: Whether there may be none, since nothing is on offer or no answer is eligible.
        tells: Whether `last_failure` takes why there is none.

    Its outcomes are `options` and, where it is closing, `none`.

    Example:
        >>> expansions = [{"paths": [["a"], ["b"]], "left_out": ""}, {"paths": [["c"]], "left_out": ""}]
        >>> Gather("gather").answer({"expansions": expansions}, None).update
        {'options': [['a'], ['b'], ['c']]}
    """

    name: str
    closing: bool = False
    tells: bool = False

    @cached_property
    def contract(self) -> Contract:
        """Reads what the lines became, writes all of them as options."""
        writes = (OPTIONS, *((LAST_FAILURE,) if self.tells else ()))
        return Contract("route", (EXPANSIONS,), writes, ("options", "none") if self.closing else ("options",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """All lines, in their order."""
        del reply
        expansions: list[Any] = _list(view, EXPANSIONS)
        paths = [path for each in expansions for path in each["paths"]]
        if paths:
            return Answer("options", {OPTIONS: paths})
        reason = "; ".join(dict.fromkeys(each["left_out"] for each in expansions))
        told = {name: reason for name in self.contract.writes if name == LAST_FAILURE}
        return Answer("none", {OPTIONS: [], **told}, reason)


def best(numbers: Sequence[float | None], count: int) -> list[int]:
    """The places of the best ratings, the best first; of those that are alike the first, and those absent last.

    Example:
        >>> best([3, 8, None, 8], 3)
        [1, 3, 0]
    """
    order = sorted(range(len(numbers)), key=lambda place: (numbers[place] is None, -(numbers[place] or 0), place))
    return order[:count]


def _list(view: View, name: str) -> list[Json]:
    found: Any = view[name]
    return list(found)


def _said(number: float | None) -> str:
    return "not rated" if number is None else plain(number)


def _why(view: View, place: int, reply: Json) -> str:
    """What the judge said of an option, where it was asked of it alone."""
    rating: Any = None if reply is not None else _list(view, RATINGS)[place]
    reason = rating.get("reason") if isinstance(rating, dict) else None
    return f": {reason}" if reason else ""


def _absent(numbers: Sequence[float | None]) -> str:
    count = sum(number is None for number in numbers)
    return f"; {count} rating{'s' * (count != 1)} could not be read" if count else ""
