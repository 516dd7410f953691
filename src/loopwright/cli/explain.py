"""`loopwright explain`: what a finding means, with a wrong and a right example."""

from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.output import Output
from loopwright.cli.tables import aligned
from loopwright.graphs.verify.explanations import EXPLANATIONS
from loopwright.hints import did_you_mean


def complete_code(incomplete: str) -> list[tuple[str, str]]:
    """The codes of findings, and what each means, for the completion of a shell."""
    texts = {str(code): text.partition("\n")[0] for code, text in EXPLANATIONS.items()}
    return [(code, text) for code, text in texts.items() if code.startswith(incomplete)]


def explain(
    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE",
            help="The code of a finding, as `check` shows it; all codes are listed if left out.",
            autocompletion=complete_code,
            show_default=False,
        ),
    ] = "",
) -> int:
    """Explain a finding of `loopwright check`, with a wrong and a right example.

    $ loopwright explain
    $ loopwright explain missing-edge
    """
    output = Output(as_json=False)
    texts = {str(known): text for known, text in EXPLANATIONS.items()}
    if not code:
        rows = [[known, text.partition("\n")[0]] for known, text in texts.items()]
        output.say(aligned([["code", "what it means"], *rows], output.console.width))
        output.say("\nMore of each, with examples: loopwright explain CODE", "dim")
        return OK
    if code not in texts:
        raise WrongUse(f"no finding has the code {code!r} ({did_you_mean(code, texts)})")
    output.say(f"{code}\n\n{texts[code]}")
    return OK
