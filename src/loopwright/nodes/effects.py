"""Effects: functions that touch the world, how often they may be called, and the ledger that they are written in.

The ledger says that an effect was started before it is called, and how it ended after that, so that a run which was
killed in between does not do it again without knowing.
"""

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, get_args, overload

from loopwright.nodes.models.secrecy import showable
from loopwright.state.records import Effect
from loopwright.state.values import Json, JsonObject

Care: TypeAlias = Literal["once", "repeatable"]
"""How an effect is cared for of which nobody knows whether it happened: someone decides, or it is called again."""

KEY = "idempotency_key"
"""The parameter of an effect's function that is given its key."""

_MARK = "__loopwright_effect__"

Marked = TypeVar("Marked", bound=Callable[..., Any])


@overload
def effect(function: Marked, /) -> Marked: ...
@overload
def effect(care: Care = "once", /) -> Callable[[Marked], Marked]: ...
def effect(given: Any = "once", /) -> Any:
    """Say of a function that it touches the world: pays, sends, orders. It is called as before, and stays itself.

    As an act, or as a tool of a `ToolLoop`, each call of it is in the ledger of the run's store. One that was cut off,
    so that nobody knows whether it happened, is not called again: the run is suspended, and someone decides. One that
    is `repeatable` is called again with the same key. A parameter `idempotency_key` is given that key; it is no
    channel, and no model is told of it.

    Args:
        given: The function; or `once` (as when it is left out) or `repeatable`, where its key makes it safe to repeat.

    Raises:
        TypeError: It is a node already, or nothing can be said of it.
        ValueError: There is no such word.

    Example:
        >>> @effect("repeatable")
        ... def pay(euros: int, idempotency_key: str) -> str:
        ...     return f"{euros} euros, key {idempotency_key}"
        >>> pay(3, "k"), care_of(pay)
        ('3 euros, key k', 'repeatable')
    """
    if isinstance(given, str):
        care = required_care(given)
        return lambda function: _marked(function, care)
    return _marked(given, "once")


def required_care(word: Any) -> Care:
    """The word, where it is one for effects.

    Raises:
        ValueError: It is none.
    """
    if word not in get_args(Care):
        raise ValueError(f"{word!r} says nothing of an effect; it is once or repeatable")
    care: Care = word
    return care


def _marked(function: Any, care: Care) -> Any:
    if hasattr(function, "declared"):
        raise TypeError(f"{function.name!r} is a node already: put @lw.effect below @lw.node, or give effect= to that")
    try:
        setattr(function, _MARK, care)
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(f"{function!r} cannot be marked; give effect= to the lw.Act that calls it") from error
    return function


def care_of(live: Any) -> Care | None:
    """What was said of a function, or of that which a tool of LangChain is made of; None for one that is no effect."""
    places = (live, getattr(live, "func", None), getattr(live, "coroutine", None))
    return next((care for place in places if (care := getattr(place, _MARK, None))), None)


def takes_key(function: Any) -> bool:
    """Whether a function has a parameter for the key.

    Example:
        >>> takes_key(lambda idempotency_key: None), takes_key(lambda **any: None)
        (True, False)
    """
    try:
        return KEY in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class AskEffect:
    """Call a function that touches the world; the ledger is told before and after it.

    Args:
        name: The function's name, for whoever decides.
        arguments: What it is called with, as JSON.
        call: The function, sync or async, called with the key alone.
        acall: What is awaited instead where the run is async; None where `call` does for both.
        care: Whether it may be called again when nobody knows whether it happened.
    """

    name: str
    arguments: JsonObject
    call: Callable[[str], Json | Awaitable[Json]]
    acall: Callable[[str], Awaitable[Json]] | None = None
    care: Care = "once"


def unknown_words(effect: Effect) -> str:
    """Why a run is suspended at an effect of which nobody knows whether it happened, and what can be done.

    Example:
        >>> print(unknown_words(Effect("3f2a-07", "pay", "shop:pay", {"euros": 3})))
        nobody knows whether this effect has happened: shop:pay(euros=3), begun 1970-01-01 00:00:00 UTC, key 3f2a-07; \
find out, and decide: resume with effect "done", and what came of it as reply, or with effect "again"
    """
    given = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in effect.arguments.items())
    since = datetime.fromtimestamp(effect.started, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return (
        f"nobody knows whether this effect has happened: {effect.name}({showable(given)}), begun {since}, key"
        f" {effect.key};"
        ' find out, and decide: resume with effect "done", and what came of it as reply, or with effect "again"'
    )


class Effects(Protocol):
    """The ledger of one run, whose words are on disk when they come back; see `state.store.effect_ledger`."""

    def begin(self, node: str, name: str, arguments: JsonObject, *, repeatable: bool) -> tuple[Effect, bool]:
        """The effect of the visit at a place, and whether it is to be called now."""

    def finish(self, key: str, reply: Json) -> None:
        """It has come back, and this came of it."""

    def fail(self, key: str, reason: str) -> None:
        """It has raised an exception."""
