"""`loopwright runs`: what a store holds."""

import time
from itertools import islice
from typing import Annotated

import typer

from loopwright.cli.batches import batch_document, say_batch
from loopwright.cli.documents import row_document
from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.going_on import GoingOn
from loopwright.cli.options import AsJson, StoreUrl, complete_batch
from loopwright.cli.output import Output, print_json
from loopwright.cli.phrases import counted
from loopwright.cli.tables import runs_table
from loopwright.cli.trees import Twig, nested, trees_of
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.run.opening import open_batch
from loopwright.state.store.database import DEFAULT_STORE, looked_at, path_of
from loopwright.state.store.store import Store

NEWEST = 50
"""How many runs are listed where not all of them are wanted."""


def runs(
    every: Annotated[bool, typer.Option("--all", help=f"List all runs, not only the newest {NEWEST}.")] = False,
    batch: Annotated[
        str,
        typer.Option(
            "--batch",
            metavar="ID",
            help="List the runs of one batch, with their answers.",
            autocompletion=complete_batch,
            show_default=False,
        ),
    ] = "",
    tree: Annotated[bool, typer.Option("--tree", help="List forks below the runs that they were forked from.")] = False,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """List the runs of a store, the newest first, or those of one batch in their order.

    $ loopwright runs
    $ loopwright runs --all
    $ loopwright runs --tree
    $ loopwright runs --batch b7c0
    $ loopwright runs --store sqlite:other.db --json
    """
    output = Output(as_json=as_json)
    if batch and tree:
        raise WrongUse("--tree is of all runs of a store, and --batch of one batch; give one of them")
    if batch:
        opened_batch = open_batch(store, batch)
        say_batch(opened_batch, output, GoingOn())
        output.document(batch_document(opened_batch))
        return OK
    with Store(_existing(store), create=False) as opened:
        registry = opened.registry
        found, damaged = list(registry.all()), registry.damaged()
        trees = list(trees_of(found) if tree else ([Twig(row, 0)] for row in found))
        shown = trees if every else trees[:NEWEST]
        twigs = [twig for each in shown for twig in each]
        rows, more = [(twig.row, registry.count_visits(twig.row.id)) for twig in twigs], len(found) - len(twigs)
        if as_json:
            documents = [row_document(row, visits, registry.usage(row.id)) for row, visits in rows]
            if tree:
                told = iter(documents)
                documents = [nested(each, list(islice(told, len(each)))) for each in shown]
            print_json({"store": store, "runs": documents, "more": more, "damaged": damaged})
            return OK
        if rows:
            leads = [twig.lead for twig in twigs]
            output.say(runs_table(rows, time.time(), output.console.width, leads))
        if more:
            output.say(f"\nand {counted(more, 'older run')}; --all lists them", "dim")
        if damaged:
            output.say(f"\ndamaged, and cannot be read: {', '.join(map(visible, damaged))}", "red")
        if not rows and not damaged:
            output.say(f"There are no runs in {store} yet. Start one with: loopwright run FILE")
    return OK


def _existing(store: str) -> str:
    """The store; an empty one where its file is not there, since looking must not make one."""
    path = path_of(store)
    return store if path is None or looked_at(store, path.exists) else "memory:"
