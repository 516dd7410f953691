"""Batches: the runs of one are followed one after the other, and all of them are told in one table."""

from typing import Any

from loopwright.cli.documents import run_document
from loopwright.cli.exits import INTERRUPTED, Stopped, code_of_run, worst
from loopwright.cli.following import Follower
from loopwright.cli.going_on import GoingOn
from loopwright.cli.output import Output
from loopwright.cli.phrases import counted, harmless, one_line
from loopwright.cli.tables import BatchLine, batch_table
from loopwright.errors import RunBusy
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.run.batch import Batch, state_of
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import Given, own


def follow_batch(batch: Batch, follower: Follower, *, model: Given | None) -> int:
    """Follow the runs of a batch that can go on, and say how all of them rest.

    Args:
        batch: The runs.
        follower: What they are followed with.
        model: The model that an option names, or None.

    Returns:
        The exit code: that of the run which went worst.

    Raises:
        Stopped: The store, or what is told, could not be written in the middle of a run.
    """
    output, going_on = follower.output, follower.going_on
    for run in batch.ready:
        output.say(head_of(run), "dim")
        try:
            code = follower.follow(run, run.astream(model=own(model), audience=output.audience))
        except RunBusy as error:  # another process has taken it meanwhile
            output.say(f"{error}\n", "yellow")
            continue
        except Stopped as error:
            raise Stopped(f"{error}\n{going_on.of_batch(batch)}".rstrip()) from error.__cause__
        output.say()
        if code == INTERRUPTED:
            break
    say_batch(batch, output, going_on)
    return code_of_batch(batch)


def head_of(run: Run) -> str:
    """What a run is for: its inputs, each on a line."""
    inputs = run.row.inputs.items()
    return "\n".join(f"{harmless(name)}: {one_line(value)}" for name, value in inputs) or run.id


def code_of_batch(batch: Batch) -> int:
    """The exit code of the run that went worst."""
    rows = [run.row for run in batch]
    return worst([code_of_run(row.status, row.ok) for row in rows])


def say_batch(batch: Batch, output: Output, going_on: GoingOn) -> None:
    """How all runs of a batch rest, in one table, and what can be done now."""
    output.say(f"batch {batch.id}: {counted(len(batch), 'run')}, {batch.summary()}", "bold")
    inputs = [run.row.inputs for run in batch]
    names = {name for each in inputs for name in each}
    subject = next(iter(names)) if len(names) == 1 else "inputs"
    output.say(batch_table(subject, [_line(run, len(names) == 1) for run in batch], output.console.width))
    if batch.ready and (line := going_on.of_batch(batch)):
        output.say(line)
    waiting = next((run for run in batch if run.status == "waiting"), None)
    if waiting and batch.store.url != "memory:":
        output.say(going_on.of(waiting, "Answer the first that waits", answered=True))


def _line(run: Run, has_one_input: bool) -> BatchLine:
    """What the table says of a run: of one that has not ended, why, or what it asks."""
    row = run.row
    subject = next(iter(row.inputs.values()), None) if has_one_input else row.inputs
    rounds = certify(run.plan).rounds
    made = sum(visit.node == next(iter(rounds)) for visit in run.visits) if len(rounds) == 1 else 0
    said = run.result if row.status == "finished" else row.reason or next((asked.text for asked in row.questions), "")
    return BatchLine(one_line(subject), row.id, state_of(row), row.end, made, run.usage.calls, said)


def batch_document(batch: Batch) -> dict[str, Any]:
    """A batch, with each of its runs as it rests."""
    return {"batch": batch.id, "runs": [run_document(run) for run in batch]}
