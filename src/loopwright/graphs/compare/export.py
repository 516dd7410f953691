"""Results as files for programs: CSV with one row for each run, and JSON with everything."""

import csv
import io
import json
import math
from dataclasses import asdict, fields
from typing import Any

from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.trials import Trial

COLUMNS = tuple(field.name for field in fields(Trial))
"""The columns of the CSV."""


def csv_of(results: Results) -> str:
    """One row for each run, and a header; what is not there is an empty cell.

    Example:
        >>> csv_of(Results((), {})).partition(",")[0]
        'contender'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(trial.to_row() for trial in results.trials)
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
            "rows": [trial.to_row() for trial in results.trials],
        }
    )
    return data


def json_of(results: Results) -> str:
    """The same as text."""
    return json.dumps(data_of(results), ensure_ascii=False, indent=2) + "\n"


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(item) for item in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
