"""Annotations: a workflow command for every finding and every fault, with nothing in it that would end it early."""

from loopwright.cli.annotations import annotation, annotations_of, annotations_of_error
from loopwright.errors import Fault, PlanError, RunError, SourceError
from loopwright.graphs.verify.findings import Finding


def test_what_would_end_a_command_is_escaped() -> None:
    assert annotation("error", "a: b, 100%", "one\r\ntwo: 100%", "a,b.py") == (
        "::error file=a%2Cb.py,title=a%3A b%2C 100%25::one%0D%0Atwo: 100%25"
    )


def test_findings_have_their_place_hint_and_path() -> None:
    found = Finding("trap", "error", "no end", "lead it on", ("c",), ("a", "c"), file="app.py", line=3)
    assert annotations_of([found, Finding("dead-end", "warning", "nothing")], "talk") == [
        "::error file=app.py,line=3,title=trap in talk::no end%0Alead it on%0Apath: a -> c",
        "::warning title=dead-end in talk::nothing",
    ]


def test_errors_are_told_fault_by_fault() -> None:
    faults = [Fault("no such role", ("stop", "role"), "there is: boss", "x.yaml", 5), Fault("empty")]
    assert annotations_of_error(SourceError(faults)) == [
        "::error file=x.yaml,line=5,title=loopwright::stop.role: no such role%0Athere is: boss",
        "::error title=loopwright::empty",
    ]
    assert annotations_of_error(PlanError("x", (Finding("trap", "error", "no end"),))) == [
        "::error title=trap in the plan::no end"
    ]
    assert annotations_of_error(RunError("gone")) == ["::error title=loopwright::gone"]
