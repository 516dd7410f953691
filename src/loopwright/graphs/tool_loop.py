"""The plan of a tool loop: a model is asked, its calls of tools are made side by side, and it is asked again.

    ask [done] -> end answered
    ask [call] -> tools -> ask, at most so many rounds, then conclude -> the end `then`

Each call is a branch of the fork `tools`: `which tool` finds the tool, and each tool is a node of its own, so that
pictures, records and crashes see single calls.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, get_args

from loopwright.errors import Fault, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Audience, names
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.prompts import placeholders
from loopwright.nodes.tools.ask import CALLS, HISTORY, MESSAGE, AskTools, Conclude
from loopwright.nodes.tools.call import CALL, CANNOT, CallTool, RefuseCall, WhichTool
from loopwright.nodes.tools.tool import Tool, tool_of
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT, as_schema

ANSWER = "answer"
ANSWERED, MAX_ROUNDS = End("answered"), End("max_rounds", ok=False)
ASK, TOOLS, CONCLUDE, WHICH = "ask", "tools", "conclude", "which tool"
_CALLED, _NOT_CALLED = End("was called"), End("was not called")
_KINDS: tuple[tuple[str, Any, str], ...] = (
    ("tools", list | tuple, "a list of tools"),
    *((key, str, "a text") for key in ("name", "prompt", "system", "model_name", "audience")),
    *((key, int, "a whole number") for key in ("at_most", "at_once")),
    ("then", End, "an end, as lw.End('max_rounds', ok=False)"),
    ("approve", str | list | tuple, "the name of a tool, or a list of names"),
    ("history", Window | None, "an lw.Window, as lw.Window(last=20)"),
    ("models", Mapping, "a mapping from names to model references"),
)
"""What the fields are."""

_MESSAGES = {"type": "array", "items": dict(MESSAGE)}


@dataclass(frozen=True)
class ToolLoopSettings:
    """What a tool loop is made of.

    Args:
        tools: Functions with annotations and a docstring, and tools of LangChain.
        name: The plan's name.
        prompt: The question, a template; its placeholders are the loop's inputs.
        system: The system message, a template too; empty for none.
        model_name: The name of a model reference.
        output: JSON Schema of the answer, or a Python type; None for plain text.
        audience: Whom its texts are for, `user` or `debug`; a structured answer is no text.
        at_most: The most rounds of calls.
        at_once: The most calls of one round; the model is told of those that are not made.
        then: The end that is come to where the rounds are used up.
        approve: The names of tools that a person must allow, call by call.
        history: How much of what was said and called before is sent; all of it when left out.
        models: Model references by name.

    Raises:
        SourceError: Something of it cannot be; all faults at once.
    """

    tools: Sequence[Any]
    _: KW_ONLY
    name: str = "tool_loop"
    prompt: str = "<{task}>"
    system: str = ""
    model_name: str = "default"
    output: Any = None
    audience: Audience = "user"
    at_most: int = 8
    at_once: int = 8
    then: End = MAX_ROUNDS
    approve: str | Sequence[str] = ()
    history: Window | None = None
    models: Mapping[str, ModelRef] = field(default_factory=dict)

    def builder(self) -> PlanBuilder:
        """The plan and its live code, as a builder has them."""
        if faults := [*self._wrong_kinds()]:
            raise SourceError(faults)
        tools, faults = _tools_of(self.tools)
        faults += self._faults(tools)
        if faults:
            raise SourceError(faults)
        schema = TEXT if self.output is None else as_schema(self.output)
        inputs = dict.fromkeys((*placeholders(self.system), *placeholders(self.prompt)))
        channels = [
            *(Channel(name, input=True) for name in inputs),
            Channel(HISTORY, _MESSAGES, reduce="extend"),
            Channel(CALLS, {"type": "array", "items": dict(CALL)}),
            Channel(ANSWER, schema),
        ]
        asking: Mapping[str, Any] = {
            "prompt": self.prompt,
            "system": self.system,
            "model": self.model_name,
            "output": self.output,
            "audience": self.audience,
            "writes": ANSWER,
            "history": self.history,
        }
        plan = PlanBuilder(self.name, channels, result=ANSWER, models=self.models)
        plan.node(AskTools(ASK, tools=[tool.spec for tool in tools], at_once=self.at_once, **asking))
        body = self._call(tools)
        plan.each(TOOLS, over=CALLS, as_="call", do=body, collect=HISTORY, at_most=self.at_once)
        plan.node(Conclude(CONCLUDE, **asking))
        plan.edge(ASK, "done", ANSWERED).edge(ASK, "call", TOOLS)
        plan.edge(TOOLS, "done", ASK, at_most=self.at_most - 1, bound="rounds", then=CONCLUDE)
        plan.edge(CONCLUDE, "done", self.then)
        return plan

    def _call(self, tools: Sequence[Tool]) -> PlanBuilder:
        """One call: it is made, refused by a person, or told that it cannot be."""
        channels = [
            Channel("call", dict(CALL), input=True),
            Channel("args", {"type": "object"}),
            Channel("wish", TEXT),
            Channel("why", TEXT, default=""),
            Channel("result", dict(MESSAGE)),
        ]
        plan = PlanBuilder("call", channels, result="result")
        plan.node(WhichTool(WHICH, tools=[tool.spec for tool in tools])).edge(WHICH, CANNOT, _NOT_CALLED)
        for tool in tools:
            name = tool.spec.name
            plan.node(CallTool(name, code=tool.code, effect=tool.effect)).edge(name, "done", _CALLED)
            plan.code[tool.code.name] = tool.live
            if name not in names(self.approve):
                plan.edge(WHICH, name, name)
                continue
            approval, refusal = f"approve {name}", f"refuse {name}"
            plan.node(Human(approval, text="Allow <{wish}>?", outcomes=["yes", "no"], on_text="no", writes="why"))
            plan.node(RefuseCall(refusal)).edge(WHICH, name, approval)
            plan.edge(approval, "yes", name).edge(approval, "no", refusal).edge(refusal, "done", _NOT_CALLED)
        return plan

    def _wrong_kinds(self) -> Iterator[Fault]:
        """Fields of which nothing could be made."""
        for key, kinds, what in _KINDS:
            value = getattr(self, key)
            if not isinstance(value, kinds) or isinstance(value, bool):
                yield Fault(f"{value!r} is not {what}", (key,))
        for name in self.approve if isinstance(self.approve, list | tuple) else ():
            if not isinstance(name, str):
                yield Fault(f"{name!r} is not the name of a tool", ("approve",))
        try:
            as_schema(self.output)
        except (TypeError, ValueError) as error:
            yield Fault(str(error).splitlines()[0], ("output",))

    def _faults(self, tools: Sequence[Tool]) -> Iterator[Fault]:
        known = [tool.spec.name for tool in tools]
        if not self.tools:
            yield Fault("there are no tools", ("tools",), "give a list of functions; without tools it is an lw.Think")
        for key, number in (("at_most", self.at_most), ("at_once", self.at_once)):
            if number < 1:
                yield Fault(f"{number} is less than 1", (key,))
        if self.history and self.history.summary:
            hint = "leave it out: what is left out is not summed up here, as it is in a role cycle"
            yield Fault("a tool loop has no summary", ("history", "summary"), hint)
        if self.audience not in get_args(Audience):
            yield Fault(f"there is no audience {self.audience!r}", ("audience",), "it is user or debug")
        for name in sorted(set(names(self.approve)).difference(known)):
            yield Fault(f"there is no tool {name!r}", ("approve",), did_you_mean(name, known))
        if self.then.name == ANSWERED.name:
            yield Fault(f"the end {ANSWERED.name!r} is that of an answer", ("then",), "give it another name")
        yield from self._taken()

    def _taken(self) -> Iterator[Fault]:
        """Placeholders that are named as the loop's own channels are."""
        for key, template in (("prompt", self.prompt), ("system", self.system)):
            for name in placeholders(template):
                if name in (HISTORY, CALLS, ANSWER):
                    yield Fault(f"<{{{name}}}> is what the loop itself writes", (key,), "give the input another name")


def tool_loop(tools: Sequence[Any], given: Mapping[str, Any]) -> PlanBuilder:
    """The plan and the live code of a tool loop, as a builder has them.

    Args:
        tools: Its tools.
        given: Fields of `ToolLoopSettings`.

    Raises:
        SourceError: A field is not known, or something of it cannot be.
    """
    known = {each.name for each in fields(ToolLoopSettings)} - {"tools"}
    if unknown := [name for name in given if name not in known]:
        raise SourceError(
            [Fault(f"there is no field {name!r}", (name,), did_you_mean(name, known)) for name in unknown]
        )
    return ToolLoopSettings(tools, **given).builder()


def _tools_of(live: Sequence[Any]) -> tuple[list[Tool], list[Fault]]:
    """The tools, and what is wrong with those that are none."""
    tools: list[Tool] = []
    faults: list[Fault] = []
    for index, each in enumerate(live):
        try:
            tool = each if isinstance(each, Tool) else tool_of(each)
        except (TypeError, ValueError) as error:
            faults.append(Fault(str(error), ("tools", index)))
            continue
        if tool.spec.name in [other.spec.name for other in tools]:
            faults.append(Fault(f"there are two tools {tool.spec.name!r}", ("tools", index), "rename one of them"))
        tools.append(tool)
    return tools, faults
