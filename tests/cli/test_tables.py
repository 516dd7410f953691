"""Tables: what a narrow terminal gets of them."""

import re

import pytest

from loopwright.cli.tables import BatchLine, batch_table, runs_table, visits_table
from loopwright.state.records import Usage, Visit
from loopwright.state.store.runs import RunRow

RUNS = [
    (RunRow("3f2a91c0", "bridge", "", batch="b7", status="interrupted", updated=1.0), 4),
    (RunRow("91c0d3f2", "a bridge over water", "", batch="b7", status="finished", end="accepted"), 1234),
]
VISITS = [
    Visit(0, "boss", "think", "continue", target="solver", reply="The rope is too short.", usage=Usage(tokens_out=7)),
    Visit(1, "solver", "think", "done", target="boss", reply="Ok.", seconds=1.2),
]


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (75, ["run", "status", "end", "visits", "started", "batch", "name"]),
        (74, ["run", "status", "end", "visits", "started", "name"]),
        (67, ["run", "status", "end", "visits", "name"]),
        (56, ["run", "status", "end", "name"]),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns_of_runs(width: int, columns: list[str]) -> None:
    header, first, second = runs_table(RUNS, 100.0, width).splitlines()
    assert header.split() == columns
    assert (first.split()[0], first.split()[-1], second.split()[0]) == ("3f2a91c0", "bridge", "91c0d3f2")
    assert max(map(len, (header, first, second))) <= width


def test_runs_on_a_very_narrow_terminal_have_no_columns() -> None:
    assert runs_table(RUNS, 100.0, 20).splitlines() == [
        "3f2a91c0 interrupted",
        "  bridge",
        "91c0d3f2 finished",
        "  accepted",
        "  a bridge over wat…",
    ]


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (63, ["at", "node", "outcome", "leads to", "took", "tokens", "what was said"]),
        (62, ["at", "node", "outcome", "leads to", "took", "what was said"]),
        (54, ["at", "node", "outcome", "leads to", "what was said"]),
        (47, ["at", "node", "outcome", "what was said"]),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns_of_visits(width: int, columns: list[str]) -> None:
    header, first, _ = visits_table(VISITS, width).splitlines()
    assert [name for name in re.split(" {2,}", header) if name] == columns
    assert "The rope is too" in first


def test_visits_on_a_very_narrow_terminal_have_no_columns() -> None:
    assert visits_table(VISITS, 30).splitlines() == [
        "0 boss continue",
        "  The rope is too short.",
        "1 solver done",
        "  Ok.",
    ]


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (92, ["task", "run", "status", "end", "rounds", "calls", "answer"]),
        (91, ["task", "run", "status", "end", "rounds", "answer"]),
        (84, ["task", "run", "status", "end", "answer"]),
        (76, ["task", "run", "status", "answer"]),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns_of_a_batch(width: int, columns: list[str]) -> None:
    task = "How is a wooden bridge tested?"
    lines = [
        BatchLine(task, "3f2a91c0", "finished", "accepted", 2, 8, "Above 25 % lift the beam."),
        BatchLine(task, "91c0d3f2", "not begun", "", 0, 0, ""),
    ]
    header, first, second = batch_table("task", lines, width).splitlines()
    assert header.split() == columns
    assert first.startswith("How is a wooden bridge test…  3f2a91c0  finished ")
    assert second == "How is a wooden bridge test…  91c0d3f2  not begun"
    assert max(map(len, (header, first, second))) <= width
