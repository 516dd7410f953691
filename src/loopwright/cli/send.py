"""`loopwright send`: an event from outside into the inbox of a store."""

import json
from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.going_on import store_words
from loopwright.cli.options import AsJson, StoreUrl, complete_run
from loopwright.cli.output import Output
from loopwright.errors import SourceError, UnknownRun
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store
from loopwright.state.text import parsed
from loopwright.state.values import Json, JsonObject


def send(
    type: Annotated[
        str, typer.Argument(metavar="TYPE", help="What happened, in a word: the type of the event.", show_default=False)
    ],
    payload: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--payload",
            metavar="NAME=VALUE|JSON",
            help="A property of its payload, JSON where it is no text; or a whole object. May be given again.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="RUN|NAME",
            help="The run that it is for, or the name of a loop, for all its runs; else all that wait for it.",
            autocompletion=complete_run,
            show_default=False,
        ),
    ] = "",
    id: Annotated[
        str,
        typer.Option("--id", metavar="ID", help="Its id: it is sent once, however often.", show_default=False),
    ] = "",
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Send an event to the runs of a store that wait for it, and to those that will.

    It is in the store from then on. A run takes it when it is resumed, or when `loopwright serve` serves the store.

    $ loopwright send delivery -p recipient=ada -p count=3
    $ loopwright send delivery -p '{"recipient": "ada"}' --to 3f2a
    $ loopwright send rain --id 2026-12-01
    """
    output = Output(as_json=as_json)
    if not type:
        raise WrongUse("an event has a type: loopwright send TYPE")
    values = _payload(payload or [])
    with Store(store) as opened:
        address = _address(opened, to)
        is_new = opened.send(type, values, to=address, id=id)
        whom = f"to {address}" if address else "to all that wait for it"
        said = f"sent {type} {whom}" if is_new else f"an event with the id {id} was sent before; nothing was done"
        output.say(said)
        if is_new:
            output.say(f"runs take it when they are resumed, or with: loopwright serve{store_words(store)}", "dim")
        output.document({"type": type, "payload": values, "to": address, "id": id, "new": is_new})
    return OK


def _payload(given: list[str]) -> JsonObject:
    """The payload.

    Raises:
        WrongUse: Something is no pair and no object, or is given twice; all that is wrong is told at once.
    """
    values: JsonObject = {}
    faults: list[str] = []
    for text in given:
        whole = _json(text) if text.lstrip().startswith("{") else None
        name, found, value = text.partition("=")
        pairs = whole if isinstance(whole, dict) else {name: _json(value)} if found and name else None
        if pairs is None:
            faults.append(f"-p {text}: write it as NAME=VALUE, or as a JSON object")
            continue
        faults += (f"-p {text}: {name!r} is given twice" for name in pairs if name in values)
        values |= pairs
    if faults:
        raise WrongUse("; ".join(faults))
    return values


def _json(text: str) -> Json:
    """A value as JSON, where it is that; else the text."""
    try:
        return parsed(text)
    except (json.JSONDecodeError, ValueError, SourceError):
        return text


def _address(store: Store, to: str) -> str:
    """The id of the run that is meant, or the name of a loop.

    Raises:
        WrongUse: There is no such run, and no run of a loop of this name.
    """
    if not to or any(row.name == to for row in store.registry.all()):
        return to
    try:
        return store.registry.get(to).id
    except UnknownRun as error:
        raise WrongUse(f"{error}; and none is of a loop called {to!r}") from error
