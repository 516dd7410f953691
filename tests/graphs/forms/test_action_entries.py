"""An action-brain map as it is written: both shapes of an entry, and brains of any kind."""

from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

import loopwright as lw
from loopwright.graphs.forms.action_entries import ActionField, BrainField, Live, brain_made
from loopwright.nodes.brains.roles import LAST_FAILURE

ENTRY: TypeAdapter[Any] = TypeAdapter(ActionField)


class Holder(BaseModel):
    brain: BrainField


def brain_of(given: Any) -> Any:
    return Holder.model_validate({"brain": given}).brain


def test_both_shapes_of_an_entry_are_the_same() -> None:
    short, tupled, long = (ENTRY.validate_python(given) for given in (["a"], ("a",), {"brains": ["a"]}))
    assert short == tupled == long
    assert (short.brains, short.next_actions) == (("a",), ())


def test_what_an_action_says_of_its_event_is_its_command() -> None:
    entry = ENTRY.validate_python({"brains": ["a"], "event": {"to": "str"}, "description": "Give it."})
    assert entry.made.command["description"] == "Give it."
    assert entry.made.command["args"]["required"] == ["to"]
    assert ENTRY.validate_python(["a"]).made.command == {}


@pytest.mark.parametrize(
    ("fields", "sees"),
    [
        ({"prompt": "Speak."}, ("command", "previous_brain_outputs", LAST_FAILURE)),
        ({"prompt": "<{previous_brain_outputs}>"}, ("command", LAST_FAILURE)),
        ({"prompt": "Speak.", "system": "<{command}>"}, ("previous_brain_outputs", LAST_FAILURE)),
        ({"prompt": "Speak.", "sees": []}, ()),
        ({}, ("command", "previous_brain_outputs", LAST_FAILURE)),
    ],
)
def test_a_brain_is_shown_what_its_prompt_does_not_name(fields: Any, sees: tuple[str, ...]) -> None:
    made = brain_made(brain_of({"type": "zero_shot", **fields}), "think")
    node: Any = made.plan.nodes["decide"].node
    assert node.sees == sees
    assert made.once


def test_what_is_given_in_python_is_kept_as_it_is() -> None:
    def shout(aim: str) -> str:
        return aim.upper()

    for given in (shout, lw.Act("shout", shout), lw.ZeroShot(prompt="<{aim}>"), lw.ZeroShot(prompt="<{aim}>").plan):
        entry = brain_of(given)
        assert isinstance(entry, Live)
        assert entry.made("think").plan.result


@pytest.mark.parametrize("given", [3, "think", None, int, [1]])
def test_anything_else_is_no_brain(given: Any) -> None:
    with pytest.raises(TypeError, match="is no brain: give a function"):
        brain_of(given).made("think")


def test_a_live_brain_is_in_no_file() -> None:
    with pytest.raises(Exception, match="is live, and no file can hold it"):
        Holder.model_validate({"brain": print}).model_dump()


def test_functions_and_plans_of_a_file_are_brains(tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text("def shout(aim: str) -> dict:\n    return {'message': aim.upper()}\n")
    (tmp_path / "inner.yaml").write_text(
        "kind: graph\nchannels: {aim: {type: str, input: true}, said: dict}\n"
        "nodes: {say: {type: think, prompt: '<{aim}>', writes: said, output: {message: str}}}\n"
        "edges: [say -> end said]\nresult: said\n"
    )
    (tmp_path / "map.yaml").write_text(
        "kind: action_map\nbrains:\n  mine: {type: act, call: 'mine.py:shout'}\n"
        "  other: {type: plan, plan: inner.yaml}\nactions: {shout: [mine], say: [other]}\n"
    )
    loop = lw.load(tmp_path / "map.yaml")
    assert not loop.check()
    model = lw.ScriptedModel({"say": [{"message": "hello"}]})
    assert loop.start({"action": "shout", "aim": "hey"}, model=model).result[0]["message"] == "HEY"
    said = loop.start({"action": "say", "aim": "hey"}, model=model)
    assert said.result[0]["message"] == "hello"
