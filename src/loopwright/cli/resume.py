"""`loopwright resume`: let a run or a batch go on, with the answer that it waits for or where it stopped."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from loopwright.cli.batches import batch_document, follow_batch
from loopwright.cli.bounds import parse_bounds
from loopwright.cli.budgets import complete_more, parse_more
from loopwright.cli.documents import run_document
from loopwright.cli.exits import WrongUse
from loopwright.cli.following import Follower
from loopwright.cli.going_on import GoingOn
from loopwright.cli.holders import watch_holder
from loopwright.cli.models import given_model, require_models
from loopwright.cli.options import (
    AsJson,
    CacheFile,
    LoopName,
    ModelName,
    NoInput,
    RecordFile,
    ReplayFile,
    RunId,
    ScriptFile,
    StoreUrl,
    complete_batch,
)
from loopwright.cli.output import Output
from loopwright.cli.subjects import loop_at
from loopwright.graphs.run.batch import Batch
from loopwright.graphs.run.models import Given, either
from loopwright.graphs.run.opening import open_batch, open_run
from loopwright.loop.loop import Loop
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.runs import RunRow
from loopwright.state.text import value_from_text


def resume(
    run: RunId = "",
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
    batch: Annotated[
        str,
        typer.Option(
            "--batch",
            metavar="ID",
            help="All runs of a batch that can go on, instead of one run.",
            autocompletion=complete_batch,
            show_default=False,
        ),
    ] = "",
    bound: Annotated[
        list[str] | None,
        typer.Option(
            "--bound", metavar="NAME +N", help="So much more of a bound. May be given again.", show_default=False
        ),
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            "--budget",
            metavar="NAME +AMOUNT",
            help="So much more of a budget. May be given again.",
            autocompletion=complete_more,
            show_default=False,
        ),
    ] = None,
    effect: Annotated[
        str | None,
        typer.Option(
            "--effect",
            metavar="done|again",
            help="What is decided of an effect of which nobody knows whether it happened.",
            show_default=False,
        ),
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option(
            "--reply", metavar="JSON", help="What came of an effect that is done, as JSON or text.", show_default=False
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", metavar="KEY", help="Which effect that is, where there are several.", show_default=False),
    ] = None,
    take_over: Annotated[
        bool,
        typer.Option("--take-over", help="Take it from a process that runs it, as where that one is frozen."),
    ] = False,
    loop: LoopName = "",
    changed_code: Annotated[
        bool, typer.Option("--changed-code", help="Go on with functions that have changed since it was started.")
    ] = False,
    changed_plan: Annotated[
        bool,
        typer.Option("--changed-plan", help="Go on with the plan of --loop where it has changed and that is safe."),
    ] = False,
    model: ModelName = "",
    script: ScriptFile = None,
    record: RecordFile = None,
    replay: ReplayFile = None,
    cache: CacheFile = None,
    store: StoreUrl = DEFAULT_STORE,
    no_input: NoInput = False,
    as_json: AsJson = False,
) -> int:
    """Let a run go on: with the answer that it waits for, or by asking again where it stopped.

    The models are those that it was started with, recorded or replayed as then, unless --model, --script, --record,
    --replay or --cache says otherwise. An empty answer is the default. Without an answer, a waiting run asks at the
    terminal, or shows its question; one that waits for an event or a timer goes on where that has come. With --batch,
    all runs of a batch go on that were not begun, were interrupted or are suspended; those that wait are answered one
    by one.

    A run that has ended because a bound was used up goes on with --bound, and one that is suspended because a budget is
    spent with --budget. One that calls functions needs --loop, as it was started: nothing is imported because a store
    names it. `loopwright migrate` leads runs on to a plan in which names have changed.

    A run that was cut off in an effect, so that nobody knows whether it happened, goes on with --effect done where it
    did, with what the function would have returned as --reply, or with --effect again.

    One process at a time runs a run. One that has died, or has said nothing for 30 seconds on another host, holds it no
    more; from one that lives and is frozen it is taken with --take-over, and that one then writes nothing more.

    $ loopwright resume 3f2a "use metric units"
    $ loopwright resume 3f2a accept
    $ loopwright resume 3f2a '{"action": "reject", "text": "too long"}'
    $ loopwright resume 3f2a "too long" --question 8c1d
    $ loopwright resume 3f2a --bound rounds +3
    $ loopwright resume 3f2a --budget calls +20
    $ loopwright resume 3f2a --effect done --reply '"invoice 12"' --loop shop.yaml
    $ loopwright resume 3f2a --loop tidy.yaml
    $ loopwright resume 3f2a accept --loop app/loops.py:loop
    $ loopwright resume 3f2a
    $ loopwright resume 3f2a --take-over
    $ loopwright resume --batch b7c0
    """
    output = Output(as_json=as_json)
    ask = output.interactive and not no_input
    going_on = GoingOn(loop)
    own = loop_at(loop) if loop else None
    if changed_plan and own is None:
        raise WrongUse("--changed-plan is for the plan of --loop FILE|MODULE:NAME; give that, too")
    asked = given_model(model, script, record=record, replay=replay, cache=cache)
    if batch:
        _require_alone(RUN=run, question=question, bound=bound, budget=budget, take_over=take_over, effect=effect)
        opened_batch = open_batch(store, batch, loop=own, changed_code=changed_code, changed_plan=changed_plan)
        given = either(asked, _brought(own, (opened.row for opened in opened_batch.ready)))
        return _resume_batch(opened_batch, output, going_on, given, ask=ask)
    if not run:
        raise WrongUse("say what goes on: a RUN, or --batch ID")
    more, money = parse_bounds(bound or []), parse_more(budget or [])
    opened = open_run(store, run, loop=own, changed_code=changed_code, changed_plan=changed_plan)
    if not take_over:
        watch_holder(opened, output)
    row = opened.row
    given = either(asked, _brought(own, [row]))
    going_on.require_loop_of(opened)
    stands = row.status == "waiting" and opened.store.inbox.ready(row) is None
    shown = stands and answer is None and question is None
    if shown and (more or money or effect):
        option = "--bound" if more else "--budget" if money else "--effect"
        raise WrongUse(f"run {row.id} waits for an answer; give it together with {option}")
    labels = require_models(opened.plan, given, row.models) if ask or not shown else []
    options: dict[str, Any] = {
        "effect": effect,
        "reply": None if reply is None else value_from_text(reply, {}),
        "key": key,
        "model": given,
        "bounds": more or None,
        "budget": money or None,
        "audience": output.audience,
    }
    events = None if shown else opened.astream(answer, question=question, take_over=take_over, **options)
    code = Follower(output, going_on, labels, ask).follow(opened, events)
    output.document(run_document(opened))
    return code


_OF_ONE_RUN = {
    "RUN": "a RUN and --batch both say what goes on; give one of them",
    "question": "an answer is for one run: loopwright resume RUN ANSWER",
    "bound": "more of a bound is for one run: loopwright resume RUN --bound NAME +N",
    "budget": "more of a budget is for one run: loopwright resume RUN --budget NAME +AMOUNT",
    "effect": "one run's effects are decided at a time: loopwright resume RUN --effect done|again",
    "take_over": "one run is taken over at a time: loopwright resume RUN --take-over",
}
"""What is wrong with what is given beside --batch."""


def _require_alone(**given: object) -> None:
    """Refuse what is for one run, where a batch goes on."""
    for name, value in given.items():
        if value:
            raise WrongUse(_OF_ONE_RUN[name])


def _brought(loop: Loop[Any] | None, rows: Iterable[RunRow]) -> Given | None:
    """The model that a loop brings, where the store could keep none of the runs' own."""
    kept = all(isinstance(held, dict) and "live" not in held for row in rows for held in row.models.values())
    return loop.model if loop and not kept else None


def _resume_batch(batch: Batch, output: Output, going_on: GoingOn, given: Given | None, *, ask: bool) -> int:
    going_on.require_loop_of_batch(batch)
    labels = dict.fromkeys(label for run in batch.ready for label in require_models(run.plan, given, run.row.models))
    code = follow_batch(batch, Follower(output, going_on, list(labels), ask), model=given)
    output.document(batch_document(batch))
    return code
