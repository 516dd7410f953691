"""A contest: the runs of a comparison are entered, go on and are scored. It can stop anywhere, and go on."""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from loopwright.errors import NotWaiting, RunBusy, UnknownRun
from loopwright.graphs.compare.contenders import Contender, Entry, enter_runs
from loopwright.graphs.compare.problems import Problem
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.scoring import Checker, Unscored, judge_inputs, number_of
from loopwright.graphs.compare.trials import Trial, trial_of
from loopwright.graphs.run.batch import require_at_once
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.records import Usage
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store


class Watcher(Protocol):
    """Who is told what happens in a contest."""

    def begin(self, batch: str, runs: int, left: int, trials: Mapping[str, Trial]) -> None:
        """Runs of contenders are there, and some of them are left to go on; `trials` has what is known, by run."""

    def judge(self, answers: int, left: int) -> None:
        """Answers are there to be judged, and some of them are left."""

    def began(self, entry: Entry) -> None:
        """A run goes on."""

    def rests(self, entry: Entry, trial: Trial | None) -> None:
        """A run has come to rest; a judge's is no trial."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is compared, and how.

    Args:
        contenders: Who.
        problems: On what.
        checker: The function that scores, or None.
        judge: The loop that scores, or None.
        repeat: How often each contender gets each problem.
        no_answer: The score of a run without an answer; None to leave it out.
        batch: The batch that goes on, or "".
        again: Whether runs that are suspended are asked again.
    """

    contenders: Sequence[Contender]
    problems: Sequence[Problem]
    checker: Checker | None = None
    judge: Contender | None = None
    repeat: int = 1
    no_answer: float | None = 0.0
    batch: str = ""
    again: bool = False


class Contest:
    """A comparison at work.

    Args:
        task: What is compared.
        store: Where its runs are kept.
        watcher: Who is told what happens, or None.

    Raises:
        UnknownRun: There is no such batch.
        RunError: A contender is not what it was when the batch was started.
    """

    def __init__(self, task: Task, store: Store, watcher: Watcher | None = None) -> None:
        self._task, self._store, self._watcher = task, store, watcher
        rows = store.registry.batch(task.batch) if task.batch else ()
        self._entered = enter_runs(task.contenders, task.problems, task.repeat, store, rows)
        self._trials: dict[str, Trial] = {}
        self._judged: dict[str, Entry] = {}
        self._asked: dict[str, str] = {}

    @property
    def batch(self) -> str:
        """The id that its runs share."""
        return self._entered.batch

    def go_on(self) -> Results:
        """Let all runs go on until they rest, one after the other, and score them."""
        with self._saying_how_on():
            for stage in self._stages():
                for entry in stage:
                    self._began(entry)
                    with suppress(RunBusy, NotWaiting):  # another process has taken it meanwhile
                        entry.run.resume()
                    self._rests(entry)
        return self._results()

    async def ago_on(self, at_once: int = 1) -> Results:
        """The same with awaited calls, and so many runs at work at the same time.

        Raises:
            RunError: `at_once` is less than 1.
        """
        require_at_once(at_once)

        async def work(entries: Iterator[Entry]) -> None:
            for entry in entries:
                self._began(entry)
                with suppress(RunBusy, NotWaiting):
                    await entry.run.aresume()
                self._rests(entry)

        with self._saying_how_on():
            for stage in self._stages():
                entries = iter(stage)
                try:
                    async with asyncio.TaskGroup() as tasks:
                        for _ in range(min(at_once, len(stage))):
                            tasks.create_task(work(entries))
                except BaseExceptionGroup as group:  # the others were interrupted, and the first error says why
                    raise group.exceptions[0] from None
        return self._results()

    def _stages(self) -> Iterator[list[Entry]]:
        """The contenders' runs that are left, and then those of the judge."""
        left = self._left(self._entered.entries)
        for entry in self._entered.entries:
            if entry not in left:
                self._settle(entry)
        if self._watcher:
            self._watcher.begin(self.batch, len(self._entered.entries), len(left), self._trials)
        yield list(left)
        if self._task.judge:
            self._enter_judgements(self._task.judge)
            left = self._left(list(self._judged.values()))
            if self._watcher:
                self._watcher.judge(len(self._judged), len(left))
            yield list(left)

    def _left(self, entries: Sequence[Entry]) -> dict[Entry, None]:
        ready = ("interrupted", "suspended") if self._task.again else ("interrupted",)
        return {entry: None for entry in entries if entry.run.row.status in ready}

    def _began(self, entry: Entry) -> None:
        if self._watcher:
            self._watcher.began(entry)

    def _rests(self, entry: Entry) -> None:
        trial = self._settle(entry) if entry.contender is not self._task.judge else None
        if self._watcher:
            self._watcher.rests(entry, trial)

    def _settle(self, entry: Entry) -> Trial:
        """Take down what came of a run, and score it where a function does."""
        row = entry.run.row
        trial = trial_of(entry, row, answered=bool(row.ok) and self._store.registry.result(row.id) is not None)
        if trial.answered and self._task.checker:
            try:
                trial = trial.scored(self._task.checker.score(entry.run.result, entry.problem))
            except Unscored as error:
                trial = trial.unscored(str(error))
        self._trials[row.id] = trial
        return trial

    def _enter_judgements(self, judge: Contender) -> None:
        """Enter a run of the judge for each answer that differs: nothing tells it whose answer it is."""
        questions: dict[str, Problem] = {}
        for entry in self._entered.entries:
            trial = self._trials[entry.run.id]
            if not trial.answered:
                continue
            answer = self._store.registry.result(trial.run)
            try:
                inputs = judge_inputs(judge.plan, entry.problem, answer)
            except Unscored as error:
                self._trials[trial.run] = trial.unscored(str(error))
                continue
            key = self._asked[trial.run] = json.dumps(inputs, sort_keys=True)
            questions.setdefault(key, Problem(entry.problem.name, inputs))
        if not questions:
            return
        batch = _judge_batch(self.batch, judge)
        rows: tuple[RunRow, ...] = ()
        with suppress(UnknownRun):
            rows = self._store.registry.batch(batch)
        entered = enter_runs([judge], list(questions.values()), 1, self._store, rows, batch)
        self._judged = dict(zip(questions, entered.entries, strict=True))

    def _results(self) -> Results:
        for run, key in self._asked.items():
            self._trials[run] = self._with_judgement(self._trials[run], self._judged[key])
        budgets = [each.budget for each in self._task.contenders]
        judged = [self._store.registry.usage(entry.run.id) for entry in self._judged.values()]
        return Results(
            trials=tuple(self._trials[entry.run.id] for entry in self._entered.entries),
            most_calls={each.name: each.program.certificate.calls for each in self._task.contenders},
            no_answer=self._task.no_answer,
            batch=self.batch,
            store=self._store.url,
            judging=sum(judged, Usage()),
            judgements=len(judged),
            others=self._entered.others,
            equal=bool(budgets[0]) and all(budget == budgets[0] for budget in budgets),
            scripted=tuple(each.name for each in self._task.contenders if _is_scripted(each)),
        )

    def _with_judgement(self, trial: Trial, entry: Entry) -> Trial:
        row = entry.run.row
        if not row.ok:
            how = row.reason or row.status
            return trial.unscored(f"the judge came to no end that is a success ({row.end or row.status}: {how})")
        try:
            return trial.scored(number_of(self._store.registry.result(row.id)))
        except ValueError as error:
            return trial.unscored(f"the judge said {error}")

    @contextmanager
    def _saying_how_on(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            error.add_note(f"batch {self.batch}: {self._how_on()}")
            raise

    def _how_on(self) -> str:
        if self._store.url == "memory:":
            return "it was kept in memory:, and is gone with this process"
        return f"go on with compare(..., store={json.dumps(self._store.url)}, batch={json.dumps(self.batch)})"


def _is_scripted(contender: Contender) -> bool:
    return any(isinstance(model, ScriptedModel) for model in contender.models.values())


def _judge_batch(batch: str, judge: Contender) -> str:
    """The batch of a judge's runs: another judge, or the same with another model, has another one."""
    told = json.dumps([judge.plan.fingerprint, judge.labels], sort_keys=True)
    return f"judge-{batch}-{hashlib.sha256(told.encode()).hexdigest()[:4]}"
