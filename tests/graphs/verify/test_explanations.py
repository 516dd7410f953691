"""Explanations: every code has one, and the examples of what is right are as a file takes them."""

from typing import get_args

import pytest

from loopwright.graphs.forms.edge_text import parse_edge
from loopwright.graphs.verify.explanations import EXPLANATIONS
from loopwright.graphs.verify.findings import Code


def parts(code: Code) -> tuple[str, str, str]:
    """The meaning, what is wrong and what is right."""
    meaning, _, examples = EXPLANATIONS[code].partition("\n\nwrong:\n")
    wrong, _, right = examples.partition("\nright:\n")
    return meaning, wrong, right


def test_every_code_is_explained_in_order() -> None:
    assert list(EXPLANATIONS) == sorted(get_args(Code))


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_an_explanation_is_a_meaning_and_two_examples(code: Code) -> None:
    meaning, wrong, right = parts(code)
    assert meaning.endswith(".")
    assert wrong != right
    for line in (*wrong.splitlines(), *right.splitlines()):
        assert line.startswith("    ")


def test_edges_that_are_shown_as_right_can_be_read() -> None:
    lines = [line.strip() for code in EXPLANATIONS for line in parts(code)[2].splitlines()]
    edges = [line.removeprefix("- ") for line in lines if line.startswith("- ") and "->" in line]
    assert len(edges) > 5
    for edge in edges:
        assert parse_edge(edge).source
