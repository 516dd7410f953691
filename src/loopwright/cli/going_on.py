"""Going on: the lines that let a run or a batch go on, as they are shown where it rests."""

import json
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loopwright.cli.exits import WrongUse
from loopwright.graphs.run.batch import Batch
from loopwright.graphs.run.bounds import bounds_that_led
from loopwright.graphs.run.budgets import more_options
from loopwright.graphs.run.decisions import undecided
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.speaking import present
from loopwright.nodes.models.recording.recording import NO_ANSWER
from loopwright.state.records import Effect, Question
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.runs import RunRow

STORE_VARIABLE = "LOOPWRIGHT_STORE"
"""The environment variable that names the store where `--store` does not."""


@dataclass(frozen=True, slots=True)
class GoingOn:
    """How runs go on that a command has before it.

    Args:
        loop: The file or target of their loop, as the command was given it; "" where it was given none. Only a plan
            that calls functions needs it: a store says no more of them than their names.
    """

    loop: str = ""

    def of(self, run: Run, deed: str = "Go on", *, question: str = "", answered: bool = False) -> str:
        """The line that lets a run go on; where the run is gone with this process, that it is.

        Args:
            run: The run.
            deed: What the line does.
            question: The question's id, where several are open.
            answered: Whether the line holds an answer.
        """
        store = run.store.url
        if store == "memory:":
            return "\nThis run was kept in memory:, and is gone now; start it with --store sqlite:PATH to leave it."
        if not answered and (unknown := undecided(run)):
            return f"\nFind out whether it has happened, and decide:\n{self._decisions(run, unknown)}"
        if run.plan.code and not self.loop:
            lines = code_lines(run, question=question, answered=answered)
            return f"\n{deed} with the loop that it was started from, as a file or in Python:\n{lines}"
        loop, short = self.loop if run.plan.code else "", run.row.short
        missed = not answered and has_missed(run.row)
        line = resume_line(run.id, store, question=question, answered=answered, loop=loop, short=short, ask=missed)
        if missed:
            return f"\nThe recording will not have it next time either. Record it again, or ask a model:\n  {line}"
        return f"\n{deed} with:\n  {line}"

    def _decisions(self, run: Run, unknown: Sequence[Effect]) -> str:
        """The lines that decide about the first effect of which nobody knows."""
        key = f" --key {shlex.quote(unknown[0].node)}" if len(unknown) > 1 else ""
        return "\n".join(
            f"  {resume_line(run.id, run.store.url, loop=self.loop or 'FILE', effect=decision + key)}"
            for decision in ("done --reply JSON", "again")
        )

    def sent(self, run: Run, question: Question) -> str:
        """The lines that send a run the event which it waits for, and let it go on."""
        if run.store.url == "memory:":
            return self.of(run)
        store = store_words(run.store.url)
        given = (value if isinstance(value, str) else json.dumps(value) for value in question.where.values())
        words = (shlex.quote(f"{name}={value}") for name, value in zip(question.where, given, strict=True))
        payload = "".join(f" -p {word}" for word in words)
        loop = f" --loop {shlex.quote(self.loop or 'FILE')}" if run.plan.code else ""
        line = f"loopwright send {shlex.quote(question.event)}{payload} --to {run.id}{store}"
        if agents := present(run):
            line = f'loopwright send {run.id} --to {shlex.quote(agents[0])} "TEXT"{store}'
        return f"\nSend it with:\n  {line}\nand let the run go on with:\n  loopwright serve{loop}{store}"

    def with_more(self, run: Run) -> str:
        """The line that gives a run more of the bound that has ended it; "" for all others, and where it is gone."""
        last = run.store.registry.last_visit(run.id)
        led = bounds_that_led(run.plan, last) if last else []
        if not led or run.store.url == "memory:":
            return ""
        loop = (self.loop or "FILE") if run.plan.code else ""
        return f"\nGive it more with:\n  {resume_line(run.id, run.store.url, loop=loop, bound=led[0])}"

    def of_batch(self, batch: Batch) -> str:
        """The line that lets a batch go on; "" where it is gone with this process, as each of its runs says."""
        if batch.store.url == "memory:":
            return ""
        calls = bool(functions_of(batch))
        if calls and not self.loop:
            return f"\nGo on with one of:\n{batch_code_lines(batch)}"
        return f"\nGo on with:\n  {batch_line(batch.id, batch.store.url, loop=self.loop if calls else '')}"

    def require_loop_of(self, run: Run) -> None:
        """Refuse what no command can do by itself: it has no functions, and imports none because a store names them.

        Raises:
            WrongUse: The run's plan names functions, and the command was given no loop.
        """
        if not self.loop and (names := functions_of([run])):
            lines = code_lines(run, answered=run.row.status == "waiting")
            raise WrongUse(
                f"run {run.id} calls functions ({names}), and a store says only their names; give the loop that it was"
                f" started from, as a file or in Python:\n{lines}"
            )

    def require_loop_of_batch(self, batch: Batch) -> None:
        """Refuse the same of a batch.

        Raises:
            WrongUse: The plan of a run names functions, and the command was given no loop.
        """
        if not self.loop and (names := functions_of(batch)):
            raise WrongUse(
                f"the runs of batch {batch.id} call functions ({names}), and a store says only their names; give"
                f" the loop that they were started from:\n{batch_code_lines(batch)}"
            )


def has_missed(row: RunRow) -> bool:
    """Whether a run is suspended since its recording has no answer, so that only a model can help."""
    marks = (held.get("recording") for held in row.models.values() if isinstance(held, dict))
    replays = any(isinstance(mark, dict) and mark.get("mode") == "replay" for mark in marks)
    return row.status == "suspended" and replays and NO_ANSWER in row.reason


def functions_of(runs: Iterable[Run]) -> str:
    """The names of the functions that runs call, each once; "" where they call none."""
    return ", ".join(dict.fromkeys(ref.name for run in runs for ref in run.plan.code))


def code_lines(run: Run, *, question: str = "", answered: bool = False) -> str:
    """The lines that let a run go on that calls functions, on the command line and in Python."""
    short = run.row.short
    command = resume_line(run.id, run.store.url, question=question, answered=answered, loop="FILE", short=short)
    given = [*(['"..."'] if answered else []), *([f'question="{question[:8]}"'] if question else [])]
    given += [f"budget={dict(short)!r}"] if short else []
    python = f'open_run({json.dumps(run.store.url)}, "{run.id}", loop=loop).resume({", ".join(given)})'
    return f"  {command}\n  {python}"


def batch_code_lines(batch: Batch) -> str:
    """The same of a batch."""
    python = f'open_batch({json.dumps(batch.store.url)}, "{batch.id}", loop=loop).resume()'
    return f"  {batch_line(batch.id, batch.store.url, loop='FILE')}\n  {python}"


def resume_line(
    run: str,
    store: str,
    *,
    question: str = "",
    answered: bool = False,
    loop: str = "",
    bound: str = "",
    short: Mapping[str, float] | None = None,
    ask: bool = False,
    effect: str = "",
) -> str:
    """The command that lets a run go on.

    Args:
        run: The run's id.
        store: The store's URL; it is left out where the command would find it by itself.
        question: The question's id, where several are open.
        answered: Whether the command holds an answer.
        loop: The file of the loop, where the run calls functions.
        bound: The name of a bound that it is given more of.
        short: How much more it needs of its budgets, by name.
        ask: Whether it names a model, which the person has to fill in.
        effect: What is decided about an effect, with the options that go with it.

    Example:
        >>> resume_line("3f2a91c0", "sqlite:my runs.db", answered=True)
        'loopwright resume 3f2a91c0 "..." --store \\'sqlite:my runs.db\\''
    """
    parts = ["loopwright resume", run]
    if answered:
        parts.append('"..."')
    if question:
        parts.append(f"--question {question[:8]}")
    if bound:
        parts.append(f"--bound {shlex.quote(bound)} +1")
    if effect:
        parts.append(f"--effect {effect}")
    if short:
        parts.append(more_options(short))
    if ask:
        parts.append("--model MODEL")
    if loop:
        parts.append(f"--loop {shlex.quote(loop)}")
    return " ".join(parts) + store_words(store)


def batch_line(batch: str, store: str, *, loop: str = "") -> str:
    """The command that lets the runs of a batch go on; arguments as of `resume_line`.

    Example:
        >>> batch_line("b7c0", "sqlite:other.db")
        'loopwright resume --batch b7c0 --store sqlite:other.db'
    """
    named = f" --loop {shlex.quote(loop)}" if loop else ""
    return f"loopwright resume --batch {batch}{named}{store_words(store)}"


def store_words(store: str) -> str:
    """` --store URL`, or "" where a command finds this store by itself."""
    return "" if store == os.environ.get(STORE_VARIABLE, DEFAULT_STORE) else f" --store {shlex.quote(store)}"
