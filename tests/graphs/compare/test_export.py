"""Results as CSV and JSON, read back."""

import csv
import io
import json
from dataclasses import replace
from typing import Any

from loopwright.graphs.compare.export import COLUMNS, csv_of, data_of, json_of, rows_of


def test_the_csv_has_a_row_for_each_run(results: Any) -> None:
    found = results({'a, the "first"\nof two': [1.0, None], "b": [0.5, 0.25]})
    rows = list(csv.DictReader(io.StringIO(csv_of(found))))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["contender"], row["problem"], row["score"]) for row in rows] == [
        ('a, the "first"\nof two', "1", "1.0"),
        ('a, the "first"\nof two', "2", ""),
        ("b", "1", "0.5"),
        ("b", "2", "0.25"),
    ]
    assert [(row["answered"], row["ok"], row["status"]) for row in rows[:2]] == [
        ("True", "True", "finished"),
        ("False", "", "suspended"),
    ]


def test_rows_have_results_and_inputs_and_problems_of_one_type(results: Any, trial: Any) -> None:
    one = trial("a", "1", 1.0, result={"x": [1]}, expected="é", inputs={"sum": "2+2"})
    other = trial("a", "2", 1.0, inputs={"size": 3})
    found = results({}, trials=(one, other), most_calls={"a": 1})
    assert [(row["problem"], row["sum"], row["size"]) for row in rows_of(found)] == [(1, "2+2", None), (2, None, 3)]
    first, second = csv.DictReader(io.StringIO(csv_of(found)))
    assert (first["result"], first["expected"], first["sum"], first["size"]) == ('{"x": [1]}', "é", "2+2", "")
    assert (second["result"], second["size"]) == ("", "3")
    named = results({}, trials=(one, replace(other, problem="02")), most_calls={"a": 1})
    assert [row["problem"] for row in rows_of(named)] == ["1", "02"]


def test_the_json_has_everything(results: Any) -> None:
    found = results({"a": [1.0, 0.0], "b": [0.5, None]})
    data = json.loads(json_of(found))
    assert data == data_of(found)
    assert [row["run"] for row in data["rows"]] == ["a-1", "a-2", "b-1", "b-2"]
    assert data["contenders"][0]["quality"]["mean"] == 0.5
    assert data["pairs"][0]["verdict"] == "too few problems to show a difference"
    assert data["notes"] == ["1 run has no answer and is scored 0: b suspended 1; the first, run b-2: say: 503"]
    assert data["judging"]["judgements"] == 0


def test_json_has_no_infinity(results: Any) -> None:
    data = json.loads(json_of(results({"a": [0.5], "b": [0.25]})), parse_constant=lambda word: word)
    assert data["contenders"][0]["quality"] == {"mean": 0.5, "low": None, "high": None, "count": 1}
