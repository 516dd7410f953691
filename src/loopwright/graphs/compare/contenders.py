"""Contenders, and their runs: one for each contender, problem and repetition, all in one batch of a store."""

import json
import secrets
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from loopwright.errors import RunError
from loopwright.graphs.compare.problems import Problem, Taker
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.budgets import budget_data, require_prices
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import AnyModel, Given, as_data, label_of, models_for, own_of
from loopwright.graphs.run.program import Program
from loopwright.graphs.run.scripts import unasked
from loopwright.nodes.budget import Budget
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import Json, JsonObject


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A loop that is compared.

    Args:
        name: What it is called.
        program: Its plan, with its code.
        models: Its models by name.
        own: Inputs that it has by itself.
        budget: What each of its runs may spend.
    """

    name: str
    program: Program
    models: Mapping[str, AnyModel]
    own: JsonObject = field(default_factory=dict)
    budget: Budget | None = None

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.program.plan

    @property
    def taker(self) -> Taker:
        """What it takes."""
        return Taker(self.name, self.plan, self.own)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its models by name, as the store would remember them."""
        return labels_of(as_data(self.models))


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A run that is in the store.

    Args:
        contender: Whose run it is.
        problem: What it is given.
        repetition: Which of several runs of the same it is, counted from 1.
        run: The run.
    """

    contender: Contender
    problem: Problem
    repetition: int
    run: Run


@dataclass(frozen=True, slots=True)
class Entered:
    """The runs of a comparison.

    Args:
        batch: The id that they share.
        entries: The runs that were asked for, so that those of one problem stand beside each other.
        others: How many more runs the batch has.
    """

    batch: str
    entries: tuple[Entry, ...]
    others: int = 0


def enter_runs(
    contenders: Sequence[Contender],
    problems: Sequence[Problem],
    repeat: int,
    store: Store,
    rows: Sequence[RunRow] = (),
    batch: str = "",
) -> Entered:
    """Enter a run for each contender, problem and repetition; those that are there already are taken as they are.

    Args:
        contenders: The contenders; their names differ.
        problems: The problems; they fit.
        repeat: How often each contender gets each problem.
        store: Where the runs are kept.
        rows: The runs that the batch has already.
        batch: The batch's id, where there are none; a new one when left out.

    Raises:
        RunError: A contender is not what it was when the batch was started.
    """
    kept = _Kept(rows, [contender.name for contender in contenders])
    shared = rows[0].batch if rows else batch or secrets.token_hex(4)
    found: dict[tuple[str, int, int], str] = {}
    missing: dict[str, list[tuple[int, int]]] = {}
    wanted = [(place, number) for number in range(repeat) for place in range(len(problems))]
    for contender in contenders:
        taken = {key: kept.take(contender.name, _inputs(contender, problems[key[0]])) for key in wanted}
        missing[contender.name] = [key for key in wanted if not taken[key]]
        found |= {(contender.name, *key): run for key, run in taken.items()}
    _require_same(contenders, rows, missing)
    for contender in contenders:
        places = missing[contender.name]
        made = _enter(contender, [_inputs(contender, problems[place]) for place, _ in places], store, shared)
        found |= {(contender.name, *key): run for key, run in zip(places, made, strict=True)}
    entries = [
        Entry(contender, problem, number + 1, _run(store, found[contender.name, place, number], contender))
        for number in range(repeat)
        for place, problem in enumerate(problems)
        for contender in contenders
    ]
    return Entered(shared, tuple(entries), kept.left)


def _inputs(contender: Contender, problem: Problem) -> JsonObject:
    return {**contender.own, **problem.inputs}


class _Kept:
    """The runs that a batch has; each is taken once."""

    def __init__(self, rows: Sequence[RunRow], names: Sequence[str]) -> None:
        self._rows: dict[tuple[str, str], deque[RunRow]] = defaultdict(deque)
        self.left = len(rows)
        for row in rows:
            if row.name in names:
                self._rows[row.name, _key(row.inputs)].append(row)

    def take(self, name: str, inputs: JsonObject) -> str:
        """The id of a run of a contender that was given these inputs; "" where none is left."""
        rows = self._rows.get((name, _key(inputs)))
        if not rows:
            return ""
        self.left -= 1
        return rows.popleft().id


def _require_same(
    contenders: Sequence[Contender], rows: Sequence[RunRow], missing: Mapping[str, Sequence[tuple[int, int]]]
) -> None:
    """Refuse to go on with a contender that is another one now.

    Where all of its runs have ended, and none is missing, nothing is asked any more, and any model will do.

    Raises:
        RunError: A contender has another plan or other models; all such are told.
    """
    changes: list[str] = []
    for contender in contenders:
        own = [row for row in rows if row.name == contender.name]
        if any(row.fingerprint != contender.plan.fingerprint for row in own):
            changes.append(f"{contender.name!r} is another plan or has other code than in batch {own[0].batch}")
            continue
        before = {label for row in own for label in labels_of(row.models).values()}
        now = set(contender.labels.values())
        asks = missing[contender.name] or any(row.status != "finished" for row in own)
        if own and asks and before != now:
            asked, asks_now = (", ".join(sorted(labels)) for labels in (before, now))
            changes.append(f"{contender.name!r} asked {asked} in batch {own[0].batch}, and asks {asks_now} now")
        if own and asks and any(row.budget != budget_data(contender.budget) for row in own):
            changes.append(f"{contender.name!r} had another budget in batch {own[0].batch}")
    if changes:
        raise RunError(
            f"{'; '.join(changes)}: its runs are left as they are. Compare it under another name, or start a new"
            " comparison"
        )


def _enter(contender: Contender, inputs: Sequence[JsonObject], store: Store, batch: str) -> list[str]:
    """Runs that are new, as `run.batch.enter` enters those of one loop: nobody holds them yet."""
    require_prices(contender.budget, contender.models)
    plan, budget = contender.plan, budget_data(contender.budget)
    new = RunRow("", contender.name, plan.fingerprint, models=as_data(contender.models), batch=batch, budget=budget)
    rows = [replace(new, inputs=each) for each in inputs]
    return [row.id for row in store.registry.enter_all(rows, plan.to_data())]


def _run(store: Store, run: str, contender: Contender) -> Run:
    return Run(store, run, contender.program, own_of(contender.models))


def _key(inputs: JsonObject) -> str:
    return json.dumps(inputs, sort_keys=True)


def labels_of(remembered: Mapping[str, Json]) -> dict[str, str]:
    """The labels of models that the store remembers, by name."""
    return {name: label_of(model) for name, model in remembered.items()}


def models_of_all(
    plans: Mapping[str, Plan], given: Given | None, brought: Mapping[str, Given | None]
) -> dict[str, dict[str, AnyModel]]:
    """The models of each contender.

    A script that is given to all may have queues for some of them alone: each has those that its own nodes ask for.

    Args:
        plans: The plans by the contenders' names.
        given: The model that answers for all of them, or None.
        brought: The model that each brings by itself, or None.

    Raises:
        RunError: A contender has no model, or no node of any asks for a queue of the script; all that is wrong.
    """
    wrong: list[str] = []
    scripts: dict[str, list[str]] = {}
    if isinstance(given, ScriptedModel):
        scripts = {
            name: [queue for queue in given.queues if _takes(plan, given, queue)] for name, plan in plans.items()
        }
        asked = {queue for queues in scripts.values() for queue in queues}
        wrong += [
            f"{given.label} has replies for {queue!r}, which is no node that asks a model in any contender"
            for queue in given.queues
            if queue not in asked
        ]
    found: dict[str, dict[str, AnyModel]] = {}
    for name, plan in plans.items():
        model = given
        if isinstance(given, ScriptedModel):
            if not scripts[name]:
                wrong.append(f"{name}: {given.label} has no replies for any of its nodes")
                continue
            model = _with_queues(given, scripts[name])
        try:
            found[name] = models_for(plan, model or brought.get(name))
        except RunError as error:
            wrong.append(f"{name}: {error}")
    if wrong:
        raise RunError("\n".join(wrong))
    return found


def _takes(plan: Plan, script: ScriptedModel, queue: str) -> bool:
    """Whether a plan has a node that takes from a queue."""
    return not unasked(plan, _with_queues(script, [queue]))


def _with_queues(script: ScriptedModel, queues: Sequence[str]) -> ScriptedModel:
    """The script with these queues alone."""
    data: Any = script.to_data()
    kept = {name: replies for name, replies in data["script"].items() if name in queues or name == "repeat"}
    return ScriptedModel.from_data({**data, "script": kept})
