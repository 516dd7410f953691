"""Problems: what every contender is given alike, and what is expected of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loopwright.errors import Fault, SourceError
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.state.channels import Channel
from loopwright.state.rebuilt import plain
from loopwright.state.schema import check_for, word_of
from loopwright.state.text import value_from_text
from loopwright.state.values import Json, JsonObject

NAME, EXPECTED = "name", "expected"
"""The keys of a problem that are no inputs; `name` is one where a contender has an input of that name."""

MOST_FAULTS = 100
"""Faults that are told one by one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem.

    Args:
        name: What it is called: its own name, or its number, counted from 1.
        inputs: The inputs that it gives to every contender.
        expected: What is expected; None where the problem does not say.
    """

    name: str
    inputs: JsonObject
    expected: Json = None


@dataclass(frozen=True, slots=True)
class Taker:
    """A contender as far as its inputs go.

    Args:
        name: What it is called.
        plan: Its plan.
        own: Inputs that it has by itself, which problems may leave out.
    """

    name: str
    plan: Plan
    own: JsonObject = field(default_factory=dict)


def fitting_problems(data: Any, takers: Sequence[Taker], *, texts: bool = False) -> list[Problem]:
    """The problems that some data describes, if they fit every contender.

    Args:
        data: A list of mappings from inputs to values, each with `expected` and `name` where wanted.
        takers: The contenders.
        texts: Whether all values are texts, as in CSV, and become what the inputs' types want; what is expected becomes
            what the results are.

    Raises:
        SourceError: There is none, or some do not fit; all faults, with their places.
    """
    if isinstance(data, Mapping | str) or not isinstance(data, Sequence) or not data:
        raise SourceError([Fault("this is no list of problems", hint="a list of mappings, from inputs to values")])
    known: dict[str, list[tuple[str, Channel]]] = {}
    for taker in takers:
        for channel in taker.plan.inputs:
            known.setdefault(channel.name, []).append((taker.name, channel))
    if EXPECTED in known:
        said = f"{known[EXPECTED][0][0]} takes an input 'expected', and would be told what is expected of it"
        raise SourceError([Fault(said, hint="call that input otherwise")])
    reading = _Reading(takers, known, texts)
    problems = [reading.problem(place, item) for place, item in enumerate(data)]
    if faults := reading.faults:
        more = [Fault(f"and {len(faults) - MOST_FAULTS:,} more faults")] if len(faults) > MOST_FAULTS else []
        raise SourceError([*faults[:MOST_FAULTS], *more])
    return _as_results(problems, takers) if texts else problems


def _as_results(problems: list[Problem], takers: Sequence[Taker]) -> list[Problem]:
    """The problems with what is expected as the contenders' results are; texts, where these differ or one fits not."""
    plans = [taker.plan for taker in takers]
    types = [plan.channels[plan.result].type if plan.result else {} for plan in plans]
    if not all(types):
        return problems
    found = []
    for problem in problems:
        if not isinstance(problem.expected, str):
            found.append(problem)
            continue
        try:
            values = [value_from_text(problem.expected, type_) for type_ in types]
        except ValueError:
            return problems
        if any((type(value), value) != (type(values[0]), values[0]) for value in values):
            return problems
        found.append(replace(problem, expected=values[0]))
    return found


class _Reading:
    """Reads one problem after the other, and keeps what is wrong."""

    def __init__(self, takers: Sequence[Taker], known: Mapping[str, list[tuple[str, Channel]]], texts: bool) -> None:
        self._takers, self._known, self._texts = takers, known, texts
        self._names: dict[str, int] = {}
        self.faults: list[Fault] = []

    def problem(self, place: int, item: Any) -> Problem:
        """One problem; where it has faults, what is left of it."""
        if not isinstance(item, Mapping):
            self.faults.append(Fault("expected a mapping, from inputs to values", (place,)))
            return Problem("", {})
        own = {} if NAME in self._known else {NAME: item.get(NAME)}
        name = self._name(place, own.get(NAME))
        inputs = {
            key: self._fitting(place, key, plain(value))
            for key, value in item.items()
            if key != EXPECTED and key not in own
        }
        self.faults += self._missing(place, inputs)
        return Problem(name, inputs, plain(item.get(EXPECTED)))

    def _name(self, place: int, given: Any) -> str:
        if given is not None and (not isinstance(given, str | int) or isinstance(given, bool)):
            self.faults.append(Fault(f"a name is a text; {given!r} is none", (place, NAME)))
        name = str(place + 1) if given is None else str(given)
        if name in self._names:
            number = self._names[name] + 1
            self.faults.append(Fault(f"the problem of number {number} is called {name!r}, too", (place, NAME)))
        self._names[name] = place
        return name

    def _fitting(self, place: int, key: Any, value: Any) -> Json:
        if key not in self._known:
            hint = did_you_mean(str(key), [*self._known, NAME, EXPECTED])
            self.faults.append(Fault(f"there is no input {key!r}", (place, str(key)), hint))
            return None
        takers = self._known[key]
        without = [taker.name for taker in self._takers if taker.name not in dict(takers)]
        if without:
            hint = f"{takers[0][0]} has it; all contenders are given the same"
            self.faults.append(Fault(f"{', '.join(without)} has no input {key!r}", (place, key), hint))
        fitting: Json = value
        for taker, channel in takers:
            try:
                fitting = value_from_text(value, channel.type) if self._texts else value
                check_for(channel.type)(fitting)
            except ValueError as error:
                hint = f"{taker} takes {word_of(channel.type)}"
                self.faults.append(Fault(str(error), (place, key), hint))
                break
        return fitting

    def _missing(self, place: int, inputs: JsonObject) -> Iterator[Fault]:
        for key, takers in self._known.items():
            has = {taker.name: taker.own for taker in self._takers}
            needing = [name for name, channel in takers if not channel.always_there and key not in has[name]]
            if needing and key not in inputs:
                yield Fault(f"input {key!r} is missing", (place,), f"needed by {', '.join(needing)}")
