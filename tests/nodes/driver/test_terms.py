"""What a call may take, as far as it can be known before it is made."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.budget import Budget
from loopwright.nodes.contract import Message, ToolSpec
from loopwright.nodes.driver.ledger import Account, Need
from loopwright.nodes.driver.terms import PER_CALL, PER_MESSAGE, Terms, prompt_bound
from loopwright.nodes.models.contract import ModelCall

MESSAGES: list[Message] = [{"role": "user", "content": "Write."}]


@given(st.lists(st.text()))
def test_no_prompt_has_more_tokens_than_its_bound(texts: list[str]) -> None:
    call = ModelCall("a", [{"role": "user", "content": text} for text in texts])
    size = sum(len(text.encode(errors="replace")) for text in texts)
    assert prompt_bound(call) >= size + PER_MESSAGE * len(texts) + PER_CALL


def test_schemas_and_tools_are_sent_too() -> None:
    schema, tool = {"type": "object", "description": "x" * 500}, ToolSpec("look", "y" * 500, {"type": "object"})
    plain = prompt_bound(ModelCall("a", MESSAGES))
    assert prompt_bound(ModelCall("a", MESSAGES, schema)) >= plain + len(json.dumps(schema)) - len("null")
    assert prompt_bound(ModelCall("a", MESSAGES, tools=[tool])) >= plain + 500 + PER_MESSAGE


@pytest.mark.parametrize(
    ("terms", "asked"),
    [
        (Terms(can_be_told=True, accounts=[Account(Budget(calls=1))]), Need()),
        (Terms(can_be_told=True, accounts=[Account(Budget(tokens=1))]), Need(323, None)),
        (Terms(can_be_told=True, max_tokens=7, accounts=[Account(Budget(cost=1))]), Need(323, 7)),
        (Terms(max_tokens=7, accounts=[Account(Budget(tokens=1))]), Need(323, 7)),
        (Terms(accounts=[Account(Budget(tokens=1))]), Need()),
    ],
    ids=["calls alone", "can be told", "says its limit", "is known to be short", "nobody knows"],
)
def test_what_a_call_may_take(terms: Terms, asked: Need) -> None:
    assert terms.need(ModelCall("a", MESSAGES)) == asked
