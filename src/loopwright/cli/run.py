"""`loopwright run`: start a run, or one for each task of a file, and follow it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.batches import batch_document, follow_batch
from loopwright.cli.documents import run_document
from loopwright.cli.each import read_each
from loopwright.cli.exits import WrongUse
from loopwright.cli.following import follow
from loopwright.cli.models import given_model, require_models
from loopwright.cli.options import AsJson, ModelName, NoInput, ScriptFile, StoreUrl, Subject
from loopwright.cli.output import Output
from loopwright.cli.subjects import loop_at
from loopwright.documents.files import read_file, read_text
from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import SourceError
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.state.channels import Channel
from loopwright.state.schema import check_for, word_of
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store
from loopwright.state.text import value_from_text
from loopwright.state.values import Json, JsonObject


def run(
    subject: Subject,
    inputs: Annotated[
        list[str] | None,
        typer.Option("-i", "--input", metavar="NAME=VALUE", help="An input; JSON where it is no text; @FILE reads it."),
    ] = None,
    each: Annotated[
        Path | None,
        typer.Option(
            "--each", metavar="FILE", help="A list of inputs, in YAML or JSON: a run for each.", show_default=False
        ),
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
      $ loopwright run essay.yaml --each topics.yaml
      $ loopwright run essay.yaml -i topic=@topic.txt
      $ loopwright run essay.yaml -i @inputs.yaml
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
    given = given_model(model, script)
    labels = require_models(loop.plan, given or loop.model)
    ask = output.interactive and not no_input
    with Store(store) as opened:
        batch = loop.enter_all(given_inputs, store=opened, model=given)
        if len(batch) > 1:
            code = follow_batch(batch, output, model=None, asks=labels, ask=ask, loop=subject)
            output.document(batch_document(batch))
        else:
            events = batch[0].astream(audience=output.audience)
            code = follow(batch[0], events, output, asks=labels, ask=ask, loop=subject)
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
    """The inputs of `-i NAME=VALUE`, `-i NAME=@FILE` and `-i @FILE`.

    A text stays a text where the channel takes one, anything else is JSON or YAML; a file in the place of a value is a
    text, too, or YAML, and `@@` at its beginning stands for the sign itself. A file alone is a mapping of inputs, over
    which those count that are given by name.

    Raises:
        WrongUse: A pair has no `=`, a name that stands twice, one that is no input, a file that cannot be read, or a
            value that does not fit; all that is wrong is told at once.
    """
    known = {channel.name: channel for channel in plan.inputs}
    of_files: JsonObject = {}
    values: JsonObject = {}
    faults: list[str] = []
    for pair in pairs:
        name, found, text = pair.partition("=")
        if pair.startswith("@"):
            faults += _from_file(pair, known, of_files)
        elif not found:
            faults.append(f"-i {pair}: write it as NAME=VALUE")
        elif name not in known:
            faults.append(f"-i {pair}: {_unknown(name, known)}")
        elif name in values:
            faults.append(f"-i {pair}: {name!r} is given twice")
        else:
            try:
                values[name] = _value(text, known[name])
            except SourceError as error:
                faults.append(f"-i {pair}: {error}")
            except ValueError as error:
                faults.append(f"-i {name}: {error}; it takes {word_of(known[name].type)}")
    if faults:
        raise WrongUse("; ".join(faults))
    return {**of_files, **values}


def _unknown(name: str, known: Mapping[str, Channel]) -> str:
    return f"there is no input {name!r} ({did_you_mean(name, known) if known else 'this loop takes none'})"


def _from_file(pair: str, known: Mapping[str, Channel], values: JsonObject) -> Iterator[str]:
    """Take the inputs of a file, and tell what is wrong with them."""
    try:
        document = read_file(pair[1:])
    except SourceError as error:
        yield f"-i {pair}: {error}"
        return
    if not isinstance(document.data, dict):
        yield f"-i {pair}: it is no mapping of inputs, as `topic: bridges` is"
        return
    for name, value in document.data.items():
        where = f"-i {pair}: line {document.line((name,))}"
        if name not in known:
            yield f"{where}: {_unknown(name, known)}"
            continue
        try:
            check_for(known[name].type)(value)
            values[name] = value
        except ValueError as error:
            yield f"{where}: {name}: {error}; it takes {word_of(known[name].type)}"


def _value(text: str, channel: Channel) -> Json:
    """The value that a text, or a file, stands for.

    Raises:
        ValueError: It does not fit.
        SourceError: The file cannot be read.
    """
    if text.startswith("@@"):
        text = text[1:]
    elif text.startswith("@"):
        text = read_text(text[1:])
    try:
        return value_from_text(text, channel.type)
    except ValueError:
        with suppress(SourceError, ValueError):
            value = read_yaml(text).data
            check_for(channel.type)(value)
            return value
        raise
