"""The plan of a pipeline: steps in a row, or by what they need; those that need nothing of each other side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, Literal

import networkx as nx

from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End, Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Audience
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.pipeline.carried import Source
from loopwright.nodes.pipeline.carry import Carry, CarrySummary
from loopwright.nodes.pipeline.process import CARRIED, QUESTION, Process
from loopwright.nodes.prompts import placeholders
from loopwright.state.channels import MISSING, Channel
from loopwright.state.schema import TEXT

FINISHED = End("finished")
GIVEN_UP = "given_up"
NEXT_STEP = "next"
_JOINS = (" + ", " is handed")
"""What is in the names of nodes that are made of those of steps."""

RESERVED = (QUESTION, CARRIED, NEXT_STEP, FINISHED.name, GIVEN_UP)

Kept = Literal["last", "summary", "all"]


@dataclass(frozen=True, slots=True)
class Body:
    """A step that is a whole plan, with its live code."""

    plan: Plan
    code: Mapping[str, Any]

    @property
    def needed(self) -> list[str]:
        """Its inputs without a default; a step hands it one."""
        return [channel.name for channel in self.plan.inputs if channel.first_value is MISSING]


@dataclass(frozen=True)
class Step:
    """One step.

    Args:
        name: Its name.
        body: A whole plan; None where a model is asked.
        prompt: What the model is asked.
        system: The system message.
        model: The name of a model reference.
        audience: Whom its text is for.
        carry: What it is handed: the `last` result, a `summary` of all, `all`, or the results of steps by name.
        needs: The steps that come before it; the one above it when None.
        verdict: Where each verdict leads: `next`, the name of a step, `end NAME` or `fail NAME` as an `End`.
        at_most: How often verdicts may lead back.
    """

    name: str
    _: KW_ONLY
    body: Body | None = None
    prompt: str = ""
    system: str = ""
    model: str = "default"
    audience: Audience = "user"
    carry: Kept | tuple[str, ...] = "last"
    needs: tuple[str, ...] | None = None
    verdict: Mapping[str, str | End] = field(default_factory=dict)
    at_most: int = 3

    @property
    def templates(self) -> tuple[tuple[str, str], ...]:
        """Its templates, by field."""
        return (("prompt", self.prompt), ("system", self.system))


@dataclass(frozen=True)
class PipelineSettings:
    """A pipeline.

    Args:
        name: The plan's name.
        steps: Its steps, in their order.
        models: Model references by name.
        summary_model: The name of the one that sums up what is carried.
    """

    name: str
    steps: tuple[Step, ...]
    _: KW_ONLY
    models: Mapping[str, ModelRef] = field(default_factory=dict)
    summary_model: str = "default"

    @cached_property
    def before(self) -> Mapping[str, tuple[str, ...]]:
        """For each step those right before it."""
        found: dict[str, tuple[str, ...]] = {}
        last: tuple[str, ...] = ()
        for step in self.steps:
            found[step.name] = last if step.needs is None else step.needs
            last = (step.name,)
        return found

    @property
    def graph(self) -> "nx.DiGraph[str]":
        """Which step needs which."""
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(step.name for step in self.steps)
        graph.add_edges_from((need, name) for name, needs in self.before.items() for need in needs)
        return graph

    def faults(self) -> list[Fault]:
        """All that is wrong across the steps, each with its path from the steps on."""
        named = [*self._faults_of_names()]
        return named or [*self._faults_of_needs(), *self._faults_of_carry(), *self._faults_of_bodies()]

    def builder(self) -> PlanBuilder:
        """The plan as a builder has it, with its code; there are no faults."""
        return _Made(self).builder

    def _faults_of_names(self) -> Iterator[Fault]:
        names = [step.name for step in self.steps]
        for index, name in enumerate(names):
            if name in names[:index]:
                yield Fault(f"there are two steps {name!r}", ("steps", index), "give each a name of its own")
            if name in RESERVED:
                yield Fault(f"no step can be named {name!r}", ("steps", index), f"taken are: {', '.join(RESERVED)}")
            elif name.strip() != name or not name.isprintable() or any(part in name for part in (*_JOINS, "/")):
                hint = f"it has no line end, and none of: {', '.join(map(repr, (*_JOINS, '/')))}"
                yield Fault(f"{name!r} is no name of a step", ("steps", index), hint)

    def _faults_of_needs(self) -> Iterator[Fault]:
        names = {step.name for step in self.steps}
        for index, step in enumerate(self.steps):
            for need in step.needs or ():
                if need not in names:
                    yield Fault(f"there is no step {need!r}", ("steps", index, "needs"), did_you_mean(need, names))
            for outcome, way in step.verdict.items():
                if isinstance(way, str) and way not in {*names, NEXT_STEP}:
                    hint = did_you_mean(way, {*names, NEXT_STEP})
                    yield Fault(f"there is no step {way!r}", ("steps", index, "verdict", outcome), hint)
                elif isinstance(way, End) and (way.name in {*names, FINISHED.name, GIVEN_UP}):
                    hint = "give the end another name"
                    yield Fault(
                        f"{way.name!r} is a step, or an end already", ("steps", index, "verdict", outcome), hint
                    )
            if step.verdict and any(each.needs is not None for each in self.steps):
                hint = "steps of a row may have verdicts; leave needs out, or put the part with needs into a plan"
                yield Fault("a verdict leads on in a row, and some steps say what they need", ("steps", index), hint)
        if (circle := self._circle()) is not None:
            way = " needs ".join(repr(name) for name in [*circle, circle[0]])
            place = next(index for index, step in enumerate(self.steps) if step.name == circle[0])
            yield Fault(f"steps need each other in a circle: {way}", ("steps", place, "needs"))

    def _circle(self) -> list[str] | None:
        """Steps that need each other, from the first one that does; None where none do."""
        graph = self.graph.reverse()
        for step in self.steps:
            for need in graph.successors(step.name):
                if nx.has_path(graph, need, step.name):
                    return [step.name, *nx.shortest_path(graph, need, step.name)[:-1]]
        return None

    def _faults_of_carry(self) -> Iterator[Fault]:
        models = {*self.models, "default"}
        for index, step in enumerate(self.steps):
            known = self.earlier(step)
            carried = step.carry if isinstance(step.carry, tuple) else ()
            for name in carried:
                if name not in {*known, QUESTION}:
                    hint = did_you_mean(name, {*known, QUESTION})
                    yield Fault(f"no step {name!r} comes before it", ("steps", index, "carry"), hint)
            for key, template in step.templates:
                for name in placeholders(template):
                    if name not in {QUESTION, CARRIED, *known}:
                        hint = did_you_mean(name, {QUESTION, CARRIED, *known})
                        yield Fault(f"a prompt has no placeholder <{{{name}}}>", ("steps", index, key), hint)
            if step.model not in models:
                yield Fault(f"there is no model {step.model!r}", ("steps", index), did_you_mean(step.model, models))

    def _faults_of_bodies(self) -> Iterator[Fault]:
        for index, step in enumerate(self.steps):
            if step.body is None:
                continue
            if len(needed := step.body.needed) != 1:
                told = f"{len(needed)}: {', '.join(needed)}" if needed else "none"
                message = f"a step is handed one text, and this plan has inputs without a default: {told}"
                yield Fault(message, ("steps", index), "let one channel be the input, and give others a default")
            if not step.body.plan.result:
                yield Fault("the plan of a step says its result, and this one names none", ("steps", index))

    def earlier(self, step: Step) -> list[str]:
        """The steps that are over when it begins, in their order."""
        graph = self.graph
        if not nx.is_directed_acyclic_graph(graph):
            return [each.name for each in self.steps]
        over = nx.ancestors(graph, step.name)
        return [each.name for each in self.steps if each.name in over]


class _Made:
    """A plan under way."""

    def __init__(self, settings: PipelineSettings) -> None:
        self._settings = settings
        waves = [sorted(wave, key=self._place) for wave in nx.topological_generations(settings.graph)]
        self._where = {
            name: Source(_JOINS[0].join(wave), name if len(wave) > 1 else "", name) for wave in waves for name in wave
        }
        last = self._where[waves[-1][-1]]
        channels = [Channel(QUESTION, TEXT, input=True), Channel(CARRIED, TEXT, default="")]
        channels += [
            Channel(name, {"type": "object"} if source.key else {}, default={} if source.key else "")
            for name, source in {source.channel: source for source in self._where.values()}.items()
        ]
        self.builder = PlanBuilder(settings.name, channels, result=last.channel, models=settings.models)
        entries = [self._wave(wave) for wave in waves]
        ways: list[str | End] = [entry for entry, _ in entries]
        self._heads = dict(zip((wave[0] for wave in waves), ways, strict=True))
        for (_, leaves), wave, after in zip(entries, waves, [*ways[1:], FINISHED], strict=True):
            for source, outcome in leaves:
                self._lead_on(source, outcome, wave[0], after)

    def _place(self, name: str) -> int:
        return next(index for index, step in enumerate(self._settings.steps) if step.name == name)

    def _wave(self, wave: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
        """The node by which it comes to these steps, and by which outcomes of which nodes it leaves them."""
        steps = [self._settings.steps[self._place(name)] for name in wave]
        if len(steps) == 1:
            return self._alone(self.builder, steps[0])
        name = _JOINS[0].join(wave)
        bodies = {step.name: self._side(step) for step in steps}
        self.builder.parallel(name, bodies, collect=name)
        return name, [(name, "done")]

    def _alone(self, builder: PlanBuilder, step: Step) -> tuple[str, list[tuple[str, str]]]:
        sources = self._sources(step)
        if step.body is None and step.carry != "summary":
            builder.node(self._process(step, sources))
            return step.name, [(step.name, outcome) for outcome in step.verdict or ("done",)]
        first = f"{step.name}{_JOINS[1]}"
        if step.carry == "summary":
            builder.node(CarrySummary(first, sources=sources, writes=CARRIED, model=self._settings.summary_model))
        else:
            builder.node(Carry(first, sources=sources, writes=CARRIED))
        builder.edge(first, "done", step.name)
        if step.body is None:
            builder.node(self._process(step, (Source(CARRIED),)))
            return first, [(step.name, outcome) for outcome in step.verdict or ("done",)]
        (handed,) = step.body.needed
        builder.node(step.body, name=step.name, inputs={handed: CARRIED}, writes=step.name)
        return first, [(step.name, end) for end in step.body.plan.ends]

    def _side(self, step: Step) -> PlanBuilder:
        """A step that is one of several side by side: a plan of its own, which reads the channels around it."""
        reads = dict.fromkeys(source.channel for source in (*self._sources(step), *self._named(step)))
        types = {source.channel: {"type": "object"} for source in self._where.values() if source.key}
        inputs = [
            Channel(name, TEXT if name == QUESTION else types.get(name, {}), input=True)
            for name in dict.fromkeys([QUESTION, *reads])
        ]
        own = [Channel(CARRIED, TEXT, default=""), Channel(step.name, {}, default="")]
        body = PlanBuilder(step.name, [*inputs, *own], result=step.name, models=self._settings.models)
        _, leaves = self._alone(body, step)
        for source, outcome in leaves:
            body.edge(source, outcome, FINISHED)
        return body

    def _process(self, step: Step, sources: tuple[Source, ...]) -> Process:
        return Process(
            step.name,
            prompt=step.prompt,
            system=step.system,
            sources=sources,
            named=self._named(step),
            outcomes=tuple(step.verdict),
            model=step.model,
            audience=step.audience,
        )

    def _named(self, step: Step) -> tuple[Source, ...]:
        named = dict.fromkeys(name for _, template in step.templates for name in placeholders(template))
        return tuple(self._where[name] for name in named if name in self._where)

    def _sources(self, step: Step) -> tuple[Source, ...]:
        question = Source(QUESTION, title=QUESTION)
        if isinstance(step.carry, tuple):
            return tuple(question if name == QUESTION else self._where[name] for name in step.carry)
        if step.carry in ("all", "summary"):
            return (question, *(self._where[name] for name in self._settings.earlier(step)))
        before = self._settings.before[step.name]
        return tuple(self._where[name] for name in before) or (question,)

    def _lead_on(self, source: str, outcome: str, name: str, after: str | End) -> None:
        """The edge of an outcome; a verdict that leads back is bounded."""
        step = self._settings.steps[self._place(name)]
        way = step.verdict.get(outcome, NEXT_STEP) if step.verdict else NEXT_STEP
        if way == NEXT_STEP:
            self.builder.edge(source, outcome, after)
        elif isinstance(way, End):
            self.builder.edge(source, outcome, way)
        elif self._place(way) > self._place(name):
            self.builder.edge(source, outcome, self._heads[way])
        else:
            bound, then = f"{name} {outcome}", End(GIVEN_UP, ok=False)
            self.builder.edge(source, outcome, self._heads[way], at_most=step.at_most, bound=bound, then=then)
