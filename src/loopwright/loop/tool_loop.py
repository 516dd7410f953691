"""The tool loop as users call it."""

from collections.abc import Mapping, Sequence
from typing import Any, overload

from typing_extensions import TypedDict, TypeVar, Unpack

from loopwright.graphs.plan import End
from loopwright.graphs.run.models import Given
from loopwright.graphs.tool_loop import tool_loop
from loopwright.loop.loop import Loop
from loopwright.nodes.budget import Budget
from loopwright.nodes.contract import Audience
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef

Result = TypeVar("Result", default=Any)


class ToolLoopFields(TypedDict, total=False):
    """What `ToolLoop` takes beside its tools, the output and the model; the fields of `ToolLoopSettings`."""

    name: str
    prompt: str
    system: str
    model_name: str
    at_most: int
    at_once: int
    then: End
    approve: Sequence[str]
    audience: Audience
    history: Window | None
    models: Mapping[str, ModelRef]
    budget: Budget


class ToolLoop(Loop[Result]):
    """A model that may call tools before it answers; see `loopwright.graphs.tool_loop`.

    A call that fails does not stop the run: the model is told what was wrong, and may try again.

    Args:
        tools: Python functions with annotations and a docstring, sync or async; and tools of LangChain.
        output: The type of the answer, and so of `run.result`; plain text when left out.
        model: Answers for every name that the loop asks for.
        fields: `prompt` ("<{task}>") and `system`, templates whose placeholders are the loop's inputs; `at_most` (8)
            rounds of calls and `at_once` (8) calls of a round; `then`, the end where the rounds are used up; `approve`,
            the tools that a person must allow; `audience` ("user"), whom its texts are for; `history`, an `lw.Window`,
            how much of what was said and called is sent; `models`, references by name, and `model_name`, which of them
            is asked; `budget`, what a run may spend; `name` ("tool_loop").

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> def area(width: float, height: float) -> float:
        ...     "The area of a board, in square metres."
        ...     return width * height
        >>> loop = ToolLoop([area], at_most=2)
        >>> print(loop.certificate)
        worst case: 2 rounds, 3 model calls, 37 visits
    """

    @overload
    def __init__(
        self: "ToolLoop[str]", tools: Sequence[Any], *, model: Given | None = None, **fields: Unpack[ToolLoopFields]
    ) -> None: ...

    @overload
    def __init__(
        self,
        tools: Sequence[Any],
        *,
        output: type[Result],
        model: Given | None = None,
        **fields: Unpack[ToolLoopFields],
    ) -> None: ...

    @overload
    def __init__(
        self: "ToolLoop[Any]",
        tools: Sequence[Any],
        *,
        output: Any,
        model: Given | None = None,
        **fields: Unpack[ToolLoopFields],
    ) -> None: ...

    def __init__(
        self,
        tools: Sequence[Any],
        *,
        output: Any = None,
        model: Given | None = None,
        **fields: Unpack[ToolLoopFields],
    ) -> None:
        budget = fields.pop("budget", None)
        given: dict[str, Any] = {"output": output, **fields}
        builder = tool_loop(tools, given)
        super().__init__(builder.build(), code=builder.code, model=model, budget=budget)
