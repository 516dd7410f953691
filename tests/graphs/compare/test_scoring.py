"""Scores: by a function, whose faults are told with their lines, and by a judge, who never knows whose answer it is."""

import inspect
import sys
from fractions import Fraction
from typing import Any

import pytest

from loopwright.errors import RunError, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compare.problems import Problem
from loopwright.graphs.compare.scoring import Checker, Unscored, judge_inputs, number_of, require_judge
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel

PROBLEM = Problem("1", {"sum": "2+2", "size": 3}, "4")


def line_of(function: Any, shift: int = 0) -> int:
    return inspect.getsourcelines(function)[1] + shift


@pytest.mark.parametrize(
    ("check", "score"),
    [
        (lambda result: result == "4", 1.0),
        (lambda expected, result: result == expected, 1.0),
        (lambda result, size: len(result) / size, 1 / 3),
        (lambda size=7: size, 3.0),
        (lambda style="brief": len(style), 5.0),
        (lambda **everything: len(everything), 4.0),
        (lambda: 7, 7.0),
    ],
)
def test_a_function_is_called_with_what_it_asks_for(check: Any, score: float) -> None:
    checker = Checker(check)
    checker.require_fitting([PROBLEM])
    assert checker.score("4", PROBLEM) == score


def test_a_function_that_asks_for_what_is_not_there_is_refused_at_once() -> None:
    def check(results: str, sum: str, bigness: int) -> bool:
        return bool(results)

    with pytest.raises(SourceError) as error:
        Checker(check).require_fitting([PROBLEM, Problem("2", {"sum": "1+1", "bigness": 2})])
    first, second = error.value.faults
    assert first.message.endswith("takes 'results', which problem 1 and 1 more have not")
    assert first.hint.startswith("did you mean 'result'?")
    assert (first.line, second.message.partition(" takes ")[2]) == (
        line_of(check),
        "'bigness', which problem 1 has not",
    )


class Length:
    """An object that is called."""

    def __call__(self, result: str) -> int:
        return len(result)


def test_whatever_can_be_called_checks() -> None:
    assert Checker(Length()).score("four", PROBLEM) == 4.0


async def awaited(result: str) -> bool:
    return True


def by_place(result: str, /) -> bool:
    return True


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("right", "check= is a function of result, expected and inputs; 'right' is none"),
        (awaited, "awaited is an async function; a check is called and not awaited"),
        (by_place, "by_place takes result by place; a check is called by names"),
        (max, "the parameters of max cannot be read; give a function around it"),
    ],
)
def test_what_is_no_check_is_refused(check: Any, said: str) -> None:
    with pytest.raises(RunError) as error:
        Checker(check)
    assert str(error.value) == said


def divides(result: str) -> float:
    return 1 / (len(result) - 1)


def says(result: Any) -> Any:
    return result


def leaves(result: Any) -> Any:
    del result
    sys.exit(3)


def test_a_function_that_fails_is_told_with_its_line() -> None:
    with pytest.raises(Unscored) as error:
        Checker(divides).score("4", PROBLEM)
    place, _, said = str(error.value).partition(": ")
    assert place.endswith(f"test_scoring.py:{line_of(divides, 1)}")
    assert said == "divides failed: ZeroDivisionError: division by zero"


def test_a_function_that_leaves_the_program_has_failed() -> None:
    with pytest.raises(Unscored, match="leaves failed: SystemExit: 3"):
        Checker(leaves).score("4", PROBLEM)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (float("nan"), "nan, which is no finite number"),
        (float("-inf"), "-inf, which is no finite number"),
        (-1.7e308, "a number larger than 1e+100, which is too large to be compared"),
        (10**400, "a number larger than 1e+100, which is too large to be compared"),
        ("8/10", "'8/10', which is no number"),
        (None, "None, which is no number"),
        ([1], "[1], which is no number"),
        ("x" * 200, f"'{'x' * 78}…, which is no number"),
    ],
)
def test_a_function_that_returns_no_number_is_told_with_its_line(value: Any, said: str) -> None:
    with pytest.raises(Unscored) as error:
        Checker(says).score(value, PROBLEM)
    assert str(error.value).endswith(f"test_scoring.py:{line_of(says)}: says returned {said}")


class Single:
    """A number as numpy has them."""

    def item(self) -> float:
        return 0.5


def test_numbers_of_other_libraries_are_numbers() -> None:
    assert (number_of(Single()), number_of(False), number_of(3)) == (0.5, 0.0, 3.0)
    with pytest.raises(ValueError, match="no number"):
        number_of(Fraction(1, 2))


def judge(*inputs: Channel) -> Plan:
    plan = PlanBuilder("judge", [*inputs, Channel("score", int)], result="score")
    plan.node(Think("rate", prompt="Rate it.", writes="score")).edge("rate", "done", End("rated"))
    return plan.build()


ANSWER = Channel("answer", str, input=True)


def test_a_judge_takes_an_answer_and_nothing_that_it_is_not_given() -> None:
    require_judge(judge(ANSWER, Channel("problem", str, input=True), Channel("expected", str, input=True)))
    require_judge(judge(ANSWER, Channel("scale", int, input=True, default=10)))
    with pytest.raises(RunError, match=r"the judge 'judge' has no input 'answer'; .* and has the inputs: text"):
        require_judge(judge(Channel("text", str, input=True)))
    with pytest.raises(
        RunError, match="the judge 'judge' needs 'contender'; a judge is given problem, answer, expected"
    ):
        require_judge(judge(ANSWER, Channel("contender", str, input=True)))


def test_a_judge_is_given_the_problem_and_the_answer() -> None:
    plan = judge(ANSWER, Channel("problem", str, input=True), Channel("expected", str, input=True, default="?"))
    one = Problem("1", {"sum": "2+2"}, "4")
    assert judge_inputs(plan, one, "four") == {"answer": "four", "problem": "2+2", "expected": "4"}
    assert judge_inputs(plan, PROBLEM, {"said": "é"}) == {
        "answer": '{"said": "é"}',
        "problem": '{"sum": "2+2", "size": 3}',
        "expected": "4",
    }
    assert "expected" not in judge_inputs(plan, Problem("1", {"sum": "2+2"}), "four")
    whole = judge(Channel("answer", dict, input=True), Channel("problem", dict, input=True))
    assert judge_inputs(whole, PROBLEM, {"said": 4}) == {"answer": {"said": 4}, "problem": PROBLEM.inputs}


def test_an_answer_that_a_judge_does_not_take_is_not_scored() -> None:
    with pytest.raises(Unscored, match="the judge's input 'answer' does not take it: "):
        judge_inputs(judge(Channel("answer", int, input=True)), PROBLEM, "four")
    with pytest.raises(Unscored, match="the judge's input 'expected' does not take it: "):
        judge_inputs(judge(ANSWER, Channel("expected", str, input=True)), Problem("1", {"sum": "2+2"}), "four")
