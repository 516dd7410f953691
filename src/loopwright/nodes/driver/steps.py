"""What a visit yields, and what it is made of."""

from collections.abc import Awaitable, Callable, Collection, Generator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from loopwright.nodes.contract import Answer, AskOutside, Audience, Node
from loopwright.nodes.driver.terms import Terms
from loopwright.nodes.effects import Effects
from loopwright.nodes.events import Event
from loopwright.nodes.inbox import Come
from loopwright.nodes.models.contract import Model, ModelCall, StreamingModel
from loopwright.state.records import Usage
from loopwright.state.schema import Check
from loopwright.state.values import Json


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask this model."""

    model: Model
    call: ModelCall


@dataclass(frozen=True, slots=True)
class HearModel:
    """Ask this model, and tell each part of its text as `say` makes an event of it."""

    model: StreamingModel
    call: ModelCall
    say: Callable[[str], Event]


@dataclass(frozen=True, slots=True)
class CallWorld:
    """Call this function; fields as of `AskWorld`."""

    call: Callable[[], Json | Awaitable[Json]]
    acall: Callable[[], Awaitable[Json]] | None = None


@dataclass(frozen=True, slots=True)
class Keep:
    """Write to the store, or read there; what the store raises is no failure of the node, and ends the session."""

    write: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until this is done, and at most so many seconds; it does not matter which of them it is."""

    woken: Future[None]
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Outside:
    """Ask someone outside; the run stops here until there is an answer."""

    ask: AskOutside


@dataclass(frozen=True, slots=True)
class Suspend:
    """Stop the run here; when it is continued, the question is asked again.

    Args:
        reason: Why.
        usage: What was spent on it so far.
        model: The label of the model that was asked, or "".
        short: What is lacking of budgets, by their names.
        asked: The last message that the model was sent, before it was asked again.
        said: Its answers.
    """

    reason: str
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    short: Mapping[str, float] = field(default_factory=dict)
    asked: str = ""
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tell:
    """Let whoever listens know."""

    event: Event


Call = CallModel | HearModel | CallWorld | Sleep | Wait
Step = Call | Outside | Suspend | Tell | Keep


@dataclass(frozen=True, slots=True)
class Job:
    """One visit that is to be made.

    Args:
        node: The node, bound to its code.
        view: What it reads, by its own channel names; `MISSING` for what nothing has written.
        checks: For each channel that it may write: the check of a write.
        models: The models by name.
        task: The visit's id.
        label: The node's name for events and scripts: its place in the plan.
        handled: The failure outcomes that have an edge.
        heard: The audiences for whose texts somebody listens.
        again: Whether the run was suspended at this visit, and is resumed.
        terms: On what terms the models are asked, by name; freely, where it has none.
        effects: The ledger of effects; None where there is none, and so no effects.
        come: Finds what has come to the inbox; None where there is none, and so nothing comes.
    """

    node: Node
    view: Mapping[str, Any]
    checks: Mapping[str, Check]
    models: Mapping[str, Model]
    task: str = ""
    label: str = ""
    handled: frozenset[str] = frozenset()
    heard: Collection[Audience] = ()
    again: bool = False
    terms: Mapping[str, Terms] = field(default_factory=dict)
    effects: Effects | None = None
    come: Come | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a visit came to; fields as of `records.Visit`. `taken` are the places of events that it took."""

    answer: Answer
    reply: Json = None
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    raw: Json = None
    effect: str = ""
    taken: tuple[int, ...] = ()


Visiting = Generator[Step, Any, Result]


class Hands(Protocol):
    """What the engine lends the driver."""

    def outside(self, ask: AskOutside) -> Json:
        """Give the answer, or stop the run with this question (by an exception of the engine's)."""

    def suspend(self, stop: Suspend) -> None:
        """Stop the run here (by an exception of the engine's)."""

    def tell(self, event: Event) -> None:
        """Pass an event on."""
