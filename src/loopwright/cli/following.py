"""Following a run: what happens is told, a person is asked, and how it rests is said. `run` and `resume` share it."""

import asyncio
import contextlib
import signal
from collections.abc import Sequence

from loopwright.cli.answers import ask_person, show_question
from loopwright.cli.exits import Stopped, code_of_run
from loopwright.cli.output import Output
from loopwright.cli.phrases import code_lines, harmless, resume_line, usage_words, whole
from loopwright.cli.progress import Progress
from loopwright.errors import StoreError, WrongAnswer
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.run.bounds import bounds_that_led
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.streams import AsyncStream
from loopwright.state.records import Question
from loopwright.state.store.runs import RunRow


def follow(
    run: Run, events: AsyncStream | None, output: Output, *, asks: Sequence[str], ask: bool, loop: str = ""
) -> int:
    """Follow a run until it rests, and say how.

    Args:
        run: The run.
        events: What happens in it; None where it waits already.
        output: Where it is told.
        asks: The labels of the models that it asks.
        ask: Whether a person at the terminal is asked what the run waits for.
        loop: The file of its loop, where a command was given it.

    Returns:
        The exit code.
    """
    progress = Progress(output.console, run, asks)
    if events is not None:
        with output.apart():
            walk(run, events, progress, loop=loop)
    left = False
    while ask and not left and (question := open_question(run)):
        show_question(output, question)
        left = not _answered(run, question, output, progress, loop)
    row = run.row
    conclude(run, row, output, shown=left, loop=loop)
    return code_of_run(row.status, row.ok)


def open_question(run: Run) -> Question | None:
    """The first question that a run waits for a person to answer."""
    row = run.row
    people = (question for question in row.questions if question.source == "person")
    return next(people, None) if row.status == "waiting" else None


def _answered(run: Run, question: Question, output: Output, progress: Progress, loop: str) -> bool:
    """Whether the person answered, and the run went on."""
    while True:
        try:
            if (line := ask_person(output)) is None:
                return False
            walk(run, run.astream(line, question=question.id, audience=output.audience), progress, loop=loop)
        except WrongAnswer as error:
            output.say(harmless(str(error)), "red")
        else:
            return True


def walk(run: Run, events: AsyncStream, progress: Progress, *, loop: str = "") -> None:
    """Tell events until there are no more, or until Ctrl-C or SIGTERM stops the run.

    The calls are awaited even though nothing else happens meanwhile: an awaited call can be cancelled at once, a
    blocking one holds the process until the model answers.

    Raises:
        Stopped: The store, or what is told, could not be written in the middle of the run.
    """
    try:
        with progress, contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            asyncio.run(_walk(events, progress))
    except (OSError, StoreError) as error:
        if not progress.begun:
            raise
        raise Stopped(f"{error}\nrun {run.id} is interrupted\n{how_on('Go on', run, loop=loop)}") from error


async def _walk(events: AsyncStream, progress: Progress) -> None:
    task = asyncio.current_task()
    assert task is not None
    with contextlib.suppress(NotImplementedError):  # a platform without such signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with contextlib.aclosing(events):
        async for event in events:
            progress.tell(event)


def conclude(run: Run, row: RunRow, output: Output, *, shown: bool, loop: str = "") -> None:
    """Say how a run rests, what it took, and what can be done now.

    Args:
        run: The run.
        row: What the registry knows of it.
        output: Where it is said.
        shown: Whether the person has just seen the question.
        loop: The file of its loop, where a command was given it.
    """
    certificate = certify(run.plan)
    visits = run.store.registry.count_visits(run.id)
    spent = usage_words(visits, run.usage, certificate.visits, certificate.calls)
    output.say()
    if row.status == "finished":
        end, style = (row.end, "bold green") if row.ok else (f"{row.end}, no success", "bold yellow")
        output.say(harmless(f"ended as {end}: {row.reason}"), style)
        output.say(spent, "dim")
        output.say()
        output.say(whole(run.result))
        if line := more_line(run, loop):
            output.say(f"\nGive it more with:\n  {line}")
    elif row.status == "waiting":
        output.say(f"waiting for an answer; {spent}", "bold yellow")
        for question in row.questions:
            say_question(run, row, question, output, shown=shown, loop=loop)
    else:
        reason = f": {harmless(row.reason)}" if row.status == "suspended" else ", and nothing that was done is lost"
        output.say(f"{row.status}{reason}", "bold yellow")
        output.say(spent, "dim")
        output.say(how_on("Go on", run, loop=loop))


def more_line(run: Run, loop: str = "") -> str:
    """The command that lets a run go on which a bound has ended; "" for all others, and where it is gone."""
    last = run.store.registry.last_visit(run.id)
    led = bounds_that_led(run.plan, last) if last else []
    if not led or run.store.url == "memory:":
        return ""
    named = (loop or "FILE") if run.plan.code else ""
    return resume_line(run.id, run.store.url, loop=named, bound=led[0])


def say_question(
    run: Run, row: RunRow, question: Question, output: Output, *, shown: bool = False, loop: str = ""
) -> None:
    """A question that stays open: its id, its text unless it was just shown, and the command that answers it."""
    several = question.id if len(row.questions) > 1 else ""
    if not shown:
        output.say(harmless(f"\nQuestion {question.id[:8]} of {question.node}:"))
        show_question(output, question)
    output.say(how_on("Answer it", run, question=several, answered=True, loop=loop))


def how_on(deed: str, run: Run, *, question: str = "", answered: bool = False, loop: str = "") -> str:
    """The line that lets a run go on; where the run is gone with this process, that it is.

    Args:
        deed: What the line does.
        run: The run.
        question: The question's id, where several are open.
        answered: Whether the line holds an answer.
        loop: The file of its loop, where a command was given it.
    """
    store = run.store.url
    if store == "memory:":
        return "\nThis run was kept in memory:, and is gone now; start it with --store sqlite:PATH to leave it."
    if run.plan.code and not loop:
        lines = code_lines(run.id, store, question=question, answered=answered)
        return f"\n{deed} with the loop that it was started from, as a file or in Python:\n{lines}"
    named = loop if run.plan.code else ""
    return f"\n{deed} with:\n  {resume_line(run.id, store, question=question, answered=answered, loop=named)}"
