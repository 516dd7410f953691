"""`explain`: a finding's text."""

from typing import Any

from loopwright.graphs.verify.explanations import EXPLANATIONS


def test_a_code_is_explained(loopwright: Any) -> None:
    done = loopwright("explain", "missing-edge")
    assert (done.code, done.out, done.err) == (0, f"missing-edge\n\n{EXPLANATIONS['missing-edge']}\n", "")


def test_without_a_code_all_are_listed(loopwright: Any) -> None:
    done = loopwright("explain")
    header, *lines, empty, more = done.out.splitlines()
    assert (done.code, done.err, header.split()[0], empty) == (0, "", "code", "")
    assert [line.split()[0] for line in lines] == [*EXPLANATIONS]
    assert max(map(len, lines)) <= 100
    assert more == "More of each, with examples: loopwright explain CODE"
    assert f"{'bad-default':19}  A channel's value before the first write must fit the channel's type." in lines


def test_an_unknown_code_is_told(loopwright: Any) -> None:
    done = loopwright("explain", "missing-edges")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "error: no finding has the code 'missing-edges' (did you mean 'missing-edge'? there are: "
    )
