"""Runnables as the code of nodes: LangChain's chains and agents, LangGraph's graphs, and what looks like them.

They are known by what they have and not by their class, so that neither library is imported here. However long a
runnable works by itself, for the plan around it that is one visit.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.errors import ContractError
from loopwright.nodes.models.runnable import Runnable
from loopwright.state.rebuilt import plain

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
"""What LangChain calls the authors of messages, and what chats on the wire call them."""

_INTERRUPT = "__interrupt__"


class Invoked:
    """A runnable that is called like a function.

    It gets a mapping of what is read, or, where it says that it takes no mapping, the one value. Of a mapping that it
    gives, those keys are taken that are written; a message is its text, and a list of messages the chat.

    Args:
        runnable: The runnable.
        writes: What is written.

    Example:
        >>> from langchain_core.language_models import FakeListChatModel
        >>> from langchain_core.prompts import ChatPromptTemplate
        >>> chain = ChatPromptTemplate.from_template("On <{topic}>") | FakeListChatModel(responses=["Wood rots."])
        >>> Invoked(chain, ["draft"])(topic="wood")
        'Wood rots.'
    """

    def __init__(self, runnable: Runnable, writes: Sequence[str]) -> None:
        self.runnable, self.writes = runnable, tuple(writes)
        self._takes_value = _is_of_values(_schema(runnable, "get_input_jsonschema"))

    def __call__(self, **reads: Any) -> Any:
        """Invoke it."""
        return self._written(self.runnable.invoke(self._given(reads)))

    async def acall(self, **reads: Any) -> Any:
        """Invoke it without blocking the event loop."""
        return self._written(await self.runnable.ainvoke(self._given(reads)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Invoked) and (self.runnable, self.writes) == (other.runnable, other.writes)

    def __hash__(self) -> int:
        return hash((id(self.runnable), self.writes))

    def _given(self, reads: Mapping[str, Any]) -> Any:
        return next(iter(reads.values())) if self._takes_value and len(reads) == 1 else dict(reads)

    def _written(self, result: Any) -> Any:
        if isinstance(result, Mapping) and _INTERRUPT in result:
            raise ContractError(
                "the graph stopped at an interrupt, and one visit cannot wait for its answer: put an lw.Human before "
                "or after it, or build that graph as a plan"
            )
        if isinstance(result, Mapping) and self.writes and result.keys() >= set(self.writes):
            return {name: _plain(result[name]) for name in self.writes}
        return _plain(result)


def reads_of(runnable: Runnable, node: str) -> tuple[str, ...]:
    """The names of what a runnable takes: a prompt's variables, for instance.

    Raises:
        TypeError: It does not say what it takes.

    Example:
        >>> from langchain_core.prompts import ChatPromptTemplate
        >>> reads_of(ChatPromptTemplate.from_template("On {topic}, in {words} words"), "write")
        ('topic', 'words')
    """
    properties = _schema(runnable, "get_input_jsonschema").get("properties")
    if not isinstance(properties, Mapping):
        hint = f"name the channels, as in lw.Act({node!r}, ..., reads=['topic'])"
        raise TypeError(f"node {node!r}: its runnable does not say what it takes: {hint}")
    return tuple(properties)


def _schema(runnable: Runnable, method: str) -> Mapping[str, Any]:
    """What a runnable says of its input; nothing where it says nothing, or has types that cannot be told."""
    tell = getattr(runnable, method, None)
    try:
        schema = tell() if callable(tell) else {}
    except Exception:  # whatever a library raises on types of the user's own
        return {}
    return schema if isinstance(schema, Mapping) else {}


def _is_of_values(schema: Mapping[str, Any]) -> bool:
    """Whether it is known that no mapping is taken: a text, or a chat."""
    return schema.get("type", "object") != "object" or "anyOf" in schema


def _plain(value: Any) -> Any:
    """JSON, as far as it can be: a lone message is its text, and in a list it is an item of a chat."""
    if _is_message(value):
        return str(value.text)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_item(each) if _is_message(each) else _plain(each) for each in value]
    return plain(value)


def _item(message: Any) -> dict[str, Any]:
    """A message as it stands in a chat, and as LangChain takes it back."""
    item: dict[str, Any] = {"role": _ROLES[message.type], "content": plain(message.content)}
    if calls := getattr(message, "tool_calls", None):
        item["tool_calls"] = [{key: call[key] for key in ("id", "name", "args")} for call in calls]
    if call := getattr(message, "tool_call_id", None):
        item["tool_call_id"] = call
    return item


def _is_message(value: Any) -> bool:
    return getattr(value, "type", None) in _ROLES and hasattr(value, "content") and hasattr(value, "text")
