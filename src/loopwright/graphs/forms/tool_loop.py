"""The form `tool_loop`: a model may call functions that the file names before it answers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from pydantic import Field

from loopwright.documents.document import Path
from loopwright.errors import Fault, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.code_entries import CallField
from loopwright.graphs.forms.edge_entries import TargetField
from loopwright.graphs.forms.edge_text import Target
from loopwright.graphs.forms.node_entries import Name, Names
from loopwright.graphs.forms.spec import BuiltSpec, Refused
from loopwright.graphs.forms.type_field import TypeField
from loopwright.graphs.plan import End
from loopwright.graphs.tool_loop import ASK, CONCLUDE, MAX_ROUNDS, ToolLoopSettings
from loopwright.nodes.code import CodeRef
from loopwright.nodes.contract import Audience
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.tools.tool import Tool, tool_of

_THEN = Target(MAX_ROUNDS.name, MAX_ROUNDS.ok)


class ToolLoopSpec(BuiltSpec):
    """A model that may call tools before it answers. The prompts' placeholders are the loop's inputs.

    Args:
        name: The plan's name.
        tools: The functions: `tools.py:price`, by the path of its file from this one, or `package.module:price`. Each
            has annotations and a docstring; a tool of LangChain will do, too.
        prompt: The question, a template.
        system: The system message, a template too.
        model: The name of one of the models.
        models: Model references by name.
        output: The type of the answer; plain text when left out.
        audience: Whom its texts are for: `user` or `debug`.
        at_most: The most rounds of calls.
        at_once: The most calls of one round; the model is told of those that are not made.
        then: The end where the rounds are used up: `end NAME`, or `fail NAME` for one that is no success.
        approve: The names of tools that a person must allow, call by call.
        history: How much of what was said and called before is sent, as `{last: 20}` messages or `{tokens: 4000}`; all
            of it when left out.
    """

    kind: Literal["tool_loop"] = "tool_loop"
    tools: tuple[CallField, ...] = Field(min_length=1)
    prompt: str = "<{task}>"
    system: str = ""
    model: str = "default"
    models: Mapping[Name, ModelRef] = Field(default_factory=dict)
    output: TypeField | None = None
    audience: Audience = "user"
    at_most: int = Field(8, ge=1, strict=True)
    at_once: int = Field(8, ge=1, strict=True)
    then: TargetField = Field(_THEN, json_schema_extra={"default": _THEN.text})
    approve: Names = ()
    history: Window | None = None

    def path_of(self, place: Path) -> Path:
        """The field of a question, and what the rounds and the calls hang on."""
        match place:
            case ("nodes", "ask" | "conclude", ("prompt" | "system" | "model" | "output") as field, *_):
                return (field,)
            case ("nodes" | "edges", str(name), *_) if name not in (ASK, CONCLUDE):
                return ("tools",)
            case ("bounds", *_):
                return ("at_most",)
        return ()

    def make(self) -> PlanBuilder | list[Fault]:
        """The plan with its code, or why there is none."""
        tools, faults = self._tools()
        then = self.then.way
        if not isinstance(then, End):
            faults.append(Fault(f"{then!r} is no end", ("then",), "write end NAME, or fail NAME"))
        if faults:
            return faults
        apart = {"kind", "budget", "tools", "model", "models", "then", "history"}
        given = self.model_dump(exclude=apart, exclude_unset=True)
        given |= {"name": self.name or self.kind, "model_name": self.model, "models": self.models, "then": then}
        given["history"] = self.history
        try:
            return ToolLoopSettings(tools, **given).builder()
        except SourceError as error:
            return list(error.faults)

    def _tools(self) -> tuple[list[Tool], list[Fault]]:
        """The tools, named in the plan as the file names them; and what keeps some of them from being any."""
        tools: list[Tool] = []
        faults: list[Fault] = []
        for index, call in enumerate(self.tools):
            found = call.found
            if isinstance(found, Refused):
                faults.append(Fault(str(found), ("tools", index), found.hint))
                continue
            place, live = found
            try:
                tool = tool_of(live)
            except (TypeError, ValueError) as error:
                faults.append(Fault(str(error), ("tools", index)))
            else:
                tools.append(replace(tool, code=CodeRef(place, tool.code.version)))
        return tools, faults
