"""The live line: what it says of a run at one moment."""

from pathlib import Path

import pytest

from loopwright.cli.progress import Asked, Columns, status_line
from loopwright.graphs.certificate.certify import certify
from loopwright.loop import load
from loopwright.state.records import Usage, Visit

ESSAY = Path(__file__).parents[2] / "examples" / "essay.yaml"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ([], "working"),
        ([Asked("review", "gpt-4o-mini", 7.0)], "review asks gpt-4o-mini, 3.0 s"),
        (
            [Asked("rate[0]/rater", "m", 9.5), Asked("rate[1]/rater", "m", 9.9)],
            "rate[0]/rater and 1 more asks m, 0.5 s",
        ),
        ([Asked("a\x1bb", "m\n", 10.0)], "a\ufffdb asks m , 0.0 s"),
    ],
)
def test_the_status_line(asked: list[Asked], words: str) -> None:
    usage = Usage(calls=4, tokens_in=1000, tokens_out=234)
    tasks = {str(number): each for number, each in enumerate(asked)}
    line = status_line(tasks, 10.0, 5, usage, certify(load(ESSAY).plan))
    assert line == f"{words} · visits 5 of at most 8, calls 4 of at most 8, tokens 1,234"


def test_a_visit_fits_its_line() -> None:
    visit = Visit(11, "review", "think", "revise", reply={"outcome": "revise"}, reason="too\nlong " * 9, seconds=61.2)
    line = Columns(load(ESSAY).plan).line(visit, 40, tokens=False)
    assert line == " 12  review  revise  1 min 1 s  too"
