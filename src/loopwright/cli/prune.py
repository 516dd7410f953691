"""`loopwright prune`: drop the states that a run has left behind."""

import time
from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.options import AsJson, RunId, StoreUrl
from loopwright.cli.output import Output
from loopwright.cli.phrases import counted
from loopwright.graphs.run.opening import open_run
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store

DAY = 86_400.0
"""Seconds."""


def prune(
    run: RunId = "",
    older_than: Annotated[
        float | None,
        typer.Option("--older-than", metavar="DAYS", help="All runs that ended so many days ago, or before.", min=0.0),
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Drop the states that runs have left behind: what is kept of a run is how it rests, its visits and its answers.

    A run that waits goes on as before. What can no longer be had is the state at an earlier visit: in `history` its
    prompts, and a `fork` of it.

    $ loopwright prune 3f2a
    $ loopwright prune --older-than 30
    """
    if bool(run) == (older_than is not None):
        raise WrongUse("give a RUN, or --older-than DAYS for all that ended before that, and one of them only")
    output = Output(as_json=as_json)
    with Store(store, create=False) as opened:
        before = opened.database.size
        until = time.time() - (older_than or 0.0) * DAY
        names = [run] if run else [row.id for row in opened.registry.all() if _is_old(row.status, row.updated, until)]
        dropped = sum(open_run(opened, name).prune() for name in names)
        opened.database.shrink()
        after = opened.database.size
    output.say(
        f"{counted(dropped, 'state')} of {counted(len(names), 'run')} dropped; {_size(before)} -> {_size(after)}"
    )
    output.document(
        {"store": store, "runs": len(names), "dropped": dropped, "bytes_before": before, "bytes_after": after}
    )
    return OK


def _is_old(status: str, updated: float, until: float) -> bool:
    return status == "finished" and updated <= until


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
