"""The brains as users call them: four classes, one for each technique, with the same fields."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, overload

from typing_extensions import TypedDict, TypeVar, Unpack

from loopwright.errors import Fault, SourceError
from loopwright.graphs.brains.techniques import brain
from loopwright.graphs.run.models import Given
from loopwright.loop.loop import Loop
from loopwright.nodes.models.reference import ModelRef

Result = TypeVar("Result", default=Any)

_JUDGE = "judge"
_START = "give other models when it is started: start(models={'default': ..., 'judge': ...})"


class BrainFields(TypedDict, total=False):
    """What a brain takes beside its output and the model; the fields of `BrainSettings`."""

    name: str
    prompt: str
    system: str
    role: str
    sees: str | Sequence[str]
    n: int
    threshold: float | None
    breadth: int
    depth: int
    options_prompt: str
    choose_prompt: str
    judge_prompt: str
    steps_prompt: str
    model_name: str
    judge_model_name: str
    models: Mapping[str, ModelRef]


class Brain(Loop[Result]):
    """What the four brains have in common; use one of them."""

    technique: ClassVar[str]

    @overload
    def __init__(
        self: "Brain[str]",
        *,
        model: Given | None = None,
        judge_model: ModelRef | str | None = None,
        **fields: Unpack[BrainFields],
    ) -> None: ...

    @overload
    def __init__(
        self,
        *,
        output: type[Result],
        model: Given | None = None,
        judge_model: ModelRef | str | None = None,
        **fields: Unpack[BrainFields],
    ) -> None: ...

    @overload
    def __init__(
        self: "Brain[Any]",
        *,
        output: Any,
        model: Given | None = None,
        judge_model: ModelRef | str | None = None,
        **fields: Unpack[BrainFields],
    ) -> None: ...

    def __init__(
        self,
        *,
        output: Any = None,
        model: Given | None = None,
        judge_model: ModelRef | str | None = None,
        **fields: Unpack[BrainFields],
    ) -> None:
        given: dict[str, Any] = {"output": output, **fields}
        if judge_model is not None:
            given |= _two_models(model, judge_model, fields)
            model = None
        builder = brain(self.technique, given)
        super().__init__(builder.build(), code=builder.code, model=model)


def _two_models(model: Given | None, judge_model: ModelRef | str, fields: BrainFields) -> dict[str, Any]:
    """The fields by which one reference generates and another one judges: both are the plan's own.

    Raises:
        SourceError: One of them is no reference, or the judge is named besides.
    """
    faults = [
        Fault(f"beside judge_model this takes a name or a ModelRef, and got a {type(each).__name__}", (key,), _START)
        for key, each in (("model", model), ("judge_model", judge_model))
        if not isinstance(each, ModelRef | str | None)
    ]
    if fields.get("judge_model_name"):
        faults.append(Fault("the judge is given and named", ("judge_model_name",), "leave one of them out"))
    if faults:
        raise SourceError(faults)
    known = {fields.get("model_name", "default"): model, _JUDGE: judge_model}
    refs = {name: ModelRef(each) if isinstance(each, str) else each for name, each in known.items() if each is not None}
    return {"models": {**fields.get("models", {}), **refs}, "judge_model_name": _JUDGE}


class ZeroShot(Brain[Result]):
    """Ask once, and take the answer. One model call.

    A brain has the outcomes `done` and `none`, and the failures; so any of the four can stand where another stands.

    Args:
        output: The type of the answer, and so of `run.result`; plain text when left out.
        model: Answers for every name that the brain asks for.
        judge_model: A reference, or the name of a model, that judges instead; `model` must then be one too.
        fields: `prompt` ("<{task}>") and `system`, templates whose placeholders are its inputs; `role`, what it is for,
            and `sees`, the channels that it is shown; `model_name` and `judge_model_name`, which of the `models` is
            asked and which one judges; `name`. The fields of the other techniques may be there and have no effect.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> loop = ZeroShot(prompt="A name for <{what}>?")
        >>> run = loop.start({"what": "a bridge"}, model=ScriptedModel({"decide": ["Span"]}))
        >>> run.result, run.usage.calls
        ('Span', 1)
    """

    technique = "zero_shot"


class SingleEval(Brain[Result]):
    """Generate several options in one call, and choose one of them by its number. Two model calls at most.

    Where exactly one option comes back it is the answer, and nothing is chosen.

    Args:
        output: The type of the answer, and so of `run.result`; plain text when left out.
        model: Answers for every name that the brain asks for.
        judge_model: A reference, or the name of a model, that judges instead; `model` must then be one too.
        fields: Those of `ZeroShot`; `n` (3), the most options; `options_prompt` and `choose_prompt`, how they are asked
            for and how one is chosen.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> script = {"generate": [{"options": ["Span", "Arch"]}], "choose": [{"choice": 2, "reason": "it is short"}]}
        >>> run = SingleEval(prompt="A name?").start(model=ScriptedModel(script))
        >>> run.result, run.reason
        ('Arch', 'the 2nd of 2 options was chosen: it is short')
    """

    technique = "single_eval"


class MultiEval(Brain[Result]):
    """Generate several options, rate each by itself from 1 to 10, all at once, and pick the best. 1 + n model calls.

    The first of those that are rated alike is picked. A rating that cannot be read is absent, and ranks last.

    Args:
        output: The type of the answer, and so of `run.result`; plain text when left out.
        model: Answers for every name that the brain asks for.
        judge_model: A reference, or the name of a model, that judges instead; `model` must then be one too.
        fields: Those of `ZeroShot`; `n` (3), the most options; `threshold`, the least rating that is enough, below
            which the outcome is `none`; `options_prompt` and `judge_prompt`, how they are asked for and rated.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> loop = MultiEval(prompt="A name?", n=5, threshold=7)
        >>> print(loop.certificate)
        worst case: 6 model calls, 8 visits
    """

    technique = "multi_eval"


class TreeOfThought(Brain[Result]):
    """Think in steps: make each kept line of thought into several, rate each, keep the best; the last step answers.

    It is the breadth-first search of Yao et al., "Tree of Thoughts" (2023).

    Args:
        output: The type of the answer, and so of `run.result`; plain text when left out.
        model: Answers for every name that the brain asks for.
        judge_model: A reference, or the name of a model, that judges instead; `model` must then be one too.
        fields: Those of `ZeroShot`; `n` (3), the most options for each line of thought; `breadth` (3), how many lines
            are kept at each step; `depth` (2), the number of steps, the answer included; `threshold` of the answer;
            `steps_prompt`, `options_prompt` and `judge_prompt`, how steps and answers are asked for and rated.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> print(TreeOfThought(n=3, breadth=2, depth=2).certificate.calls)
        12
    """

    technique = "tree_of_thought"
