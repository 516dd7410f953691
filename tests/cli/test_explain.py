"""`explain`: a finding's text."""

from typing import Any

from loopwright.graphs.verify.explanations import EXPLANATIONS


def test_a_code_is_explained(loopwright: Any) -> None:
    done = loopwright("explain", "missing-edge")
    assert (done.code, done.out, done.err) == (0, f"missing-edge\n\n{EXPLANATIONS['missing-edge']}\n", "")


def test_an_unknown_code_is_told(loopwright: Any) -> None:
    done = loopwright("explain", "missing-edges")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "error: no finding has the code 'missing-edges' (did you mean 'missing-edge'? there are: "
    )
