"""The JSON documents of the command line. Their keys are a promise: programs read them."""

from dataclasses import asdict
from typing import Any

from loopwright.errors import Fault, LoopwrightError, PlanError, SourceError
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import label_of
from loopwright.graphs.verify.findings import Finding, Findings
from loopwright.state.records import Question, Usage
from loopwright.state.store.runs import RunRow


def row_document(row: RunRow, visit_count: int, usage: Usage) -> dict[str, Any]:
    """A run as the registry knows it, with what it took so far."""
    return {
        "id": row.id,
        "name": row.name,
        "batch": row.batch,
        "forked_from": row.forked_from or None,
        "forked_at": row.forked_at if row.forked_from else None,
        "status": row.status,
        "end": row.end or None,
        "ok": row.ok,
        "reason": row.reason,
        "models": {name: label_of(model) for name, model in row.models.items()},
        "visit_count": visit_count,
        "usage": asdict(usage),
        "created": row.created,
        "updated": row.updated,
    }


def run_document(run: Run) -> dict[str, Any]:
    """A run as it rests: with its questions and its result."""
    row = run.row
    return {
        **row_document(row, run.store.registry.count_visits(run.id), run.usage),
        "store": run.store.url,
        "questions": [question_document(question) for question in row.questions],
        "suspensions": [asdict(suspension) for suspension in run.suspensions],
        "budget": run.budget.limits if run.budget else {},
        "spending": {name: spending._asdict() for name, spending in run.spending.items()},
        "grants": [asdict(grant) for grant in run.grants],
        "short": dict(row.short),
        "extensions": [asdict(extension) for extension in run.extensions],
        "result": run.result,
    }


def question_document(question: Question) -> dict[str, Any]:
    """A question, with the shape of its answer."""
    return {**asdict(question), "formerly": [*question.formerly]}


def error_document(error: LoopwrightError) -> dict[str, Any]:
    """An error, with all that it holds."""
    held: dict[str, Any] = {}
    if isinstance(error, SourceError):
        held = {"faults": [fault_document(fault) for fault in error.faults]}
    if isinstance(error, PlanError):
        held = {"findings": Findings(tuple(item for item in error.findings if isinstance(item, Finding))).to_data()}
    return {"error": {"type": type(error).__name__, "message": str(error), **held}}


def fault_document(fault: Fault) -> dict[str, Any]:
    """A fault, with its place."""
    return {
        "message": fault.message,
        "key": fault.key,
        "file": fault.file,
        "line": fault.line or None,
        "hint": fault.hint,
    }
