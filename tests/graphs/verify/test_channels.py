"""Channels: those that are named exist, their types are types, and what is written to one fits it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import Edge, End, Plan, Way
from loopwright.graphs.verify.channels import known, schemas, types
from loopwright.graphs.verify.check import verify
from loopwright.graphs.verify.findings import Finding
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel, Reducer

PlanOf = Callable[..., Plan]
DRAFT = Channel("draft", str)


def told(findings: Any) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in findings]


def act(**fields: Any) -> CodeNode:
    return CodeNode("a", code=CodeRef("a", "1"), **fields)


def test_channels_that_are_read_and_written_exist(plan_of: PlanOf) -> None:
    plan = plan_of(nodes=(act(reads=("drfat", "draft"), writes=("x",)),), channels=[DRAFT])
    assert told(known(plan)) == [
        ("unknown-channel", "'a' reads 'drfat', which is no channel"),
        ("unknown-channel", "'a' writes 'x', which is no channel"),
    ]
    assert [finding.hint for finding in known(plan)] == [
        "did you mean 'draft'? there is only draft",
        "there is only draft",
    ]


def test_a_placeholder_that_names_no_channel_is_told_as_one(plan_of: PlanOf) -> None:
    plan = plan_of("a -> end good", nodes=(Think("a", prompt="<{drfat}>"),), channels=[DRAFT])
    (finding,) = (finding for finding in verify(plan) if finding.severity == "error")
    assert (finding.code, finding.hint) == ("unknown-placeholder", "did you mean 'draft'? there is only draft")
    assert "<{drfat}>" in finding.message


def test_what_is_reset_must_be_a_channel(plan_of: PlanOf) -> None:
    plan = plan_of("a -> end good", channels=[DRAFT])
    plan = replace(plan, edges=(Edge("a", "done", Way("good", resets=("draft", "x"))),))
    assert told(known(plan)) == [("unknown-channel", "'a' [done] resets 'x', which is no channel")]


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        (Channel("x", {"type": "int"}), "bad-schema"),
        (Channel("x", int, default="none"), "bad-default"),
        (Channel("x", int, default=None), "bad-default"),
        (Channel("x", str, reduce="append"), "bad-default"),
        (Channel("x", str, reduce="add"), "bad-default"),
        (Channel("x", {"type": "array", "minItems": 1}, reduce="extend"), "bad-default"),
        (Channel("x", int), ""),
        (Channel("x", int, default=0), ""),
        (Channel("x", float, reduce="add"), ""),
        (Channel("x", dict[str, int], reduce="merge"), ""),
        (Channel("x"), ""),
    ],
)
def test_a_type_is_one_and_takes_the_first_value(plan_of: PlanOf, channel: Channel, expected: str) -> None:
    found = list(schemas(plan_of(channels=[channel])))
    assert [finding.code for finding in found] == ([expected] if expected else [])
    assert all(finding.place == ("channels", "x") for finding in found)


def test_what_a_node_asks_for_is_a_type(plan_of: PlanOf) -> None:
    node = Think("a", prompt="?", output={"type": "int"})
    (finding,) = schemas(plan_of(nodes=(node,)))
    assert (finding.code, finding.place) == ("bad-schema", ("nodes", "a"))
    assert finding.message.startswith("what 'a' asks for is no JSON Schema: ")


@pytest.mark.parametrize(
    ("output", "type_", "reduce", "fits"),
    [
        (str, str, "replace", True),
        (str, int, "replace", False),
        (str, list[str], "append", True),
        (int, list[str], "append", False),
        (str, list[str], "extend", False),
        (list[int], list[str], "extend", True),
        (int, float, "replace", True),
        (float, int, "replace", True),
        (bool, int, "replace", False),
        (int | str, str, "replace", True),
        (int | None, str | None, "replace", True),
        (int | bool, str | None, "replace", False),
        (str, {}, "replace", True),
        (dict[str, int], {"enum": ["a"]}, "replace", True),
    ],
)
def test_a_write_of_another_type_is_told(plan_of: PlanOf, output: Any, type_: Any, reduce: Reducer, fits: bool) -> None:
    node = Think("a", prompt="?", output=output, writes="x")
    found = [finding.code for finding in types(plan_of(nodes=(node,), channels=[Channel("x", type_, reduce=reduce)]))]
    assert found == ([] if fits else ["type-mismatch"])


def test_a_mismatch_names_both_types(plan_of: PlanOf) -> None:
    plan = plan_of(nodes=(Judge("rate", prompt="?", score=(1, 10), writes="draft"),), channels=[DRAFT])
    (finding,) = types(plan)
    assert finding.message == "'rate' writes float to 'draft', which takes str"


def forked(over: Channel, collect: Channel) -> list[Finding]:
    builder = PlanBuilder("rating", [over, collect])
    builder.each("rate", over="items", as_="item", do=Think("g", prompt="<{item}>"), collect="marks", at_most=2)
    return list(types(builder.edge("rate", "done", End("end")).build()))


def test_a_fork_takes_a_list_and_gives_one() -> None:
    assert forked(Channel("items", list[str], input=True), Channel("marks", list[str])) == []
    assert forked(Channel("items", input=True), Channel("marks")) == []
    assert told(forked(Channel("items", str, input=True), Channel("marks", dict[str, str]))) == [
        ("type-mismatch", "'rate' takes its items from 'items', which is str and no list"),
        ("type-mismatch", "'rate' writes list to 'marks', which takes dict"),
    ]


def test_a_function_that_takes_the_whole_state_is_told_what_its_parameters_are(plan_of: PlanOf) -> None:
    plan = plan_of(nodes=(act(reads=("state",)),), channels=[DRAFT])
    (finding,) = known(plan)
    assert finding.hint == "the parameters of a function are the single channels that it reads; there is only draft"
