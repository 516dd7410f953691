"""JSON documents: their keys are a promise, and all that an error holds is in them."""

import json
from dataclasses import asdict, fields

import pytest

from loopwright.cli.documents import error_document, fault_document, question_document, row_document, run_document
from loopwright.errors import Fault, ModelError, PlanError, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.graphs.verify.check import verify
from loopwright.loop.loop import Loop
from loopwright.nodes.wait import Human
from loopwright.state.records import Question, Usage
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

BUDGET_KEYS = ["budget", "spending", "grants", "short"]

ROW_KEYS = [
    "id",
    "name",
    "batch",
    "forked_from",
    "forked_at",
    "status",
    "end",
    "ok",
    "reason",
    "models",
    "visit_count",
    "usage",
    "created",
    "updated",
]


def test_a_row() -> None:
    models: JsonObject = {"default": {"ref": {"model": "gpt-4o-mini"}}, "strong": {"live": "mine"}}
    row = RunRow("r1", "essay", "f", models=models, batch="r1", status="finished", end="good", ok=True, created=1.5)
    document = row_document(row, 3, Usage(calls=2))
    assert list(document) == ROW_KEYS
    assert (document["end"], document["ok"], document["visit_count"]) == ("good", True, 3)
    assert document["models"] == {"default": "gpt-4o-mini", "strong": "mine"}
    assert document["usage"] == asdict(Usage(calls=2))
    assert json.loads(json.dumps(document)) == document


def test_an_end_that_was_not_reached_is_null() -> None:
    assert row_document(RunRow("r1", "essay", "f"), 0, Usage())["end"] is None


def test_a_run_that_waits(store: Store) -> None:
    builder = PlanBuilder("ask").node(Human("ask", text="Good?", outcomes=["yes", "no"]))
    plan = builder.edge("ask", "yes", End("good")).edge("ask", "no", End("bad", ok=False)).build()
    run = Loop(plan).start(store=store)
    document = run_document(run)
    assert list(document) == [*ROW_KEYS, "store", "questions", "suspensions", *BUDGET_KEYS, "extensions", "result"]
    assert (document["status"], document["store"], document["result"]) == ("waiting", "memory:", None)
    (question,) = document["questions"]
    assert list(question) == [field.name for field in fields(Question)]
    assert (question["node"], question["text"]) == ("ask", "Good?")
    assert json.loads(json.dumps(document)) == document


def test_a_question() -> None:
    question = Question("q", "ask", "?", {"type": "integer"}, default=3, shorthand={"yes": 1}, formerly=("p",))
    assert question_document(question) == {**asdict(question), "formerly": ["p"]}


def test_a_fault_says_null_where_its_line_is_not_known() -> None:
    assert fault_document(Fault("no", ("a", 0), "do", "a.yaml", 3)) == {
        "message": "no",
        "key": "a.0",
        "file": "a.yaml",
        "line": 3,
        "hint": "do",
    }
    assert fault_document(Fault("no"))["line"] is None


def test_an_error_holds_its_faults_or_findings() -> None:
    fault = Fault("no", file="a.yaml")
    assert error_document(SourceError([fault])) == {
        "error": {"type": "SourceError", "message": "a.yaml: no", "faults": [fault_document(fault)]}
    }
    assert error_document(ModelError("down")) == {"error": {"type": "ModelError", "message": "down"}}
    findings = verify(PlanBuilder("nothing").build())
    with pytest.raises(PlanError) as caught:
        findings.raise_for_errors()
    assert error_document(caught.value)["error"]["findings"] == findings.to_data()
