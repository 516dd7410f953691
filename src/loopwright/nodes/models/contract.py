"""What a model is to the driver: something that answers one call, sync or async.

This is the seam of the package: a `ModelRef` becomes a real client behind it, a `ScriptedModel` answers from a script,
and a test may put anything else here.
"""

from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from loopwright.nodes.contract import Message, ToolCall, ToolSpec
from loopwright.state.records import Usage
from loopwright.state.values import Json, JsonSchema


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to a model.

    Args:
        node: The node that asks, by its name in the plan; a scripted model finds its queue by it.
        messages: The chat, oldest first.
        schema: JSON Schema of the answer, or None for plain text.
        tools: The tools that the model may call instead of answering.
        max_tokens: The most tokens that the answer may have, as far as the model can be told; None for its own limit.
        timeout: Seconds that the call may take, as far as the model can be told; None for its own.
    """

    node: str
    messages: Sequence[Message]
    schema: JsonSchema | None = None
    tools: Sequence[ToolSpec] = ()
    max_tokens: int | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said.

    Args:
        content: The text, or, where the model gave structured data already, the value.
        usage: Tokens, and `calls=1`.
        truncated: Whether the provider cut the answer at its token limit.
        tool_calls: The tools that it wishes to call; then the content is what it said beside, and may be empty.
        note: How the answer came, where that is worth telling: not in the form that is asked for first; else "".
        raw: All that was said, where the content was taken out of it; else None.
    """

    content: Json
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    truncated: bool = False
    tool_calls: tuple[ToolCall, ...] = ()
    note: str = ""
    raw: Json = None


@runtime_checkable
class Model(Protocol):
    """Something that answers calls. Both methods raise `ModelError`, with `retryable` set, and nothing else.

    It is a protocol: whatever has these four is a model, and no class has to be named. It may have more: `repairs`, how
    often it is asked again when an answer is unreadable, which is once where it does not say; `price`, an `lw.Price`,
    without which there is no budget of cost; and `max_tokens`, the most tokens of its answers, by which a budget of
    tokens knows what a call may take.

    Example:
        >>> class Echo:
        ...     label, retries = "echo", 0
        ...     def ask(self, call):
        ...         return ModelReply(call.messages[-1]["content"])
        ...     async def aask(self, call):
        ...         return self.ask(call)
        >>> isinstance(Echo(), Model)
        True
    """

    @property
    def label(self) -> str:
        """What the model is, for every output that names it: `gpt-4o-mini`, `scripted (bridge.script.yaml)`."""

    @property
    def retries(self) -> int:
        """How often a call that failed may be made again."""

    def ask(self, call: ModelCall) -> ModelReply:
        """Answer, or raise `ModelError`."""

    async def aask(self, call: ModelCall) -> ModelReply:
        """Answer, or raise `ModelError`."""


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can say its text as it comes. It is asked so only where somebody listens, and only for plain text.

    Both methods give the parts of the text in order and, last, the whole reply as `ask` gives it; they raise
    `ModelError` and nothing else. What was said before an error is void.
    """

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Answer in parts, with blocking calls."""

    def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Answer in parts, with awaited calls."""
