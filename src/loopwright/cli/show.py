"""`loopwright show`: all that is known of one run."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from loopwright.cli.documents import run_document
from loopwright.cli.exits import OK
from loopwright.cli.following import say_question
from loopwright.cli.going_on import GoingOn
from loopwright.cli.options import AsJson, RunId, StoreUrl
from loopwright.cli.output import Output, print_json
from loopwright.cli.phrases import budget_words, cut, harmless, one_line, usage_words, whole
from loopwright.cli.tables import origin_words, visits_table
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.run.batch import state_of
from loopwright.graphs.run.decisions import effect_words, undecided
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import label_of
from loopwright.graphs.run.opening import open_run
from loopwright.nodes.budget import amount_words
from loopwright.state.records import Suspension, Visit
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.runs import RunRow


def show(
    run: RunId,
    full: Annotated[bool, typer.Option("--full", help="Show what was said in whole, not its first lines.")] = False,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Show a run: how it rests, what happened, what it waits for, and its result.

    $ loopwright show 3f2a
    $ loopwright show 3f2a --full
    $ loopwright show 3f2a --json
    """
    opened = open_run(store, run)
    if as_json:
        print_json(_document(opened))
    else:
        _say(opened, full=full)
    return OK


def _document(opened: Run) -> dict[str, Any]:
    return {
        **run_document(opened),
        "inputs": opened.row.inputs,
        "certificate": certify(opened.plan).to_data(),
        "visits": [asdict(visit) for visit in opened.visits],
        "effects": [asdict(effect) for effect in opened.effects],
    }


def _say(opened: Run, *, full: bool) -> None:
    output = Output(as_json=False)
    row, visits = opened.row, opened.visits
    _say_head(opened, row, output)
    output.say()
    if full:
        for visit in visits:
            _say_visit(visit, output)
    elif visits:
        output.say(visits_table(visits, output.console.width))
    for question in row.questions if row.status == "waiting" else ():
        say_question(opened, row, question, output, GoingOn())
    for suspension in opened.suspensions:
        _say_suspension(suspension, output, full=full)
    if row.status == "finished":
        output.say("\nResult:\n", "bold")
        output.say(whole(opened.result))
    if row.status == "quarantined":
        output.say(f"\nGo on from what came before, by a visit's number:\n  loopwright fork {row.id} --at N")
    if row.status in ("suspended", "interrupted"):
        output.say(GoingOn().of(opened))


def _say_head(opened: Run, row: RunRow, output: Output) -> None:
    end = f": {row.end}" if row.end else ""
    reason = f" ({row.reason})" if row.reason else ""
    certificate = certify(opened.plan)
    spent = usage_words(len(opened.visits), opened.usage, certificate.visits, certificate.calls)
    models = ", ".join(f"{name}: {label_of(model)}" for name, model in row.models.items())
    facts = {
        "run": f"{row.id} of {row.name}" + (f", batch {row.batch}" if row.batch != row.id else ""),
        **({"forked": f"from {origin_words(row)}"} if row.forked_from else {}),
        "status": f"{state_of(row)}{end}{reason}",
        "models": models or "none",
        "took": spent,
        **({"budget": budget_words(spending)} if (spending := opened.spending) else {}),
        **{f"more {bound}": "; ".join(more) for bound, more in _more_of(opened).items()},
        **({"unknown": "; ".join(map(effect_words, unknown))} if (unknown := undecided(opened)) else {}),
        **{name: one_line(value) for name, value in row.inputs.items()},
    }
    width = max(map(len, facts))
    for name, value in facts.items():
        output.say(f"{name:{width}}  {visible(value)}")


def _more_of(opened: Run) -> dict[str, list[str]]:
    """What the run was given more of, each time that it was."""
    found: dict[str, list[str]] = {}
    for each in opened.extensions:
        found.setdefault(each.bound, []).append(f"{each.more}, before visit {each.visits}")
    for grant in opened.grants:
        more = f"{amount_words(grant.budget, grant.more)}, before visit {grant.visits}"
        found.setdefault(grant.budget, []).append(more)
    return found


def _say_suspension(suspension: Suspension, output: Output, *, full: bool) -> None:
    """What was asked last where the run is suspended, and all that was said to it."""
    if not suspension.asked:
        return
    output.say(f"\n{suspension.node} is suspended; {suspension.model or 'its model'} was asked last", "bold")
    for word, text in (("asked", suspension.asked), *(("said", said) for said in suspension.said)):
        if full:
            output.say(f"{word}:\n{harmless(text)}")
        else:
            output.say(cut(f"{word:5}  {visible(' '.join(text.split()))}", output.console.width))


def _say_visit(visit: Visit, output: Output) -> None:
    """One visit with all that was said in it."""
    asked = f", {visit.model}" if visit.model else ""
    asked += ", cached" if visit.usage.cached else ""
    output.say(f"{visit.index}. {visit.node} [{visit.outcome}] -> {visit.target}{asked}", "bold")
    if visit.reason:
        output.say(harmless(visit.reason), "dim")
    if visit.note:
        output.say(harmless(visit.note), "yellow")
    if visit.effect:
        output.say(f"effect {visit.effect}", "dim")
    if visit.raw is not None:
        output.say(f"{whole(visit.raw)}\n", "dim")
        output.say("could not be read" if visit.outcome == "unreadable" else "read as:", "dim")
    output.say(f"{whole(visit.reply)}\n" if visit.reply is not None else "")
