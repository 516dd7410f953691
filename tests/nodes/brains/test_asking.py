"""What the nodes of a brain have in common."""

from typing import Any

import pytest

from loopwright.errors import ContractError
from loopwright.nodes.brains.judging import Rate
from loopwright.nodes.brains.options import Decide, Generate
from loopwright.state.schema import check_for

COMMAND: Any = {"name": "speak", "args": {"type": "object", "properties": {"message": {"type": "string"}}}}


def asked(node: Any, **view: Any) -> list[Any]:
    return list(node.ask(view).messages)


def test_sections_follow_the_system_message_and_only_those_that_are_given_appear() -> None:
    node = Decide("d", prompt="What now?", system="You are <{who}>.", sees=["plan", "goals"])
    assert asked(node, who="Ada", plan=["greet"], goals=["talk"], memory="unused") == [
        {"role": "system", "content": "You are Ada.\n\n## Plan\n- greet\n\n## Goals\n- talk"},
        {"role": "user", "content": "What now?"},
    ]
    assert node.contract.reads == ("who", "plan", "goals")


def test_a_template_that_shows_the_prompt_is_asked_alone() -> None:
    node = Rate("judge", prompt="A <{x}>?", asks="Asked: <{prompt}>. Said: <{option}>.")
    assert asked(node, x="name", option={"n": 1}) == [{"role": "user", "content": 'Asked: A name?. Said: {"n": 1}.'}]
    before = Rate("judge", prompt="A <{x}>?", asks="Said: <{option}>.")
    assert asked(before, x="name", option="Ada")[0]["content"] == "A name?\n\nSaid: Ada."


def test_a_value_that_looks_like_a_placeholder_stays_text() -> None:
    node = Rate("judge", prompt="<{x}>", asks="<{prompt}> | <{option}>")
    assert asked(node, x="<{option}>", option="<{prompt}>")[0]["content"] == "<{option}> | <{prompt}>"


@pytest.mark.parametrize("actions", [["wait", "speak"], {"wait": "do nothing", "speak": "say it"}])
def test_an_action_is_one_of_those_that_are_on_offer(actions: Any) -> None:
    node = Decide("d", prompt="?", role="navigation", output={"type": "object", "properties": {"next_action": {}}})
    ask: Any = node.ask({"actions": actions})
    assert ask.schema["properties"]["next_action"] == {"type": "string", "enum": ["wait", "speak"]}
    assert node.output == {"type": "object", "properties": {"next_action": {}}}


@pytest.mark.parametrize("actions", ["wait", 3, [1]])
def test_what_is_no_list_of_actions_is_refused(actions: Any) -> None:
    node = Decide("d", prompt="?", role="navigation", output={"type": "object"})
    with pytest.raises(ContractError, match="node 'd' reads 'actions', which is a list of names, or a mapping"):
        node.ask({"actions": actions})


def test_the_arguments_of_the_command_are_the_schema() -> None:
    node = Decide("d", prompt="?", role="event_filler", output={"type": "object"})
    ask: Any = node.ask({"command": COMMAND})
    assert ask.schema["properties"] == {"message": {"type": "string"}}
    with pytest.raises(ContractError, match="node 'd' reads 'command': a command is a mapping"):
        node.ask({"command": "speak"})


def test_an_option_that_refers_to_its_root_keeps_its_meaning() -> None:
    node = Generate("g", prompt="?", n=2, output={"type": "object", "properties": {"next": {"$ref": "#"}}})
    ask: Any = node.ask({})
    check = check_for(ask.schema)
    check({"options": [{"next": {"next": {}}}]})
    with pytest.raises(ValueError, match=r"at options.0.next.next: 1 is not"):
        check({"options": [{"next": {"next": 1}}]})
