"""`loopwright run`: start a run, or one for each task of a file, and follow it."""

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from loopwright.cli.documents import run_document
from loopwright.cli.exits import INTERRUPTED, WrongUse, worst
from loopwright.cli.following import follow
from loopwright.cli.models import given_model, require_models
from loopwright.cli.options import AsJson, ModelName, NoInput, ScriptFile, SpecFile, StoreUrl
from loopwright.cli.output import Output
from loopwright.cli.phrases import one_line
from loopwright.cli.tables import runs_table
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.handle import Run
from loopwright.hints import did_you_mean
from loopwright.loop import Loop, load
from loopwright.state.channels import Channel
from loopwright.state.schema import word_of
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store
from loopwright.state.text import value_from_text
from loopwright.state.values import JsonObject


def run(
    file: SpecFile,
    inputs: Annotated[
        list[str] | None,
        typer.Option("-i", "--input", metavar="NAME=VALUE", help="An input; JSON where it is no text."),
    ] = None,
    model: ModelName = "",
    script: ScriptFile = None,
    store: StoreUrl = DEFAULT_STORE,
    no_input: NoInput = False,
    as_json: AsJson = False,
) -> int:
    """Start a run and follow it. It can be stopped anywhere, and goes on with `loopwright resume`.

    Where it waits for a person and a terminal is there, it asks; Ctrl-D leaves it waiting. A file with several tasks is
    run once for each, and the exit code is that of the run which went worst.

      $ loopwright run bridge.yaml --script bridge.script.yaml
      $ loopwright run bridge.yaml --model gpt-4o-mini
      $ loopwright run essay.yaml -i topic=bridges -i 'notes=["be brief"]'
      $ loopwright run bridge.yaml --no-input --json > run.json
    """
    output = Output(as_json=as_json)
    loop = load(file)
    loop.check().raise_for_errors()
    values = parse_inputs(loop.plan, inputs or [])
    require_inputs(loop.plan, [{**own, **values} for own in loop.inputs])
    given = given_model(model, script)
    labels = require_models(loop.plan, given)
    batch = secrets.token_hex(4) if len(loop.inputs) > 1 else ""
    ask = output.interactive and not no_input
    codes: list[int] = []
    with Store(store) as opened:
        runs: list[Run] = []
        for own in loop.inputs:
            for name, value in own.items() if batch else ():
                output.say(f"\n{name}: {one_line(value)}", "dim")
            stream = loop.astream({**own, **values}, store=opened, model=given, batch=batch)
            runs.append(stream.run)
            codes.append(follow(stream.run, stream, output, asks=labels, ask=ask))
            if codes[-1] == INTERRUPTED:
                break
        if batch:
            _sum_up(loop, runs, batch, output)
        documents = [run_document(started) for started in runs]
    output.document({"batch": batch, "runs": documents} if batch else documents[0])
    return worst(codes)


def _sum_up(loop: Loop[Any], runs: list[Run], batch: str, output: Output) -> None:
    """All runs of a batch in one table."""
    rows = [(started.row, started.store.registry.count_visits(started.id)) for started in runs]
    output.say(f"\nbatch {batch}: {len(runs)} of {len(loop.inputs)} runs were started", "bold")
    output.say(runs_table(rows, time.time(), output.console.width))


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
    """The inputs of `-i NAME=VALUE`: a text stays a text where the channel takes one, anything else is JSON.

    Raises:
        WrongUse: A pair has no `=`, a name that stands twice, one that is no input, or a value that does not fit; all
            that is wrong is told at once.
    """
    return parse_pairs("-i", "input", {channel.name: channel for channel in plan.inputs}, pairs)


def parse_pairs(option: str, noun: str, known: Mapping[str, Channel], pairs: list[str]) -> JsonObject:
    """Values of channels, as an option gives them by NAME=VALUE; see `parse_inputs`.

    Args:
        option: The option.
        noun: What it gives.
        known: The channels that may be given.
        pairs: The pairs.
    """
    values: JsonObject = {}
    faults: list[str] = []
    for pair in pairs:
        name, found, text = pair.partition("=")
        if not found:
            faults.append(f"{option} {pair}: write it as NAME=VALUE")
        elif name not in known:
            hint = did_you_mean(name, known) if known else "this loop takes none"
            faults.append(f"{option} {pair}: there is no {noun} {name!r} ({hint})")
        elif name in values:
            faults.append(f"{option} {pair}: {name!r} is given twice")
        else:
            try:
                values[name] = value_from_text(text, known[name].type)
            except ValueError as error:
                faults.append(f"{option} {name}: {error}; it takes {word_of(known[name].type)}")
    if faults:
        raise WrongUse("; ".join(faults))
    return values
