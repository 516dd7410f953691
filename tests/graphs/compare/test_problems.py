"""Problems that fit every contender, and everything that is wrong with those that do not."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from loopwright.errors import Fault, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compare.problems import Problem, Taker, fitting_problems
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel

WORDS = Channel("words", str, input=True)
SIZE = Channel("size", int, input=True, default=3)


def taker(name: str, *inputs: Channel, **own: Any) -> Taker:
    plan = PlanBuilder(name, [*inputs, Channel("said", str)], result="said")
    plan.node(Think("say", prompt="Say it.", writes="said")).edge("say", "done", End("said"))
    return Taker(name, plan.build(), own)


A, B = taker("a", WORDS, SIZE), taker("b", WORDS, SIZE)


def faults(data: Any, *takers: Taker, **options: Any) -> list[Fault]:
    with pytest.raises(SourceError) as error:
        fitting_problems(data, takers or (A, B), **options)
    return list(error.value.faults)


def test_problems_are_inputs_with_a_name_and_what_is_expected() -> None:
    data = [{"words": "x"}, {"words": "y", "size": 4, "name": "second", "expected": {"a": [1]}}]
    assert fitting_problems(data, [A, B]) == [
        Problem("1", {"words": "x"}),
        Problem("second", {"words": "y", "size": 4}, {"a": [1]}),
    ]


def test_values_of_python_become_json() -> None:
    (found,) = fitting_problems(({"words": "x", "expected": date(2026, 11, 30)},), [A])
    assert found.expected == "2026-11-30"


@pytest.mark.parametrize("data", [None, [], {"words": "x"}, "words", 3])
def test_what_is_no_list_is_refused(data: Any) -> None:
    assert faults(data) == [Fault("this is no list of problems", (), "a list of mappings, from inputs to values")]


def test_all_faults_are_told_with_their_places() -> None:
    data = [{"wods": "x"}, 7, {"words": 3, "size": "many"}, {"words": "x", "name": True}]
    assert faults(data) == [
        Fault("there is no input 'wods'", (0, "wods"), "did you mean 'words'? there are: expected, name, size, words"),
        Fault("input 'words' is missing", (0,), "needed by a, b"),
        Fault("expected a mapping, from inputs to values", (1,)),
        Fault('3 is not of type "string"', (2, "words"), "a takes str"),
        Fault('"many" is not of type "integer"', (2, "size"), "a takes int"),
        Fault("a name is a text; True is none", (3, "name")),
    ]


def test_two_problems_of_one_name_are_told() -> None:
    assert faults([{"words": "x", "name": "2"}, {"words": "y"}]) == [
        Fault("the problem of number 1 is called '2', too", (1, "name"))
    ]


def test_an_input_that_only_some_contenders_have_is_told() -> None:
    hint = "a has it; all contenders are given the same"
    assert faults([{"words": "x", "size": 2}], A, taker("c", WORDS), taker("d", WORDS)) == [
        Fault("c, d has no input 'size'", (0, "size"), hint)
    ]


def test_each_contender_is_asked_what_it_takes() -> None:
    text = Channel("size", str, input=True, default="")
    (fault,) = faults([{"words": "x", "size": 3}], A, taker("c", WORDS, text))
    assert fault == Fault('3 is not of type "string"', (0, "size"), "c takes str")


def test_what_a_loop_has_by_itself_need_not_be_given() -> None:
    c = taker("c", WORDS, words="own")
    assert fitting_problems([{"expected": 1}], [c]) == [Problem("1", {}, 1)]
    assert faults([{}], A, c) == [Fault("input 'words' is missing", (0,), "needed by a")]


def test_an_input_that_is_called_name_is_an_input() -> None:
    named = taker("c", Channel("name", str, input=True))
    assert fitting_problems([{"name": "Ada"}, {"name": "Ada"}], [named]) == [
        Problem("1", {"name": "Ada"}),
        Problem("2", {"name": "Ada"}),
    ]


def test_nobody_is_told_what_is_expected() -> None:
    (fault,) = faults([{"expected": 1}], taker("c", Channel("expected", str, input=True)))
    assert fault.message == "c takes an input 'expected', and would be told what is expected of it"


def test_texts_become_what_inputs_take() -> None:
    (found,) = fitting_problems([{"words": "12", "size": "12", "expected": "12"}], [A], texts=True)
    assert found == Problem("1", {"words": "12", "size": 12}, "12")
    (fault,) = faults([{"words": "x", "size": "twelve"}], A, texts=True)
    assert (fault.path, fault.hint) == ((0, "size"), "a takes int")


def test_what_is_expected_becomes_what_the_results_are() -> None:
    def expected(*types: Any, texts: tuple[str, ...] = ("4", "5")) -> list[Any]:
        takers = [replace(A, name=str(place), plan=_counting(type_)) for place, type_ in enumerate(types)]
        data = [{"words": "x", "expected": text} for text in texts]
        return [problem.expected for problem in fitting_problems(data, takers, texts=True)]

    assert expected(int, int) == [4, 5]
    assert expected(str, str) == ["4", "5"]
    assert expected(int, str) == ["4", "5"]
    assert expected(int, Any) == ["4", "5"]
    assert expected(int, int, texts=("4", "about 5")) == ["4", "about 5"]


def _counting(type_: Any) -> Plan:
    plan = PlanBuilder("counting", [WORDS, Channel("said", type_)], result="said")
    plan.node(Think("say", prompt="Say it.", output=None if type_ in (str, Any) else type_, writes="said"))
    return plan.edge("say", "done", End("said")).build()


def test_a_flood_of_faults_is_counted() -> None:
    found = faults([{}] * 250)
    assert (len(found), found[-1].message) == (101, "and 150 more faults")
