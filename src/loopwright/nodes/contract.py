"""What a node is: two pure functions, and what they may ask for.

    ask(view)           -> Ask | None         what to ask: a model, the world, someone outside; None for pure routing
    answer(view, reply) -> Answer             which of the declared outcomes, and what to write

A node never calls a model and never waits: the driver does. So policies live in one place, and tests need no I/O.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict

from pydantic import TypeAdapter

from loopwright.errors import Fault
from loopwright.nodes.effects import AskEffect
from loopwright.nodes.inbox import AskInbox
from loopwright.state.records import Outgoing
from loopwright.state.values import Json, JsonObject, JsonSchema

Kind = Literal["think", "wait", "act", "route", "each", "parallel"]
View = Mapping[str, Json]

Audience = Literal["user", "debug"]
"""Whom a text is for: the person in front, or only those who look at how the loop works."""

FAILURES = ("unreadable", "failed", "over_budget")
"""Outcomes that think and act nodes have beside their own. One without an edge suspends the run there."""

_FAILURES: Mapping[str, tuple[str, ...]] = {"think": FAILURES, "act": ("unreadable", "failed")}


class Message(TypedDict):
    """One message of a chat, a mapping: `role` is system, user, assistant or tool, `content` is its text.

    An assistant's message may have `tool_calls`, each with `id`, `name` and `args`; a tool's message has the id of the
    call that it answers.
    """

    role: str
    content: str
    tool_calls: NotRequired[list[JsonObject]]
    tool_call_id: NotRequired[str]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool.

    Args:
        name: Letters, digits, `_` and `-`, 64 at most.
        description: What it does, and when it is of use.
        parameters: JSON Schema of its arguments: an object with a property for each.
    """

    name: str
    description: str = ""
    parameters: JsonSchema = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool.

    Args:
        name: The tool, as the model named it.
        args: Its arguments by name; what the model said instead, where that is no object.
        id: Names the call for the message that answers it; "" where the provider gave none.
    """

    name: str
    args: Json = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class AskModel:
    """Ask a chat model, once.

    Args:
        messages: The chat, oldest first.
        schema: JSON Schema of the answer, or None for plain text.
        model: The name of a model reference of the plan.
        tools: The tools that it may call instead of answering. With tools the reply is an object: what it said as
            `answer`, and the `calls`.
        audience: Whom the answer is for, where it is a text; see `events.TextSaid`.
        says: The key of a structured answer that holds a text for them; without one, it has none.
        note: What has to be known of the question, for the note of the visit; "" where nothing has.
    """

    messages: Sequence[Message]
    schema: JsonSchema | None = None
    model: str = "default"
    tools: Sequence[ToolSpec] = ()
    audience: Audience = "debug"
    says: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class AskOutside:
    """Ask someone outside; the run waits, on disk, for as long as it takes.

    Args:
        text: What is asked.
        reply: JSON Schema of the answer.
        source: Who answers: `person`, `event` or `timer`.
        default: The answer that an empty line on the command line stands for, or None.
        shorthand: Words that stand for whole answers on the command line; "" for that which takes any other line.
        event: The type of the event that answers it, or "".
        where: What that event's payload must have, by property.
        after: Seconds after which a timer answers it, or None.
        due: When a timer answers it, in seconds since the epoch, or None.
    """

    text: str
    reply: JsonSchema = field(default_factory=dict)
    source: str = "person"
    default: Json = None
    shorthand: Mapping[str, Json] = field(default_factory=dict)
    event: str = ""
    where: Mapping[str, Json] = field(default_factory=dict)
    after: float | None = None
    due: float | None = None


@dataclass(frozen=True, slots=True)
class AskWorld:
    """Call a function. What it returns is the reply that the node's `answer` gets; what it raises is a failure.

    Args:
        call: The function, sync or async, with all that it needs: it is called without arguments.
        acall: What is awaited instead where the run is async; None where `call` does for both.
    """

    call: Callable[[], Json | Awaitable[Json]]
    acall: Callable[[], Awaitable[Json]] | None = None


Ask = AskModel | AskOutside | AskWorld | AskEffect | AskInbox


@dataclass(frozen=True, slots=True)
class Answer:
    """What a visit came to.

    Args:
        outcome: One of the node's declared outcomes.
        update: What to write, by channel; only declared writes.
        reason: Why, in a few words, for the record and the end's reason; may be empty.
        events: What is sent to other runs; it leaves when the visit is on disk.
    """

    outcome: str
    update: Mapping[str, Json] = field(default_factory=dict)
    reason: str = ""
    events: tuple[Outgoing, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Contract:
    """What a node declares, and is held to.

    Args:
        kind: Who is asked.
        reads: The channels that it is shown.
        writes: The channels that it may write.
        outcomes: What a visit can come to.
        may_write: Those of its writes that a visit may leave out.
        never: Outcomes that may be given an edge though no visit comes to them, so that another node with the same
            ports can stand here.

    Example:
        >>> Contract("wait", (), ("count", "note"), ("done",), may_write=("note",)).sure_writes
        ('count',)
    """

    kind: Kind
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    outcomes: tuple[str, ...]
    may_write: tuple[str, ...] = ()
    never: tuple[str, ...] = field(default=(), repr=False)

    @property
    def sure_writes(self) -> tuple[str, ...]:
        """The writes that every visit makes which does not fail."""
        return tuple(name for name in self.writes if name not in self.may_write)

    @property
    def failures(self) -> tuple[str, ...]:
        """The failure outcomes that may be given an edge."""
        return _FAILURES.get(self.kind, ())


NODE_TYPES: dict[str, type["Node"]] = {}
"""Every node type that can stand in a plan, by its `type` word. Forms add their own when they are imported."""


class Node(ABC):
    """A node of a plan: a frozen dataclass of JSON fields, with a contract and the two functions.

    A subclass names its `type` word: `class Think(Node, type="think")`. Nodes of a plan are data; those that need live
    code (functions) are `CodeNode`s, and `bound` gives the node that can be run.

    Example:
        >>> @dataclass(frozen=True)
        ... class Count(Node):  # (Node, type="count") to stand in a plan
        ...     name: str
        ...     channel: str
        ...     @property
        ...     def contract(self):
        ...         return Contract("route", (self.channel,), (), ("none", "some"))
        ...     def ask(self, view):
        ...         return None
        ...     def answer(self, view, reply):
        ...         return Answer("some" if view[self.channel] else "none")
        >>> Count("any", "found").answer({"found": []}, None).outcome
        'none'
    """

    type: ClassVar[str] = ""
    declared_type: Any = None  # the Python type of what it writes; it stays in this process, and is no field
    name: str

    def __init_subclass__(cls, type: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if type:
            cls.type = type
            NODE_TYPES[type] = cls

    @property
    @abstractmethod
    def contract(self) -> Contract:
        """The kind, reads, writes and outcomes."""

    @abstractmethod
    def ask(self, view: View) -> Ask | None:
        """What this visit asks for. Pure: the same view gives the same question."""

    @abstractmethod
    def answer(self, view: View, reply: Json) -> Answer:
        """What the reply means. Pure. What it raises as `Unreadable` is that outcome."""

    def ask_again(self, view: View) -> Ask | None:
        """What is asked where the run was suspended at this very visit, and is resumed: the same, for most.

        A node that asks nobody would stand there for ever; it may ask somebody now.
        """
        return self.ask(view)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the model references that it may ask."""
        return ()

    @property
    def calls(self) -> int:
        """Model calls that one visit completes at most."""
        return 1 if self.contract.kind == "think" else 0

    @property
    def placeholder_names(self) -> Collection[str]:
        """The names that its templates may ask for, where they are not those of the channels."""
        return ()

    @property
    def value_type(self) -> JsonSchema:
        """JSON Schema of what it writes to its first channel; anything, where that is not known."""
        return {}

    def faults(self) -> Iterator[Fault]:
        """What is wrong with the node itself, by field; a type with rules of its own adds them. `check` tells it."""
        contract = self.contract
        if not contract.outcomes:
            yield Fault("there are no outcomes", ("outcomes",), "declare at least one")
        for index, outcome in enumerate(contract.outcomes):
            path = ("outcomes", index)
            if outcome in contract.outcomes[:index]:
                yield Fault(f"the outcome {outcome!r} stands twice", path, "declare it once")
            if outcome in contract.failures:
                hint = "give it another name; a failure has an edge without being declared"
                yield Fault(f"the outcome {outcome!r} is that of a model or a function that fails", path, hint)

    def doubts(self) -> Iterator[Fault]:
        """What keeps the rules and is hardly meant, as `faults` tells what does not keep them. `check` warns of it."""
        yield from ()

    def bound(self, code: Mapping[str, Any]) -> "Node":
        """The node with live code: itself, where it needs none."""
        del code
        return self

    def given_more(self, bound: str, more: int) -> "Node":
        """The node where a bound beside it is raised by so much: itself, unless it says how often it may come."""
        del bound, more
        return self

    def to_data(self) -> JsonObject:
        """The node as JSON, with its `type` word."""
        data: JsonObject = _adapter(type(self)).dump_python(self, mode="json", exclude_defaults=True)
        return {"type": self.type, **data}

    @classmethod
    def from_data(cls, data: Mapping[str, Json]) -> Self:
        """The node that `to_data` described.

        Raises:
            ValueError: No node type has this word, or a field does not fit.
        """
        fields = dict(data)
        word = fields.pop("type", None)
        found = NODE_TYPES.get(word) if isinstance(word, str) else None
        if found is None or not issubclass(found, cls):
            raise ValueError(f"{word!r} is not a type of node; types are {', '.join(sorted(NODE_TYPES))}")
        node: Self = _adapter(found).validate_python(fields)
        return node


@cache
def _adapter(node_type: Any) -> TypeAdapter[Any]:
    """Made once for each type of node: making one takes milliseconds."""
    return TypeAdapter(node_type)


def names(value: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several, as a tuple.

    Example:
        >>> names("draft"), names(["a", "b"]), names("")
        (('draft',), ('a', 'b'), ())
    """
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(value)
