"""What a run came to, so that one which was broken on its way can be held against one which was not."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from loopwright.graphs.run.decisions import undecided
from loopwright.graphs.run.handle import Run
from loopwright.state.records import Effect, Question
from loopwright.state.values import Json

People: TypeAlias = Mapping[str, Sequence[Any]]
"""What people answer: for each node that asks its answers, the first one first."""


Decide: TypeAlias = Callable[[Effect], Mapping[str, Any]]
"""What someone decides about an effect of which nobody knows: `effect` and `reply`, as of `Run.resume`."""


def settle(run: Run, people: People, *, awaited: bool = False, decide: Decide | None = None) -> Run:
    """Let a run go on, whoever held it, and answer it, until it rests for good.

    That is at an end, suspended, or at a question to which there is no answer.

    Args:
        run: The run.
        people: What people answer.
        awaited: Whether its calls are awaited.
        decide: What is decided about effects of which nobody knows; left out, the run rests there.
    """

    def resume(*words: Any, **options: Any) -> None:
        if awaited:
            asyncio.run(run.aresume(*words, **options))
        else:
            run.resume(*words, **options)

    while True:
        if run.status in ("interrupted", "running"):
            resume(take_over=True)
        elif run.store.inbox.ready(run.row):
            resume()
        elif found := _answer(run, people):
            question, answer = found
            resume(answer, question=question.id)
        elif decide and run.status == "suspended" and (unknown := undecided(run)):
            resume(key=unknown[0].key, **decide(unknown[0]))
        else:
            return run


def _answer(run: Run, people: People) -> tuple[Question, Any] | None:
    """A question that is open and its answer; how often its node has asked is told by the record."""
    asked = Counter(visit.node for visit in run.visits)
    for question in run.questions:
        answers = people.get(question.node, ())
        if asked[question.node] < len(answers):
            return question, answers[asked[question.node]]
    return None


def outcome_of(run: Run) -> dict[str, Json]:
    """What a run came to: how it rests, its result, state and events, and its visits, in the order of each branch.

    Which of a fork's branches is faster is not a part of it.
    """
    branches: dict[str, Any] = {}
    for visit in run.visits:
        branch = branches.setdefault(visit.node.rpartition("]")[0], [])
        branch.append([visit.node, visit.outcome, visit.target, visit.reply])
    row = run.row
    rest = {"status": row.status, "end": row.end, "reason": row.reason, "at": list(row.at)}
    sent: list[Json] = [
        [each.id.removeprefix(run.id), each.type, each.payload, each.to]
        for each in run.store.inbox.all()
        if each.sender == run.id
    ]
    return {**rest, "result": run.result, "state": dict(run.state), "visits": branches, "sent": sent}


def differences(whole: Mapping[str, Json], other: Mapping[str, Json]) -> list[str]:
    """What differs between what two runs came to, part by part, in words.

    Example:
        >>> differences({"status": "finished", "result": 1}, {"status": "finished", "result": [2]})
        ['its result is [2], and not 1']
    """
    return [
        f"its {part} is {_shown(other[part])}, and not {_shown(whole[part])}"
        for part in whole
        if whole[part] != other[part]
    ]


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 500 else f"{text[:500]}..."


def width_of(run: Run) -> int:
    """How many of a run's branches may have been at work at once: as many as its widest fork had."""
    forks: dict[str, set[str]] = {}
    for visit in run.visits:
        fork, bracket, _ = visit.node.partition("[")
        if bracket:
            forks.setdefault(fork, set()).add(visit.node.rpartition("]")[0])
    return max(map(len, forks.values()), default=1)
