"""`loopwright run`: start a run, or one for each task of a file, and follow it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.batches import batch_document, follow_batch
from loopwright.cli.budgets import parse_budget
from loopwright.cli.documents import run_document
from loopwright.cli.each import read_each
from loopwright.cli.exits import WrongUse
from loopwright.cli.following import Follower
from loopwright.cli.going_on import GoingOn
from loopwright.cli.models import given_model, require_models
from loopwright.cli.options import (
    AsJson,
    BudgetLimits,
    CacheFile,
    ModelName,
    NoInput,
    RecordFile,
    ReplayFile,
    ScriptFile,
    StoreUrl,
    Subject,
)
from loopwright.cli.output import Output
from loopwright.cli.pairs import parse_pairs
from loopwright.cli.subjects import loop_at
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.models import either
from loopwright.state.schema import word_of
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject


def run(
    subject: Subject,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "-i",
            "--input",
            metavar="NAME=VALUE",
            help="An input; JSON where it is no text; @FILE reads it. May be given again.",
        ),
    ] = None,
    each: Annotated[
        Path | None,
        typer.Option(
            "--each", metavar="FILE", help="A list of inputs, in YAML or JSON: a run for each.", show_default=False
        ),
    ] = None,
    budget: BudgetLimits = None,
    model: ModelName = "",
    script: ScriptFile = None,
    record: RecordFile = None,
    replay: ReplayFile = None,
    cache: CacheFile = None,
    store: StoreUrl = DEFAULT_STORE,
    no_input: NoInput = False,
    as_json: AsJson = False,
) -> int:
    """Start a run and follow it. It can be stopped anywhere, and goes on with `loopwright resume`.

    Where it waits for a person and a terminal is there, it asks; Ctrl-D leaves it waiting. A file with several tasks is
    run once for each, and the exit code is that of the run which went worst.

      $ loopwright run bridge.yaml --script bridge.script.yaml
      $ loopwright run bridge.yaml --model gpt-4o-mini
      $ loopwright run bridge.yaml --model gpt-4o-mini --record calls.jsonl
      $ loopwright run bridge.yaml --replay calls.jsonl
      $ loopwright run essay.yaml -i topic=bridges -i 'notes=["be brief"]'
      $ loopwright run essay.yaml --each topics.yaml
      $ loopwright run essay.yaml -i topic=@topic.txt
      $ loopwright run essay.yaml -i @inputs.yaml
      $ loopwright run essay.yaml --budget calls=40 --budget cost=0.5
      $ loopwright run bridge.yaml --no-input --json > run.json
      $ loopwright run app/loops.py:loop
    """
    output = Output(as_json=as_json)
    loop = loop_at(subject)
    loop.check().raise_for_errors()
    values = parse_inputs(loop.plan, inputs or [])
    rows = read_each(loop.plan, each) if each else [{}]
    own = loop.inputs if not each or len(loop.inputs) == 1 else ({},)
    given_inputs = [{**mine, **row, **values} for mine in own for row in rows]
    require_inputs(loop.plan, given_inputs)
    limits = parse_budget(budget or [])
    given = either(given_model(model, script, record=record, replay=replay, cache=cache), loop.model)
    labels = require_models(loop.plan, given)
    follower = Follower(output, GoingOn(subject), labels, ask=output.interactive and not no_input)
    with Store(store) as opened:
        batch = loop.enter_all(given_inputs, store=opened, model=given, budget=limits)
        if len(batch) > 1:
            code = follow_batch(batch, follower, model=None)
            output.document(batch_document(batch))
        else:
            code = follower.follow(batch[0], batch[0].astream(audience=output.audience))
            output.document(run_document(batch[0]))
    return code


def require_inputs(plan: Plan, given: Sequence[JsonObject]) -> None:
    """Refuse to start where an input is missing that has no default.

    Args:
        plan: The plan.
        given: The inputs of each run.

    Raises:
        WrongUse: One is missing; all of them are told.
    """
    needed = [channel for channel in plan.inputs if not channel.always_there]
    missing = [channel for channel in needed if any(channel.name not in own for own in given)]
    if missing:
        named = ", ".join(f"{channel.name!r} ({word_of(channel.type)})" for channel in missing)
        options = " ".join(f'-i {channel.name}="..."' for channel in missing)
        subject = f"input {named} is" if len(missing) == 1 else f"inputs {named} are"
        raise WrongUse(f"{subject} missing; give {'it' if len(missing) == 1 else 'them'} with {options}")


def parse_inputs(plan: Plan, pairs: list[str]) -> JsonObject:
    """The inputs of `-i NAME=VALUE`, `-i NAME=@FILE` and `-i @FILE`; see `parse_pairs`."""
    return parse_pairs("-i", "input", {channel.name: channel for channel in plan.inputs}, pairs)
