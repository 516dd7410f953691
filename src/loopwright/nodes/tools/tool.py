"""A tool: a Python function or a LangChain tool, with what a model is told of it and how it is called.

LangChain's tools are known by what they have and not by their class, so that nothing of LangChain is imported here.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NotRequired, Protocol, get_type_hints, runtime_checkable

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema
from typing_extensions import TypedDict

from loopwright.nodes.code import CodeRef, code_ref
from loopwright.nodes.contract import ToolSpec
from loopwright.nodes.effects import KEY, Care, care_of, takes_key
from loopwright.nodes.threads import on_thread
from loopwright.state.schema import is_json
from loopwright.state.values import JsonObject, JsonSchema

_typed_dict: Any = TypedDict
"""It is called with fields that are known only at run time."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@runtime_checkable
class LangChainTool(Protocol):
    """What a tool of LangChain has, as far as it is used here."""

    name: str
    description: str
    args_schema: Any

    def invoke(self, input: Any, /) -> Any:
        """Call it."""

    async def ainvoke(self, input: Any, /) -> Any:
        """Call it without blocking the event loop."""


class ArgumentsError(Exception):
    """The arguments of a call do not fit the tool."""


@dataclass(frozen=True)
class Tool:
    """A tool that can be called.

    Args:
        spec: What a model is told.
        code: Its reference, for the plan.
        live: The function or the LangChain tool itself, for the loop's registry.

    Example:
        >>> def area(width: float, height: float = 1.0) -> float:
        ...     "The area of a board, in square metres."
        ...     return width * height
        >>> tool = tool_of(area)
        >>> tool.spec.description, tool.spec.parameters["required"], tool.call({"width": "2"})
        ('The area of a board, in square metres.', ['width'], 2.0)
    """

    spec: ToolSpec
    code: CodeRef
    live: Any

    @cached_property
    def effect(self) -> Care | None:
        """How it is cared for, where it is an effect."""
        return care_of(self.live)

    def call(self, args: JsonObject, key: str = "") -> Any:
        """Call it, an effect with its key; an async function gives what is to be awaited.

        Raises:
            ArgumentsError: The arguments do not fit.
        """
        if isinstance(self.live, LangChainTool):
            return self.live.ainvoke(args) if self._is_only_async else self.live.invoke(args)
        return self.live(**self._fitting(args), **self._keyed(key))

    async def acall(self, args: JsonObject, key: str = "") -> Any:
        """Call it without blocking the event loop: a sync function on a thread.

        Raises:
            ArgumentsError: The arguments do not fit.
        """
        if isinstance(self.live, LangChainTool):
            return await self.live.ainvoke(args)
        fitting = {**self._fitting(args), **self._keyed(key)}
        result = await on_thread(self.live, **fitting)
        return await result if inspect.isawaitable(result) else result

    def _keyed(self, key: str) -> dict[str, str]:
        return {KEY: key} if self.effect and takes_key(self.live) else {}

    @property
    def _is_only_async(self) -> bool:
        """Whether it is a tool of an async function, which LangChain does not call otherwise."""
        return getattr(self.live, "func", self) is None

    @cached_property
    def _arguments(self) -> TypeAdapter[Any]:
        return _arguments_of(self.live)

    def _fitting(self, args: JsonObject) -> dict[str, Any]:
        """The arguments in the types that the function declares; those that were left out have its own defaults."""
        try:
            fitting: dict[str, Any] = self._arguments.validate_python(args)
        except ValidationError as error:
            words = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False))
            raise ArgumentsError("; ".join(words)) from error
        return fitting


def tool_of(live: Any) -> Tool:
    """The tool that a function or a LangChain tool is.

    Args:
        live: A function with annotations and a docstring, sync or async; or a tool of LangChain.

    Raises:
        TypeError: It is neither, or a type of its arguments cannot be told to a model.
        ValueError: Its name is none that models take.
    """
    if isinstance(live, LangChainTool):
        if getattr(live, "return_direct", False):
            raise ValueError(
                f"{live.name!r} has return_direct, and here a model answers after every call: leave it out"
            )
        if hidden := _injected(live):
            raise ValueError(
                f"{live.name!r} wants {hidden} injected, and only a model gives arguments here: leave it out"
            )
        if care_of(live) and KEY in getattr(live.args_schema, "model_fields", {}):
            raise ValueError(
                f"{live.name!r} takes the key of an effect, which LangChain cannot give: pass the function"
            )
        spec = ToolSpec(
            _required_name(live.name), live.description, _schema_of(getattr(live, "tool_call_schema", live.args_schema))
        )
        function = getattr(live, "func", None) or getattr(live, "coroutine", None) or type(live)
        return Tool(spec, code_ref(function, name=live.name), live)
    if not callable(live) or isinstance(live, type) or not hasattr(live, "__name__"):
        raise TypeError(f"{live!r} is no tool: give a function with annotations, or a tool of LangChain")
    if inspect.isasyncgenfunction(live):
        raise TypeError(f"{live.__name__} is an async generator, and a tool gives one result: return it")
    name = _required_name(live.__name__)
    spec = ToolSpec(name, inspect.getdoc(live) or "", _parameters(live))
    return Tool(spec, _reference(live, name), live)


def _injected(tool: LangChainTool) -> str:
    """The arguments that LangChain would give such a tool, and no model does, where they have no defaults."""
    taken, told = tool.args_schema, getattr(tool, "tool_call_schema", tool.args_schema)
    fields, known = getattr(taken, "model_fields", {}), getattr(told, "model_fields", {})
    return ", ".join(repr(name) for name, field in fields.items() if name not in known and field.is_required())


def _required_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        hint = "letters, digits, _ and - are, as in a function that was made with def"
        raise ValueError(f"{name!r} is no name that models take for a tool: {hint}")
    return name


def _reference(function: Callable[..., Any], name: str) -> CodeRef:
    """`module:qualname` of a module-level function; a function that was made elsewhere has the tool's name."""
    try:
        return code_ref(function)
    except ValueError:
        return code_ref(function, name=name)


def _arguments_of(function: Callable[..., Any]) -> TypeAdapter[Any]:
    """The function's parameters as a type. A parameter without an annotation takes anything."""
    name = function.__name__
    fields: dict[str, Any] = {}
    try:
        hints = get_type_hints(function, include_extras=True)
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name == KEY and care_of(function):
                continue
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                raise TypeError(
                    f"a model gives each argument by its name, and {str(parameter)!r} takes none by its name"
                )
            if parameter.name == "self":
                raise TypeError("it is a method of a class, so give that of an object")
            hint = hints.get(parameter.name, Any)
            fields[parameter.name] = hint if parameter.default is parameter.empty else NotRequired[hint]
        made = _typed_dict(name, fields)
        made.__pydantic_config__ = ConfigDict(extra="forbid")
        adapter = TypeAdapter(made)
        adapter.json_schema()
    except (TypeError, NameError, PydanticUserError, PydanticInvalidForJsonSchema) as error:
        words = str(error).splitlines()[0]
        raise TypeError(f"the arguments of {name} cannot be told to a model: {words}") from error
    return adapter


def _parameters(function: Callable[..., Any]) -> JsonSchema:
    """JSON Schema of a function's arguments, with those defaults that are JSON."""
    schema: dict[str, Any] = _arguments_of(function).json_schema()
    known = inspect.signature(function).parameters
    properties = {}
    for name, part in schema.get("properties", {}).items():
        default = known[name].default
        properties[name] = {key: value for key, value in part.items() if key != "title"}
        if default is not known[name].empty and is_json(default):
            properties[name]["default"] = default
    return {**{key: part for key, part in schema.items() if key != "title"}, "properties": properties}


def _schema_of(arguments: Any) -> JsonSchema:
    """JSON Schema of the arguments of a LangChain tool: a pydantic model, or its schema."""
    schema: dict[str, Any] = dict(arguments) if isinstance(arguments, Mapping) else arguments.model_json_schema()
    return {key: part for key, part in schema.items() if key not in ("title", "description")}
