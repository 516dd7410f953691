"""The plan of a pipeline, and what is wrong with its steps."""

from typing import Any

import pytest

from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.pipeline import PipelineSettings, Step
from loopwright.graphs.plan import End
from loopwright.graphs.verify.check import verify

NO = End("no", ok=False)


def settings(*steps: Step, **more: Any) -> PipelineSettings:
    return PipelineSettings("p", steps, **more)


def told(*steps: Step, **more: Any) -> list[tuple[str, str]]:
    return [(fault.key, fault.message) for fault in settings(*steps, **more).faults()]


def step(name: str, **fields: Any) -> Step:
    return Step(name, **fields)


@pytest.mark.parametrize(
    ("steps", "key", "message"),
    [
        ([step("a"), step("a")], "steps.1", "there are two steps 'a'"),
        ([step("question")], "steps.0", "no step can be named 'question'"),
        ([step("a", needs=("x",))], "steps.0.needs", "there is no step 'x'"),
        ([step("a", carry=("x",))], "steps.0.carry", "no step 'x' comes before it"),
        ([step("a"), step("b", needs=(), carry=("a",))], "steps.1.carry", "no step 'a' comes before it"),
        ([step("a", prompt="<{b}>"), step("b")], "steps.0.prompt", "a prompt has no placeholder <{b}>"),
        ([step("a", model="big")], "steps.0", "there is no model 'big'"),
        ([step("a", verdict={"x": "b"})], "steps.0.verdict.x", "there is no step 'b'"),
        (
            [step("a", needs=()), step("b", verdict={"x": "next"})],
            "steps.1",
            "a verdict leads on in a row, and some steps say what they need",
        ),
    ],
)
def test_faults_have_their_place(steps: list[Step], key: str, message: str) -> None:
    assert (key, message) in told(*steps)


@pytest.mark.parametrize("name", ["next", "finished", "a/b", "a + b", "b is handed", " ", "a\nb"])
def test_names_that_no_step_can_have(name: str) -> None:
    assert [key for key, _ in told(step(name), step("b", carry="summary"))] == ["steps.0"]


@pytest.mark.parametrize("end", [End("finished", ok=False), End("given_up"), End("a")])
def test_ends_that_no_verdict_can_have(end: End) -> None:
    fault = ("steps.1.verdict.no", f"{end.name!r} is a step, or an end already")
    assert fault in told(step("a"), step("b", verdict={"no": end, "yes": "next"}))


def test_a_circle_has_its_way() -> None:
    circle = told(step("a", needs=("b",)), step("b", needs=("a",)))
    assert circle == [("steps.0.needs", "steps need each other in a circle: 'a' needs 'b' needs 'a'")]


@pytest.mark.parametrize(
    "steps",
    [
        [step("a")],
        [step("a"), step("b", carry="all"), step("c", carry=("a", "question"), prompt="<{b}>")],
        [step("a", needs=()), step("b", needs=()), step("c", needs=("a", "b"), carry="summary")],
        [
            step("a"),
            step("b", verdict={"again": "a", "skip": "d", "on": "next", "no": End("no", ok=False)}),
            step("c"),
            step("d"),
        ],
        [step("a"), step("b", needs=("a",)), step("c", needs=("a",), carry="summary"), step("d", needs=("b", "c"))],
    ],
)
def test_its_plan_has_no_findings(steps: list[Step]) -> None:
    made = settings(*steps)
    assert made.faults() == []
    plan = made.builder().build()
    assert list(verify(plan)) == []
    assert certify(plan).calls is not None


def test_steps_side_by_side_are_a_fork() -> None:
    plan = settings(step("a", needs=()), step("b", needs=()), step("c", needs=("b", "a"))).builder().build()
    assert list(plan.nodes) == ["a + b", "c"]
    assert plan.nodes["c"].contract.reads == ("question", "a + b")
    assert certify(plan).calls == 3


def test_a_verdict_leads_where_it_says() -> None:
    verdict = {"again": "a", "skip": "d", "no": End("no", ok=False)}
    plan = settings(step("a"), step("b", verdict=verdict, at_most=2), step("c"), step("d")).builder().build()
    assert {(edge.outcome, edge.way.target) for edge in plan.edges if edge.source == "b"} == {
        ("again", "a"),
        ("skip", "d"),
        ("no", "no"),
    }
    assert (plan.bounds["b again"].at_most, plan.bounds["b again"].then.target) == (2, "given_up")
