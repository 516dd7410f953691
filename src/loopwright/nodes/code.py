"""Nodes made of functions: acts on the world and pure routes.

A plan holds no live objects: it holds a `CodeRef`, a name and a version. The function itself sits in the loop's
registry under that name, and nothing is ever imported because a plan or a database row names it.
"""

import functools
import hashlib
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol, cast, runtime_checkable

from loopwright.errors import ContractError
from loopwright.nodes.contract import Answer, Ask, AskWorld, Contract, Node, View
from loopwright.nodes.effects import KEY, AskEffect, Care, takes_key
from loopwright.nodes.emit import as_events, events_data, own_events
from loopwright.state.rebuilt import Rebuild, plain, rebuilders_of
from loopwright.state.schema import is_json
from loopwright.state.values import Json, JsonObject, copied

Function = Callable[..., Any]
CodeKind = Literal["act", "route"]
UNVERSIONED = "unversioned"

UNUSABLE = "unusable"
"""The key, in what the ledger keeps of an effect, of why its function's result is none that the node may have."""


class Unusable(ContractError):
    """Code that has touched the world gave a result that its node cannot have."""


@runtime_checkable
class Twofold(Protocol):
    """Code that has a way of its own for async runs."""

    def __call__(self, **reads: Any) -> Any:
        """Call it."""

    async def acall(self, **reads: Any) -> Any:
        """Call it without blocking the event loop."""


@dataclass(frozen=True, slots=True)
class CodeRef:
    """A name for live code, and its version.

    Args:
        name: `module:qualname` of a module-level function, or a name that was given.
        version: A version that was given, else a hash of the source, else `unversioned`.
    """

    name: str
    version: str = UNVERSIONED


def code_ref(function: Function, name: str = "", version: str = "") -> CodeRef:
    """The reference of a function.

    Raises:
        ValueError: A lambda, a closure or a runnable without a name: nothing could find it again.

    Example:
        >>> def polish(draft): return draft.strip()
        >>> code_ref(polish, name="polish", version="1")
        CodeRef(name='polish', version='1')
    """
    found = name or place_of(function)
    if not found:
        raise ValueError(f"{function!r} is not a module-level function: give it a name, as in name='polish'")
    return CodeRef(found, version or _hash_of_source(function))


def place_of(function: Function) -> str:
    """`module:qualname` of a module-level function; "" for all others, which need a name."""
    module, qualname = getattr(function, "__module__", None), getattr(function, "__qualname__", "<")
    return f"{module}:{qualname}" if module and "<" not in qualname and not inspect.ismethod(function) else ""


def _hash_of_source(function: Function) -> str:
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return UNVERSIONED
    return hashlib.sha256(inspect.cleandoc(source).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class CodeNode(Node, type="code"):
    """A node whose answer comes from code that the plan only names.

    Args:
        name: The node's name.
        code: The reference of the function in the loop's registry.
        kind: `act` where the function may touch the world, `route` where it is a pure decision.
        reads: The channels that it is called with, as keyword arguments.
        writes: The channels that it writes.
        outcomes: Its outcomes.
        may_write: Those of its writes that a visit may leave out.
        effect: How it is cared for, where it is an effect; None for a function that is called again after a crash.
    """

    name: str
    _: KW_ONLY
    code: CodeRef
    kind: CodeKind = "act"
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ("done",)
    may_write: tuple[str, ...] = ()
    effect: Care | None = None

    @property
    def contract(self) -> Contract:
        """As declared."""
        return Contract(self.kind, self.reads, self.writes, self.outcomes, self.may_write)

    def ask(self, view: View) -> Ask | None:
        """Refused: the code is not here."""
        del view
        raise self._missing()

    def answer(self, view: View, reply: Json) -> Answer:
        """Refused: the code is not here."""
        del view, reply
        raise self._missing()

    def _missing(self) -> ContractError:
        return ContractError(f"node {self.name!r} needs the code {self.code.name!r}: open the run with loop=...")

    def decided(self, arguments: JsonObject, result: Json) -> Answer:
        """What a result means that someone gives in the place of the function; `arguments` are what it was called with.

        Raises:
            ContractError: The function could not return it.
        """
        del arguments
        return answer_of(self, result)

    def bound(self, code: Mapping[str, Any]) -> Node:
        """The node with its function.

        Raises:
            ContractError: The registry has no code of this name.
        """
        if self.code.name not in code:
            known = ", ".join(sorted(code)) or "none"
            raise ContractError(
                f"node {self.name!r} needs the code {self.code.name!r}, which is not in the loop's registry ({known})"
            )
        return FunctionNode(self, code[self.code.name])


@dataclass(frozen=True)
class FunctionNode(Node):
    """A code node and its live function: what can be run, and what a builder takes."""

    declared: CodeNode
    function: Function

    @property
    def name(self) -> str:  # type: ignore[override]
        """The node's name."""
        return self.declared.name

    @property
    def contract(self) -> Contract:
        """As declared."""
        return self.declared.contract

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as if it had not been decorated."""
        return self.function(*args, **kwargs)

    def named(self, name: str) -> "FunctionNode":
        """The same function as a node of another name."""
        return FunctionNode(replace(self.declared, name=name), self.function)

    def ask(self, view: View) -> Ask | None:
        """The call, for an act; nothing, for a route."""
        if self.declared.kind == "route":
            return None
        if self.declared.effect:
            return self._ask_effect(view, self.declared.effect)
        acall = functools.partial(self._acall, self._awaits, view) if self._awaits else None
        return AskWorld(functools.partial(self._call, view), acall)

    @cached_property
    def _awaits(self) -> Callable[..., Awaitable[Any]] | None:
        """What is awaited where the run is: a runnable's own, or an async function, which needs no thread."""
        function: object = self.function
        if isinstance(function, Twofold):
            return function.acall
        return self.function if inspect.iscoroutinefunction(self.function) else None

    def _ask_effect(self, view: View, care: Care) -> AskEffect:
        """The call, with arguments of which it is known before the ledger is told that they fit."""
        arguments, function, awaits = self._arguments(view), self.function, self._awaits
        name = KEY if takes_key(function) else ""

        def with_key(key: str) -> dict[str, Any]:
            return {**arguments, name: key} if name else arguments

        def call(key: str) -> Json | Awaitable[Json]:
            try:
                result = function(**with_key(key))
            except Unusable as error:
                return {UNUSABLE: str(error)}
            return self._kept_awaited(result) if inspect.isawaitable(result) else self._kept(result)

        def acall(key: str) -> Awaitable[Json]:
            assert awaits is not None
            return self._kept_awaited(awaits(**with_key(key)))

        return AskEffect(self.declared.code.name, dict(view), call, acall if awaits else None, care)

    async def _kept_awaited(self, result: Awaitable[Any]) -> Json:
        try:
            return self._kept(await result)
        except Unusable as error:
            return {UNUSABLE: str(error)}

    def _kept(self, result: Any) -> Json:
        """What came of an effect as the ledger keeps it. It has happened, also where nothing can be made of that."""
        try:
            data = as_data(self.answer_of(result))
        except ContractError as error:
            return {UNUSABLE: str(error)}
        return (
            data if is_json(data) else {UNUSABLE: f"node {self.name!r} returned what cannot be kept: {result!r:.200}"}
        )

    def _called(self, view: View) -> Any:
        """The function's result. It gets copies: a list that it changed in place would be a write that nobody keeps."""
        return self.function(**self._arguments(view))

    def _acall(self, function: Callable[..., Awaitable[Any]], view: View) -> Awaitable[Json]:
        return self._awaited(function(**self._arguments(view)))

    def _arguments(self, view: View) -> dict[str, Any]:
        """What was read, in the types that the function declares for it."""
        rebuilds = self._rebuilds
        arguments: dict[str, Any] = {}
        for name, value in view.items():
            try:
                arguments[name] = rebuilds[name](value) if name in rebuilds else copied(value)
            except ValueError as error:
                fault = f"node {self.name!r} reads {name!r}, which does not fit the type that it declares: {error}"
                raise ContractError(fault) from error
        return arguments

    @cached_property
    def _rebuilds(self) -> Mapping[str, Rebuild]:
        """How values are rebuilt for the parameters that declare a type of Python's own."""
        return rebuilders_of(self.function)

    def _call(self, view: View) -> Json | Awaitable[Json]:
        result = self._called(view)
        if inspect.isawaitable(result):
            return self._awaited(result)
        return as_data(self.answer_of(result))

    async def _awaited(self, result: Awaitable[Any]) -> Json:
        return as_data(self.answer_of(await result))

    def answer(self, view: View, reply: Json) -> Answer:
        """What the function returned, as an answer."""
        if self.declared.kind == "route":
            return _own(self.answer_of(self._called(view)))
        data = cast("JsonObject", reply)
        if UNUSABLE in data:
            raise ContractError(f"{data[UNUSABLE]}; this effect has happened, and is not called again")
        return Answer(
            str(data["outcome"]), cast("JsonObject", data["update"]), str(data["reason"]), as_events(data.get("events"))
        )

    def answer_of(self, result: Any) -> Answer:
        """What the function's return value means; see `answer_of`."""
        return answer_of(self.declared, result)


def answer_of(node: CodeNode, result: Any) -> Answer:
    """What the return value of a node's function means.

    An `Answer` is itself, a pair is (outcome, update). With several outcomes a text is an outcome. With one outcome
    a mapping of declared writes is the update, None is no update, and any other value goes to the one write.

    Raises:
        ContractError: It is none of these.
    """
    contract = node.contract
    if isinstance(result, Answer):
        return result
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], str):
        outcome, update = result
        return Answer(outcome, update or {})
    if len(contract.outcomes) > 1:
        if isinstance(result, str):
            return Answer(result)
        expected = f"one of its outcomes ({', '.join(contract.outcomes)}), or (outcome, update)"
        raise ContractError(f"node {node.name!r} returned {result!r}; expected {expected}")
    (outcome,) = contract.outcomes
    if result is None or (result == outcome and not contract.writes):
        return Answer(outcome)
    if isinstance(result, Mapping) and set(result) <= set(contract.writes):
        return Answer(outcome, dict(result))
    if len(contract.writes) == 1:
        return Answer(outcome, {contract.writes[0]: result})
    expected = f"a mapping of its writes ({', '.join(contract.writes) or 'none are declared'}), or None"
    raise ContractError(f"node {node.name!r} returned {result!r}; expected {expected}")


def _own(answer: Answer) -> Answer:
    """The answer with values of its own: what a function keeps and changes later is not what it wrote."""
    events = own_events(answer.events) if answer.events else ()
    return replace(answer, update={name: plain(value) for name, value in answer.update.items()}, events=events)


def as_data(answer: Answer) -> JsonObject:
    """An answer as JSON, as it is kept of functions that acted."""
    own = _own(answer)
    data: JsonObject = {"outcome": own.outcome, "update": dict(own.update), "reason": own.reason}
    return {**data, "events": events_data(own.events)} if own.events else data
