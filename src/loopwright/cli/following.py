"""Following a run: what happens is told, a person is asked, and how it rests is said. `run` and `resume` share it."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from loopwright.cli.answers import ask_person, show_question
from loopwright.cli.exits import Stopped, code_of_run
from loopwright.cli.going_on import GoingOn, store_words
from loopwright.cli.output import Output
from loopwright.cli.phrases import awaited_words, due_words, harmless, usage_words, whole
from loopwright.cli.progress import Progress
from loopwright.cli.signals import cancel_on_sigterm
from loopwright.errors import StoreError, WrongAnswer
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.streams import AsyncStream
from loopwright.state.records import Question
from loopwright.state.store.runs import RunRow


@dataclass(frozen=True, slots=True)
class Follower:
    """What a command follows its runs with.

    Args:
        output: Where it is told what happens.
        going_on: How the runs go on.
        asks: The labels of the models that they ask.
        ask: Whether a person at the terminal is asked what a run waits for.
    """

    output: Output
    going_on: GoingOn
    asks: Sequence[str]
    ask: bool

    def follow(self, run: Run, events: AsyncStream | None) -> int:
        """Follow a run until it rests, and say how.

        Args:
            run: The run.
            events: What happens in it; None where it waits already.

        Returns:
            The exit code.

        Raises:
            Stopped: The store, or what is told, could not be written in the middle of the run.
        """
        progress = Progress(self.output.console, run, self.asks)
        if events is not None:
            with self.output.apart():
                self._walk(run, events, progress)
        left = False
        while self.ask and not left and (question := open_question(run)):
            show_question(self.output, question)
            left = not self._answered(run, question, progress)
        row = run.row
        self._conclude(run, row, shown=left)
        return code_of_run(row.status, row.ok)

    def _answered(self, run: Run, question: Question, progress: Progress) -> bool:
        """Whether the person answered, and the run went on."""
        while True:
            try:
                if (line := ask_person(self.output)) is None:
                    return False
                self._walk(run, run.astream(line, question=question.id, audience=self.output.audience), progress)
            except WrongAnswer as error:
                self.output.say(harmless(str(error)), "red")
            else:
                return True

    def _walk(self, run: Run, events: AsyncStream, progress: Progress) -> None:
        """Tell events until there are no more, or until Ctrl-C or SIGTERM stops the run.

        The calls are awaited even though nothing else happens meanwhile: an awaited call can be cancelled at once, a
        blocking one holds the process until the model answers.
        """
        try:
            with progress, contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
                asyncio.run(_told(events, progress))
        except (OSError, StoreError) as error:
            if not progress.begun:
                raise
            raise Stopped(f"{error}\nrun {run.id} is interrupted\n{self.going_on.of(run)}") from error

    def _conclude(self, run: Run, row: RunRow, *, shown: bool) -> None:
        """Say how a run rests, what it took, and what can be done now; `shown` where a person just saw the question."""
        output = self.output
        certificate = certify(run.plan)
        visits = run.store.registry.count_visits(run.id)
        spent = usage_words(visits, run.usage, certificate.visits, certificate.calls)
        output.say()
        if row.status == "finished":
            end, style = (row.end, "bold green") if row.ok else (f"{row.end}, no success", "bold yellow")
            output.say(harmless(f"ended as {end}: {row.reason}"), style)
            output.say(spent, "dim")
            output.say()
            output.say("no result" if run.result is None else whole(run.result))
            if line := self.going_on.with_more(run):
                output.say(line)
        elif row.status == "waiting":
            output.say(f"waiting for {awaited_words(row.questions) or 'an answer'}; {spent}", "bold yellow")
            for question in row.questions:
                say_question(run, row, question, output, self.going_on, shown=shown)
        elif row.status == "running":
            output.say(f"being run by {row.holder}", "bold yellow")
        else:
            reason = f": {harmless(row.reason)}" if row.status == "suspended" else ", and nothing that was done is lost"
            output.say(f"{row.status}{reason}", "bold yellow")
            output.say(spent, "dim")
            output.say(self.going_on.of(run))


async def _told(events: AsyncStream, progress: Progress) -> None:
    cancel_on_sigterm()
    async with contextlib.aclosing(events):
        async for event in events:
            progress.tell(event)


def open_question(run: Run) -> Question | None:
    """The first question that a run waits for a person to answer."""
    row = run.row
    people = (question for question in row.questions if question.source == "person")
    return next(people, None) if row.status == "waiting" else None


def say_question(
    run: Run, row: RunRow, question: Question, output: Output, going_on: GoingOn, *, shown: bool = False
) -> None:
    """A question that stays open: its id, its text unless it was just shown, and the command that answers it."""
    several = question.id if len(row.questions) > 1 else ""
    if not shown:
        output.say(harmless(f"\nQuestion {question.id[:8]} of {question.node}:"))
        show_question(output, question)
    if question.event:
        output.say(going_on.sent(run, question))
    elif question.due is not None:
        output.say(f"\n{due_words(question.due)}, while this runs:\n  loopwright serve{store_words(run.store.url)}")
    else:
        output.say(going_on.of(run, "Answer it", question=several, answered=True))
