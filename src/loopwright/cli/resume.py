"""`loopwright resume`: let a run go on, with the answer that it waits for or where it stopped."""

from typing import Annotated

import typer

from loopwright.cli.documents import run_document
from loopwright.cli.exits import WrongUse
from loopwright.cli.following import follow
from loopwright.cli.models import given_model, require_models
from loopwright.cli.options import AsJson, ModelName, NoInput, RunId, ScriptFile, StoreUrl
from loopwright.cli.output import Output
from loopwright.cli.phrases import python_line
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.state.store.database import DEFAULT_STORE


def resume(
    run: RunId,
    answer: Annotated[
        str | None,
        typer.Argument(metavar="ANSWER", help="The answer: a line of text, or a JSON object.", show_default=False),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "--question", metavar="ID", help="Which question is answered, where several are open.", show_default=False
        ),
    ] = None,
    model: ModelName = "",
    script: ScriptFile = None,
    store: StoreUrl = DEFAULT_STORE,
    no_input: NoInput = False,
    as_json: AsJson = False,
) -> int:
    """Let a run go on: with the answer that it waits for, or by asking again where it stopped.

    The models are those that it was started with, unless --model or --script names another. An empty answer is the
    default. Without an answer, a waiting run asks at the terminal, or shows its question.

      $ loopwright resume 3f2a "use metric units"
      $ loopwright resume 3f2a accept
      $ loopwright resume 3f2a '{"action": "reject", "text": "too long"}'
      $ loopwright resume 3f2a "too long" --question 8c1d
      $ loopwright resume 3f2a
    """
    output = Output(as_json=as_json)
    opened = open_run(store, run)
    require_no_code(opened)
    row = opened.row
    given = given_model(model, script)
    shown = row.status == "waiting" and answer is None and question is None
    ask = output.interactive and not no_input
    labels = require_models(opened.plan, given, row.models) if ask or not shown else []
    events = None if shown else opened.astream(answer, question=question, model=given, audience=output.audience)
    code = follow(opened, events, output, asks=labels, ask=ask)
    output.document(run_document(opened))
    return code


def require_no_code(run: Run) -> None:
    """Refuse what no command can do: it has no functions, and imports none because a store names them.

    Raises:
        WrongUse: The run's plan names functions.
    """
    if run.plan.code:
        names = ", ".join(ref.name for ref in run.plan.code)
        line = python_line(run.id, run.store.url, answered=run.row.status == "waiting")
        raise WrongUse(
            f"run {run.id} calls functions ({names}), and a command has none; resume it in Python, with the loop"
            f" that it was started from:\n  {line}"
        )
