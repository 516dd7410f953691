"""The face that users hold: a plan with its live code, checked, drawn, started and compiled. It only delegates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Literal, overload

from typing_extensions import TypedDict, TypeVar, Unpack

from loopwright.errors import RunError
from loopwright.graphs import builder
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.draw.formats import picture, write_picture
from loopwright.graphs.forms.role_cycle import RoleSettings
from loopwright.graphs.forms.spec import Spec
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.batch import Batch, enter, require_at_once
from loopwright.graphs.run.handle import AsyncStream, Run, Stream
from loopwright.graphs.run.inputs import fitting_inputs, fitting_runs
from loopwright.graphs.run.models import Given, models_for
from loopwright.graphs.run.program import Program
from loopwright.graphs.tool_loop import tool_loop
from loopwright.graphs.verify.findings import Findings, Where
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.role import Rounds, Stop
from loopwright.sources.specs import load_spec, spec_from_data
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
        inputs: What runs are started with, a mapping for each run; where there is one, `start` needs none.
        where: The file and the line of a part of the plan, for what `check` finds.

    Raises:
        RunError: The inputs are no list of mappings.

    Example:
        >>> from loopwright.graphs.plan import End
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
        inputs: Sequence[JsonObject] = (),
        where: Where | None = None,
    ) -> None:
        self.plan, self.code, self.model = plan, dict(code or {}), model
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
        batch: str = "",
    ) -> Run[Result]:
        """Start a run, and go on until it ends, waits, or is suspended.

        Args:
            inputs: Values of the plan's inputs, by channel; those of the loop when left out.
            store: The store that keeps it, or its URL: `sqlite:runs.db`; `memory:` keeps it as long as the run is held.
            model: The model that answers for every name that the plan asks for: a `ModelRef` or the name of a model, a
                `ScriptedModel`, a chat model of LangChain, or a `Model` of your own.
            models: Models by name; they go before `model`, and both before those of the plan.
            batch: An id that runs started together share.

        Returns:
            The run, at rest; `run.status` says whether it is finished, waits, or is suspended.

        Raises:
            PlanError: The plan has findings that are errors.
            RunError: An input or a model is missing, or does not fit, or the loop is for several runs.
            StoreError: The store cannot be opened.
        """
        return self._entered(inputs, store, model, models, batch).resume()

    async def astart(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        batch: str = "",
    ) -> Run[Result]:
        """Start a run with awaited calls; see `start`."""
        return await self._entered(inputs, store, model, models, batch).aresume()

    def stream(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        batch: str = "",
    ) -> Stream:
        """Start a run, and tell what happens; arguments as of `start`. The stream's `run` is the run."""
        return self._entered(inputs, store, model, models, batch).stream()

    def astream(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        batch: str = "",
    ) -> AsyncStream:
        """Start a run with awaited calls, and tell what happens; arguments as of `start`."""
        return self._entered(inputs, store, model, models, batch).astream()

    def enter_all(
        self,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
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
        return self._entered_all(fitting_runs(self.plan, inputs, self.inputs), store, model, models, batch)

    def start_all(
        self,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        batch: str = "",
    ) -> Batch[Result]:
        """Start a run for each of some inputs, one after the other; arguments as of `enter_all`.

        A run that is suspended or waits stops no other; see `Batch.resume`.

        Example:
            >>> loop = RoleCycle(tasks=["Bridge?", "Tower?"], roles={"solver": {}, "boss": {}})
            >>> from loopwright.nodes.models.scripted import ScriptedModel
            >>> script = ScriptedModel({"solver": ["Wood."], "boss": ["Fluggaenkoechiebolsen"]})
            >>> [(run.row.inputs["task"], run.result) for run in loop.start_all(model=script)]
            [('Bridge?', 'Wood.'), ('Tower?', 'Wood.')]
        """
        return self.enter_all(inputs, store=store, model=model, models=models, batch=batch).resume()

    async def astart_all(
        self,
        inputs: Sequence[Mapping[str, Any]] | None = None,
        *,
        store: str | Store = "memory:",
        model: Given | None = None,
        models: Mapping[str, Given] | None = None,
        batch: str = "",
        at_once: int = 1,
    ) -> Batch[Result]:
        """Start a run for each of some inputs with awaited calls, so many of them at once; see `start_all`."""
        require_at_once(at_once)
        entered = self.enter_all(inputs, store=store, model=model, models=models, batch=batch)
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
        return self.program.machine.embedded(checkpointer, models_for(self.plan, model or self.model, models))

    def draw(
        self,
        path: str | Path | None = None,
        *,
        format: str = "svg",
        theme: Literal["light", "dark"] = "light",
        opened: bool = False,
        legend: bool = False,
    ) -> str:
        """The picture, as text.

        Args:
            path: A file that it is written to as well, in the format of its suffix.
            format: `svg`, `mmd`, `txt` or `html`, where there is no path.
            theme: Its colours.
            opened: Whether the bodies of forks are shown.
            legend: Whether it says what its shapes and colours mean.

        Returns:
            What was written, or would be.

        Raises:
            DrawError: There is no such format or theme, or the file cannot be written.
        """
        look: Any = {"theme": theme, "opened": opened, "legend": legend}
        return picture(self.plan, format, **look) if path is None else write_picture(self.plan, Path(path), **look)

    def _entered(
        self,
        inputs: Mapping[str, Any] | None,
        store: str | Store,
        model: Given | None,
        models: Mapping[str, Given] | None,
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
        return self._entered_all([values], store, model, models, batch)[0]

    def _entered_all(
        self,
        inputs: Sequence[JsonObject],
        store: str | Store,
        model: Given | None,
        models: Mapping[str, Given] | None,
        batch: str,
    ) -> Batch[Result]:
        chosen = models_for(self.plan, model or self.model, models)
        opened = store if isinstance(store, Store) else Store(store)
        return enter(self.program, inputs, opened, chosen, batch)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.draw(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.plan.name!r}, nodes={len(self.plan.nodes)})"


class PlanBuilder(builder.PlanBuilder):
    """Makes a plan by hand, and the loop of it. The first node is the start unless `start` says otherwise.

    Nothing is judged here: what is missing or too much stays in the plan, and `check` tells all of it.

    Args:
        name: The plan's name.
        channels: A `State` class, a TypedDict, or `Channel` objects.
        start: The node that a run begins at.
        result: The channel whose last value is the run's result; left out, a mapping of all that was written.
        models: Model references by name.

    Example:
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Judge, Think
        >>> plan = PlanBuilder("essay").node(Think("write", prompt="Write.")).edge("write", "done", "review")
        >>> _ = plan.node(Judge("review", prompt="Good?", outcomes=["pass", "revise"]))
        >>> _ = plan.edge("review", "pass", End("finished"))
        >>> _ = plan.edge("review", "revise", "write", at_most=3, bound="rounds", then=End("max_rounds", ok=False))
        >>> print(plan.loop().certificate)
        worst case: 4 rounds, 8 model calls, 8 visits
    """

    def loop(self, *, model: Given | None = None) -> Loop[Any]:
        """The loop of the plan as it is now: `Loop(builder.build(), code=builder.code)`.

        Args:
            model: The model that answers for every name that the plan asks for; may be given at `start` instead.
        """
        return Loop(self.build(), code=self.code, model=model)


class RoleCycleFields(TypedDict, total=False):
    """What `RoleCycle` takes beside the model; the fields of `RoleCycleSpec`, with the same defaults."""

    name: str
    task: str
    tasks: Sequence[str]
    rounds: Rounds | Mapping[str, int]
    stop: Stop | Mapping[str, str]
    review: Literal["never", "each_round", "after_stop"]
    labels: bool
    models: Mapping[str, ModelRef | Mapping[str, Any]]
    roles: Mapping[str, RoleSettings | Mapping[str, str]]
    order: Sequence[str]
    answer: str


class RoleCycle(Loop[str]):
    """Roles that speak in turn, round after round, until one of them says stop. Its result is the last answer.

    Args:
        model: Answers for every name that the roles ask for.
        fields: The fields of the form, as in a file of `kind: role_cycle`: `name`, `task` or `tasks`, `rounds`, `stop`,
            `review`, `labels`, `models`, `roles`, `order`, `answer`. None of them has to be given.

    Raises:
        SourceError: A field is not known or does not fit; all faults at once.

    Example:
        >>> loop = RoleCycle(task="Name three risks of a wooden bridge.", rounds=Rounds(min=1, max=4), review="never")
        >>> print(loop.certificate)
        worst case: 4 rounds, 16 model calls, 16 visits
    """

    def __init__(self, *, model: Given | None = None, **fields: Unpack[RoleCycleFields]) -> None:
        spec = spec_from_data(dict(fields), "role_cycle")
        super().__init__(spec.plan(), model=model, inputs=spec.runs())


class ToolLoopFields(TypedDict, total=False):
    """What `ToolLoop` takes beside its tools, the output and the model; the fields of `ToolLoopSettings`."""

    name: str
    prompt: str
    system: str
    model_name: str
    at_most: int
    at_once: int
    then: End
    approve: Sequence[str]


class ToolLoop(Loop[Result]):
    """A model that may call tools before it answers; see `loopwright.graphs.tool_loop`.

    A call that fails does not stop the run: the model is told what was wrong, and may try again.

    Args:
        tools: Python functions with annotations and a docstring, sync or async; and tools of LangChain.
        output: The type of the answer, and so of `run.result`; plain text when left out.
        model: Answers for every name that the loop asks for.
        fields: `prompt` ("<{task}>") and `system`, templates whose placeholders are the loop's inputs; `at_most` (8)
            rounds of calls and `at_once` (8) calls of a round; `then`, the end where the rounds are used up; `approve`,
            the tools that a person must allow; `name` ("tool_loop"), and `model_name`, the name by which a plan around
            it gives it a model.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> def area(width: float, height: float) -> float:
        ...     "The area of a board, in square metres."
        ...     return width * height
        >>> loop = ToolLoop([area], at_most=2)
        >>> print(loop.certificate)
        worst case: 2 rounds, 3 model calls, 37 visits
    """

    @overload
    def __init__(
        self: "ToolLoop[str]", tools: Sequence[Any], *, model: Given | None = None, **fields: Unpack[ToolLoopFields]
    ) -> None: ...

    @overload
    def __init__(
        self,
        tools: Sequence[Any],
        *,
        output: type[Result],
        model: Given | None = None,
        **fields: Unpack[ToolLoopFields],
    ) -> None: ...

    def __init__(
        self,
        tools: Sequence[Any],
        *,
        output: type[Result] | None = None,
        model: Given | None = None,
        **fields: Unpack[ToolLoopFields],
    ) -> None:
        given: dict[str, Any] = {"output": output, **fields}
        builder = tool_loop(tools, given)
        super().__init__(builder.build(), code=builder.code, model=model)


def loop_of(spec: Spec, where: Where | None = None) -> Loop[Any]:
    """The loop of a spec."""
    return Loop(spec.plan(), code=spec.code(), inputs=spec.runs(), where=where)


def load(path: str | Path) -> Loop[Any]:
    """The loop that a YAML or JSON file describes.

    Args:
        path: The file. Its `kind` says which form it is of, as `graph` or `role_cycle`.

    Raises:
        SourceError: The file is no spec; all faults at once, each with file, line and key.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "bridge.yaml")
        ...     _ = file.write_text("kind: role_cycle\\ntask: Name a risk of a wooden bridge.\\nrounds: {max: 2}\\n")
        ...     print(load(file).certificate)
        worst case: 2 rounds, 8 model calls, 8 visits
    """
    loaded = load_spec(Path(path))
    return loop_of(loaded.spec, loaded.where)
