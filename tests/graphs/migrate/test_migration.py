"""What is declared: names that moved, defaults, and what of it cannot be meant."""

from typing import Any

import pytest

from loopwright.errors import RunError, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge
from loopwright.state.channels import Channel


def small() -> Plan:
    builder = PlanBuilder("small", [Channel("text", str), Channel("size", int)])
    builder.node(Judge("look", prompt="?", outcomes=["good", "again"])).edge("look", "good", End("done"))
    return builder.edge("look", "again", "look", at_most=2, then=End("late", ok=False)).build()


def test_names_move_with_what_is_around_them() -> None:
    declared = Migration(nodes={"part": "chapter", "part/write": "part/compose", "judge": "look"})
    assert (declared.node("part/review"), declared.node("part/write")) == ("chapter/review", "part/compose")
    assert (declared.node("party"), declared.channel("part/text")) == ("party", "chapter/text")
    assert (declared.bound("judge again"), declared.bound("part/rounds")) == ("look again", "chapter/rounds")
    alike = Migration(nodes={"text": "write"})
    assert (alike.node("text"), alike.channel("text"), alike.bound("text")) == ("write", "text", "text")
    assert Migration(nodes={"judge": "look"}, bounds={"judge again": "tries"}).bound("judge again") == "tries"
    assert Migration(ends={"late": "given_up"}).end("late") == "given_up"


def test_what_is_dropped_has_no_name() -> None:
    declared = Migration(channels={"mood": None}, bounds={"tries": None})
    assert (declared.channel("mood"), declared.bound("tries"), declared.channel("text")) == (None, None, "text")


def test_all_that_cannot_be_meant_is_told_at_once() -> None:
    declared = Migration(
        nodes={"see": "lok"},
        channels={"draft": "text", "letter": "text"},
        bounds={"rounds": "tries"},
        ends={"old": "done"},
        defaults={"size": "big", "colour": "red"},
    )
    with pytest.raises(RunError) as caught:
        declared.require_fitting(small())
    assert str(caught.value).partition(": ")[2].split("; ") == [
        "node 'see' is to be 'lok', which is not there (did you mean 'look'? there is only look)",
        "channels 'draft' and 'letter' are both to be 'text'",
        "bound 'rounds' is to be 'tries', which is not there (there is only look again)",
        'the default of \'size\' does not fit: "big" is not of type "integer"',
        "there is no channel 'colour' to have a default (there are: size, text)",
    ]
    Migration(nodes={"see": "look"}, channels={"draft": "text", "mood": None}, defaults={"size": 3}).require_fitting(
        small()
    )


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (["nodes"], "this is no mapping of nodes, channels, bounds, ends, defaults"),
        ({"node": {"a": "b"}}, "there is no 'node' in a migration"),
        ({"nodes": ["a"]}, "this is no mapping"),
        ({"nodes": {"a": None}}, "this is no name"),
        ({"ends": {"a": 3}}, "this is no name"),
    ],
)
def test_a_file_that_is_none(data: Any, fault: str) -> None:
    with pytest.raises(SourceError, match=fault):
        Migration.from_data(data)


def test_a_file() -> None:
    data = {"nodes": {"a": "b"}, "channels": {"c": None}, "bounds": {"d": None}, "defaults": {"e": [1]}}
    assert Migration.from_data(data) == Migration({"a": "b"}, {"c": None}, {"d": None}, {}, {"e": [1]})
