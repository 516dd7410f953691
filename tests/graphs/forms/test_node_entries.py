"""Nodes as a file has them, held against the nodes themselves."""

import dataclasses

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.graph import GraphSpec
from loopwright.graphs.forms.node_entries import (
    BodyPlanEntry,
    EachEntry,
    Entry,
    HumanEntry,
    JudgeEntry,
    NodeEntry,
    ParallelEntry,
    PlanEntry,
    ThinkEntry,
    WaitEntry,
)
from loopwright.graphs.plan import Fork, Plan
from loopwright.nodes.contract import FAILURES, Node
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait

SAID = {"kind": "graph", "nodes": {"a": {"type": "think", "prompt": "x"}}, "edges": ["a -> end said"]}


@pytest.mark.parametrize(
    ("entry", "node"), [(ThinkEntry, Think), (JudgeEntry, Judge), (HumanEntry, Human), (WaitEntry, Wait)]
)
def test_a_file_has_every_field_of_the_node_and_no_other(entry: type[Entry], node: type[Node]) -> None:
    fields = {field.name for field in dataclasses.fields(node) if field.name != "name"}  # type: ignore[arg-type]
    assert set(entry.model_fields) == fields | {"type"}


@pytest.mark.parametrize(
    ("entry", "data", "node"),
    [
        (ThinkEntry, {"prompt": "x"}, Think("n", prompt="x")),
        (
            ThinkEntry,
            {"prompt": "x", "system": "s", "model": "m", "writes": ["a", "b"], "output": {"type": "object"}},
            Think("n", prompt="x", system="s", model="m", writes=("a", "b"), output={"type": "object"}),
        ),
        (JudgeEntry, {"prompt": "x", "outcomes": ["a"]}, Judge("n", prompt="x", outcomes=("a",))),
        (
            JudgeEntry,
            {"prompt": "x", "score": [1, 10], "writes": "s"},
            Judge("n", prompt="x", score=(1, 10), writes="s"),
        ),
        (
            HumanEntry,
            {"text": "x", "outcomes": ["a", "b"], "default": "b", "on_text": "a"},
            Human("n", text="x", outcomes=("a", "b"), default="b", on_text="a"),
        ),
        (HumanEntry, {"text": "x"}, Human("n", text="x")),
        (
            WaitEntry,
            {"text": "x", "reply": "int", "source": "timer", "writes": "a"},
            Wait("n", text="x", reply={"type": "integer"}, source="timer", writes="a"),
        ),
    ],
)
def test_what_a_node_becomes(entry: type[NodeEntry], data: dict[str, object], node: Node) -> None:
    word = entry.model_fields["type"].annotation.__args__[0]  # type: ignore[union-attr]
    made = entry.model_validate({"type": word, **data}).body("n")
    assert made == node


def fork_of(entry: EachEntry | ParallelEntry) -> Fork:
    builder = PlanBuilder("p")
    entry.place(builder, "f")
    fork = builder.build().nodes["f"].node
    assert isinstance(fork, Fork)
    return fork


def test_each_has_the_forks_name_in_its_body() -> None:
    entry = EachEntry.model_validate(
        {
            "type": "each",
            "over": "options",
            "as": "option",
            "do": {"type": "judge", "prompt": "<{option}>", "score": [1, 10]},
            "collect": "ratings",
            "at_most": 5,
            "inputs": {"a": "b"},
        }
    )
    fork = fork_of(entry)
    assert (fork.kind, fork.over, fork.as_, fork.collect, fork.at_most) == ("each", "options", "option", "ratings", 5)
    assert list(fork.branches[""].plan.nodes) == ["f"]
    assert fork.branches[""].inputs == {"a": "b"}


def test_parallel_has_the_bodies_by_name() -> None:
    entry = ParallelEntry.model_validate(
        {"type": "parallel", "bodies": {"a": {"type": "think", "prompt": "x"}, "b": {"type": "plan", "plan": SAID}}}
    )
    fork = fork_of(entry)
    assert {key: list(branch.plan.nodes) for key, branch in fork.branches.items()} == {"a": ["a"], "b": ["a"]}
    assert fork.collect == "f"


def test_the_outcomes_of_each_sort_of_node() -> None:
    think = ThinkEntry(type="think", prompt="x")
    human = HumanEntry(type="human", text="x", outcomes=("yes", "no"))
    plan = PlanEntry.model_validate({"type": "plan", "plan": SAID})
    fork = ParallelEntry(type="parallel", bodies={"a": human})
    assert think.outcomes_of("n") == (("done",), FAILURES)
    assert human.outcomes_of("n") == (("yes", "no"), ())
    assert plan.outcomes_of("n") == (("said",), FAILURES)
    assert fork.outcomes_of("n") == (("done",), ())


def test_a_fork_whose_body_can_fail_has_two_outcomes() -> None:
    plan = {**SAID, "edges": ["a -> fail silent"]}
    fork = ParallelEntry.model_validate({"type": "parallel", "bodies": {"a": {"type": "plan", "plan": plan}}})
    assert fork.outcomes_of("n") == (("done", "failed"), ())


def test_a_spec_that_was_made_in_python_can_be_nested() -> None:
    spec = GraphSpec.model_validate(SAID)
    body = BodyPlanEntry(type="plan", plan=spec).body("n")
    assert isinstance(body, Plan)
    assert body == spec.plan()
