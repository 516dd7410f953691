"""`loopwright history`: what happened in a run, visit by visit, with what was asked and what was written."""

import json
from typing import Annotated, Any

import typer

from loopwright.cli.exits import OK
from loopwright.cli.options import AsJson, RunId, StoreUrl
from loopwright.cli.output import Output, print_json
from loopwright.cli.phrases import harmless, seconds_words, usage_words, whole
from loopwright.cli.tables import moments_table
from loopwright.errors import RunError
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.moments import Moment
from loopwright.graphs.run.opening import open_run
from loopwright.nodes.contract import AskModel, AskOutside
from loopwright.state.store.database import DEFAULT_STORE


def history(
    run: RunId,
    at: Annotated[
        int | None, typer.Option("--at", min=0, metavar="N", help="Show this visit in whole.", show_default=False)
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show every visit in whole.")] = False,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Show what happened in a run: what was asked, answered and written at every visit.

    N is a visit's index, as `run`, `show` and this list have it: counted from 0, so that N visits come before it. In
    whole, a visit has its messages, its reply, and the state before and after it.

    $ loopwright history 3f2a
    $ loopwright history 3f2a --at 5
    $ loopwright history 3f2a --full --json
    """
    opened = open_run(store, run)
    output = Output(as_json=as_json)
    if as_json:
        print_json(_document(opened, at, full=full))
    elif at is not None:
        _say(_moment(opened, at), output)
    elif full:
        for moment in opened.history:
            _say(moment, output)
    else:
        _say_list(opened, output)
    return OK


def _document(opened: Run, at: int | None, *, full: bool) -> Any:
    if at is not None:
        return _told(_moment(opened, at), full=True)
    row = opened.row
    return {
        "run": opened.id,
        "forked_from": row.forked_from or None,
        "forked_at": row.forked_at if row.forked_from else None,
        "visits": [_told(moment, full=full) for moment in opened.history],
    }


def _moment(opened: Run, at: int) -> Moment:
    try:
        return opened.history[at]
    except IndexError as error:
        raise RunError(f"run {opened.id}: {error}") from error


def _told(moment: Moment, *, full: bool) -> dict[str, Any]:
    """A moment as JSON; of one whose states are not kept any more what is left."""
    try:
        return {**moment.to_data(full=full), "kept": True}
    except RunError:
        return {**moment.visit_data(), "kept": False}


def _say_list(opened: Run, output: Output) -> None:
    row = opened.row
    if row.forked_from:
        output.say(f"forked from {row.forked_from} at {row.forked_at}; the visits before that are of that run\n", "dim")
    moments = list(opened.history)
    if moments:
        output.say(moments_table(moments, output.console.width))
    else:
        output.say(f"run {opened.id} has completed no visit yet")


def _say(moment: Moment, output: Output) -> None:
    """One visit in whole."""
    visit = moment.visit
    output.say(f"{visit.index}. {visit.node} [{visit.outcome}] -> {visit.target}", "bold")
    took = [visit.model, seconds_words(visit.seconds), usage_words(1, visit.usage, None, None).partition(", ")[2]]
    effect = f"effect {visit.effect}" if visit.effect else ""
    output.say(harmless(", ".join(filter(None, [*took, effect, visit.note, visit.reason]))), "dim")
    try:
        _say_asked(moment.asked, output)
        _say_part("said", visit.raw, output)
        _say_part("answered", visit.reply, output)
        _say_part("written", moment.written, output)
        _say_part("state before", moment.before, output)
        _say_part("state after", moment.after, output)
    except RunError as error:
        output.say(harmless(str(error)), "yellow")
        _say_part("said", visit.raw, output)
        _say_part("answered", visit.reply, output)
    output.say()


def _say_asked(asked: AskModel | AskOutside | None, output: Output) -> None:
    if isinstance(asked, AskModel):
        for message in asked.messages:
            _say_part(message["role"], message["content"], output)
        if asked.schema is not None:
            _say_part("asked for", json.dumps(dict(asked.schema), ensure_ascii=False), output)
    elif asked is not None:
        _say_part("asked", asked.text, output)


def _say_part(name: str, value: Any, output: Output) -> None:
    if value is not None:
        output.say(f"\n{name}:", "dim")
        output.say(whole(value))
