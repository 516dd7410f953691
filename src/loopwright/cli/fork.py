"""`loopwright fork`: a new run that stands where another one stood."""

from typing import Annotated

import typer

from loopwright.cli.documents import run_document
from loopwright.cli.exits import OK
from loopwright.cli.going_on import GoingOn
from loopwright.cli.options import AsJson, RunId, StoreUrl
from loopwright.cli.output import Output
from loopwright.cli.pairs import parse_pairs
from loopwright.graphs.run.opening import open_run
from loopwright.state.store.database import DEFAULT_STORE


def fork(
    run: RunId,
    at: Annotated[int, typer.Option("--at", metavar="N", help="Before which visit, counted from 0.")],
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A channel's new value; JSON where it is no text. May be given again."
        ),
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Make a new run that stands before a visit of another one, with the state as it was there. That one stays.

    What came before is not done again. `loopwright resume` lets the new run go on.

    $ loopwright fork 3f2a --at 5
    $ loopwright fork 3f2a --at 5 --set 'wish=be brief' --set 'notes=["one"]'
    """
    output = Output(as_json=as_json)
    opened = open_run(store, run)
    values = parse_pairs("--set", "channel", opened.plan.channels, changes or [])
    forked = opened.fork(at, values)
    output.say(f"run {forked.id} stands before visit {at} of run {opened.id}", "bold")
    output.say(GoingOn().of(forked))
    output.document(run_document(forked))
    return OK
