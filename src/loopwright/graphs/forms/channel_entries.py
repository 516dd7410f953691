"""Channels as a graph file has them: a type, or the fields of a channel under its name."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, model_validator

from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.spec import Refused
from loopwright.graphs.forms.type_field import TypeField
from loopwright.state.channels import MISSING, Channel, Reducer
from loopwright.state.schema import check_for, word_of
from loopwright.state.values import Json

_MADE_BY: dict[Reducer, str] = {
    "append": "append makes a list of what is written: give it a type such as list[str]",
    "extend": "extend makes a list of what is written: give it a type such as list[str]",
    "add": "add makes a sum of what is written: give it the type int or float",
    "merge": "merge makes a mapping of what is written: give it a type such as dict[str, str]",
}


class ChannelEntry(BaseModel):
    """A channel; a type alone is short for `{type: ...}`. Its name is its key.

    Args:
        type: A short word, a mapping of fields, or JSON Schema.
        input: Whether `start` takes it.
        reduce: How a write changes it.
        default: Its value before the first write.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    type: TypeField = Field(default_factory=dict)
    input: StrictBool = False
    reduce: Reducer = "replace"
    default: Json = None

    def channel(self, name: str) -> Channel:
        """The channel."""
        default = self.default if "default" in self.model_fields_set else MISSING
        return Channel(name, self.type, self.reduce, self.input, default)

    @model_validator(mode="after")
    def _begins_well(self) -> Self:
        channel = self.channel("")
        if channel.default is not MISSING and self.reduce != "replace":
            raise Refused(
                f"a channel with reduce: {self.reduce} has no default", f"it begins as {channel.first_value!r}"
            )
        if channel.first_value is not MISSING:
            try:
                check_for(self.type)(channel.first_value)
            except ValueError as error:
                begins = f"it begins as {channel.first_value!r}, which does not fit its type {word_of(self.type)}"
                raise Refused(begins, _MADE_BY.get(self.reduce, "")) from error
        return self


def _channel(value: object) -> object:
    if isinstance(value, ChannelEntry | Mapping):
        return value
    if isinstance(value, str):
        return {"type": value}
    raise Refused(
        "a channel is a type, or a mapping", "as in draft: str, or notes: {type: 'list[str]', reduce: append}"
    )


GraphChannel = Annotated[ChannelEntry, BeforeValidator(_channel, json_schema_input_type=str | ChannelEntry)]
"""The annotation of one channel of a graph file."""
