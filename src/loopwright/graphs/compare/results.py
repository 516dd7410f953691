"""Results: all that came of a comparison, as plain data. Tables, pictures and files are made of it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from loopwright.graphs.compare.standings import Pair, Standing, is_open, pairs_of, standings_of
from loopwright.graphs.compare.trials import Trial
from loopwright.graphs.draw.lettering import shorten
from loopwright.state.records import Usage
from loopwright.state.values import Json

UNEVEN = 2
"""By how many times the calls of contenders may differ before that is told."""

WORDS = 200
"""As many letters of a reason as are told."""

SHOWN = 5
"""As many faults of one kind as are told one by one."""


@dataclass(frozen=True, repr=False)
class Results:
    """What came of a comparison.

    Args:
        trials: Every run.
        most_calls: The model calls of a run at most, by contender, in their order.
        no_answer: The score of a run without an answer; None where it is left out.
        batch: The id that the runs share.
        store: The URL of the store that they are in.
        judging: What the judge's calls took; nothing where a function was the judge.
        judgements: How many answers were judged; the same answer to the same problem is judged once.
        others: Runs of the batch that are no part of this comparison.
        equal: Whether all contenders have the same budget.
        scripted: The contenders that a script answers.
    """

    trials: tuple[Trial, ...]
    most_calls: Mapping[str, int | None]
    no_answer: float | None = 0.0
    batch: str = ""
    store: str = "memory:"
    judging: Usage = field(default_factory=Usage)
    judgements: int = 0
    others: int = 0
    equal: bool = False
    scripted: tuple[str, ...] = ()

    def __repr__(self) -> str:
        named = ", ".join(self.most_calls)
        return f"Results({self.batch!r}, problems={self.problems}, runs={len(self.trials)}, contenders={named!r})"

    @cached_property
    def contenders(self) -> tuple[Standing, ...]:
        """What each contender came to."""
        return standings_of(self.trials, self.most_calls, self.no_answer)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """What each two show beside each other."""
        return pairs_of(self.trials, list(self.most_calls), self.no_answer)

    @property
    def problems(self) -> int:
        """How many problems there are."""
        return len({trial.problem for trial in self.trials})

    @property
    def complete(self) -> bool:
        """Whether every run has an answer, and every answer a score."""
        return all(trial.answered and trial.score is not None for trial in self.trials)

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known before the numbers are believed, each in one sentence or a few lines."""
        told = (
            self._uneven(),
            self._beyond(),
            self._repeated(),
            *self._mixed(),
            self._unpriced(),
            self._unanswered(),
            *self._mistyped(),
            *self._unscored(),
            self._open(),
            self._others(),
        )
        return tuple(words for words in told if words)

    def _uneven(self) -> str:
        most = {name: calls for name, calls in self.most_calls.items() if calls != 0}
        bounded = [calls for calls in most.values() if calls]
        if self.equal or len(most) < 2 or (len(bounded) == len(most) and max(bounded) < UNEVEN * min(bounded)):
            return ""
        said = ", ".join(f"{name} {calls if calls is not None else 'without bound'}" for name, calls in most.items())
        return (
            f"the contenders may make different numbers of calls ({said}): what is better may only have spent more."
            " The same budget for all makes them equal: --budget calls=N, or budget="
        )

    def _beyond(self) -> str:
        over = [each for each in self.contenders if each.most_calls is not None and each.calls > each.most_calls]
        said = ", ".join(each.name for each in over)
        return f"calls has retries and repairs, which at most leaves out: so {said} made more of them" if over else ""

    def _repeated(self) -> str:
        if not self.scripted or self.problems < 2:
            return ""
        return f"each run begins its script anew ({', '.join(self.scripted)}): every problem gets the same replies"

    def _mistyped(self) -> Iterator[str]:
        """Contenders of whom nothing is right, where results and what is expected never have one type."""
        for name in self.most_calls:
            own = [each for each in self.trials if each.contender == name and each.score is not None]
            told = [each for each in own if each.expected is not None]
            if any(each.score for each in own) or not told or self.judgements:
                continue
            if all(_kind(each.result) != _kind(each.expected) for each in told):
                result, expected = (shorten(json.dumps(each), WORDS) for each in (told[0].result, told[0].expected))
                yield (
                    f"every score of {name} is 0, and result and expected are never of one type: result is"
                    f" {_kind(told[0].result)}, as {result}, and expected {_kind(told[0].expected)}, as {expected}"
                )

    def _mixed(self) -> Iterator[str]:
        """Contenders of whom some runs asked one model, and some another."""
        for name in self.most_calls:
            models = Counter(trial.model for trial in self.trials if trial.contender == name)
            if len(models) > 1:
                yield f"the runs of {name} asked different models: " + ", ".join(
                    f"{model} {count}" for model, count in sorted(models.items())
                )

    def _unpriced(self) -> str:
        unknown = {each.name: each.unpriced for each in self.contenders if each.unpriced}
        said = ", ".join(f"{name} {count:,}" for name, count in unknown.items())
        return f"the cost is without calls of unknown price: {said}" if unknown else ""

    def _unanswered(self) -> str:
        without = [trial for trial in self.trials if not trial.answered and not is_open(trial)]
        if not without:
            return ""
        rule = "left out of the means" if self.no_answer is None else f"scored {self.no_answer:g}"
        ends: dict[str, int] = {}
        for trial in without:
            how = f"{trial.contender} {trial.status if trial.status != 'finished' else trial.end or trial.status}"
            how += " over budget" if trial.over_budget else ""
            ends[how] = ends.get(how, 0) + 1
        said = ", ".join(f"{how} {count}" for how, count in ends.items())
        first = f"; the first, run {without[0].run}: {shorten(without[0].reason, WORDS)}" if without[0].reason else ""
        return f"{_runs(len(without))} no answer and {'is' if len(without) == 1 else 'are'} {rule}: {said}{first}"

    def _unscored(self) -> list[str]:
        faults: dict[str, list[Trial]] = {}
        for trial in self.trials:
            if trial.fault:
                faults.setdefault(trial.fault, []).append(trial)
        told = [
            f"{fault} (problem {trials[0].problem}, run {trials[0].run}"
            + (f", and {len(trials) - 1} more)" if trials[1:] else ")")
            for fault, trials in list(faults.items())[:SHOWN]
        ]
        if not told:
            return []
        count = sum(map(len, faults.values()))
        more = [f"and {len(faults) - SHOWN} more faults"] if len(faults) > SHOWN else []
        head = "1 answer" if count == 1 else f"{count:,} answers"
        head += f" could not be scored, and {'is' if count == 1 else 'are'} in no mean:"
        return ["\n  ".join([head, *told, *more])]

    def _open(self) -> str:
        count = sum(map(is_open, self.trials))
        return f"{_runs(count)} not come to rest, and {'is' if count == 1 else 'are'} in no mean" if count else ""

    def _others(self) -> str:
        return f"batch {self.batch} has {self.others} more runs, which were not asked for here" if self.others else ""


def _kind(value: Json) -> str:
    """What kind of value of JSON something is, in words."""
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return kinds.get(type(value), "a mapping" if value is not None else "nothing")


def _runs(count: int) -> str:
    return "1 run has" if count == 1 else f"{count:,} runs have"
