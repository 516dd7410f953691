"""Scoring: what an answer is worth, by a function or by a judge, a loop of its own."""

import inspect
import json
import math
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from loopwright.errors import Fault, RunError, SourceError
from loopwright.graphs.compare.problems import EXPECTED, Problem
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.state.channels import Channel
from loopwright.state.schema import check_for
from loopwright.state.values import Json, JsonObject

RESULT = "result"
PROBLEM, ANSWER = "problem", "answer"
"""What a judge is given, beside `expected`."""


MOST = 1e100
"""The size that a score may have; the square of what is larger, which an interval takes, is no number."""


class Unscored(Exception):
    """An answer that could not be scored; the words say why and where."""


class Checker:
    """A function that says what an answer is worth.

    It is called by name, with as much as its parameters ask for: `result`, what the run came to; `expected`; and the
    problem's inputs.

    Args:
        function: The function; it returns a number, or a bool.

    Raises:
        RunError: It is no function, is awaited, or has parameters without names.

    Example:
        >>> check = Checker(lambda result, expected: result.strip() == expected)
        >>> check.score(" 4\\n", Problem("1", {"sum": "2+2"}, "4"))
        1.0
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise RunError(f"check= is a function of result, expected and inputs; {function!r} is none")
        if inspect.iscoroutinefunction(function):
            raise RunError(f"{_name_of(function)} is an async function; a check is called and not awaited")
        self._function = function
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:
            raise RunError(
                f"the parameters of {_name_of(function)} cannot be read; give a function around it"
            ) from None
        nameless = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.VAR_POSITIONAL)]
        if nameless:
            raise RunError(f"{_name_of(function)} takes {', '.join(nameless)} by place; a check is called by names")
        self._takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters)
        self._takes = {
            each.name: each.default is each.empty for each in parameters if each.kind is not each.VAR_KEYWORD
        }

    def require_fitting(self, problems: Sequence[Problem]) -> None:
        """Refuse a function that asks for what problems do not have.

        Raises:
            SourceError: A parameter is no input of a problem; all such are told.
        """
        faults = []
        for parameter, needed in self._takes.items():
            without = [problem.name for problem in problems if needed and parameter not in self._given(None, problem)]
            if without:
                known = [RESULT, EXPECTED, *dict.fromkeys(name for problem in problems for name in problem.inputs)]
                whose = f"problem {without[0]}" + (f" and {len(without) - 1} more have" if without[1:] else " has")
                message = f"{_name_of(self._function)} takes {parameter!r}, which {whose} not"
                file, line = _place_of(self._function)
                faults.append(Fault(message, (), did_you_mean(parameter, known), file, line))
        if faults:
            raise SourceError(faults)

    def score(self, result: Any, problem: Problem) -> float:
        """What an answer is worth.

        Raises:
            Unscored: The function failed, or returned no number.
        """
        given = self._given(result, problem)
        try:
            said = self._function(
                **{name: value for name, value in given.items() if self._takes_all or name in self._takes}
            )
        except (Exception, SystemExit) as error:  # a check that leaves by sys.exit does not end the comparison
            frame = traceback.extract_tb(error.__traceback__)[-1]
            raise Unscored(
                f"{_shown(frame.filename)}:{frame.lineno}: {_name_of(self._function)} failed:"
                f" {type(error).__name__}: {error}"
            ) from error
        try:
            return number_of(said)
        except ValueError as error:
            file, line = _place_of(self._function)
            place = f"{file}:{line}: " if file else ""
            raise Unscored(f"{place}{_name_of(self._function)} returned {error}") from error

    @staticmethod
    def _given(result: Any, problem: Problem) -> dict[str, Any]:
        return {**problem.inputs, RESULT: result, EXPECTED: problem.expected}


def number_of(value: Any) -> float:
    """The number that a score is; True is 1 and False is 0.

    Raises:
        ValueError: It is none; in words.

    Example:
        >>> number_of(True), number_of(7)
        (1.0, 7.0)
        >>> number_of("7")
        Traceback (most recent call last):
        ValueError: '7', which is no number
    """
    item = getattr(value, "item", None)  # numbers and bools of numpy have it
    plain = item() if callable(item) and not isinstance(value, int | float) else value
    if not isinstance(plain, int | float):
        said = repr(value)
        raise ValueError(f"{said if len(said) <= 80 else f'{said[:79]}…'}, which is no number")
    if isinstance(plain, float) and not math.isfinite(plain):
        raise ValueError(f"{plain!r}, which is no finite number")
    if abs(plain) > MOST:
        raise ValueError(f"a number larger than {MOST:g}, which is too large to be compared")
    return float(plain)


def _name_of(function: Any) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)


def _place_of(function: Any) -> tuple[str, int]:
    """The file and the line of a function, as far as they are known."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (_shown(code.co_filename), code.co_firstlineno) if code else ("", 0)


def _shown(file: str) -> str:
    """A file's name, from the current folder where it is below that."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file


def require_judge(plan: Plan) -> None:
    """Refuse a loop that cannot judge.

    Raises:
        RunError: It takes no answer, or needs inputs that no judge is given.
    """
    known = (PROBLEM, ANSWER, EXPECTED)
    inputs = {channel.name: channel for channel in plan.inputs}
    if ANSWER not in inputs:
        raise RunError(
            f"the judge {plan.name!r} has no input 'answer'; a judge is given {', '.join(known)}, as far as it takes"
            f" them, and has the inputs: {', '.join(inputs) or 'none'}"
        )
    wanting = [name for name, channel in inputs.items() if name not in known and not channel.always_there]
    if wanting:
        raise RunError(
            f"the judge {plan.name!r} needs {', '.join(map(repr, wanting))}; a judge is given {', '.join(known)} alone"
        )


def judge_inputs(plan: Plan, problem: Problem, answer: Json) -> JsonObject:
    """What a judge is given of an answer: nothing says whose it is.

    A problem of one input is that input's value, any other the mapping of its inputs; where the judge takes a text and
    the value is none, it is the value as JSON.

    Args:
        plan: The judge's plan.
        problem: The problem.
        answer: The answer.

    Raises:
        Unscored: A value does not fit the judge's input.
    """
    whole: Json = problem.inputs
    if len(problem.inputs) == 1:
        (whole,) = problem.inputs.values()
    values = {PROBLEM: whole, ANSWER: answer, EXPECTED: problem.expected}
    taken = [channel for channel in plan.inputs if channel.name in values]
    return {
        channel.name: _fitting(channel, values[channel.name])
        for channel in taken
        if values[channel.name] is not None or not channel.always_there
    }


def _fitting(channel: Channel, value: Json) -> Json:
    check = check_for(channel.type)
    tried = [value] if value is None or isinstance(value, str) else [value, json.dumps(value, ensure_ascii=False)]
    for each in tried:
        try:
            check(each)
        except ValueError as error:
            why = error
        else:
            return each
    raise Unscored(f"the judge's input {channel.name!r} does not take it: {why}")
