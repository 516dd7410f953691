"""Functions as a graph file has them: acts and routes that name a function of a Python file or module."""

import inspect
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, InstanceOf, PlainSerializer, ValidationInfo

from loopwright.errors import Fault
from loopwright.graphs.forms.node_entries import Name, Names, NodeEntry
from loopwright.graphs.forms.spec import Around, Refused
from loopwright.nodes.code import CodeKind, CodeNode, CodeRef, FunctionNode, code_ref, place_of
from loopwright.nodes.contract import names
from loopwright.nodes.effects import KEY, Care, care_of, takes_key
from loopwright.nodes.functions import parameters_of
from loopwright.nodes.tools.tool import LangChainTool

_CALL = "as in tools.py:tidy, a file beside this one, or package.module:tidy"


class Call:
    """A function that a file names. It is looked for when it is first needed, and then found or refused.

    Args:
        text: How the file names it.
        around: Who finds it; None for a spec that was made in Python.
    """

    def __init__(self, text: str, around: Around | None) -> None:
        self.text, self._around = text, around

    @cached_property
    def found(self) -> tuple[str, Any] | Refused:
        """Its name in a plan, and the function; or why there is none."""
        if self._around is None:
            return Refused("only a file names functions", "in Python, give the function to a PlanBuilder, by @node")
        try:
            return self._around.function(self.text)
        except Refused as error:
            return error


class GivenCall(Call):
    """A function that is given in Python, where a file would name it.

    Args:
        function: The function; one of a module is named by its place there.
        name: What it is called in a plan where it is no such one.
    """

    def __init__(self, function: Any, name: str) -> None:
        super().__init__(place_of(function) or name, None)
        self.function = function

    @cached_property
    def found(self) -> tuple[str, Any] | Refused:
        """Its name in a plan, and the function."""
        return self.text, self.function


def named_call(value: object, info: ValidationInfo) -> object:
    """The function that a file names.

    Raises:
        Refused: It is not named as a function is.
    """
    if isinstance(value, Call):
        return value
    if not isinstance(value, str):
        raise Refused("a function is named by a text", _CALL)
    place, colon, name = value.rpartition(":")
    if not (place and colon and name):
        raise Refused(f"{value!r} does not name a function", _CALL)
    return Call(value, info.context)


CallField = Annotated[
    InstanceOf[Call],
    BeforeValidator(named_call, json_schema_input_type=Annotated[str, Field(pattern=".:.")]),
    PlainSerializer(lambda call: call.text, return_type=str),
]


class CodeEntry(NodeEntry):
    """A node that calls a function. What `@node` says of the function need not be said again.

    Args:
        call: The function: `tools.py:tidy`, by the path of its file from this one, or `package.module:tidy`.
        reads: The channels that it is called with, by keyword; its parameters when left out.
        writes: The channels that it writes.
        may_write: More channels, which it writes or leaves out as it likes.
        outcomes: Its outcomes; `done` when left out. A route has to name them.
    """

    kind: ClassVar[CodeKind]

    call: CallField
    reads: Names | None = None
    writes: Names = ()
    may_write: Names = ()
    outcomes: tuple[Name, ...] = ()

    def body(self, name: str) -> FunctionNode:
        """The node, with its function."""
        place, function = self._found()
        if isinstance(function, FunctionNode):
            own, function = function.declared, function.function
            code = CodeRef(place, own.code.version)
            reads, writes, may_write, outcomes = own.reads, own.writes, own.may_write, own.outcomes
            care = own.effect
        else:
            code = code_ref(function, place)
            care = self._care(function)
            reads = parameters_of(function, care) if self.reads is None else names(self.reads)
            may_write = names(self.may_write)
            writes, outcomes = (*names(self.writes), *may_write), self.outcomes or ("done",)
        declared = CodeNode(
            name,
            code=code,
            kind=self.kind,
            reads=reads,
            writes=writes,
            outcomes=outcomes,
            may_write=may_write,
            effect=care,
        )
        return FunctionNode(declared, function)

    def faults(self) -> list[Fault]:
        """What keeps the function from being found, and from being called as is said here."""
        found = self.call.found
        if isinstance(found, Refused):
            return [Fault(str(found), ("call",), found.hint)]
        _, function = found
        if not callable(function):
            hint = "it can be among the tools of a tool_loop" if isinstance(function, LangChainTool) else ""
            return [Fault(f"{self.call.text} is no function, but of type {type(function).__name__}", ("call",), hint)]
        misfits = self._faults_of_node(function) if isinstance(function, FunctionNode) else self._faults_of(function)
        return misfits or list(self.body("").faults())

    def _care(self, function: Any) -> Care | None:
        """How the function is cared for, where it is an effect."""
        return care_of(function)

    def _found(self) -> tuple[str, Any]:
        if isinstance(self.call.found, Refused):
            raise self.call.found
        return self.call.found

    def _faults_of_node(self, node: FunctionNode) -> list[Fault]:
        """What stands here although `@node` says it."""
        own = node.declared.kind
        said = [key for key in ("reads", "writes", "may_write", "outcomes", "effect") if key in self.model_fields_set]
        hint = "leave it out here"
        twice = [Fault(f"@node says the {key} of {self.call.text} in its place", (key,), hint) for key in said]
        if own != self.kind:
            twice.append(Fault(f"@node makes {self.call.text} one of type {own}", ("type",), f"write type: {own}"))
        return twice

    def _faults_of(self, function: Any) -> list[Fault]:
        """A signature that does not fit what the node reads, and what a route may not be."""
        found: list[Fault] = []
        if self.kind == "route":
            if not self.outcomes:
                hint = "as in outcomes: [long, short]; the function returns one of them"
                found.append(Fault("a route needs its outcomes", ("outcomes",), hint))
            if self._care(function):
                fault = f"{self.call.text} is an effect, and a route only decides"
                found.append(Fault(fault, ("type",), "write type: act"))
            if inspect.iscoroutinefunction(function):
                hint = "write type: act"
                found.append(Fault(f"{self.call.text} is async, and a route only decides", ("type",), hint))
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            if self.reads is None:
                hint = "say its reads"
                found.append(Fault(f"{self.call.text} does not tell its parameters", ("reads",), hint))
            return found
        if self.reads is None:
            kinds = {parameter.kind for parameter in signature.parameters.values()}
            if kinds - {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}:
                hint = "say its reads, or give it parameters with the names of channels"
                found.append(Fault(f"{self.call.text}{signature} cannot be called by names", ("call",), hint))
            return found
        try:
            keyed = (KEY,) if self._care(function) and takes_key(function) else ()
            signature.bind(**dict.fromkeys([*names(self.reads), *keyed]))
        except TypeError as error:
            hint = f"it is {self.call.text}{signature}, and is called with what the node reads, by name"
            found.append(Fault(f"the function does not fit: {error}", ("reads",), hint))
        return found


class ActEntry(CodeEntry):
    """`type: act`: call a function that may touch the world; fields as of `CodeEntry`.

    Args:
        effect: What a crash may not do twice: `once` is called again only when someone says so, `repeatable` with the
            same key. What `@lw.effect` says of the function when left out.
    """

    kind = "act"

    type: Literal["act"]
    effect: Care | None = None

    def faults(self) -> list[Fault]:
        """The same, and a key that is read."""
        found = super().faults()
        if not found and KEY in names(self.reads or ()) and self._care(self._found()[1]):
            return [Fault(f"{KEY} is given by the ledger of effects", ("reads",), "leave it out of the reads")]
        return found

    def _care(self, function: Any) -> Care | None:
        return self.effect or care_of(function)


class RouteEntry(CodeEntry):
    """`type: route`: a pure function of the state decides on the outcome; fields as of `CodeEntry`."""

    kind = "route"

    type: Literal["route"]
