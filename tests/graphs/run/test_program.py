"""A plan with its code: what is proved about it, once, and a machine that is made when a run goes on."""

import pytest

from loopwright.errors import PlanError, RunError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.program import Program
from loopwright.graphs.run.session import Machine
from loopwright.graphs.verify.findings import Place
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.think import Judge, Think

FINE = PlanBuilder("fine").node(Think("write", prompt="?")).edge("write", "done", End("end")).build()
BROKEN = PlanBuilder("broken").node(Judge("look", prompt="?", outcomes=["a", "b"])).edge("look", "a", End("e")).build()


def lines(place: Place) -> tuple[str, int]:
    return ("plan.yaml", 7 if place[:2] == ("nodes", "look") else 1)


def test_findings_are_told_with_their_lines() -> None:
    (finding,) = Program(BROKEN, {}, lines).findings
    assert (finding.code, finding.file, finding.line) == ("missing-edge", "plan.yaml", 7)
    (finding,) = Program(BROKEN, {}).findings
    assert (finding.code, finding.file, finding.line) == ("missing-edge", "", 0)


def test_a_plan_with_errors_has_neither_certificate_nor_machine() -> None:
    program = Program(BROKEN, {}, lines)
    for _ in range(2):
        with pytest.raises(PlanError, match=r"plan\.yaml:7: 'look' \[b\] leads nowhere"):
            _ = program.machine
    with pytest.raises(PlanError, match="missing-edge"):
        _ = Program(BROKEN, {}).certificate


def test_each_part_is_made_once() -> None:
    program = Program(FINE, {})
    assert program.certificate.visits == 1
    assert program.certificate is program.certificate
    assert isinstance(program.machine, Machine)
    assert program.machine is program.machine


def test_code_that_is_not_there_is_missed_before_a_run() -> None:
    node = CodeNode("act", code=CodeRef("act()", "1"))
    plan: Plan = PlanBuilder("act").node(node).edge("act", "done", End("end")).build()
    assert Program(plan, {}).certificate.visits == 1
    with pytest.raises(RunError, match=r"names code that is not here \('act\(\)'\): open the run with loop="):
        _ = Program(plan, {"other": print}).machine


def test_a_run_that_was_given_more_has_a_program_of_its_own() -> None:
    builder = PlanBuilder("again").node(Judge("judge", prompt="Good?", outcomes=["yes", "no"]))
    builder.edge("judge", "yes", End("good"))
    builder.edge("judge", "no", "judge", at_most=1, bound="tries", then=End("bad", ok=False))
    program = Program(builder.build(), {})
    more = program.given_more({"tries": 2})
    assert program.given_more({}) is program
    assert program.given_more({"tries": 2}) is more
    assert (program.certificate.calls, more.certificate.calls) == (2, 4)
