"""Comparing: what is told while a comparison runs, a line for each run that stays and one below them that lives."""

import time
from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from loopwright.cli.phrases import counted, cut, one_line, seconds_words
from loopwright.cli.progress import LiveLine
from loopwright.graphs.compare.contenders import Entry
from loopwright.graphs.compare.table import number_words
from loopwright.graphs.compare.trials import Trial, means_of
from loopwright.graphs.draw.lettering import visible

EVERY = 10.0
"""Seconds between two lines of what was done so far, where no terminal shows it all the time."""


class Comparing(LiveLine):
    """Tells what happens in a comparison.

    Args:
        console: Where it is told.
        names: The contenders.

    Attributes:
        batch: The id of the comparison; "" before its runs are in the store.
    """

    def __init__(self, console: Console, names: list[str]) -> None:
        super().__init__(console)
        self._names, self.batch = names, ""
        self._what, self._done, self._total = "runs", 0, 0
        self._working: dict[str, tuple[Entry, float]] = {}
        self._trials: dict[str, Trial] = {}
        self._faults: set[str] = set()
        self._told = time.monotonic()

    def begin(self, batch: str, runs: int, left: int, trials: Mapping[str, Trial]) -> None:
        """Say how many runs there are, and how many are left."""
        self.batch = batch
        self._count("runs", runs, left)
        self._trials = dict(trials)
        rest = "" if left == runs else f", {left:,} of them to be done"
        self._line(f"batch {batch}: {counted(runs, 'run')} of {counted(len(self._names), 'contender')}{rest}", "bold")

    def judge(self, answers: int, left: int) -> None:
        """Say how many answers are to be judged."""
        self._count("judgements", answers, left)
        rest = "" if left == answers else f", {left:,} of them to be done"
        self._line(f"{counted(answers, 'judgement')}{rest}", "bold")

    def began(self, entry: Entry) -> None:
        """A run goes on."""
        self._working[entry.run.id] = (entry, time.monotonic())

    def rests(self, entry: Entry, trial: Trial | None) -> None:
        """A run has come to rest: where it has no answer, or no score, that is said at once."""
        self._working.pop(entry.run.id, None)
        self._done += 1
        if trial is not None:
            self._trials[trial.run] = trial
            where = f"{trial.contender}, problem {trial.problem}, run {trial.run}"
            if not trial.answered:
                self._line(f"no answer: {where}: {one_line(trial.reason or trial.status)}", "yellow")
            if trial.fault and trial.fault not in self._faults:
                self._faults.add(trial.fault)
                self._line(f"no score: {where}: {one_line(trial.fault)}", "red")
        now = time.monotonic()
        if self._live is None and (now - self._told >= EVERY or self._done == self._total):
            self._told = now
            self._line(self._so_far())

    def _count(self, what: str, total: int, left: int) -> None:
        self._what, self._total, self._done = what, total, total - left

    def _so_far(self) -> str:
        """How many of how many, and the mean of each contender."""
        means = means_of(self._trials)
        said = ", ".join(f"{visible(name)} {number_words(means[name])}" for name in self._names if name in means)
        return f"{self._done:,} of {self._total:,} {self._what}" + (f"; so far {said}" if said else "")

    def _now(self) -> Text:
        parts = [self._so_far()]
        if self._working:
            (entry, since), *others = self._working.values()
            more = f" and {len(others)} more" if others else ""
            took = seconds_words(time.monotonic() - since)
            parts.append(f"{visible(entry.contender.name)} on problem {visible(entry.problem.name)}{more}, {took}")
        return Text(cut(" · ".join(parts), self._console.width), style="cyan", no_wrap=True)
