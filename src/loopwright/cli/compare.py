"""`loopwright compare`: the same problems through several loops, scored alike."""

import asyncio
import contextlib
import math
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from loopwright.cli.budgets import parse_budget
from loopwright.cli.comparing import Comparing
from loopwright.cli.exits import INTERRUPTED, OK, OTHER_END, Stopped, WrongUse
from loopwright.cli.going_on import store_words
from loopwright.cli.models import given_model, require_keys
from loopwright.cli.options import AsJson, BudgetLimits, ModelName, ScriptFile, StoreUrl, complete_batch
from loopwright.cli.output import Output
from loopwright.cli.phrases import counted, harmless
from loopwright.cli.signals import cancel_on_sigterm
from loopwright.cli.subjects import contenders_at, loop_at
from loopwright.cli.tables import aligned, left_out
from loopwright.errors import StoreError
from loopwright.graphs.compare.comparison import Comparison, format_of
from loopwright.graphs.compare.contest import Contest, Task
from loopwright.graphs.compare.export import data_of
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.table import SPARE, judging_words, pair_cells, pairs_words, standing_cells
from loopwright.loop.compare import task_of
from loopwright.sources.calls import function_at
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store

LEFT_OUT = "leave-out"
"""The word of `--no-answer` that leaves runs without an answer out of the means."""


def compare(
    context: typer.Context,
    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|MODULE:NAME...", help="The loops that are compared; see `run`.", show_default=False
        ),
    ],
    problems: Annotated[
        Path,
        typer.Option(
            "--problems",
            metavar="FILE",
            help="The problems, in YAML, JSON, JSON lines or CSV: inputs, and `expected` where there is one.",
            show_default=False,
        ),
    ],
    check: Annotated[
        str,
        typer.Option(
            "--check",
            metavar="FILE.py:NAME",
            help="A function that says what an answer is worth, of `result`, `expected` and the inputs.",
            show_default=False,
        ),
    ] = "",
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="FILE",
            help="A loop that says so: it takes `answer`, `problem` and `expected`, and its result is a number.",
            show_default=False,
        ),
    ] = "",
    types: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="TYPE,TYPE",
            help="A contender for each of these values of a file's `type`.",
            show_default=False,
        ),
    ] = "",
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", help="How often each gets each problem.", min=1)] = 1,
    at_once: Annotated[
        int, typer.Option("--at-once", metavar="N", help="How many runs are at work at once.", min=1)
    ] = 1,
    no_answer: Annotated[
        str,
        typer.Option(
            "--no-answer", metavar="NUMBER", help="The score of a run without an answer; `leave-out` for none."
        ),
    ] = "0",
    budget: BudgetLimits = None,
    model: ModelName = "",
    script: ScriptFile = None,
    judge_model: Annotated[
        str, typer.Option("--judge-model", metavar="MODEL", help="Let this model judge.", show_default=False)
    ] = "",
    judge_script: Annotated[
        Path | None,
        typer.Option("--judge-script", metavar="FILE", help="Let this script judge, offline.", show_default=False),
    ] = None,
    store: StoreUrl = DEFAULT_STORE,
    batch: Annotated[
        str,
        typer.Option(
            "--batch",
            metavar="ID",
            help="Go on with a comparison, and pay for nothing twice.",
            autocompletion=complete_batch,
            show_default=False,
        ),
    ] = "",
    again: Annotated[bool, typer.Option("--again", help="With --batch: ask suspended runs again.")] = False,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            metavar="FILE",
            help="Write a .csv, .json, .svg, .html or .png. May be given again.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Compare loops: the same problems through all of them, scored, with what that shows.

    Each contender gets each problem, in a run of its own, and all runs are one batch. Ctrl-C leaves it, and the line
    that it prints goes on: what is done is not asked again, and only scored anew.

    The exit code is 0 when every run has an answer and a score, and 1 when some have not.

      $ loopwright compare a.yaml b.yaml --problems sums.csv --check tools.py:right
      $ loopwright compare a.yaml b.yaml --problems q.jsonl --judge judge.yaml
      $ loopwright compare a.yaml app/loops.py:loop --problems ... --check ...
      $ loopwright compare brain.yaml --as zero_shot,multi_eval --problems ...
      $ loopwright compare a.yaml b.yaml ... --model gpt-4o-mini -o plot.svg
      $ loopwright compare a.yaml b.yaml ... --batch b7c0
    """
    output = Output(as_json=as_json)
    for file in files or []:
        format_of(file)
        if not file.parent.is_dir():
            raise WrongUse(f"{file}: there is no folder {file.parent}")
    if batch == "" and again:
        raise WrongUse("--again is for runs of a comparison that is there; name it with --batch ID")
    if bool(check) == bool(judge):
        raise WrongUse("say what an answer is worth: by --check FILE.py:NAME or by --judge FILE, and by one of them")
    loops = contenders_at(subjects, types)
    task = task_of(
        loops,
        problems,
        check=function_at(check) if check else None,
        judge=loop_at(judge) if judge else None,
        model=given_model(model, script),
        judge_model=given_model(judge_model, judge_script, of="judge-"),
        budget=parse_budget(budget or []),
        repeat=repeat,
        no_answer=_score(no_answer),
        batch=batch,
        again=again,
    )
    rivals = [*task.contenders, *([task.judge] if task.judge else [])]
    require_keys(model for each in rivals for model in each.models.values())
    with Store(store) as opened:
        comparing = Comparing(output.console, [*loops])
        results = _followed(task, opened, at_once, comparing, context, output)
    if results is None:
        return _left(comparing.batch, store, context, output)
    _say_results(results, output)
    made = Comparison(results)
    for file in files or []:
        made.draw(file)
        output.say(f"wrote {file}", "dim")
    if store != "memory:":
        _say_how_on(results, context, output)
    output.document(data_of(results))
    return OK if results.complete else OTHER_END


def _followed(
    task: Task, store: Store, at_once: int, comparing: Comparing, context: typer.Context, output: Output
) -> Results | None:
    """What came of the comparison; None where it was left.

    Raises:
        Stopped: The store, or what is told, could not be written in the middle of it.
    """
    contest = Contest(task, store, comparing)
    try:
        with output.apart(), comparing, contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            return asyncio.run(_run(contest, at_once))
    except (OSError, StoreError) as error:
        raise Stopped(f"{error}\nthe comparison is interrupted\n{_line_of(context, contest.batch)}") from error
    return None


async def _run(contest: Contest, at_once: int) -> Results:
    cancel_on_sigterm()
    return await contest.ago_on(at_once)


def _left(batch: str, store: str, context: typer.Context, output: Output) -> int:
    """Say how a comparison goes on that was left."""
    output.say("interrupted, and nothing that was done is lost", "bold yellow")
    if store == "memory:":
        output.say("It was kept in memory:, and is gone now; start it with --store sqlite:PATH to leave it.")
    else:
        output.say(f"\nGo on with:\n  {_line_of(context, batch)}")
    return INTERRUPTED


def _say_how_on(results: Results, context: typer.Context, output: Output) -> None:
    """The lines that ask again, and score again, where something is left to be wished."""
    if any(trial.fault for trial in results.trials):
        output.say(f"\nScore it again with:\n  {_line_of(context, results.batch)}")
    suspended = [trial for trial in results.trials if trial.status == "suspended"]
    if any(trial.over_budget for trial in suspended):
        line = _line_of(context, "")
        output.say(
            f"\nWhere a budget is spent, asking again does not help. Give a new comparison more of it:\n  {line}"
        )
    if any(not trial.over_budget for trial in suspended):
        output.say(f"\nAsk again where a run is suspended with:\n  {_line_of(context, results.batch)} --again")


def _say_results(results: Results, output: Output) -> None:
    """Both tables, how they are read, and what has to be known."""
    width = output.console.width
    output.say(f"\nbatch {results.batch}: {counted(results.problems, 'problem')}", "bold")
    cells = standing_cells(results)
    table = aligned(cells, width, spare=SPARE)
    output.say(table)
    if missing := left_out(cells, table, SPARE):
        output.say(f"left out, as the window is narrow: {', '.join(missing)}", "dim")
    if results.pairs:
        output.say("\n" + aligned(pair_cells(results), width, spare=("problems",)))
        output.say(pairs_words(results), "dim")
    if words := judging_words(results):
        output.say(f"\n{words}", "dim")
    for note in results.notes:
        output.say(harmless(f"\nNote: {note}"), "yellow")


def _line_of(context: typer.Context, batch: str) -> str:
    """The command that goes on with a comparison: the words that it was given, and the batch; "" for a new one."""
    words = ["loopwright", "compare"]
    for parameter in context.command.params:
        value: Any = context.params.get(parameter.name or "")
        if parameter.param_type_name == "argument":
            words += value
        elif parameter.name in _GIVEN_ANEW and value and value != parameter.get_default(context):
            given = value if isinstance(value, list | tuple) else [value]
            words += [word for each in given for word in (parameter.opts[0], str(each))]
    words += ["--batch", batch] if batch else []
    return f"{shlex.join(words)}{store_words(context.params['store'])}"


_GIVEN_ANEW = (
    *("problems", "check", "judge", "types", "repeat", "at_once", "no_answer", "model", "script"),
    *("judge_model", "judge_script", "budget", "files"),
)
"""What the command that goes on is given as it was given before."""


def _score(text: str) -> float | None:
    """The score that `--no-answer` names.

    Raises:
        WrongUse: It names none.
    """
    if text == LEFT_OUT:
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise WrongUse(f"--no-answer {text}: a number, or {LEFT_OUT}")
    return score
