"""What the nodes of a brain have in common: the question, the sections that it is shown, and what options must keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from loopwright.errors import ContractError
from loopwright.nodes.brains.roles import LAST_FAILURE, ROLES, Role, arguments_schema, section, without_engine_fields
from loopwright.nodes.contract import AskModel, Message, View, names
from loopwright.nodes.prompts import as_text, placeholders, render
from loopwright.nodes.think import Answering
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema

NOTHING_ON_OFFER = "there is nothing on offer to choose from"


@dataclass(frozen=True)
class BrainNode(Answering):
    """A node of a brain; other arguments as of `Think`, with `output` for the type of one option.

    Args:
        sees: The channels that it is shown as sections, in this order.
        role: One of `ROLES`, or "".
        asks: What is asked beside the prompt, a template; "" for nothing.
        tells: Whether `last_failure` is among the brain's inputs, and takes why there is no answer.
    """

    sees: Sequence[str] = ()
    role: str = ""
    asks: str = ""
    tells: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "sees", names(self.sees))

    @property
    def its_role(self) -> Role:
        """What its role gives it."""
        return ROLES[self.role]

    @cached_property
    def asked_of_state(self) -> tuple[str, ...]:
        """The channels that its prompts and sections show, and those that close its answers."""
        templates = (self.system, self.prompt, self.asks)
        named = (name for template in templates for name in placeholders(template) if name not in self.own_words)
        closing = (*self.its_role.closed.values(), *names(self.its_role.command))
        return tuple(dict.fromkeys((*named, *self.sees, *closing)))

    @property
    def own_words(self) -> frozenset[str]:
        """The placeholders of `asks` that it fills itself."""
        return frozenset()

    @property
    def written_beside(self) -> tuple[str, ...]:
        """The channel for why there is no answer, where there is one."""
        return (LAST_FAILURE,) if self.tells else ()

    @property
    def option_type(self) -> JsonSchema:
        """JSON Schema of one option, as far as it is known before a run."""
        schema: JsonSchema = TEXT if self.output is None else self.output
        return schema

    def told(self, reason: str) -> dict[str, Json]:
        """Why there is no answer, as it is written; "" where there is one."""
        return dict.fromkeys(self.written_beside, reason)

    def question(self, view: View) -> str:
        """The prompt alone."""
        return render(self.prompt, view)

    def shown(self, view: View) -> list[Message]:
        """The system message, with the sections."""
        parts = [render(self.system, view), *(section(name, view[name]) for name in self.sees)]
        said = "\n\n".join(part for part in parts if part.strip())
        return [{"role": "system", "content": said}] if said else []

    def asking(self, view: View, schema: JsonSchema | None, **words: Json) -> AskModel:
        """The question: the sections, the prompt, and what is asked beside it, which may show the prompt itself."""
        if not self.asks:
            return AskModel([*self.shown(view), {"role": "user", "content": self.question(view)}], schema, self.model)
        filled = {**view, "prompt": self.question(view), **words}
        asked = render(self.asks, filled)
        if "prompt" not in placeholders(self.asks):
            asked = f"{filled['prompt']}\n\n{asked}"
        return AskModel([*self.shown(view), {"role": "user", "content": asked}], schema, self.model)

    def option_schema(self, view: View) -> JsonSchema:
        """JSON Schema of one option, with what is on offer now as the only values of its closed properties.

        Raises:
            ContractError: What is on offer, or the command, is not of the form that the role needs.
        """
        role = self.its_role
        if role.command:
            try:
                return arguments_schema(view[role.command])
            except ValueError as error:
                raise ContractError(f"node {self.name!r} reads {role.command!r}: {error}") from error
        schema = self.option_type
        for name, channel in role.closed.items():
            properties: Any = schema.get("properties", {})
            closed: dict[str, Json] = {"type": "string", "enum": [*self._on_offer(view, channel)]}
            schema = {**schema, "properties": {**properties, name: closed}}
        return schema

    def nothing_on_offer(self, view: View) -> bool:
        """Whether a property of its options could have no value at all."""
        return any(not self._on_offer(view, channel) for channel in self.its_role.closed.values())

    def cleaned(self, option: Json) -> Json:
        """An option without what a model may not say."""
        return without_engine_fields(option) if self.its_role.command else option

    def _on_offer(self, view: View, channel: str) -> list[str]:
        """The names on offer: a list of them, or a mapping from them to what is said of them."""
        offered = view[channel]
        found = list(offered) if isinstance(offered, list | Mapping) else [offered]
        if not all(isinstance(name, str) for name in found) or isinstance(offered, str):
            raise ContractError(
                f"node {self.name!r} reads {channel!r}, which is a list of names, or a mapping from names to what is"
                f" said of them; it is {as_text(offered):.100}"
            )
        return [str(name) for name in found]


def ordinal(index: int) -> str:
    """A place in a list in words for people.

    Example:
        >>> [ordinal(index) for index in (0, 1, 2, 3, 10, 20, 111)]
        ['1st', '2nd', '3rd', '4th', '11th', '21st', '112th']
    """
    number = index + 1
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def plain(number: float) -> str:
    """A rating as people write it: 8 and not 8.0.

    Example:
        >>> plain(8.0), plain(7.5)
        ('8', '7.5')
    """
    return f"{number:g}"
