"""What one run lends to the nodes of its graph; the graph itself is the same for all runs of a plan."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, replace

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from loopwright.errors import ContractError
from loopwright.graphs.compile.names import AT
from loopwright.nodes.contract import Audience
from loopwright.nodes.driver.terms import Terms
from loopwright.nodes.effects import Effects
from loopwright.nodes.events import Event, VisitEnded
from loopwright.nodes.inbox import Come
from loopwright.nodes.models.contract import Model
from loopwright.state.records import Outgoing, Visit

Note = Callable[[str, str, Visit, Callable[[int], None], Sequence[Outgoing], Sequence[int]], None]


class Left(BaseException):
    """Whoever listened has left, and visits stop where they would tell something. It is no failure of a node."""


@dataclass(frozen=True, slots=True)
class Context:
    """A run's own things.

    Args:
        models: The models by name.
        note: Takes the record of a finished visit, by its task's id and namespace; see `Saver.note`.
        listening: Whether anybody follows the events; when nobody does, none are made.
        heard: The audiences for whose texts somebody listens; for no other are models asked to say theirs in parts.
        terms: On what terms the models are asked, by name.
        left: Set when whoever listened has left.
        again: The places of visits that the run was suspended at, and that are made again; each is taken out by its
            visit.
        effects: The run's ledger of effects; None where there is none.
        come: Finds what has come to the run's inbox; None where there is none.
    """

    models: Mapping[str, Model] = field(default_factory=dict)
    note: Note | None = None
    listening: bool = False
    heard: Collection[Audience] = ()
    terms: Mapping[str, Terms] = field(default_factory=dict)
    left: threading.Event = field(default_factory=threading.Event)
    again: set[str] = field(default_factory=set)
    effects: Effects | None = None
    come: Come | None = None


class EngineTask:
    """The engine's task that a visit is made in.

    Args:
        config: The engine's configuration of the task.
        runtime: The engine's things for the task.
        default: The context where the engine is run by somebody else; a graph around ours may have one of another kind.
    """

    def __init__(self, config: RunnableConfig, runtime: Runtime[Context], default: Context) -> None:
        configurable = config["configurable"]
        self.id: str = configurable["__pregel_task_id"]
        self.label: str = configurable.get(AT, "")
        self._namespace: str = configurable.get("checkpoint_ns", "")
        self._write = runtime.stream_writer
        self.context = runtime.context if isinstance(runtime.context, Context) else default

    def takes_again(self, label: str) -> bool:
        """Whether the run was suspended at the visit of this place; asked once."""
        if label not in self.context.again:
            return False
        self.context.again.discard(label)
        return True

    def tell(self, event: Event) -> None:
        """Pass an event on, if anybody listens."""
        if self.context.listening:
            if self.context.left.is_set():
                raise Left
            self._write(event)

    def keep(self, visit: Visit, events: Sequence[Outgoing] = (), taken: Sequence[int] = ()) -> None:
        """Have a finished visit kept. It is told when it is on disk: what was seen to happen is never lost.

        Args:
            visit: The visit.
            events: What it sends.
            taken: The places of the events that it took.

        Raises:
            ContractError: It sends events, and there is no inbox.
        """
        if self.context.note is None:
            if events:
                raise ContractError(
                    f"node {visit.node!r} sends an event, and a graph that another program runs has no inbox; start the"
                    " loop with a store of ours"
                )
            return
        # The engine's writer knows its task by the context that it is called in; the visit is kept on another thread.
        here = copy_context() if self.context.listening else None

        def kept(place: int) -> None:
            if here is not None:
                here.run(self._write, VisitEnded(replace(visit, index=place), self.id))

        self.context.note(self.id, self._namespace, visit, kept, events, taken)
