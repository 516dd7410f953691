"""Options and arguments that several commands have."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.budgets import complete_budget
from loopwright.cli.going_on import STORE_VARIABLE
from loopwright.errors import LoopwrightError
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store


def complete_run(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The runs of the store, for the completion of a shell; none where there is no store."""
    return [(row.id, f"{row.name}, {row.status}") for row in _rows(context) if row.id.startswith(incomplete)]


def complete_batch(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The batches of the store that have several runs, for the completion of a shell."""
    rows = [row for row in _rows(context) if row.batch.startswith(incomplete)]
    names = {row.batch: row.name for row in rows}
    sizes = Counter(row.batch for row in rows)
    return [(batch, f"{names[batch]}, {size} runs") for batch, size in sizes.items() if size > 1]


def _rows(context: typer.Context) -> list[RunRow]:
    try:
        with Store(context.params.get("store") or DEFAULT_STORE, create=False) as store:
            return list(store.registry.all())
    except LoopwrightError:
        return []


Subject = Annotated[
    str,
    typer.Argument(
        metavar="FILE|MODULE:NAME",
        help="A loop, in YAML or JSON; or what a name stands for in a module, or in a file: folder/file.py:NAME.",
        show_default=False,
    ),
]
RunId = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run's id, or a beginning that only it has.",
        autocompletion=complete_run,
        show_default=False,
    ),
]
LoopName = Annotated[
    str,
    typer.Option(
        "--loop",
        metavar="FILE|MODULE:NAME",
        help="The loop that the run was started from, where it calls functions.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document; all talk goes to standard error.")]
StoreUrl = Annotated[
    str, typer.Option("--store", metavar="URL", envvar=STORE_VARIABLE, help="Where runs are kept: sqlite:PATH.")
]
ModelName = Annotated[
    str, typer.Option("--model", metavar="MODEL", help="Ask this model wherever one is asked.", show_default=False)
]
ScriptFile = Annotated[
    Path | None,
    typer.Option("--script", metavar="FILE", help="Replies from a script instead of a model.", show_default=False),
]
BudgetLimits = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        metavar="NAME=AMOUNT",
        help="What a run may spend: calls, tokens, cost (dollars), seconds. May be given again.",
        autocompletion=complete_budget,
        show_default=False,
    ),
]
RecordFile = Annotated[
    Path | None,
    typer.Option(
        "--record", metavar="FILE", help="Write down all calls to models, with their answers.", show_default=False
    ),
]
ReplayFile = Annotated[
    Path | None,
    typer.Option("--replay", metavar="FILE", help="Recorded answers instead of a model.", show_default=False),
]
CacheFile = Annotated[
    Path | None,
    typer.Option("--cache", metavar="FILE", help="Ask a model only what FILE has no answer to.", show_default=False),
]
NoInput = Annotated[bool, typer.Option("--no-input", help="Never ask at the terminal; leave the run waiting.")]
