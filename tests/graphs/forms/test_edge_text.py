"""Edges as lines of text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.graphs.forms.edge_text import EdgeText, Target, parse_edge, parse_target
from loopwright.graphs.forms.spec import Refused
from loopwright.graphs.plan import End

FORM = "an edge is written as in: review [revise] -> write, at most 3 rounds, then fail max_rounds"


@pytest.mark.parametrize(
    ("text", "edge"),
    [
        ("write -> review", EdgeText("write", "", Target("review"))),
        ("write->review", EdgeText("write", "", Target("review"))),
        ("  review[pass]  ->  end finished ", EdgeText("review", "pass", Target("finished", True))),
        ("review [revise] -> fail bad", EdgeText("review", "revise", Target("bad", False))),
        ("a [b] -> c, at most 3 rounds, then fail d", EdgeText("a", "b", Target("c"), 3, "rounds", Target("d", False))),
        ("a [b] -> c, at most 3, then d", EdgeText("a", "b", Target("c"), 3, "", Target("d"))),
        ("a [b] -> c, then end d, at most 3", EdgeText("a", "b", Target("c"), 3, "", Target("d", True))),
        ("a [b] -> c, at most 3, bound r, then d", EdgeText("a", "b", Target("c"), 3, "r", Target("d"))),
        ("a [b] -> c, bound rounds", EdgeText("a", "b", Target("c"), None, "rounds")),
        ('"a b" ["c, d"] -> "e -> f"', EdgeText("a b", "c, d", Target("e -> f"))),
        ('a -> end "b c", at most 2 "d e"', EdgeText("a", "", Target("b c", True), 2, "d e")),
        ('a -> b, at most 2, then "end"', EdgeText("a", "", Target("b"), 2, "", Target("end"))),
        (r'"a \"b\" \\" -> c', EdgeText('a "b" \\', "", Target("c"))),
        ("a -> end", EdgeText("a", "", Target("end"))),
        ("end -> fail, bound x", EdgeText("end", "", Target("fail"), None, "x")),
        ("a -> end end", EdgeText("a", "", Target("end", True))),
        ('a -> "end" ', EdgeText("a", "", Target("end"))),
        ("World:give -> draft-review_2.b", EdgeText("World:give", "", Target("draft-review_2.b"))),
        ("then -> at, at most 1 most, then then", EdgeText("then", "", Target("at"), 1, "most", Target("then"))),
        ("é [да] -> 終", EdgeText("é", "да", Target("終"))),
    ],
)  # fmt: skip
def test_what_a_text_says(text: str, edge: EdgeText) -> None:
    assert parse_edge(text) == edge


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text ends where the name of a node should stand"),
        ("write", "the text ends where `->` should stand"),
        ("write review", "'review', at character 7, stands where `->` should"),
        ("write ->", "the text ends where a target should stand"),
        ("-> review", "'->', at character 1, stands where the name of a node should"),
        ("write - > review", "'-', at character 7, stands where `->` should"),
        ("a b -> c", "'b', at character 3, stands where `->` should"),
        ("a [] -> c", "']', at character 4, stands where an outcome should"),
        ("a [b -> c", "'->', at character 6, stands where `]` should"),
        ("a [b, d] -> c", "',', at character 5, stands where `]` should"),
        ("a -> c d", "'d', at character 8, stands where a comma or the end should"),
        ("a -> end needs work", "'work', at character 16, stands where a comma or the end should"),
        ("a -> end c -> d", "'->', at character 12, stands where a comma or the end should"),
        ("a -> c,", "the text ends where `at most`, `bound` or `then` should stand"),
        ("a -> c, max 3", "'max', at character 9, stands where `at most`, `bound` or `then` should"),
        ("a -> c, at 3", "'3', at character 12, stands where `most` should"),
        ("a -> c, at most three", "'three', at character 17, stands where a whole number should"),
        ("a -> c, at most -1", "'-1', at character 17, stands where a whole number should"),
        ("a -> c, at most", "the text ends where a whole number should stand"),
        ("a -> c, at most 3 my rounds", "'rounds', at character 22, stands where a comma or the end should"),
        ("a -> c, at most 3 r, bound s", "the bound's name stands twice"),
        ("a -> c, bound", "the text ends where the name of a bound should stand"),
        ("a -> c, then", "the text ends where a target should stand"),
        ("a -> c, then d, then e", "`then` stands twice"),
        ("a -> c, at most 0, at most 3", "`at most` stands twice"),
        ("a -> c, bound r, bound s", "the bound's name stands twice"),
        ("a -> c, then end", None),
        ('a -> "c', "'\"c', at character 6, is not understood"),
        ('a -> ""', "'\"\"', at character 6, is not understood"),
    ],
)  # fmt: skip
def test_a_text_that_is_not_understood(text: str, message: str | None) -> None:
    if message is None:
        assert parse_edge(text).then == Target("end")
        return
    with pytest.raises(Refused) as caught:
        parse_edge(text)
    assert (str(caught.value), caught.value.hint) == (message, FORM)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("causes -> weigh -> answer", "write a line for each: causes -> weigh, and weigh -> ..."),
        ('a ["b c"] -> "d e" -> f', 'write a line for each: a ["b c"] -> "d e", and "d e" -> ...'),
    ],
)
def test_a_row_of_arrows_is_several_edges(text: str, hint: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_edge(text)
    assert (str(caught.value), caught.value.hint) == ("an edge has one arrow", hint)


def test_a_target_by_itself() -> None:
    assert [parse_target(text).way for text in ("write", "end x", "fail x", '"my node"')] == [
        "write",
        End("x"),
        End("x", ok=False),
        "my node",
    ]
    with pytest.raises(Refused) as caught:
        parse_target("my node")
    assert str(caught.value) == "'node', at character 4, stands where a comma or the end should"
    assert (
        caught.value.hint == "a target is a node, `end NAME` or `fail NAME`; a name with spaces stands in double quotes"
    )


names = st.text(min_size=1, max_size=8)


def quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


@settings(max_examples=25, deadline=None)
@given(names, names, names, names)
def test_any_name_can_be_quoted(source: str, outcome: str, end: str, bound: str) -> None:
    text = f"{quoted(source)} [{quoted(outcome)}] -> fail {quoted(end)}, bound {quoted(bound)}"
    assert parse_edge(text) == EdgeText(source, outcome, Target(end, False), None, bound)


@settings(max_examples=100, deadline=None)
@given(st.text('ab"\\ ->[],', max_size=12))
def test_any_text_is_an_edge_or_refused(text: str) -> None:
    try:
        edge = parse_edge(text)
    except Refused as refused:
        edge = None
        said = str(refused)
    assert edge is None or (edge.source and edge.to.name)
    assert edge is not None or said
