"""Contenders, and how their runs are entered, found again, and kept apart."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import RunError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compare.contenders import enter_runs, models_of_all
from loopwright.graphs.compare.problems import Problem
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.models import models_for
from loopwright.nodes.budget import Budget
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think

ONE, TWO = Problem("1", {"sum": "1+1"}), Problem("2", {"sum": "2+2"})


def told(entered: Any) -> list[tuple[str, str, int]]:
    return [(entry.contender.name, entry.problem.name, entry.repetition) for entry in entered.entries]


def test_the_runs_of_a_problem_stand_beside_each_other(contender: Any, store: Any) -> None:
    entered = enter_runs([contender("a"), contender("b", 1)], [ONE, TWO], 2, store)
    assert told(entered) == [
        (name, problem, number) for number in (1, 2) for problem in ("1", "2") for name in ("a", "b")
    ]
    rows = store.registry.batch(entered.batch)
    assert len({row.id for row in rows}) == 8
    assert {(entry.run.row.name, entry.run.row.inputs["sum"]) for entry in entered.entries} == {
        (name, sum) for name in "ab" for sum in ("1+1", "2+2")
    }
    assert all(row.batch == entered.batch and not row.is_begun for row in rows)


def test_a_loops_own_inputs_are_those_of_its_runs(contender: Any, store: Any) -> None:
    own = type(contender("a"))("a", contender("a").program, contender("a").models, {"sum": "9+9"})
    (first, second) = enter_runs([own], [Problem("1", {}), TWO], 1, store).entries
    assert (first.run.row.inputs, second.run.row.inputs) == ({"sum": "9+9"}, {"sum": "2+2"})


def test_what_is_there_is_found_again_and_what_is_missing_is_entered(contender: Any, store: Any) -> None:
    a, b = contender("a"), contender("b", 1)
    first = enter_runs([a], [ONE], 1, store)
    rows = store.registry.batch(first.batch)
    again = enter_runs([a, b], [TWO, ONE], 2, store, rows)
    assert again.batch == first.batch
    assert again.others == 0
    assert len(store.registry.batch(first.batch)) == 8
    by_place = {place: entry.run.id for place, entry in zip(told(again), again.entries, strict=True)}
    assert by_place["a", "1", 1] == first.entries[0].run.id
    third = enter_runs([a, b], [TWO, ONE], 2, store, store.registry.batch(first.batch))
    assert [entry.run.id for entry in third.entries] == [entry.run.id for entry in again.entries]
    part = enter_runs([b], [ONE], 1, store, store.registry.batch(first.batch))
    assert (len(part.entries), part.others) == (1, 7)


def test_problems_that_are_alike_have_runs_of_their_own(contender: Any, store: Any) -> None:
    twin = Problem("twin", ONE.inputs)
    first = enter_runs([contender("a")], [ONE, twin], 1, store)
    again = enter_runs([contender("a")], [ONE, twin], 1, store, store.registry.batch(first.batch))
    ids = [entry.run.id for entry in first.entries]
    assert len(set(ids)) == 2
    assert [entry.run.id for entry in again.entries] == ids


def test_a_contender_that_has_changed_is_refused_and_nothing_is_entered(contender: Any, store: Any) -> None:
    first = enter_runs([contender("a"), contender("b", 1)], [ONE], 1, store)
    rows = store.registry.batch(first.batch)
    with pytest.raises(RunError) as error:
        enter_runs([contender("a", prompt="Add <{sum}>"), contender("b", 2)], [ONE, TWO], 1, store, rows)
    assert str(error.value) == (
        f"'a' is another plan or has other code than in batch {first.batch}; 'b' asked adder 1 in batch {first.batch},"
        " and asks adder 2 now: its runs are left as they are. Compare it under another name, or start a new comparison"
    )
    assert len(store.registry.batch(first.batch)) == 2


def test_each_run_has_a_script_of_its_own(contender: Any, store: Any) -> None:
    scripted = contender("a", model=ScriptedModel({"say": ["only"]}))
    for entry in enter_runs([scripted], [ONE, TWO], 2, store).entries:
        assert entry.run.resume().result == "only"


def plan(*nodes: str) -> Plan:
    builder = PlanBuilder("plan")
    afters: list[str | End] = [*nodes[1:], End("over")]
    for name, after in zip(nodes, afters, strict=True):
        builder.node(Think(name, prompt="Say it.")).edge(name, "done", after)
    return builder.build()


def test_a_script_for_all_has_queues_for_some() -> None:
    script = ScriptedModel({"write": ["w"], "rate": ["r"], "repeat": "last"}, label="both")
    models = models_of_all({"a": plan("write"), "b": plan("write", "rate")}, script, {})
    a, b = models["a"]["default"], models["b"]["default"]
    assert isinstance(a, ScriptedModel)
    assert isinstance(b, ScriptedModel)
    assert (a.queues, b.queues, a.label) == (("write",), ("write", "rate"), "scripted (both)")
    assert a.to_data()["script"] == {"write": ["w"], "repeat": "last"}


def test_a_queue_for_nobody_and_a_contender_without_a_queue_are_told() -> None:
    script = ScriptedModel({"write": ["w"], "wrte": ["r"]})
    with pytest.raises(RunError) as error:
        models_of_all({"a": plan("write"), "b": plan("rate")}, script, {})
    assert str(error.value).splitlines() == [
        "scripted has replies for 'wrte', which is no node that asks a model in any contender",
        "b: scripted has no replies for any of its nodes",
    ]


def test_a_model_that_is_given_goes_before_those_that_contenders_bring() -> None:
    plans = {"a": plan("write"), "b": plan("write")}
    own = ScriptedModel({"default": ["own"]})
    assert models_of_all(plans, None, {"a": own, "b": ModelRef("m")}) == {
        "a": {"default": own},
        "b": {"default": ModelRef("m")},
    }
    assert models_of_all(plans, "given", {"a": own}) == {name: {"default": ModelRef("given")} for name in plans}
    with pytest.raises(RunError) as error:
        models_of_all(plans, None, {"a": own})
    assert str(error.value).startswith("b: no model is given for 'default': ")


def test_a_budget_is_kept_and_is_the_same_when_it_goes_on(contender: Any, store: Any) -> None:
    small, large = (replace(contender("a"), budget=Budget(calls=calls)) for calls in (3, 4))
    first = enter_runs([small], [ONE], 1, store)
    rows = store.registry.batch(first.batch)
    assert [row.budget for row in rows] == [{"calls": 3}]
    with pytest.raises(RunError, match=f"'a' had another budget in batch {first.batch}"):
        enter_runs([large], [ONE], 1, store, rows)
    assert len(enter_runs([small], [ONE, TWO], 1, store, rows).entries) == 2


def test_runs_keep_apart_where_they_are_in_a_recording(contender: Any, store: Any, tmp_path: Path) -> None:
    plain = contender("a")
    models = models_for(plain.plan, Recording(tmp_path / "calls.jsonl", model=ScriptedModel({"default": ["2"]})))
    entered: Any = enter_runs([replace(plain, models=models)], [ONE, TWO], 1, store)
    first, second = (entry.run._models["default"] for entry in entered.entries)
    assert first.track is not second.track
    assert first.source is not second.source
