"""No key in an answer: a model that was told to, or a server that is broken, may send it back."""

from dataclasses import replace

from loopwright.nodes.models.contract import ModelReply
from loopwright.nodes.models.secrecy import HIDDEN, SHORTEST_KEY
from loopwright.state.values import Json


class Veil:
    """Hides a key in what a model says, before anybody is told it or keeps it: a server may send the key back.

    Args:
        key: The key, as of `without_secrets`.

    Example:
        >>> veil = Veil("sk-12345678")
        >>> [veil.over(part) for part in ("your key is sk-12", "345678, is it not? s", "k")], veil.rest()
        (['your key is ', '***, is it not? ', ''], 'sk')
    """

    def __init__(self, key: str) -> None:
        self._key = key if len(key) >= SHORTEST_KEY else ""
        self._held = ""

    def over(self, part: str) -> str:
        """What can be told after one more part; an end that the key may begin with is held until more is known."""
        if not self._key:
            return part
        text = (self._held + part).replace(self._key, HIDDEN)
        held = next((size for size in range(len(self._key) - 1, 0, -1) if text.endswith(self._key[:size])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """What was held, where nothing comes after it."""
        held, self._held = self._held, ""
        return held

    def over_reply(self, reply: ModelReply) -> ModelReply:
        """A whole reply without the key: what it says, and what it wishes to call."""
        if not self._key:
            return reply
        calls = tuple(replace(call, args=self._without(call.args)) for call in reply.tool_calls)
        note = reply.note.replace(self._key, HIDDEN)
        content, raw = self._without(reply.content), self._without(reply.raw)
        return replace(reply, content=content, raw=raw, tool_calls=calls, note=note)

    def _without(self, value: Json) -> Json:
        if isinstance(value, str):
            return value.replace(self._key, HIDDEN)
        if isinstance(value, list):
            return [self._without(each) for each in value]
        if isinstance(value, dict):
            return {name.replace(self._key, HIDDEN): self._without(each) for name, each in value.items()}
        return value
