"""Graphviz text, with names that Graphviz must not take for its own words. Another parser reads it."""

import warnings
from functools import partial
from typing import Any

import pydot
import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.draw.theme import DARK, LIGHT
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge
from loopwright.state.records import Visit

dot = partial(picture, format="dot")


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def parsed(text: str) -> Any:
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of the parser's own parser
        found: Any = pydot.graph_from_dot_data(text)
    assert found, "not in Graphviz's grammar"
    return found[0]


def test_graphviz_reads_every_line(role_cycle: Plan, forked: Plan) -> None:
    ways = [(edge.get_source(), edge.get_destination()) for edge in parsed(dot(role_cycle)).get_edges()]
    assert ways == [(f"n{a.source}", f"n{a.target}") for a in scene_of(role_cycle).arrows]
    graph = parsed(dot(forked, opened=True))
    inner = [len(body.get_edges()) for fork in graph.get_subgraphs() for body in fork.get_subgraphs()]
    assert (len(graph.get_edges()), inner) == (4, [5, 0, 0, 0])


def test_arrows_say_what_they_are(role_cycle: Plan) -> None:
    text = lines(dot(role_cycle))
    assert text[0] == 'digraph "bridge" {'
    assert [line.partition(", tooltip")[0] for line in text if line.startswith("n4 ->")] == [
        'n4 -> n1 [label="continue (rounds ≤ 3)"',
        'n4 -> n6 [label="rounds used up", style=dashed',
        'n4 -> n5 [label="stop"',
    ]


def test_a_path_is_emphasised(role_cycle: Plan, visits: list[Visit]) -> None:
    text = lines(dot(role_cycle, visits=visits, at=["review"]))
    assert f'n0 -> n1 [color="{LIGHT.taken}", penwidth=2.4, tooltip="start → solver"];' in text
    assert any(line.startswith('n1 [label="solver ×2"') for line in text)  # noqa: RUF001 - the sign itself
    assert any(line.startswith("n5 ") and f'color="{LIGHT.pending}", penwidth=2.4' in line for line in text)


def test_the_colours_are_those_of_the_theme(role_cycle: Plan) -> None:
    assert f'bgcolor="{DARK.background}"' in dot(role_cycle, theme="dark")


def test_an_opened_fork_is_a_cluster(forked: Plan) -> None:
    closed, opened = lines(dot(forked)), lines(dot(forked, opened=True))
    assert [line for line in closed if "cluster" in line] == []
    assert [line for line in opened if "cluster" in line] == [
        "subgraph cluster_n1 {",
        "subgraph cluster_n1_0_ {",
        "subgraph cluster_n2 {",
        "subgraph cluster_n2_0_ {",
        "subgraph cluster_n2_1_ {",
        "subgraph cluster_n2_2_ {",
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("digraph", "digraph"),
        ('say "no"', r"say \"no\""),
        (r"back\nslash", r"back\\nslash"),
        ("a -> b; {c} [d]", "a -> b; {c} [d]"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("two\nlines", "two lines"),
        ("<b>", "<b>"),
    ],
)
def test_every_name_is_shown_letter_for_letter(name: str, written: str) -> None:
    builder = PlanBuilder(name).node(Judge("judge", prompt="x", outcomes=[name, "other"]))
    text = lines(dot(builder.edge("judge", name, End(name)).edge("judge", "other", "judge").build()))
    assert text[0] == f'digraph "{written}" {{'
    assert len(parsed("\n".join(text)).get_edges()) == 3
    assert any(line.startswith(f'n2 [label="{written}", shape=oval') for line in text)
    assert any(line.startswith(f'n1 -> n2 [label="{written}"') for line in text)
