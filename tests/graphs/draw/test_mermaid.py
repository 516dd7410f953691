"""Mermaid text, with names that Mermaid must not take for its own words."""

import re

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.mermaid import to_mermaid
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge
from loopwright.state.records import Visit


def body(text: str) -> list[str]:
    """The lines of boxes and arrows."""
    return [line.strip() for line in text.splitlines()[1:] if not re.match(r"\s*(class|classDef|linkStyle) ", line)]


def test_the_role_cycle(role_cycle: Plan) -> None:
    text = to_mermaid(role_cycle)
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
        'n4 -->|"continue ≤ 3"| n1',
        'n4 -.->|"rounds used up"| n6',
        'n4 -->|"stop"| n5',
        'n5 -->|"accept"| n7',
        'n5 -->|"reject ≤ 3"| n1',
        'n5 -.->|"rounds used up"| n6',
        'n5 -->|"continue ≤ 3"| n1',
        'n5 -.->|"rounds used up"| n6',
    ]


def test_a_path_is_emphasised(role_cycle: Plan, visits: list[Visit]) -> None:
    lines = [line.strip() for line in to_mermaid(role_cycle, visits=visits, at=["review"]).splitlines()]
    assert lines[2] == 'n1("solver ×2")'  # noqa: RUF001 - the sign itself
    assert lines[-1] == "linkStyle 0,1,2,3,4,6 stroke:#2e8b57,stroke-width:3px"
    assert "class n0,n1,n2,n3,n4 visitedNode" in lines
    assert "class n5 pendingNode" in lines


def test_forks_are_subroutines(forked: Plan) -> None:
    assert body(to_mermaid(forked))[1:3] == [
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
    lines = body(to_mermaid(builder.edge("judge", name, End(name or " ")).build()))
    label = f'|"{written}"|' if name else ""
    assert lines[2:] == [f'n2(["{written}"])', "n0 --> n1", f"n1 -->{label} n2"]
