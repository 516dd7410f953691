"""A loop: a plan with its live code, checked, drawn, started and compiled. It only delegates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, overload

from typing_extensions import TypeVar, Unpack

from loopwright.errors import RunError
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.draw.formats import Look, TextFormat, picture, write_picture
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.batch import Batch, enter, require_at_once
from loopwright.graphs.run.budgets import fitting_budget, require_prices
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.inputs import fitting_inputs, fitting_runs
from loopwright.graphs.run.models import Given, either, models_for
from loopwright.graphs.run.program import Program
from loopwright.graphs.run.streams import AsyncStream, Stream
from loopwright.graphs.verify.findings import Findings, Where
from loopwright.nodes.audience import Listener
from loopwright.nodes.budget import Budget
from loopwright.nodes.contract import Audience
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

Result = TypeVar("Result", default=Any)


class Loop(Generic[Result]):
    """A plan with its live code, ready to be checked, drawn and run.

    `load`, `RoleCycle` and `PlanBuilder.loop` make one; a notebook shows it as its picture.

    Args:
        plan: The plan.
        code: The plan's live code, by the names of its references: `PlanBuilder.code`.
        model: The model that answers for every name that the plan asks for; may be given at `start` instead.
        budget: What a run may spend, where `start` does not say otherwise.
        inputs: What runs are started with, a mapping for each run; where there is one, `start` needs none.
        where: The file and the line of a part of the plan, for what `check` finds.

    Raises:
        RunError: The inputs are no list of mappings, or the budget is none.

    Example:
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.loop.plan_builder import PlanBuilder
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> from loopwright.nodes.think import Think
        >>> from loopwright.state.channels import Channel
        >>> plan = PlanBuilder("title", [Channel("topic", str, input=True), Channel("title", str)], result="title")
        >>> _ = plan.node(Think("write", prompt="A title for <{topic}>", writes="title"))
        >>> loop = plan.edge("write", "done", End("finished")).loop()
        >>> loop.check()
        no findings
        >>> run = loop.start({"topic": "bridges"}, model=ScriptedModel({"write": ["On bridges"]}))
        >>> run.end, run.result
        (End(name='finished', ok=True), 'On bridges')
    """

    def __init__(
        self,
        plan: Plan,
        *,
        code: Mapping[str, Any] | None = None,
        model: Given | None = None,
        budget: Budget | None = None,
        inputs: Sequence[JsonObject] = (),
        where: Where | None = None,
    ) -> None:
        self.plan, self.code, self.model = plan, dict(code or {}), model
        self.budget = fitting_budget(budget, None)
        self.program = Program(plan, self.code, where)
        if isinstance(inputs, Mapping) or not all(isinstance(each, Mapping) for each in inputs):
            raise RunError(f"inputs are a list with a mapping for each run; {inputs!r} is none")
        self.inputs = tuple(inputs) or ({},)

    def check(self) -> Findings:
        """Everything that is wrong with the plan, found without asking a model; empty when all is well."""
        return self.program.findings

    @property
    def certificate(self) -> Certificate:
        """The worst case of a run: visits and model calls.

        Raises:
            PlanError: The plan has findings that are errors.
        """
        return self.program.certificate

    def start(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        batch: str = "",
    ) -> Run[Result]:
        """Start a run, and go on until it ends, waits, or is suspended.

        Args:
            inputs: Values of the plan's inputs, by channel; those of the loop when left out.
            store: The store that keeps it, or its URL: `sqlite:runs.db`; `memory:` keeps it as long as the run is held.
            model: The model that answers for every name that the plan asks for: a `ModelRef` or the name of a model, a
                `ScriptedModel`, a chat model of LangChain, or a `Model` of your own; or a `Recording`, before the
                models that there are otherwise.
            models: Models by name; they go before `model`, and both before those of the plan.
            budget: What the run may spend, as `lw.Budget(calls=40)` or a mapping; of the loop's own budget that counts
                which it leaves out. Of several runs, each may spend it.
            batch: An id that runs started together share.

        Returns:
            The run, at rest; `run.status` says whether it is finished, waits, or is suspended.

        Raises:
            PlanError: The plan has findings that are errors.
            RunError: An input or a model is missing, or does not fit, or the loop is for several runs.
            StoreError: The store cannot be opened.
        """
        return self._entered(inputs, store, model, models, budget, batch).resume()

    async def astart(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        batch: str = "",
    ) -> Run[Result]:
        """Start a run with awaited calls; see `start`."""
        return await self._entered(inputs, store, model, models, budget, batch).aresume()

    def stream(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        batch: str = "",
        audience: Audience | None = None,
    ) -> Stream[Run[Result]]:
        """Start a run, and tell what happens. The stream's `run` is the run.

        Args:
            inputs: With the others as of `start`.
            audience: Who listens, as of `Run.stream`: None to events without texts, `debug` to all, `user` to what a
                person in front should see.
        """
        Listener(audience)  # refused before a run is entered
        return self._entered(inputs, store, model, models, budget, batch).stream(audience=audience)

    def astream(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        batch: str = "",
        audience: Audience | None = None,
    ) -> AsyncStream[Run[Result]]:
        """Start a run with awaited calls, and tell what happens; arguments as of `stream`."""
        Listener(audience)  # refused before a run is entered
        return self._entered(inputs, store, model, models, budget, batch).astream(audience=audience)

    def enter_all(
        self,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        batch: str = "",
    ) -> Batch[Result]:
        """Enter a run for each of some inputs in the store, and begin none: `Batch.resume` does, or each run by itself.

        Args:
            inputs: The inputs of each run; the loop's own when left out. Other arguments as of `start`.

        Raises:
            PlanError: The plan has findings that are errors.
            RunError: An input or a model is missing, or does not fit; of all runs at once.
            StoreError: The store cannot be opened.
        """
        self.check().raise_for_errors()
        return self._entered_all(fitting_runs(self.plan, inputs, self.inputs), store, model, models, budget, batch)

    def start_all(
        self,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        batch: str = "",
    ) -> Batch[Result]:
        """Start a run for each of some inputs, one after the other; arguments as of `enter_all`.

        A run that is suspended or waits stops no other; see `Batch.resume`.

        Example:
            >>> from loopwright.loop.role_cycle import RoleCycle
            >>> loop = RoleCycle(tasks=["Bridge?", "Tower?"], roles={"solver": {}, "boss": {}})
            >>> from loopwright.nodes.models.scripted import ScriptedModel
            >>> script = ScriptedModel({"solver": ["Wood."], "boss": ["Fluggaenkoechiebolsen"]})
            >>> [(run.row.inputs["task"], run.result) for run in loop.start_all(model=script)]
            [('Bridge?', 'Wood.'), ('Tower?', 'Wood.')]
        """
        return self.enter_all(inputs, store=store, model=model, models=models, budget=budget, batch=batch).resume()

    async def astart_all(
        self,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        budget: Budget | Mapping[str, float] | None = None,
        batch: str = "",
        at_once: int = 1,
    ) -> Batch[Result]:
        """Start a run for each of some inputs with awaited calls, so many of them at once; see `start_all`."""
        require_at_once(at_once)
        entered = self.enter_all(inputs, store=store, model=model, models=models, budget=budget, batch=batch)
        return await entered.aresume(at_once=at_once)

    def compile(
        self, checkpointer: Any = None, *, model: Given | None = None, models: Mapping[str, Given] | None = None
    ) -> Any:
        """A LangGraph `CompiledStateGraph`, to embed in any LangGraph program.

        What a run in a store has, a graph on its own has not: the registry, the record of visits, one runner at a time.

        Args:
            checkpointer: LangGraph's checkpointer; needed where a node waits, and to go on after a failure.
            model: The model that answers for every name that the plan asks for, as of `start`.
            models: Models by name.

        Raises:
            PlanError: The plan has findings that are errors.
            RunError: A model is missing, or is none.
        """
        self.check().raise_for_errors()
        return self.program.machine.embedded(checkpointer, models_for(self.plan, either(model, self.model), models))

    @overload
    def draw(self, path: None = None, *, format: TextFormat = "svg", **look: Unpack[Look]) -> str: ...
    @overload
    def draw(self, path: None = None, *, format: Literal["png"], **look: Unpack[Look]) -> bytes: ...
    @overload
    def draw(self, path: str | Path, **look: Unpack[Look]) -> str | bytes: ...
    def draw(
        self,
        path: str | Path | None = None,
        *,
        format: str = "svg",
        theme: Literal["light", "dark"] = "light",
        opened: bool = False,
        legend: bool = False,
        scale: float = 2.0,
    ) -> str | bytes:
        """The picture: text, and bytes as `png`.

        Args:
            path: A file that it is written to as well, in the format of its suffix.
            format: `svg`, `html`, `png`, `mmd` (Mermaid), `dot` (Graphviz) or `txt`, where there is no path.
            theme: Its colours.
            opened: Whether the nodes of brains and the bodies of forks are shown; in `mmd` those of brains alone.
            legend: Whether an svg or png says what its shapes and colours mean; an html always does.
            scale: Pixels of a png for each of the svg.

        Returns:
            What was written, or would be. A notebook shows an svg and a png as a picture.

        Raises:
            DrawError: There is no such format or theme, the extra `png` is missing, or the file cannot be written.
        """
        look: Any = {"theme": theme, "opened": opened, "legend": legend, "scale": scale}
        return picture(self.plan, format, **look) if path is None else write_picture(self.plan, Path(path), **look)

    def _entered(
        self,
        inputs: Mapping[str, Any] | None,
        store: str | Store,
        model: Given | None,
        models: Mapping[str, Given] | None,
        budget: Any,
        batch: str,
    ) -> Run[Result]:
        """A new run in the store. Nobody holds it yet, so it can be resumed whatever happens next."""
        self.check().raise_for_errors()
        if inputs is None and len(self.inputs) > 1:
            raise RunError(
                f"this loop is for {len(self.inputs)} runs: start_all() starts them all, and start(inputs) one of them,"
                " with the inputs that loop.inputs has"
            )
        values = fitting_inputs(self.plan, inputs, self.inputs[0])
        return self._entered_all([values], store, model, models, budget, batch)[0]

    def _entered_all(
        self,
        inputs: Sequence[JsonObject],
        store: str | Store,
        model: Given | None,
        models: Mapping[str, Given] | None,
        budget: Any,
        batch: str,
    ) -> Batch[Result]:
        chosen = models_for(self.plan, either(model, self.model), models)
        limits = fitting_budget(budget, self.budget)
        require_prices(limits, chosen)
        opened = store if isinstance(store, Store) else Store(store)
        return enter(self.program, inputs, opened, chosen, batch, limits)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.draw(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.plan.name!r}, nodes={len(self.plan.nodes)})"
