"""The pipeline as users call it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from loopwright.errors import Fault, SourceError
from loopwright.graphs.forms.spec import under
from loopwright.graphs.pipeline import Body, PipelineSettings, Step
from loopwright.graphs.run.models import Given
from loopwright.loop.agents import InteractiveAgent, StaticAgent
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.specs import spec_from_data
from loopwright.state.values import JsonObject

_SHARED = ("name", "carry", "needs")


class Pipeline(Loop[Any]):
    """Steps, each of which processes what came before. Its result is that of the last one.

    Args:
        steps: Static agents and loops, in their order; a mapping with one of them as `do` says more of the step, as
            `{"do": solver, "carry": "all"}`, with `name`, `carry` and `needs` as in a file. Or steps as a file of
            `kind: pipeline` has them, all of them.
        name: The plan's name.
        question: What the pipeline is given; each run is given its own when left out.
        model: Answers for every name that the steps ask for.
        models: Model references by name.
        summary_model: The name of the one that sums up what is carried.
        budget: What a run may spend.

    Raises:
        SourceError: Something of it cannot be, as an interactive agent where only a static one
            fits; all faults at once.

    Example:
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> steps = [StaticAgent("planner"), {"do": StaticAgent("solver"), "carry": "all"}]
        >>> loop = Pipeline(steps, model=ScriptedModel({"planner": ["Add."], "solver": ["4"]}))
        >>> loop.start({"question": "2 + 2?"}).result
        '4'
    """

    def __init__(
        self,
        steps: Sequence[Any],
        *,
        name: str = "pipeline",
        question: str | None = None,
        model: Given | None = None,
        models: Mapping[str, ModelRef] | None = None,
        summary_model: str = "default",
        budget: Budget | None = None,
    ) -> None:
        if steps and all(isinstance(step, Mapping) and "do" not in step for step in steps):
            given = {"name": name, "steps": [*steps], "models": models or {}, "summary_model": summary_model}
            spec = spec_from_data({**given, **({} if question is None else {"question": question})}, "pipeline")
            plan, code = spec.plan(), spec.code()
        else:
            builder = _settings(name, steps, models or {}, summary_model).builder()
            plan, code = builder.build(), builder.code
        inputs: list[JsonObject] = [{} if question is None else {"question": question}]
        super().__init__(plan, code=code, model=model, budget=budget, inputs=inputs)


def _settings(name: str, steps: Sequence[Any], models: Mapping[str, ModelRef], summary_model: str) -> PipelineSettings:
    """The pipeline of live agents and loops.

    Raises:
        SourceError: Something of it cannot be.
    """
    found: list[Step] = []
    faults: list[Fault] = []
    for index, given in enumerate(steps):
        do, shared = _parts(given)
        if (step := _step(do)) is None:
            faults += under(("steps", index), _misfit(do))
        else:
            found.append(replace(step, **shared))
    settings = PipelineSettings(name, tuple(found), models=models, summary_model=summary_model)
    if not steps:
        faults.append(Fault("there are no steps", ("steps",)))
    if faults := faults or settings.faults():
        raise SourceError(faults)
    return settings


def _parts(given: Any) -> tuple[Any, dict[str, Any]]:
    """What a step does, and what is said of it."""
    if not isinstance(given, Mapping):
        return given, {}
    shared = {name: given[name] for name in _SHARED if name in given}
    for name in ("carry", "needs"):
        if isinstance(shared.get(name), list):
            shared[name] = tuple(shared[name])
    return given.get("do"), shared


def _step(do: Any) -> Step | None:
    if isinstance(do, StaticAgent) and do.step is not None:
        return do.step
    return Step(do.plan.name, body=Body(do.plan, do.code)) if isinstance(do, Loop) else None


def _misfit(do: Any) -> Iterator[Fault]:
    """Why something is no step."""
    if isinstance(do, InteractiveAgent):
        message = f"{do.name!r} is an interactive agent, and a step only processes"
        hint = f"{do.name}.static() processes once; {do.name}.talk(other) is a bounded conversation, with its summary"
        yield Fault(message, (), hint)
    else:
        yield Fault(f"{do!r:.80} is no step", (), "a step is a StaticAgent or a loop, or a mapping with one as `do`")
