"""Plans and forks as a file has them."""

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.graph import GraphSpec
from loopwright.graphs.forms.nested_entries import BodyPlanEntry, EachEntry, ParallelEntry, PlanEntry
from loopwright.graphs.forms.node_entries import Entry, HumanEntry
from loopwright.graphs.plan import Fork
from loopwright.nodes.contract import FAILURES, Contract

SAID = {"kind": "graph", "nodes": {"a": {"type": "think", "prompt": "x"}}, "edges": ["a -> end said"]}


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


def sketched(entry: Entry) -> Contract:
    builder = PlanBuilder("p")
    entry.sketch(builder, "n")
    return builder.build().nodes["n"].contract


def test_the_outcomes_of_each_sort_of_node() -> None:
    human = HumanEntry(type="human", text="x", outcomes=("yes", "no"))
    plan = PlanEntry.model_validate({"type": "plan", "plan": SAID})
    fork = ParallelEntry(type="parallel", bodies={"a": human})
    assert (sketched(human).outcomes, sketched(human).failures) == (("yes", "no"), ())
    assert (sketched(plan).outcomes, sketched(plan).failures) == (("said",), FAILURES)
    assert (sketched(fork).outcomes, sketched(fork).failures) == (("done",), ())


def test_a_fork_whose_body_can_fail_has_two_outcomes() -> None:
    plan = {**SAID, "edges": ["a -> fail silent"]}
    fork = ParallelEntry.model_validate({"type": "parallel", "bodies": {"a": {"type": "plan", "plan": plan}}})
    assert sketched(fork).outcomes == ("done", "failed")


def test_a_spec_that_was_made_in_python_can_be_nested() -> None:
    spec = GraphSpec.model_validate(SAID)
    body = BodyPlanEntry(type="plan", plan=spec).body("n")
    assert (body.plan, body.code) == (spec.plan(), {})


def test_the_inputs_of_bodies_side_by_side() -> None:
    body = {"kind": "graph", "channels": {"text": {"type": "str", "input": True}}, "edges": ["a -> end said"]}
    body["nodes"] = {"a": {"type": "think", "prompt": "<{text}>"}}
    data = {"type": "parallel", "bodies": {"a": {"type": "plan", "plan": body}}, "inputs": {"a": {"text": "draft"}}}
    entry = ParallelEntry.model_validate(data)
    assert entry.faults() == []
    assert fork_of(entry).branches["a"].inputs == {"text": "draft"}
    wrong = ParallelEntry.model_validate({**data, "inputs": {"b": {}}})
    assert [str(fault) for fault in wrong.faults()] == ["inputs.b: there is no body 'b' (there is only a)"]
