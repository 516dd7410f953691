"""Functions made nodes: the decorator `node`, and `Act` and `Route`, which take a function beside the fields."""

import inspect
from collections.abc import Callable, Sequence

from loopwright.nodes.code import CodeKind, CodeNode, Function, FunctionNode, code_ref, place_of
from loopwright.nodes.contract import names
from loopwright.nodes.effects import KEY, Care, care_of, required_care
from loopwright.nodes.models.runnable import Runnable
from loopwright.nodes.runnables import Invoked, reads_of


def node(
    *,
    reads: str | Sequence[str] | None = None,
    writes: str | Sequence[str] = (),
    may_write: str | Sequence[str] = (),
    outcomes: Sequence[str] = ("done",),
    kind: CodeKind = "act",
    name: str = "",
    version: str = "",
    effect: Care | None = None,
) -> Callable[[Function], FunctionNode]:
    """Make a node of a function, which can be called as before.

    The function returns the value of its one write, or a mapping of its writes; with several outcomes the word of one,
    or a pair of that and the mapping; or an `Answer`. What it raises is the outcome `failed`.

    Args:
        reads: The channels that it is called with, by keyword; its parameters when left out.
        writes: The channels that it writes. With one outcome it must write them all; with several it writes those that
            go with the outcome, and a channel that a later node reads is written before, or has a default.
        may_write: More channels, which it writes or leaves out as it likes.
        outcomes: Its outcomes; each needs an edge.
        kind: `act` where it may touch the world, `route` where it is a pure decision on the state.
        name: The node's name; the function's when left out. A lambda needs one, and its code is named by it.
        version: A version of the code; a hash of the source when left out.
        effect: `once` or `repeatable`, where it touches the world and a crash must not do that twice; what `@lw.effect`
            says of the function when left out.

    Example:
        >>> @node(writes="draft", name="polish")
        ... def polish(draft: str) -> str:
        ...     return draft.strip()
        >>> polish.contract
        Contract(kind='act', reads=('draft',), writes=('draft',), outcomes=('done',), may_write=())
    """

    def decorate(function: Function) -> FunctionNode:
        if kind == "route" and inspect.iscoroutinefunction(function):
            raise TypeError(f"{function!r} is async, and a route only decides: make it an act")
        care = required_care(effect) if effect is not None else care_of(function)
        if care and kind == "route":
            raise TypeError(f"{function!r} is an effect, and a route only decides: make it an act")
        if care and reads is not None and KEY in names(reads):
            raise TypeError(f"{function!r} is given its {KEY} by the ledger of effects: leave that out of its reads")
        declared = CodeNode(
            name or function.__name__,
            code=code_ref(function, place_of(function) or name, version),
            kind=kind,
            reads=parameters_of(function, care) if reads is None else names(reads),
            writes=(*names(writes), *names(may_write)),
            outcomes=tuple(outcomes),
            may_write=names(may_write),
            effect=care,
        )
        return FunctionNode(declared, function)

    return decorate


def parameters_of(function: Function, care: Care | None) -> tuple[str, ...]:
    """The names of a function's parameters, which it is called with; without that of an effect's key."""
    return tuple(name for name in inspect.signature(function).parameters if not (care and name == KEY))


def Act(  # noqa: N802 - stands beside the node classes
    name: str,
    do: Function | Runnable,
    *,
    reads: str | Sequence[str] | None = None,
    writes: str | Sequence[str] = (),
    may_write: str | Sequence[str] = (),
    outcomes: Sequence[str] = ("done",),
    version: str = "",
    effect: Care | None = None,
) -> FunctionNode:
    """A node that calls a function, which may change the world. What it may return is that of `node`.

    Args:
        name: The node's name.
        do: The function, sync or async.
        reads: The channels that it is called with, by keyword; its parameters when left out.
        writes: The channels that it writes.
        may_write: More channels, which it writes or leaves out as it likes.
        outcomes: Its outcomes; each needs an edge.
        version: A version of the code; a hash of the source when left out.
        effect: `once` or `repeatable`, as of `node`.

    A runnable (a chain or an agent of LangChain, a graph of LangGraph) may stand for the function; see
    `loopwright.nodes.runnables`. It reads what it says that it takes, where `reads` is left out.

    Raises:
        TypeError: It is neither a function nor a runnable, or a runnable that does not say what it takes.

    Example:
        >>> Act("shout", str.upper, reads=["text"], writes="text").contract.kind
        'act'
    """
    if isinstance(do, Runnable):
        reads = reads_of(do, name) if reads is None else reads
        do = Invoked(do, (*names(writes), *names(may_write)))
    if not callable(do):
        raise TypeError(f"node {name!r}: {do!r} is neither a function nor a runnable")
    made = node(
        reads=reads, writes=writes, may_write=may_write, outcomes=outcomes, name=name, version=version, effect=effect
    )
    return made(do)


def Route(  # noqa: N802 - stands beside the node classes
    name: str,
    choose: Function,
    *,
    outcomes: Sequence[str],
    reads: str | Sequence[str] | None = None,
    writes: str | Sequence[str] = (),
    may_write: str | Sequence[str] = (),
    version: str = "",
) -> FunctionNode:
    """A node that only decides: a pure function of the state, whose word is one of its outcomes.

    Args:
        name: The node's name.
        choose: The function. It is not async, changes nothing, and may be called again at any time.
        outcomes: Its outcomes; each needs an edge.
        reads: The channels that it is called with, by keyword; its parameters when left out.
        writes: The channels that it writes, where it does not only decide.
        may_write: More channels, which it writes or leaves out as it likes.
        version: A version of the code; a hash of the source when left out.

    Example:
        >>> pick = Route("long?", lambda draft: "long" if len(draft) > 5 else "short", outcomes=["long", "short"])
        >>> pick.answer({"draft": "a bridge"}, None).outcome
        'long'
    """
    made = node(
        reads=reads, writes=writes, may_write=may_write, outcomes=outcomes, kind="route", name=name, version=version
    )
    return made(choose)
