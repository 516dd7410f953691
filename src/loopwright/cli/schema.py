"""`loopwright schema`: the JSON Schema of the files, for editors and programs."""

from typing import Annotated

import typer

from loopwright.cli.exits import OK
from loopwright.cli.output import print_json
from loopwright.graphs.forms.spec import FORMS
from loopwright.sources.schema import json_schema


def complete_kind(incomplete: str) -> list[tuple[str, str]]:
    """The kinds of files, and what each is, for the completion of a shell."""
    texts = {kind: (form.__doc__ or "").partition("\n")[0] for kind, form in sorted(FORMS.items())}
    return [(kind, text) for kind, text in texts.items() if kind.startswith(incomplete)]


def schema(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="A kind of file; all of them if left out.", autocompletion=complete_kind),
    ] = "",
) -> int:
    """Print the JSON Schema of the files, of one kind or of all.

    $ loopwright schema > loopwright.schema.json
    $ loopwright schema role_cycle
    """
    print_json(json_schema(kind or None))
    return OK
