"""Findings: the table, the JSON, the notebook, and the error that holds all of them."""

from dataclasses import replace

import pytest

from loopwright.errors import PlanError
from loopwright.graphs.verify.findings import Findings, edge_words, error, warning

TWO = Findings.of(
    [
        warning("unreachable-end", "no run comes to the end 'x'"),
        error("trap", "no end can be reached from 'c'", "lead it out", ["c"], ["a", "c"]),
        error("trap", "no end can be reached from 'c'", "lead it out", ["c"], ["a", "c"]),
    ]
)


def test_errors_come_first_and_each_once() -> None:
    assert [finding.code for finding in TWO] == ["trap", "unreachable-end"]
    assert [finding.code for finding in TWO.errors] == ["trap"]
    assert [finding.code for finding in TWO.warnings] == ["unreachable-end"]


def test_the_table_is_aligned() -> None:
    assert str(TWO).splitlines() == [
        "error    trap             no end can be reached from 'c'",
        "                          lead it out",
        "                          path: a -> c",
        "warning  unreachable-end  no run comes to the end 'x'",
        "1 error, 1 warning",
    ]
    assert repr(TWO) == str(TWO)


def test_no_findings_are_false_and_say_so() -> None:
    assert not Findings()
    assert TWO
    assert str(Findings()) == "no findings"
    assert Findings()._repr_html_() == "<p>no findings</p>"
    assert Findings((TWO[1],)).raise_for_errors() is None  # type: ignore[func-returns-value]


def test_all_errors_are_raised_together() -> None:
    with pytest.raises(PlanError) as caught:
        TWO.raise_for_errors()
    assert caught.value.findings == TWO.errors
    assert str(caught.value).splitlines() == [
        "this plan cannot run",
        "error  trap  no end can be reached from 'c'",
        "             lead it out",
        "             path: a -> c",
        "1 error",
    ]


def test_slices_are_findings() -> None:
    assert TWO[:1] == Findings((TWO[0],))
    assert len(TWO[1:]) == 1


def test_the_json_holds_every_field() -> None:
    assert TWO.to_data()[0] == {
        "code": "trap",
        "severity": "error",
        "message": "no end can be reached from 'c'",
        "hint": "lead it out",
        "nodes": ["c"],
        "path": ["a", "c"],
        "about": ["nodes", "c"],
        "file": "",
        "line": None,
    }


def test_the_place_is_told_where_it_is_known() -> None:
    finding = error("missing-edge", "'a' [yes] leads nowhere", nodes=["a"], about=("edges", "a", "yes"))
    assert (finding.place, TWO[0].place, TWO[1].place) == (("edges", "a", "yes"), ("nodes", "c"), ())
    located = Findings((replace(finding, file="x.yaml", line=3),))
    assert str(located[0]) == "error: missing-edge: x.yaml:3: 'a' [yes] leads nowhere"
    assert str(located).splitlines()[0] == "error  missing-edge  x.yaml:3: 'a' [yes] leads nowhere"
    assert "x.yaml:3: " in located._repr_html_()
    assert replace(finding, file="x.yaml").words == "x.yaml: 'a' [yes] leads nowhere"


def test_html_is_escaped_and_holds_no_style_sheet_and_no_script() -> None:
    page = Findings((error("trap", "<script>alert(1)</script>", "<b>"),))._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;" in page
    assert "<script" not in page
    assert "<style" not in page
    assert page.endswith("<p>1 error</p>")


def test_an_edge_is_written_with_its_outcome_in_brackets() -> None:
    assert edge_words("review", "revise") == "'review' [revise]"
