"""A comparison as its users hold it."""

import csv
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import DrawError
from loopwright.graphs.compare.comparison import Comparison, format_of
from loopwright.graphs.compare.export import csv_of, json_of


@pytest.fixture
def comparison(results: Any) -> Comparison:
    return Comparison(results({"a": [1.0] * 6 + [None], "b": [0.0] * 7}))


def test_it_tells_what_its_results_are(comparison: Comparison) -> None:
    assert repr(comparison) == "Comparison('b7c0', problems=7, {'a': 0.8571, 'b': 0.0})"
    assert (comparison.batch, comparison.complete, len(comparison.rows)) == ("b7c0", False, 14)
    assert comparison.notes == ("1 run has no answer and is scored 0: a suspended 1; the first, run a-7: say: 503",)
    assert [standing.name for standing in comparison.contenders] == ["a", "b"]
    assert comparison.pairs[0].better == "a"
    assert str(comparison).splitlines()[0].startswith("contender  quality")


def test_pandas_takes_the_rows_and_reads_the_csv(comparison: Comparison, tmp_path: Path) -> None:
    pandas = importlib.import_module("pandas")
    made = pandas.DataFrame(comparison.rows)
    comparison.draw(tmp_path / "runs.csv")
    read = pandas.read_csv(tmp_path / "runs.csv")
    for frame in (made, read):
        assert frame.groupby("contender")["score"].mean().to_dict() == {"a": 1.0, "b": 0.0}
        assert frame.groupby("contender")["answered"].sum().to_dict() == {"a": 6, "b": 7}
        assert frame["tokens_in"].sum() == 140
    assert list(made.columns) == list(read.columns)


def test_it_is_written_in_the_format_of_the_file(comparison: Comparison, tmp_path: Path) -> None:
    for name in ("x.csv", "x.JSON", "x.svg", "x.html", "x.png"):
        made = comparison.draw(tmp_path / name)
        written = (tmp_path / name).read_bytes()
        assert written == (made if isinstance(made, bytes) else made.encode())
    with (tmp_path / "x.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 14
    assert (tmp_path / "x.csv").read_text() == csv_of(comparison.results)
    assert json.loads((tmp_path / "x.JSON").read_text()) == json.loads(json_of(comparison.results))
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"
    assert comparison.draw(format="svg") == comparison.draw() == (tmp_path / "x.svg").read_text()
    assert comparison.draw(theme="dark") != comparison.draw()
    assert comparison.draw(format="png", scale=1.0) != comparison.draw(format="png")


def test_a_notebook_shows_the_plot(comparison: Comparison) -> None:
    assert comparison._repr_mimebundle_() == {"image/svg+xml": comparison.draw(), "text/plain": str(comparison)}


def test_what_cannot_be_written_is_told(comparison: Comparison, tmp_path: Path) -> None:
    with pytest.raises(DrawError, match=r"is not written as \.pdf; suffixes are \.csv, \.json, \.svg, \.html, \.png"):
        comparison.draw(tmp_path / "x.pdf")
    with pytest.raises(DrawError, match="a file needs a suffix"):
        format_of(Path("plot"))
    wrong: Any = "pdf"
    with pytest.raises(DrawError, match="a comparison is not written as 'pdf'"):
        comparison.draw(format=wrong)
    with pytest.raises(DrawError, match="there is no theme 'pdf'; themes are light, dark"):
        comparison.draw(theme=wrong)
    with pytest.raises(DrawError, match="cannot be written: No such file"):
        comparison.draw(tmp_path / "nowhere" / "x.svg")
