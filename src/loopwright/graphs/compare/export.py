"""Results as files for programs: CSV with one row for each run, and JSON with everything."""

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.trials import Trial

COLUMNS = tuple(field.name for field in fields(Trial) if field.name != "inputs")
"""The first columns of the CSV; one for each input follows."""


def rows_of(results: Results) -> list[dict[str, Any]]:
    """A mapping for each run, all with the same keys; problems that have numbers for names have numbers."""
    rows = [trial.to_row() for trial in results.trials]
    columns = dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)])
    numbered = all(row["problem"].isdecimal() and str(int(row["problem"])) == row["problem"] for row in rows)
    return [
        {name: int(row[name]) if numbered and name == "problem" else row.get(name) for name in columns} for row in rows
    ]


def csv_of(results: Results) -> str:
    """One row for each run, and a header; what is not there is an empty cell.

    Example:
        >>> csv_of(Results((), {})).partition(",")[0]
        'contender'
    """
    text = io.StringIO()
    rows = rows_of(results)
    writer = csv.DictWriter(text, list(rows[0]) if rows else COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def data_of(results: Results) -> dict[str, Any]:
    """Everything as JSON: rows, contenders, pairs and notes. A bound that is infinite is null."""
    data: dict[str, Any] = _finite(
        {
            "batch": results.batch,
            "store": results.store,
            "no_answer": results.no_answer,
            "contenders": [asdict(standing) for standing in results.contenders],
            "pairs": [asdict(pair) for pair in results.pairs],
            "judging": {"judgements": results.judgements, **asdict(results.judging)},
            "notes": list(results.notes),
            "rows": rows_of(results),
        }
    )
    return data


def json_of(results: Results) -> str:
    """The same as text."""
    return json.dumps(data_of(results), ensure_ascii=False, indent=2) + "\n"


def _cell(value: Any) -> Any:
    """A value as a cell of a CSV: lists and mappings are JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | Mapping) else value


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(item) for item in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
