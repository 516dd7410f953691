"""Mermaid text, with names that Mermaid must not take for its own words."""

import re
from functools import partial

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.theme import DARK
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge
from loopwright.state.records import Visit

mermaid = partial(picture, format="mmd")


def body(text: str) -> list[str]:
    """The lines of boxes and arrows."""
    return [line.strip() for line in text.splitlines()[1:] if not re.match(r"\s*(class|classDef|linkStyle) ", line)]


def test_the_role_cycle(role_cycle: Plan) -> None:
    text = mermaid(role_cycle)
    assert text.startswith("flowchart TD\n")
    assert body(text) == [
        'n0(["start"])',
        'n1("solver")',
        'n2("detractor")',
        'n3("master")',
        'n4{{"boss"}}',
        'n5[/"review"/]',
        'n6(["max_rounds"])',
        'n7(["accepted"])',
        "n0 --> n1",
        "n1 --> n2",
        "n2 --> n3",
        "n3 --> n4",
        'n4 -->|"continue #40;rounds ≤ 3#41;"| n1',
        'n4 -.->|"rounds used up"| n6',
        'n4 -->|"stop"| n5',
        'n5 -->|"accept"| n7',
        'n5 -->|"reject, continue #40;rounds ≤ 3#41;"| n1',
        'n5 -.->|"rounds used up"| n6',
    ]


def test_a_path_is_emphasised(role_cycle: Plan, visits: list[Visit]) -> None:
    lines = [line.strip() for line in mermaid(role_cycle, visits=visits, at=["review"]).splitlines()]
    assert lines[2] == 'n1("solver ×2")'  # noqa: RUF001 - the sign itself
    assert lines[-1] == "linkStyle 0,1,2,3,4,6 stroke:#2e8b57,stroke-width:3px"
    assert "class n0,n1,n2,n3,n4 visitedNode" in lines
    assert "class n5 pendingNode" in lines


def test_the_colours_are_those_of_the_theme(role_cycle: Plan) -> None:
    fill, stroke = DARK.shapes["wait"]
    assert f"classDef waitNode fill:{fill},stroke:{stroke},color:{DARK.text}" in mermaid(role_cycle, theme="dark")


def test_an_outcome_without_an_edge_leads_nowhere() -> None:
    builder = PlanBuilder("gap").node(Judge("judge", prompt="x", outcomes=["on", "off"]))
    text = mermaid(builder.edge("judge", "on", End("over")).build())
    assert body(text)[3:] == ['n3>"nowhere"]', "n0 --> n1", 'n1 -->|"on"| n2', 'n1 -.->|"off"| n3']


def test_forks_are_subroutines(forked: Plan) -> None:
    assert mermaid(forked, opened=True) == mermaid(forked)
    assert body(mermaid(forked))[1:3] == [
        'n1[["rate<br>each option#58; rating"]]'.replace("#58;", ":"),
        'n2[["voices<br>optimist + pessimist + 1 more"]]',
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("end", "end"),
        ('say "no"', "say #34;no#34;"),
        ("a|b [c] {d} (e)", "a#124;b #91;c#93; #123;d#125; #40;e#41;"),
        ("<b>&amp;", "#60;b#62;#38;amp#59;"),
        ("#35;", "#35;35#59;"),
        ("two\nlines", "two lines"),
        ("1. first", "#49;. first"),
        ("12) twelfth", "#49;#50;#41; twelfth"),
        ("- dash", "#45; dash"),
        ("`*a*`", "#96;#42;a#42;#96;"),
        ("max_rounds", "max_rounds"),
        ("_private_", "#95;private#95;"),
        ("\u05e9\u05dc\u05d5\u05dd 日本", "\u05e9\u05dc\u05d5\u05dd 日本"),
        ("", " "),
    ],
)
def test_every_name_is_shown_letter_for_letter(name: str, written: str) -> None:
    builder = PlanBuilder("names").node(Judge("judge", prompt="x", outcomes=[name, "other"]))
    lines = body(mermaid(builder.edge("judge", name, End(name or " ")).edge("judge", "other", "judge").build()))
    label = f'|"{written}"|' if name else ""
    assert lines[2:] == [f'n2(["{written}"])', "n0 --> n1", f"n1 -->{label} n2", 'n1 -->|"other"| n1']
