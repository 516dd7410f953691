"""What happens in a run, as it happens. Every event is a frozen record that becomes JSON by `to_data`."""

from dataclasses import asdict, dataclass, field
from typing import ClassVar

from loopwright.nodes.contract import Audience
from loopwright.state.records import Question, Visit
from loopwright.state.values import JsonObject


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run; the root of all events.

    Example:
        >>> RunStarted("3f2a").to_data()
        {'type': 'run_started', 'run': '3f2a', 'resumed': False}
    """

    type: ClassVar[str] = ""

    def to_data(self) -> JsonObject:
        """The event as JSON, with its `type`."""
        return {"type": self.type, **asdict(self)}


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """A run began, or goes on.

    Args:
        run: The run's id.
        resumed: Whether it goes on.
    """

    type: ClassVar[str] = "run_started"
    run: str
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class RunAwaited(Event):
    """Somebody else goes on with the same answer, and this one waits for what comes of it: how the run then rests.

    Args:
        run: The run's id.
        holder: Who is at work on it.
    """

    type: ClassVar[str] = "run_awaited"
    run: str
    holder: str


@dataclass(frozen=True, slots=True)
class VisitStarted(Event):
    """A node asks its question now.

    Args:
        node: The node's name in the plan; inside a fork's body as `rate[2]/rater`.
        kind: Who is asked: `think`, `wait`, `act` or `route`.
        task: Names the visit, in this event and in those that follow on it.
        model: The label of the model that is asked, or "".
    """

    type: ClassVar[str] = "visit_started"
    node: str
    kind: str
    task: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class Retrying(Event):
    """A call failed and is made again.

    Args:
        node: The node that asks.
        task: Names the visit, as in its `VisitStarted`.
        reason: How it failed.
        wait: Seconds until it is made again.
    """

    type: ClassVar[str] = "retrying"
    node: str
    task: str
    reason: str
    wait: float


@dataclass(frozen=True, slots=True)
class Held(Event):
    """A call waits for its turn, for a second or longer: a rate limit of its model, or the server's, holds it back.

    Args:
        node: The node that asks.
        task: Names the visit, as in its `VisitStarted`.
        reason: The model and the limit.
        wait: Seconds until it may be made.
    """

    type: ClassVar[str] = "held"
    node: str
    task: str
    reason: str
    wait: float


@dataclass(frozen=True, slots=True)
class TextSaid(Event):
    """A part of a text, as a model says it; all that a visit says and does not withdraw is the text that is kept.

    It is told only to those who ask for the texts of its `audience`, and never of a structured answer.

    Args:
        node: The node that speaks.
        task: The visit's id, as in `VisitStarted`.
        text: What was said, with the space before it.
        audience: Whom it is for.
    """

    type: ClassVar[str] = "text_said"
    node: str
    task: str
    text: str
    audience: Audience


@dataclass(frozen=True, slots=True)
class TextWithdrawn(Event):
    """What this visit has said so far is void: its call broke off, or its answer cannot be used.

    Args:
        node: The node that spoke.
        task: The visit's id.
        audience: Whom the text was for.
    """

    type: ClassVar[str] = "text_withdrawn"
    node: str
    task: str
    audience: Audience


@dataclass(frozen=True, slots=True)
class VisitEnded(Event):
    """A node has answered, and the plan has led on.

    Args:
        visit: The whole visit, as it is kept.
        task: Names the visit, as in its `VisitStarted`.
    """

    type: ClassVar[str] = "visit_ended"
    visit: Visit
    task: str


@dataclass(frozen=True, slots=True)
class RunWaiting(Event):
    """The run waits for answers; it is on disk and can be left.

    Args:
        run: The run's id.
        questions: What it waits for.
    """

    type: ClassVar[str] = "run_waiting"
    run: str
    questions: tuple[Question, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class RunSuspended(Event):
    """Something failed and no edge handles it; resuming the run asks again.

    Args:
        run: The run's id.
        node: The node that failed.
        reason: How.
    """

    type: ClassVar[str] = "run_suspended"
    run: str
    node: str
    reason: str


@dataclass(frozen=True, slots=True)
class RunEnded(Event):
    """The run came to a named end.

    Args:
        run: The run's id.
        end: The end's name.
        ok: Whether it is a success.
        reason: Why it came there.
    """

    type: ClassVar[str] = "run_ended"
    run: str
    end: str
    ok: bool
    reason: str
