"""Channels as a file has them."""

from typing import Any

import pytest
from pydantic import ValidationError

from loopwright.graphs.forms.channel_entries import ChannelEntry
from loopwright.state.channels import Channel


@pytest.mark.parametrize(
    ("entry", "channel"),
    [
        ({"type": "str"}, Channel("c", {"type": "string"})),
        ({"type": "str", "default": "x", "input": True}, Channel("c", {"type": "string"}, input=True, default="x")),
        ({"type": {"type": "null"}, "default": None}, Channel("c", {"type": "null"}, default=None)),
        ({"type": "list", "reduce": "extend"}, Channel("c", {"type": "array"}, reduce="extend")),
        ({}, Channel("c")),
    ],
)  # fmt: skip
def test_what_a_channel_becomes(entry: dict[str, Any], channel: Channel) -> None:
    assert ChannelEntry.model_validate(entry).channel("c") == channel


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"type": "str", "default": 3}, "it begins as 3, which does not fit its type str"),
        ({"type": "str", "reduce": "append"}, "it begins as [], which does not fit its type str"),
        ({"type": "list", "reduce": "add"}, "it begins as 0, which does not fit its type list"),
        ({"type": "list", "reduce": "append", "default": []}, "a channel with reduce: append has no default"),
    ],
)
def test_a_channel_must_begin_well(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ChannelEntry.model_validate(entry)
    (error,) = caught.value.errors()
    assert str(error["ctx"]["error"]) == message


def test_a_reducer_that_does_not_fit_says_what_it_makes() -> None:
    with pytest.raises(ValidationError) as caught:
        ChannelEntry.model_validate({"type": "str", "reduce": "append"})
    (error,) = caught.value.errors()
    assert error["ctx"]["error"].hint == "append makes a list of what is written: give it a type such as list[str]"
