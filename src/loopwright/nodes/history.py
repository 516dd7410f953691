"""How much of what was said before is sent with a question: the end of it, by messages or by tokens.

The bound is on what was said, in a transcript or in a tool loop. The system message and the first one, which has the
task, are not part of it and always stay.
"""

import json
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import accumulate, takewhile
from typing import Any

from pydantic import StrictBool, StrictInt

from loopwright.nodes.contract import Message

_BYTES_OF_A_TOKEN = 4
_TOKENS_OF_A_MESSAGE = 4
"""What a message takes beside its text, for who says it and where it ends."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a history that is sent: its end. With both bounds, both hold.

    Args:
        last: At most so many messages.
        tokens: At most so many tokens, by an estimate: a token for each 4 bytes of UTF-8, and 4 for each message.
        summary: Whether a summary takes the place of what is left out, on top of the bound; for a role cycle only.

    A call of tools and what came of it are sent together or not at all. What was said last is always sent, even where
    it alone is more than the bound. A line in the place of what is left out says how much that is.

    Raises:
        ValueError: There is no bound, or one that is no number of at least 1.

    Example:
        >>> said = [{"role": "user", "content": f"Message {index}"} for index in range(5)]
        >>> for message in Window(last=2).of(said):
        ...     print(message["content"])
        (3 earlier messages are left out here.)
        Message 3
        Message 4
    """

    _: KW_ONLY
    last: StrictInt | None = None
    tokens: StrictInt | None = None
    summary: StrictBool = False

    def __post_init__(self) -> None:
        if self.last is None and self.tokens is None:
            raise ValueError("a history has a bound: last, a number of messages, or tokens")
        for name, most in (("last", self.last), ("tokens", self.tokens)):
            if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
                raise ValueError(f"{name} is a whole number of at least 1; {most!r} is not")
        if not isinstance(self.summary, bool):
            raise ValueError(f"summary is true or false; {self.summary!r} is not")

    @property
    def half(self) -> "Window":
        """Half of the bound, and at least 1."""
        last, tokens = (most and max(1, most // 2) for most in (self.last, self.tokens))
        return replace(self, last=last, tokens=tokens)

    def of(self, history: Sequence[Message]) -> list[Message]:
        """The messages that are sent, after a line that says how many are not.

        Args:
            history: What was said, oldest first.
        """
        return self.noted(history)[0]

    def noted(self, history: Sequence[Message]) -> tuple[list[Message], str]:
        """The same, with the note of the visit that says how many are not sent; "" where all are.

        Args:
            history: What was said, oldest first.
        """
        kept = self.kept(history)
        count = len(history) - len(kept)
        if not count:
            return kept, ""
        mark: Message = {"role": "user", "content": left_out(count)}
        return [mark, *kept], f"{count} earlier message{'s' if count > 1 else ''} left out"

    def kept(self, history: Sequence[Message]) -> list[Message]:
        """The messages that are sent.

        Args:
            history: What was said, oldest first.
        """
        groups = _groups(history)[::-1]
        messages = accumulate(len(group) for group in groups)
        tokens = accumulate(sum(map(tokens_of, group)) for group in groups)
        fitting = takewhile(lambda size: self._fits(*size), zip(messages, tokens, strict=True))
        count = max(1, len(list(fitting)))
        return [message for group in reversed(groups[:count]) for message in group]

    def holds(self, history: Sequence[Message]) -> bool:
        """Whether all of it is within the bound.

        Args:
            history: What was said.
        """
        return self._fits(len(history), sum(map(tokens_of, history)))

    def _fits(self, messages: int, tokens: int) -> bool:
        return (self.last is None or messages <= self.last) and (self.tokens is None or tokens <= self.tokens)


def left_out(count: int) -> str:
    """What stands in the place of messages that are left out; "" where none are.

    Example:
        >>> left_out(1), left_out(0)
        ('(1 earlier message is left out here.)', '')
    """
    return f"({count} earlier message{'s are' if count > 1 else ' is'} left out here.)" if count else ""


def tokens_of(message: Message) -> int:
    """How many tokens a message takes, as an estimate.

    Example:
        >>> tokens_of({"role": "user", "content": "A wooden bridge."})
        8
    """
    data: Any = message
    said = len(message["content"].encode(errors="surrogatepass"))
    if calls := data.get("tool_calls"):
        said += len(json.dumps(calls, ensure_ascii=False).encode(errors="surrogatepass"))
    return _TOKENS_OF_A_MESSAGE - -said // _BYTES_OF_A_TOKEN


def _groups(history: Sequence[Message]) -> list[list[Message]]:
    """The messages in groups that are never torn apart: a call of tools, and what came of it."""
    groups: list[list[Message]] = []
    for message in history:
        if groups and message["role"] == "tool":
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups
