"""`compare` and `acompare`: what they take, and what they refuse before anything is started."""

import asyncio
import inspect
from typing import Any

import pytest

from loopwright.errors import PlanError, RunError, SourceError
from loopwright.graphs.plan import End
from loopwright.loop.compare import acompare, compare
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store

PROBLEMS = [{"sum": "2+2", "expected": "4"}, {"sum": "1+3", "expected": "4"}]


def loop(reply: str = "4", *, model: bool = True, **fields: Any) -> Loop[Any]:
    plan = PlanBuilder("adder", [Channel("sum", str, input=True), Channel("said", str)], result="said")
    plan.node(Think("say", prompt="<{sum}>", writes="said")).edge("say", "done", End("said"))
    given = ScriptedModel({"say": [reply]}) if model else None
    return Loop(plan.build(), model=given, **fields)


def judge(score: int | None = 7) -> Loop[Any]:
    plan = PlanBuilder("judge", [Channel("answer", str, input=True), Channel("score", int)], result="score")
    plan.node(Think("rate", prompt="<{answer}>", output=int, writes="score")).edge("rate", "done", End("rated"))
    return plan.loop(model=None if score is None else ScriptedModel({"rate": [score]}))


def right(result: str, expected: str) -> bool:
    return result == expected


def test_both_compare_alike(tmp_path: Any) -> None:
    contenders = {"a": loop("4"), "b": loop("5")}
    one = compare(contenders, problems=PROBLEMS, check=right, repeat=2)
    other = asyncio.run(acompare(contenders, problems=PROBLEMS, check=right, repeat=2, at_once=3))
    assert [standing.quality for standing in one.contenders] == [standing.quality for standing in other.contenders]
    assert len(one.rows) == 8
    parameters = [dict(inspect.signature(function).parameters) for function in (compare, acompare)]
    assert parameters[1].pop("at_once").default == 1
    assert parameters[0] == parameters[1]


def test_it_goes_on_with_what_a_store_has(tmp_path: Any) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    first = compare({"a": loop(), "b": loop("5")}, problems=PROBLEMS[:1], check=right, store=url)
    second = compare(
        {"a": loop(), "c": loop("6"), "b": loop("5")}, problems=PROBLEMS, check=right, store=url, batch=first.batch[:4]
    )
    assert (first.batch, len(second.rows)) == (second.batch, 6)
    assert {row["run"] for row in first.rows} < {row["run"] for row in second.rows}
    with Store(url) as store:
        assert len(store.registry.batch(first.batch)) == 6


def test_a_store_that_is_open_stays_open(store: Store) -> None:
    found = compare({"a": loop(), "b": loop("5")}, problems=PROBLEMS, check=right, store=store)
    assert len(store.registry.batch(found.batch)) == 4


def test_models_are_given_to_all_and_to_the_judge() -> None:
    contenders = {"a": loop(model=False), "b": loop(model=False)}
    found = compare(
        contenders,
        problems=PROBLEMS,
        judge=judge(None),
        model=ScriptedModel({"say": ["4"]}),
        judge_model=ScriptedModel({"rate": [3]}),
    )
    assert [standing.quality and standing.quality.mean for standing in found.contenders] == [3.0, 3.0]


def test_problems_may_stand_in_a_file(tmp_path: Any) -> None:
    (tmp_path / "sums.csv").write_text("sum,expected\n2+2,4\n")
    found = compare({"a": loop(), "b": loop("5")}, problems=tmp_path / "sums.csv", check=right)
    assert [row["score"] for row in found.rows] == [1.0, 0.0]


def test_a_loops_own_inputs_hold_where_problems_leave_them_out() -> None:
    contenders = {"a": loop(inputs=[{"sum": "3+1"}]), "b": loop(inputs=[{"sum": "3+1"}])}
    assert len(compare(contenders, problems=[{"expected": "4"}], check=right).rows) == 2
    several = {"a": loop(inputs=[{"sum": "3+1"}, {"sum": "1+1"}]), "b": loop()}
    with pytest.raises(SourceError, match="input 'sum' is missing"):
        compare(several, problems=[{"expected": "4"}], check=right)


def test_what_has_no_answer_may_be_left_out() -> None:
    contenders = {"a": loop(), "b": loop(model=False)}
    contenders["b"].model = ScriptedModel({"say": [{"error": "503"}]})
    assert [each.quality for each in compare(contenders, problems=PROBLEMS, check=right, no_answer=None).contenders][
        1:
    ] == [None]
    scored = compare(contenders, problems=PROBLEMS, check=right, no_answer=-1.0).contenders[1].quality
    assert scored is not None
    assert scored.mean == -1.0


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"contenders": {"a": loop()}}, RunError, "a comparison has at least two contenders; there is a"),
        ({"contenders": {}}, RunError, "a comparison has at least two contenders; there is none"),
        ({"contenders": [loop(), loop()]}, RunError, "contenders are a mapping from names to loops; "),
        ({"contenders": {"a": loop(), "b": "b.yaml"}}, RunError, "contenders are a mapping from names to loops; "),
        ({"check": None}, RunError, "by check= or by judge=, and by one of them"),
        ({"judge": judge()}, RunError, "by check= or by judge=, and by one of them"),
        ({"check": None, "judge": loop()}, RunError, "the judge 'adder' has no input 'answer'"),
        ({"check": None, "judge": judge(None)}, RunError, "the judge: no model is given for 'default'"),
        ({"contenders": {"a": loop(), "b": loop(model=False)}}, RunError, "b: no model is given for 'default'"),
        ({"repeat": 0}, RunError, "repeat is how often each contender gets each problem, at least 1; 0 is not"),
        ({"repeat": True}, RunError, "at least 1; True is not"),
        ({"no_answer": float("nan")}, RunError, "no_answer is nan, which is no finite number"),
        ({"problems": []}, SourceError, "this is no list of problems"),
        ({"problems": [{"sum": 4}]}, SourceError, '0.sum: 4 is not of type "string"'),
        ({"check": lambda results: 1}, SourceError, "takes 'results', which problem 1 and 1 more have not"),
        ({"batch": "b7c0"}, Exception, "there is no batch 'b7c0'"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_started(
    changes: dict[str, Any], error: type[Exception], said: str, store: Store
) -> None:
    given: dict[str, Any] = {"contenders": {"a": loop(), "b": loop("5")}, "problems": PROBLEMS, "check": right}
    given |= changes
    with pytest.raises(error) as refused:
        compare(given.pop("contenders"), **given, store=store)
    assert said in str(refused.value)
    assert list(store.registry.all()) == []


def test_a_loop_with_findings_is_refused() -> None:
    plan = PlanBuilder("broken", [Channel("sum", str, input=True)]).node(Think("say", prompt="<{sum}>"))
    with pytest.raises(PlanError):
        compare({"a": loop(), "b": plan.loop()}, problems=PROBLEMS, check=right)
