"""The nodes that make options: one answer at once, several to choose from, or the next steps of a line of thought."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loopwright.nodes.brains.asking import NOTHING_ON_OFFER, BrainNode, ordinal
from loopwright.nodes.brains.roles import fault_of
from loopwright.nodes.contract import Answer, Ask, Contract, View, parts_of
from loopwright.nodes.prompts import as_text
from loopwright.state.schema import TEXT, as_list, as_object
from loopwright.state.values import Json, JsonSchema

OPTIONS, CHOSEN, PATH, EXPANDED = "options", "chosen", "path", "expansion"

PATHS: JsonSchema = {"type": "array", "items": {"type": "array"}}
"""Lines of thought, each a list of steps; the last one ends in an answer."""

EXPANSION: JsonSchema = as_object({"paths": PATHS, "left_out": TEXT})
"""What one line of thought became: the lines that go on from it, and what was left out and why."""


@dataclass(frozen=True)
class Decide(BrainNode, type="decide"):
    """Ask for one answer, and take it.

    Its outcomes are `done`, and `none` where its role requires something that the answer does not keep.

    Example:
        >>> node = Decide("decide", prompt="<{task}>", writes="answer")
        >>> node.answer({"task": "A name?"}, "Ada")
        Answer(outcome='done', update={'answer': 'Ada'}, reason='')
    """

    @cached_property
    def contract(self) -> Contract:
        """Writes the answer."""
        required = bool(self.its_role.required)
        return Contract(
            "think",
            self.asked_of_state,
            (*self.writes, *self.written_beside),
            ("done", "none") if required else ("done",),
            never=() if required else ("none",),
        )

    def ask(self, view: View) -> Ask | None:
        """The question; nothing where nothing is on offer."""
        if self.nothing_on_offer(view):
            return None
        schema = None if self.output is None else self.option_schema(view)
        return self.asking(view, schema)

    def answer(self, view: View, reply: Json) -> Answer:
        """The answer, where it keeps what the role requires."""
        if reply is None and self.nothing_on_offer(view):
            return Answer("none", self.told(NOTHING_ON_OFFER), NOTHING_ON_OFFER)
        option = self.cleaned(reply)
        fault = fault_of(option, self.its_role)
        if fault:
            reason = f"the answer is not eligible: {fault}"
            return Answer("none", self.told(reason), reason)
        return Answer("done", {**dict.fromkeys(self.writes, option), **self.told("")})


@dataclass(frozen=True)
class Several(BrainNode):
    """A node that asks for several options at once; other arguments as of `BrainNode`.

    Args:
        n: The most options.
    """

    n: int = 3

    @property
    def own_words(self) -> frozenset[str]:
        """The number of options."""
        return frozenset({"n"})

    def ask(self, view: View) -> Ask | None:
        """The question for a list of options; nothing where nothing is on offer."""
        if self.nothing_on_offer(view):
            return None
        options = as_list(self.option_schema(view), minItems=1, maxItems=self.n)
        return self.asking(view, as_object({OPTIONS: options}), n=self.n)

    def eligible(self, reply: Json) -> tuple[list[Json], str]:
        """The options that keep what the role requires, and what is wrong with the others."""
        given: Any = [] if reply is None else parts_of(reply, OPTIONS)[OPTIONS]
        options = [self.cleaned(option) for option in given]
        faults = [fault_of(option, self.its_role) for option in options]
        wrong = [f"the {ordinal(index)} option: {fault}" for index, fault in enumerate(faults) if fault]
        kept = [option for option, fault in zip(options, faults, strict=True) if not fault]
        return kept, f"{len(wrong)} of {len(options)} options are not eligible; {'; '.join(wrong)}" if wrong else ""


@dataclass(frozen=True)
class Generate(Several, type="generate"):
    """Ask for several answers to choose from.

    Args:
        judged: Whether a single option is judged, too; else it is the answer.

    Its outcomes are `options`, with the eligible ones in the channel `options`; `done`, where one option came back that
    is not judged; and `none`, where its role requires something that no option keeps.

    Example:
        >>> node = Generate("generate", prompt="<{task}>", asks="Give <{n}> answers.", n=2, writes="answer")
        >>> node.ask({"task": "A name?"}).messages
        [{'role': 'user', 'content': 'A name?\\n\\nGive 2 answers.'}]
        >>> node.answer({"task": "A name?"}, {"options": ["Ada", "Bo"]}).update
        {'options': ['Ada', 'Bo']}
    """

    judged: bool = False

    @cached_property
    def contract(self) -> Contract:
        """Writes the options, and the answer where one is not judged."""
        required = bool(self.its_role.required)
        outcomes = (
            *(("options",) if self.n > 1 or self.judged else ()),
            *(() if self.judged else ("done",)),
            *(("none",) if required else ()),
        )
        answer = () if self.judged else (*self.writes, CHOSEN)
        beside = self.written_beside if required or not self.judged else ()
        return Contract(
            "think",
            self.asked_of_state,
            (OPTIONS, *answer, *beside),
            outcomes,
            never=() if required else ("none",),
        )

    @property
    def value_type(self) -> JsonSchema:
        """The list of options."""
        return as_list(self.option_type)

    def answer(self, view: View, reply: Json) -> Answer:
        """The eligible options, or the only one as the answer."""
        del view
        options, left_out = self.eligible(reply)
        if not options:
            reason = left_out or NOTHING_ON_OFFER
            return Answer("none", {OPTIONS: [], **self.told(reason)}, reason)
        count = left_out or f"{len(options)} option{'s' * (len(options) != 1)}"
        if len(options) > 1 or self.judged:
            return Answer("options", {OPTIONS: options}, count)
        only = {**dict.fromkeys(self.writes, options[0]), CHOSEN: 0}
        return Answer("done", {OPTIONS: options, **only, **self.told("")}, left_out)


@dataclass(frozen=True)
class Expand(Several, type="expand"):
    """Ask how a line of thought goes on.

    Args:
        step: The number of the step that is asked for, counted from 1.
        depth: The number of steps; the last one is the answer, those before it are texts.

    Example:
        >>> node = Expand("expand", prompt="<{task}>", asks="So far:\\n<{steps}>", n=2, step=2, depth=3)
        >>> node.ask({"task": "Move.", "path": ["Pack."]}).messages[-1]["content"]
        'Move.\\n\\nSo far:\\n1. Pack.'
        >>> node.answer({"path": ["Pack."]}, {"options": ["Call.", "Load."]}).update["expansion"]["paths"]
        [['Pack.', 'Call.'], ['Pack.', 'Load.']]
    """

    step: int = 1
    depth: int = 1

    @cached_property
    def contract(self) -> Contract:
        """Reads the line of thought, writes the lines that go on from it."""
        return Contract("think", (*self.asked_of_state, PATH), (EXPANDED,), ("done",))

    @property
    def own_words(self) -> frozenset[str]:
        """The number of options, the steps so far, which step is next, and of how many."""
        return frozenset({"n", "steps", "step", "depth"})

    @property
    def value_type(self) -> JsonSchema:
        """What one line of thought became."""
        return EXPANSION

    def option_schema(self, view: View) -> JsonSchema:
        """A text, or an answer where it is the last step."""
        if self.step < self.depth:
            return TEXT
        return TEXT if self.output is None and not self.its_role.command else super().option_schema(view)

    def asking(self, view: View, schema: JsonSchema | None, **words: Json) -> Any:
        """The question, with the steps so far."""
        steps = numbered(_path(view)) or "none yet"
        return super().asking(view, schema, steps=steps, step=self.step, depth=self.depth, **words)

    def answer(self, view: View, reply: Json) -> Answer:
        """The lines that go on from this one."""
        options: Any
        if reply is None:
            options, left_out = [], NOTHING_ON_OFFER
        elif self.step < self.depth:
            options, left_out = parts_of(reply, OPTIONS)[OPTIONS], ""
        else:
            options, left_out = self.eligible(reply)
        before = _path(view)
        paths: list[Json] = [[*before, option] for option in options]
        return Answer("done", {EXPANDED: {"paths": paths, "left_out": left_out}}, left_out)


def _path(view: View) -> list[Json]:
    path: Any = view[PATH]
    return list(path)


def numbered(items: Sequence[Json]) -> str:
    """Items one below the other, each with its number.

    Example:
        >>> print(numbered(["a", {"b": 1}]))
        1. a
        2. {"b": 1}
    """
    return "\n".join(f"{number}. {as_text(item)}" for number, item in enumerate(items, 1))
