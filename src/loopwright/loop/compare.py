"""Comparing: the same problems through several loops, scored alike."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypedDict

from typing_extensions import Unpack

from loopwright.errors import RunError
from loopwright.graphs.compare.comparison import Comparison
from loopwright.graphs.compare.contenders import Contender, models_of_all
from loopwright.graphs.compare.contest import Contest, Task
from loopwright.graphs.compare.scoring import Checker, number_of, require_judge
from loopwright.graphs.run.batch import require_at_once
from loopwright.graphs.run.budgets import fitting_budget
from loopwright.graphs.run.models import Given, models_for
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.sources.problems import problems_of
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

Problems = Iterable[Mapping[str, Any]] | str | os.PathLike[str]
"""Problems as data, or the file that they stand in."""


class ComparisonOptions(TypedDict, total=False):
    """How a comparison is made and scored; what each says stands at `compare`."""

    check: Callable[..., Any] | None
    judge: Loop[Any] | None
    model: Given | None
    judge_model: Given | None
    budget: Budget | Mapping[str, float] | None
    repeat: int
    no_answer: float | None
    batch: str
    again: bool


def compare(
    contenders: Mapping[str, Loop[Any]],
    *,
    problems: Problems,
    store: str | Store = "memory:",
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Run the same problems through several loops, score what comes of them, and say what that shows.

    Every run is entered in the store before the first begins. So a comparison can stop anywhere: with its `batch` it
    goes on, and asks for nothing twice.

    Args:
        contenders: The loops by name.
        problems: A list of mappings from inputs to values, with `expected` and `name` where wanted; or a file of them.
        store: The store that keeps the runs, or its URL.
        check: A function that says what an answer is worth: it is called by name with as much as its parameters ask for
            of `result`, `expected` and the problem's inputs, and returns a number or a bool.
        judge: A loop that says so instead, by a number as its result; it takes `answer`, and if it wants `problem` and
            `expected`. It is never told whose answer it judges, and what it takes is counted apart.
        model: The model that answers for every name that the contenders ask for; a script may have queues that only
            some of them ask for.
        judge_model: The same for the judge.
        budget: What each run of a contender may spend, as `lw.Budget(calls=20)` or a mapping; of a loop's own budget
            that counts which it leaves out. The judge has its own.
        repeat: How often each contender gets each problem. The scores of one problem are averaged.
        no_answer: The score of a run that has no answer: it failed, waits, or came to an end that is no success, or to
            no result. None leaves such runs out of the means.
        batch: The id of a comparison that goes on. It may have more contenders, problems or repetitions than before.
        again: Whether its runs that are suspended are asked again.

    Returns:
        The comparison; it prints as its tables, and `rows` are for `pandas.DataFrame`.

    Raises:
        SourceError: The problems have faults, or `check` asks for what they have not; all of it at once.
        PlanError: A loop has findings that are errors.
        RunError: A model is missing, or a contender is another one than when the batch was started.
        StoreError: The store cannot be opened or written, or has no such batch.

    Example:
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.loop.plan_builder import PlanBuilder
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> from loopwright.nodes.think import Think
        >>> from loopwright.state.channels import Channel
        >>> def adder(reply):
        ...     plan = PlanBuilder("adder", [Channel("sum", str, input=True), Channel("said", str)], result="said")
        ...     plan.node(Think("say", prompt="<{sum}>", writes="said")).edge("say", "done", End("said"))
        ...     return plan.loop(model=ScriptedModel({"say": [reply]}))
        >>> found = compare(
        ...     {"four": adder("4"), "five": adder("5")},
        ...     problems=[{"sum": "2+2", "expected": "4"}, {"sum": "1+3", "expected": "4"}],
        ...     check=lambda result, expected: result == expected,
        ... )
        >>> [(standing.name, standing.quality.mean) for standing in found.contenders]
        [('four', 1.0), ('five', 0.0)]
        >>> found.pairs[0].verdict
        'too few problems to show a difference'
    """
    task = task_of(contenders, problems, **options)
    with opened(store) as held:
        return Comparison(Contest(task, held).go_on())


async def acompare(
    contenders: Mapping[str, Loop[Any]],
    *,
    problems: Problems,
    store: str | Store = "memory:",
    at_once: int = 1,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare with awaited calls, and so many runs at work at the same time; see `compare`."""
    require_at_once(at_once)
    task = task_of(contenders, problems, **options)
    with opened(store) as held:
        return Comparison(await Contest(task, held).ago_on(at_once))


def task_of(
    contenders: Mapping[str, Loop[Any]],
    problems: Problems,
    *,
    check: Callable[..., Any] | None = None,
    judge: Loop[Any] | None = None,
    model: Given | None = None,
    judge_model: Given | None = None,
    budget: Budget | Mapping[str, float] | None = None,
    repeat: int = 1,
    no_answer: float | None = 0.0,
    batch: str = "",
    again: bool = False,
) -> Task:
    """What is compared, once all of it fits; nothing was started. Arguments and errors as of `compare`."""
    if not isinstance(contenders, Mapping) or not all(isinstance(loop, Loop) for loop in contenders.values()):
        raise RunError(f"contenders are a mapping from names to loops; {contenders!r} is none")
    if len(contenders) < 2:
        raise RunError(f"a comparison has at least two contenders; there is {', '.join(contenders) or 'none'}")
    if (check is None) == (judge is None):
        raise RunError("say what an answer is worth by check= or by judge=, and by one of them")
    if isinstance(repeat, bool) or not isinstance(repeat, int) or repeat < 1:
        raise RunError(f"repeat is how often each contender gets each problem, at least 1; {repeat!r} is not")
    for loop in [*contenders.values(), *([judge] if judge else [])]:
        loop.check().raise_for_errors()
    models = models_of_all(
        {name: loop.plan for name, loop in contenders.items()},
        model,
        {name: loop.model for name, loop in contenders.items()},
    )
    rivals = [
        Contender(name, loop.program, models[name], _own(loop), fitting_budget(budget, loop.budget))
        for name, loop in contenders.items()
    ]
    fitting = problems_of(problems, [rival.taker for rival in rivals])
    checker = Checker(check) if check is not None else None
    if checker:
        checker.require_fitting(fitting)
    return Task(
        contenders=rivals,
        problems=fitting,
        checker=checker,
        judge=_judge(judge, judge_model) if judge else None,
        repeat=repeat,
        no_answer=None if no_answer is None else _number("no_answer", no_answer),
        batch=batch,
        again=again,
    )


def _own(loop: Loop[Any]) -> JsonObject:
    """The inputs that a loop has by itself; one for several runs has none that hold for all."""
    return loop.inputs[0] if len(loop.inputs) == 1 else {}


def _judge(loop: Loop[Any], model: Given | None) -> Contender:
    require_judge(loop.plan)
    try:
        models = models_for(loop.plan, model or loop.model)
    except RunError as error:
        raise RunError(f"the judge: {error}; it is given by judge_model= (--judge-model, --judge-script)") from error
    return Contender("judge", loop.program, models, _own(loop), loop.budget)


def _number(name: str, value: float) -> float:
    try:
        return number_of(value)
    except ValueError as error:
        raise RunError(f"{name} is {error}") from error


def opened(store: str | Store) -> AbstractContextManager[Store]:
    """A store for as long as a comparison takes; one that is open already stays open."""
    return nullcontext(store) if isinstance(store, Store) else Store(store)
