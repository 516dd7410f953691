"""Values of channels, as options give them."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.exits import WrongUse
from loopwright.cli.pairs import parse_pairs
from loopwright.graphs.plan import Plan
from loopwright.loop.load import load
from loopwright.state.values import JsonObject


def parsed(plan: Plan, pairs: list[str]) -> JsonObject:
    return parse_pairs("-i", "input", plan.channels, pairs)


def plan_with(*, type: str) -> Plan:
    text = f"kind: graph\nchannels: {{n: {{type: {type!r}, input: true}}, out: str}}\nresult: out\n"
    text += "nodes: {a: {type: think, prompt: '<{n}>', writes: out}}\nedges: [a -> end finished]\n"
    Path("typed.yaml").write_text(text)
    return load("typed.yaml").plan


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("str", "3", "3"),
        ("str", "", ""),
        ("str", "a=b", "a=b"),
        ("int", "3", 3),
        ("list[str]", '["a"]', ["a"]),
        ("bool", "true", True),
        ("any", "3", 3),
        ("any", "three", "three"),
        ("str | None", "null", "null"),
        ("str | None", "12", "12"),
        ("dict", '{"a": "b=c"}', {"a": "b=c"}),
        ("dict", "{a: 1}", {"a": 1}),
        ("list[str]", "[be brief, be exact]", ["be brief", "be exact"]),
        ("list[int]", "- 1\n- 2", [1, 2]),
        ("str", "@@home", "@home"),
    ],
)
@pytest.mark.usefixtures("place")
def test_values_are_read_by_the_channels_type(type: str, text: str, value: Any) -> None:
    assert parsed(plan_with(type=type), [f"n={text}"]) == {"n": value}


@pytest.mark.usefixtures("place")
def test_values_are_read_from_files() -> None:
    Path("text.txt").write_text("one\ntwo\n")
    Path("list.yaml").write_text("- a\n- b\n")
    Path("all.yaml").write_text("n: from a file\n")
    assert parsed(plan_with(type="str"), ["n=@text.txt"]) == {"n": "one\ntwo\n"}
    assert parsed(plan_with(type="str"), ["@all.yaml"]) == {"n": "from a file"}
    assert parsed(plan_with(type="str"), ["n=by name", "@all.yaml"]) == {"n": "by name"}
    assert parsed(plan_with(type="list[str]"), ["n=@list.yaml"]) == {"n": ["a", "b"]}


@pytest.mark.usefixtures("place")
def test_what_is_wrong_with_files_of_inputs_is_told_at_once() -> None:
    Path("list.yaml").write_text("- a\n")
    Path("all.yaml").write_text("n: [a]\nm: 1\n")
    with pytest.raises(WrongUse) as caught:
        parsed(plan_with(type="int"), ["n=@none.txt", "@list.yaml", "@all.yaml", "@not.yaml"])
    assert [part.partition(" (")[0] for part in str(caught.value).split("; -i ")] == [
        "-i n=@none.txt: none.txt: there is no such file",
        "@list.yaml: it is no mapping of inputs, as `topic: bridges` is",
        '@all.yaml: line 1: n: ["a"] is not of type "integer"; it takes int',
        "@all.yaml: line 2: there is no input 'm'",
        "@not.yaml: not.yaml: there is no such file",
    ]
