"""What a brain is made of, whichever technique it has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any

from loopwright.errors import Fault
from loopwright.hints import did_you_mean
from loopwright.nodes.brains.judging import OPTION, RATING, RATINGS
from loopwright.nodes.brains.options import CHOSEN, EXPANDED, OPTIONS, PATH
from loopwright.nodes.brains.picking import EXPANSIONS, PATHS_KEPT, STEPS
from loopwright.nodes.brains.roles import LAST_FAILURE, ROLES, Role
from loopwright.nodes.contract import names
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.prompts import placeholders
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT, as_schema
from loopwright.state.values import JsonSchema

ANSWER = "answer"

TECHNIQUES = ("zero_shot", "single_eval", "multi_eval", "tree_of_thought")
"""The words for the techniques, as files have them."""

PLACEHOLDERS: Mapping[str, Mapping[str, str]] = {
    "options_prompt": {"prompt": "the prompt", "n": "how many options are wanted"},
    "choose_prompt": {
        "prompt": "the prompt",
        "options": "the options, each with its number",
        "n": "how many options there are",
    },
    "judge_prompt": {"prompt": "the prompt", "option": "the one option that is rated, with the steps to it"},
    "steps_prompt": {
        "prompt": "the prompt",
        "steps": "the steps so far, each with its number",
        "step": "the number of the next step",
        "depth": "the number of steps, the answer included",
        "n": "how many options are wanted",
    },
}
"""What the templates of a brain may name beside its inputs, and what it stands for."""

OPTIONS_PROMPT = "Give <{n}> answers that differ in what they propose. Each is complete in itself."
CHOOSE_PROMPT = (
    "This was asked:\n\n<{prompt}>\n\nThese are the answers to it:\n\n<{options}>\n\n"
    "Choose the best one by its number, and say in one sentence why."
)
JUDGE_PROMPT = (
    "This was asked:\n\n<{prompt}>\n\nThis is an answer to it:\n\n<{option}>\n\n"
    "Rate it from 1 (of no use) to 10 (could hardly be better), strictly, and say in one sentence why."
)
STEPS_PROMPT = (
    "This is thought out in <{depth}> steps, the last of which is the answer. The steps so far:\n\n<{steps}>\n\n"
    "Give <{n}> different ways to make step <{step}>, and nothing after it."
)

_OWN = {ANSWER, CHOSEN, EXPANDED, EXPANSIONS, OPTION, OPTIONS, PATH, PATHS_KEPT, RATING, RATINGS, STEPS}
RESERVED = frozenset(_OWN.union(*PLACEHOLDERS.values()))
"""Names that no input of a brain can have: those of its own channels, and of what it fills into its templates."""

MOST_STEPS = 1_000
"""The steps that a tree of thought may have; each has nodes of its own."""

_TEXTS = ("name", "prompt", "system", "role", "model_name", "judge_model_name", *PLACEHOLDERS)
_COUNTS = ("n", "breadth", "depth")


@dataclass(frozen=True)
class BrainSettings:
    """What a brain is made of. Each technique takes all of it; what it has no use for has no effect.

    Args:
        name: The plan's name; that of the technique when left out.
        prompt: The question, a template; its placeholders are the brain's inputs. That of the role, when left out, or
            `<{task}>`.
        system: The system message, a template too; empty for none.
        role: `navigation`, `execution`, `event_filler` or `judge`, which gives a prompt, sections and an output.
        sees: The channels that it is shown as sections, in this order; those of the role when left out.
        output: JSON Schema of the answer, or a Python type; None for plain text, or for that of the role.
        n: The most options that are generated at once.
        threshold: The least rating that is enough, from 1 to 10; None for any.
        breadth: The most lines of thought that are kept at each step.
        depth: The number of steps, the answer included.
        options_prompt: How several answers are asked for, a template.
        choose_prompt: How one of them is chosen, a template.
        judge_prompt: How one of them is rated, a template.
        steps_prompt: How steps before the answer are asked for, a template.
        model_name: The name of a model reference, which generates.
        judge_model_name: The name of one that judges; the same when left out.
        models: Model references by name.
    """

    _: KW_ONLY
    name: str = ""
    prompt: str = ""
    system: str = ""
    role: str = ""
    sees: str | Sequence[str] | None = None
    output: Any = None
    n: int = 3
    threshold: float | None = None
    breadth: int = 3
    depth: int = 2
    options_prompt: str = OPTIONS_PROMPT
    choose_prompt: str = CHOOSE_PROMPT
    judge_prompt: str = JUDGE_PROMPT
    steps_prompt: str = STEPS_PROMPT
    model_name: str = "default"
    judge_model_name: str = ""
    models: Mapping[str, ModelRef] = field(default_factory=dict)

    @property
    def its_role(self) -> Role:
        """What the role gives."""
        return ROLES[self.role]

    @property
    def question(self) -> str:
        """The prompt, that of the role, or the task alone."""
        return self.prompt or self.its_role.prompt or "<{task}>"

    @property
    def sections(self) -> tuple[str, ...]:
        """The channels that it is shown as sections."""
        return self.its_role.sees if self.sees is None else names(self.sees)

    @property
    def answers(self) -> Any:
        """The type of the answer: a Python type or JSON Schema; None for plain text."""
        return self.its_role.output if self.output is None else self.output

    @property
    def answer_schema(self) -> JsonSchema:
        """JSON Schema of the answer."""
        return TEXT if self.answers is None else as_schema(self.answers)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of its inputs: what its question names, what it sees, and what its role needs."""
        asked = (name for template in (self.system, self.question) for name in placeholders(template))
        needed = (*self.its_role.closed.values(), *names(self.its_role.command))
        return tuple(dict.fromkeys((*asked, *self.sections, *needed)))

    @property
    def tells(self) -> bool:
        """Whether it writes down why there is no answer, for the next prompt."""
        return LAST_FAILURE in self.inputs

    @property
    def channels(self) -> list[Channel]:
        """Its inputs and the answer."""
        inputs = (
            Channel(name, TEXT, input=True, default="") if name == LAST_FAILURE else Channel(name, input=True)
            for name in self.inputs
        )
        return [*inputs, Channel(ANSWER, self.answer_schema)]

    def faults(self) -> list[Fault]:
        """All that is wrong with it; fields of which nothing could be made are told alone."""
        return [*self._wrong_kinds()] or [*self._wrong_values(), *self._wrong_templates()]

    def _wrong_kinds(self) -> Iterator[Fault]:
        for key in _TEXTS:
            if not isinstance(value := getattr(self, key), str):
                yield Fault(f"{value!r} is not a text", (key,))
        for key in _COUNTS:
            if not isinstance(value := getattr(self, key), int) or isinstance(value, bool):
                yield Fault(f"{value!r} is not a whole number", (key,))
        threshold = self.threshold
        if threshold is not None and (not isinstance(threshold, int | float) or isinstance(threshold, bool)):
            yield Fault(f"{threshold!r} is not a number", ("threshold",), "give one from 1 to 10, or leave it out")
        if not isinstance(self.sees, str | list | tuple | None) or not all(
            isinstance(each, str) for each in self.sees or ()
        ):
            yield Fault(f"{self.sees!r} is not a list of names", ("sees",))
        if not isinstance(self.models, Mapping):
            yield Fault(f"{self.models!r} is not a mapping from names to model references", ("models",))
        if isinstance(self.role, str) and self.role not in ROLES:
            known = [name for name in ROLES if name]
            yield Fault(f"there is no role {self.role!r}", ("role",), did_you_mean(self.role, known))
        try:
            as_schema(self.output)
        except (TypeError, ValueError) as error:
            yield Fault(str(error).splitlines()[0], ("output",))

    def _wrong_values(self) -> Iterator[Fault]:
        for key in _COUNTS:
            if getattr(self, key) < 1:
                yield Fault(f"{getattr(self, key)} is less than 1", (key,))
        if self.depth > MOST_STEPS:
            yield Fault(f"{self.depth} is more than {MOST_STEPS:,} steps", ("depth",))
        if self.threshold is not None and not 1 <= self.threshold <= 10:
            yield Fault(f"{self.threshold} is no rating, which is from 1 to 10", ("threshold",))
        if self.output is not None and (self.its_role.required or self.its_role.command):
            what = "the arguments of the command" if self.its_role.command else "of the form that it is checked by"
            yield Fault(f"the answers of a brain of the role {self.role} are {what}", ("output",), "leave it out")

    def _wrong_templates(self) -> Iterator[Fault]:
        """Inputs that have the name of something else, and placeholders of templates that stand for nothing."""
        for key, asked in (
            ("prompt", placeholders(self.question)),
            ("system", placeholders(self.system)),
            ("sees", self.sections),
        ):
            for name in asked:
                if name in RESERVED:
                    what = f"{name!r}" if key == "sees" else f"<{{{name}}}>"
                    yield Fault(f"{what} is what the brain itself fills in", (key,), "give the input another name")
        for key, own in PLACEHOLDERS.items():
            known = {*own, *self.inputs}
            for name in placeholders(getattr(self, key)):
                if name not in known:
                    message = f"the placeholder <{{{name}}}> names neither an input of the brain nor what it fills in"
                    yield Fault(message, (key,), did_you_mean(name, known))
        yield from self._unseen()

    def _unseen(self) -> Iterator[Fault]:
        """Templates that do not show what they are about."""
        for key, needed in (("choose_prompt", OPTIONS), ("judge_prompt", OPTION), ("steps_prompt", STEPS)):
            if needed not in placeholders(getattr(self, key)):
                yield Fault(f"it does not show <{{{needed}}}>", (key,), f"put <{{{needed}}}> where it is to stand")


FIELDS = tuple(each.name for each in fields(BrainSettings) if each.name != "_")
"""The names of all fields."""
