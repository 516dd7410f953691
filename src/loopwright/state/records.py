"""What is kept of a run: its visits, its questions, what its calls cost, and what it was given more of."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from loopwright.state.values import Json, JsonObject, JsonSchema

Decision = Literal["done", "again"]
"""What is decided about an effect of which nobody knows whether it happened."""

Status = Literal["running", "waiting", "suspended", "interrupted", "finished", "quarantined"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What some model calls took.

    Args:
        calls: Calls whose answer was read.
        tokens_in: Tokens sent, as the provider counted them; 0 where it did not.
        tokens_out: Tokens received.
        retries: Calls that were made again because one failed; not among `calls`.
        repairs: Calls that were made again because an answer was unreadable; not among `calls`.
        repeats: Calls whose visit was not completed and is made again, since the run was suspended; not among `calls`.
        cached: Answers that came from a file of answers, and not from the model; not among `calls`.
        cost: What the calls cost, all of them, in US dollars, as far as their prices are known.
        unpriced: Calls of all kinds whose price is not known; `cost` is without them.
        failed: Calls that failed and were not made again; not among `calls`.

    What is 0 is not shown.

    Example:
        >>> Usage(calls=1, tokens_in=10) + Usage(calls=1, retries=2)
        Usage(calls=2, tokens_in=10, retries=2)
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    retries: int = 0
    repairs: int = 0
    repeats: int = 0
    cached: int = 0
    cost: float = 0.0
    unpriced: int = 0
    failed: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.retries + other.retries,
            self.repairs + other.repairs,
            self.repeats + other.repeats,
            self.cached + other.cached,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.failed + other.failed,
        )

    def __repr__(self) -> str:
        taken = ((each.name, getattr(self, each.name)) for each in fields(self))
        return f"Usage({', '.join(f'{name}={value}' for name, value in taken if value)})"

    @property
    def tokens(self) -> int:
        """Tokens sent and received.

        Example:
            >>> Usage(calls=1, tokens_in=10, tokens_out=2).tokens
            12
        """
        return self.tokens_in + self.tokens_out

    @property
    def attempts(self) -> int:
        """Calls of all kinds: every time that a model was asked.

        Example:
            >>> Usage(calls=1, retries=2, failed=1).attempts
            4
        """
        return self.calls + self.retries + self.repairs + self.repeats + self.failed

    def to_repeat(self) -> "Usage":
        """The same, where the visit was not completed.

        Example:
            >>> Usage(calls=1, tokens_in=10, repairs=1).to_repeat()
            Usage(tokens_in=10, repairs=1, repeats=1)
        """
        return replace(self, calls=0, repeats=self.repeats + self.calls)


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit of a node, as it is kept. A visit that was not completed is not kept.

    Args:
        index: Its place in the run, counted from 0.
        node: The node's name in the plan; inside a fork's body `FORK[BRANCH]/NODE`, as `rate[2]/rater`.
        kind: The node's kind.
        outcome: What the node answered.
        target: The node or end that the plan led to, or "" inside a fork's last step.
        reason: Why, where the node said why; else "".
        reply: What was answered: a model's text or value, a person's reply; of a function that acted `outcome`,
            `update` and `reason`, as its result was understood; None where nobody was asked.
        model: The label of the model that was asked, or "".
        usage: What it took.
        started: Seconds since the epoch.
        seconds: How long it took.
        checkpoint: The id of the checkpoint that the visit started from.
        note: What was left out of the question, and how the model's answer came and was read: why it was asked for
            again, in which form, and what was done to it; "" where all was sent, and taken to the letter at once.
        raw: What the model said, where that is not `reply` to the letter; else None.
        effect: The key of the effect that it had on the world, or "".
    """

    index: int
    node: str
    kind: str
    outcome: str
    target: str = ""
    reason: str = ""
    reply: Json = None
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    started: float = 0.0
    seconds: float = 0.0
    checkpoint: str = ""
    note: str = ""
    raw: Json = None
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What a run waits for.

    Args:
        id: Names the question for as long as the run exists.
        node: The node that asks.
        text: What is asked.
        reply: JSON Schema of the answer.
        source: Who answers: `person`, `event` or `timer`.
        default: The answer that an empty line on the command line stands for, or None.
        shorthand: How a line of text on the command line becomes an answer: words that stand for whole answers; under
            "" the answer that takes any other line as its text. See `loopwright.nodes.wait`.
        formerly: Ids that it had before its run went on with a changed plan; they name it still.
        event: The type of the event that answers it, or "".
        where: What that event's payload must have, by property.
        due: When its timer answers it, in seconds since the epoch; None where it has none.
    """

    id: str
    node: str
    text: str
    reply: JsonSchema = field(default_factory=dict)
    source: str = "person"
    default: Json = None
    shorthand: Mapping[str, Json] = field(default_factory=dict)
    formerly: tuple[str, ...] = ()
    event: str = ""
    where: Mapping[str, Json] = field(default_factory=dict)
    due: float | None = None

    def is_called(self, prefix: str) -> bool:
        """Whether an id of it begins so.

        Example:
            >>> Question("8c1d", "sign", "?", formerly=("14e3",)).is_called("14")
            True
        """
        return any(id.startswith(prefix) for id in (self.id, *self.formerly))


@dataclass(frozen=True, slots=True)
class Suspension:
    """What a run is suspended by at one node: what was asked there last, and what was said to that.

    Args:
        node: The node that is suspended, as of `Visit`.
        reason: Why.
        model: The label of the model that was asked, or "".
        asked: The last message that it was sent, before it was asked again; "" where none was.
        said: Its answers, all of them, the first first; none where it gave none. Each has 4,000 letters at
            most, as `asked` has; what is longer ends with "…".
    """

    node: str
    reason: str
    model: str = ""
    asked: str = ""
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An event that a node sends. It leaves with its visit: it is in the inbox when the visit is on disk, or never.

    Args:
        type: What happened, in a word.
        payload: What there is to know of it, as JSON; waits filter by the properties of an object.
        to: The id of the run that it is for, or the name of a plan, for all runs of it; "" for all that wait for it.

    Example:
        >>> Outgoing("agent_gives_object", {"object": "mic", "recipient": "ada"}).to
        ''
    """

    type: str
    payload: Json = field(default_factory=dict)
    to: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event in a store's inbox.

    Args:
        place: Its place there; a later one has a higher place.
        id: Its id: `RUN/VISIT/INDEX` of one that a node sent, else as it was given.
        type: What happened, in a word.
        payload: What there is to know of it.
        to: The run or the plan that it is for, or "".
        sender: The run that sent it; "" where it came from outside.
        visit: The index of the visit that sent it; None where it came from outside.
        sent: When it came, in seconds since the epoch.
    """

    place: int
    id: str
    type: str
    payload: Json
    to: str = ""
    sender: str = ""
    visit: int | None = None
    sent: float = 0.0


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with the answer that it got.

    Args:
        question: The question.
        answer: The answer.
        event: The place in the inbox of the event that answered it; None where none did.
    """

    question: Question
    answer: Json
    event: int | None = None


@dataclass(frozen=True, slots=True)
class Extension:
    """More of a bound, as a run was given it.

    Args:
        bound: The bound's name.
        more: How many more times.
        visits: How many visits the run had completed by then.
    """

    bound: str
    more: int
    visits: int


@dataclass(frozen=True, slots=True)
class Grant:
    """More of a budget, as a run was given it.

    Args:
        budget: What it was given more of: `calls`, `tokens`, `cost` or `seconds`; that of a model as `strong.calls`.
        more: How much more.
        visits: How many visits the run had completed by then.
    """

    budget: str
    more: float
    visits: int


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect on the world, as the ledger of a run has it.

    Args:
        key: Names it, and is given to the function where it takes an `idempotency_key`: the run's id, a hyphen, and 32
            hexadecimal digits. It stays the same however often the run is cut off, and no other visit has it.
        node: The node whose visit it is of.
        name: The name of the function.
        arguments: What the function was called with.
        repeatable: Whether it is called again when nobody knows whether it happened.
        state: `started` before the call, `finished` when the function came back, `failed` when it raised.
        reply: What came of it, as the visit has it; None before that.
        reason: What the function raised, where it failed.
        attempts: How often it was called.
        started: When it was called last, in seconds since the epoch.
        ended: When that call ended, in seconds since the epoch; 0 before that.
        decision: What was decided where nobody knew: `done` or `again`, else "".
        visit: The index of its visit; -1 while that is not complete.

    Example:
        >>> Effect("3f2a-07", "pay", "shop:pay", {"euros": 3}).is_unknown
        True
    """

    key: str
    node: str
    name: str
    arguments: JsonObject
    repeatable: bool = False
    state: Literal["started", "finished", "failed"] = "started"
    reply: Json = None
    reason: str = ""
    attempts: int = 1
    started: float = 0.0
    ended: float = 0.0
    decision: str = ""
    visit: int = -1

    @property
    def is_open(self) -> bool:
        """Whether its visit is not complete."""
        return self.visit < 0

    @property
    def is_unknown(self) -> bool:
        """Whether it was called, and nobody knows whether it happened; of a run that is at work, it is under way."""
        return self.is_open and self.state == "started" and not self.decision


@dataclass(frozen=True, slots=True)
class Decided:
    """What someone decides about an effect.

    Args:
        key: The effect's key.
        decision: `done` where it has happened, `again` where it is to be called again.
        reply: What came of it, where it is done.
    """

    key: str
    decision: Decision
    reply: Json = None
