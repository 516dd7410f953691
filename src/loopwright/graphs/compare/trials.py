"""Trials: what is told of one run of a comparison, read from the store."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from loopwright.graphs.compare.contenders import Entry, labels_of
from loopwright.state.records import Status, Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.values import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a comparison.

    Args:
        contender: Whose run it is.
        problem: The problem's name.
        repetition: Which of several runs of the same it is, counted from 1.
        score: What its answer is worth; None where it has no answer, or could not be scored.
        answered: Whether it has an answer: it came to an end that is a success, and has a result.
        end: The end that it came to, or "".
        ok: Whether that end is a success; None before it.
        status: How it rests.
        calls: Calls of models of all kinds: retries, repairs and repeats are among them.
        tokens_in: Tokens sent.
        tokens_out: Tokens received.
        cost: US dollars, as far as prices are known.
        unpriced: Calls whose price is not known.
        seconds: How long it was at work; waiting for people is not counted.
        model: The models that it asks, by their labels.
        run: The run's id.
        reason: Why it ended so, what it is suspended by, or why it has no answer.
        fault: Why its answer could not be scored, or "".
        over_budget: Whether it is suspended because its budget is spent.
        result: What it came to; None where it has no result.
        expected: What was expected; None where the problem does not say.
        inputs: What it was given.
    """

    contender: str
    problem: str
    repetition: int
    score: float | None
    answered: bool
    end: str
    ok: bool | None
    status: Status
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float
    unpriced: int
    seconds: float
    model: str
    run: str
    reason: str
    fault: str = ""
    over_budget: bool = False
    result: Json = None
    expected: Json = None
    inputs: JsonObject = field(default_factory=dict)

    def scored(self, score: float) -> "Trial":
        """The same with a score."""
        return replace(self, score=score, fault="")

    def unscored(self, fault: str) -> "Trial":
        """The same where the answer could not be scored."""
        return replace(self, score=None, fault=fault)

    def to_row(self) -> dict[str, Any]:
        """The trial as one row of a table: its fields, and one for each input, `input_...` where the name is taken."""
        row = asdict(self)
        inputs = row.pop("inputs")
        return row | {f"input_{name}" if name in row else name: value for name, value in inputs.items()}


def trial_of(entry: Entry, row: RunRow, *, answered: bool) -> Trial:
    """What is told of a run, before it is scored.

    Args:
        entry: The run.
        row: What the registry knows of it.
        answered: Whether it has an answer.
    """
    registry = entry.run.store.registry
    usage = registry.usage(row.id)
    result = registry.result(row.id) if row.status == "finished" else None
    return Trial(
        contender=entry.contender.name,
        problem=entry.problem.name,
        repetition=entry.repetition,
        score=None,
        answered=answered,
        end=row.end,
        ok=row.ok,
        status=row.status,
        calls=usage.attempts,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=usage.cost,
        unpriced=usage.unpriced,
        seconds=seconds_at_work(registry.visits(row.id)),
        model=", ".join(sorted(set(labels_of(row.models).values()))),
        run=row.id,
        reason=row.reason or ("" if answered else _unanswered(row)),
        over_budget=bool(row.short),
        result=result,
        expected=entry.problem.expected,
        inputs=entry.problem.inputs,
    )


def _unanswered(row: RunRow) -> str:
    """Why a run that says nothing itself has no answer; "" for one that is open."""
    if row.status != "finished":
        return f"it waits for an answer at {', '.join(row.at)}" if row.status == "waiting" else ""
    return f"it came to {row.end} without a result" if row.ok else f"it came to {row.end}, which is no success"


def seconds_at_work(visits: Sequence[Visit]) -> float:
    """How long some visits took together; where several were at work at once, that time is counted once.

    Waits for people are no work.

    Example:
        >>> seconds_at_work([Visit(0, "a", "think", "done", started=10.0, seconds=2.0),
        ...                  Visit(1, "b", "think", "done", started=11.0, seconds=3.0)])
        4.0
    """
    total, end = 0.0, float("-inf")
    spans = sorted((visit.started, visit.started + visit.seconds) for visit in visits if visit.kind != "wait")
    for begin, over in spans:
        total += max(0.0, over - max(begin, end))
        end = max(end, over)
    return total


def means_of(trials: Mapping[Any, Trial]) -> dict[str, float]:
    """The mean score of each contender so far, over the runs that have a score."""
    scores: dict[str, list[float]] = {}
    for trial in trials.values():
        if trial.score is not None:
            scores.setdefault(trial.contender, []).append(trial.score)
    return {name: sum(values) / len(values) for name, values in scores.items()}
