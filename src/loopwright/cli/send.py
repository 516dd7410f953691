"""`loopwright send`: an event from outside into the inbox of a store."""

import json
from dataclasses import dataclass
from typing import Annotated

import typer

from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.going_on import store_words
from loopwright.cli.options import AsJson, StoreUrl, complete_run
from loopwright.cli.output import Output
from loopwright.errors import RunError, SourceError, UnknownRun
from loopwright.graphs.run.speaking import speak
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store
from loopwright.state.text import parsed
from loopwright.state.values import Json, JsonObject


def send(
    type: Annotated[
        str,
        typer.Argument(
            metavar="TYPE|RUN",
            help="What happened, in a word: the type of the event. With a text: the run of whom it is said to.",
            show_default=False,
        ),
    ],
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TEXT]", help="What a person says to an agent of a run.", show_default=False),
    ] = None,
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
            metavar="RUN|NAME|AGENT",
            help="The run that it is for, or the name of a loop, for all its runs; else all that wait for it. With a "
            "text: the agent.",
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
    """Send an event to the runs of a store that wait for it, and to those that will; or say something to an agent.

    It is in the store from then on. A run takes it when it is resumed, or when `loopwright serve` serves the store.

    $ loopwright send delivery -p recipient=ada -p count=3
    $ loopwright send delivery -p '{"recipient": "ada"}' --to 3f2a
    $ loopwright send rain --id 2026-12-01
    $ loopwright send 3f2a --to maria "What about fire?"
    """
    output = Output(as_json=as_json)
    if text is not None:
        return _say(output, Word(type, text, to, id), store, payload or [])
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


@dataclass(frozen=True, slots=True)
class Word:
    """What a person says: in which run, what, to whom, and under which id."""

    run: str
    text: str
    to: str
    id: str


def _say(output: Output, word: Word, store: str, payload: list[str]) -> int:
    """Say something to an agent.

    Raises:
        WrongUse: It has a payload, or nobody hears it.
    """
    if payload:
        raise WrongUse("a text is said as it is, and has no payload: leave out -p, or name the type of an event")
    with Store(store, create=False) as opened:
        try:
            is_new = speak(opened, word.run, word.text, to=word.to, id=word.id)
        except (RunError, UnknownRun) as error:
            raise WrongUse(str(error)) from error
        whom = word.to or "the agent"
        output.say(f"said to {whom}" if is_new else f"a word with the id {word.id} was said before; nothing was done")
        if is_new:
            output.say(f"{whom} hears it when the run is resumed, or with: loopwright serve{store_words(store)}", "dim")
        output.document({"run": word.run, "text": word.text, "to": word.to, "id": word.id, "new": is_new})
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
