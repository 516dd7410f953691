"""Nodes as a file has them, held against the nodes themselves."""

import dataclasses

import pytest

from loopwright.graphs.forms.node_entries import (
    EmitEntry,
    Entry,
    HumanEntry,
    JudgeEntry,
    NodeEntry,
    ThinkEntry,
    WaitEntry,
)
from loopwright.nodes.contract import Node
from loopwright.nodes.emit import Emit
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait


@pytest.mark.parametrize(
    ("entry", "node"),
    [(ThinkEntry, Think), (JudgeEntry, Judge), (HumanEntry, Human), (WaitEntry, Wait), (EmitEntry, Emit)],
)
def test_a_file_has_every_field_of_the_node_and_no_other(entry: type[Entry], node: type[Node]) -> None:
    fields = {field.name for field in dataclasses.fields(node) if field.name != "name"}  # type: ignore[arg-type]
    assert set(entry.model_fields) == fields | {"type"}


@pytest.mark.parametrize(
    ("entry", "data", "node"),
    [
        (ThinkEntry, {"prompt": "x"}, Think("n", prompt="x")),
        (
            ThinkEntry,
            {"prompt": "x", "system": "s", "model": "m", "writes": ["a", "b"], "output": {"type": "object"}},
            Think("n", prompt="x", system="s", model="m", writes=("a", "b"), output={"type": "object"}),
        ),
        (JudgeEntry, {"prompt": "x", "outcomes": ["a"]}, Judge("n", prompt="x", outcomes=("a",))),
        (
            JudgeEntry,
            {"prompt": "x", "score": [1, 10], "writes": "s"},
            Judge("n", prompt="x", score=(1, 10), writes="s"),
        ),
        (
            HumanEntry,
            {"text": "x", "outcomes": ["a", "b"], "default": "b", "on_text": "a"},
            Human("n", text="x", outcomes=("a", "b"), default="b", on_text="a"),
        ),
        (HumanEntry, {"text": "x"}, Human("n", text="x")),
        (
            WaitEntry,
            {"text": "x", "reply": "int", "source": "timer", "writes": "a"},
            Wait("n", text="x", reply={"type": "integer"}, source="timer", writes="a"),
        ),
        (WaitEntry, {"event": "gives", "where": {"to": "<{me}>"}}, Wait("n", event="gives", where={"to": "<{me}>"})),
        (WaitEntry, {"source": "timer", "after": 3}, Wait("n", source="timer", after=3.0)),
        (
            EmitEntry,
            {"event": "gives", "payload": {"what": "<{gift}>"}, "to": "<{heir}>"},
            Emit("n", event="gives", payload={"what": "<{gift}>"}, to="<{heir}>"),
        ),
    ],
)
def test_what_a_node_becomes(entry: type[NodeEntry], data: dict[str, object], node: Node) -> None:
    word = entry.model_fields["type"].annotation.__args__[0]  # type: ignore[union-attr]
    made = entry.model_validate({"type": word, **data}).body("n")
    assert made == node
