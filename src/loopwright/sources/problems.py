"""Files of problems: YAML, JSON, JSON lines or CSV, with the line of every problem and value."""

import csv
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from loopwright.documents.document import Document
from loopwright.documents.document import Path as Place
from loopwright.documents.files import read_text
from loopwright.documents.json_text import read_json
from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError
from loopwright.graphs.compare.problems import Problem, Taker, fitting_problems

MAX_BYTES = 200_000_000
"""Bytes that a file of problems may have."""


def read_problems(path: str | os.PathLike[str], takers: Sequence[Taker]) -> list[Problem]:
    """The problems of a file, if they fit every contender.

    A file ends in `.yaml` or `.yml`, a list of mappings; `.json`, the same; `.jsonl`, a mapping on each line; or
    `.csv`, a header and a problem on each row. There values become what the inputs' types want, and `expected` stays a
    text.

    Args:
        path: The file.
        takers: The contenders.

    Raises:
        SourceError: The file has faults; all of them, with lines.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from loopwright.graphs.builder import PlanBuilder
        >>> from loopwright.state.channels import Channel
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Think
        >>> plan = PlanBuilder("sum", [Channel("sum", str, input=True), Channel("said", str)], result="said")
        >>> _ = plan.node(Think("say", prompt="<{sum}>", writes="said")).edge("say", "done", End("said"))
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "sums.csv")
        ...     _ = file.write_text("sum,expected\\n2+2,4\\n")
        ...     read_problems(file, [Taker("zero", plan.build())])
        [Problem(name='1', inputs={'sum': '2+2'}, expected='4')]
    """
    suffix = Path(path).suffix.lower()
    name = str(path)
    if suffix not in _READERS:
        hint = f"suffixes are {', '.join(_READERS)}"
        raise SourceError([Fault("a file of problems needs another suffix", hint=hint, file=name)])
    text = read_text(path, tuple(_READERS), MAX_BYTES)
    document = Document(None, file=name)
    try:
        document = replace(_READERS[suffix](text), file=name)
        return fitting_problems(document.data, takers, texts=suffix == ".csv")
    except SourceError as error:
        raise SourceError(document.located(error.faults)) from error


def _read_lines(text: str) -> Document:
    """JSON lines; a line without a word is left out."""
    data: list[JsonValue] = []
    lines: dict[Place, int] = {}
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = len(data)
        try:
            data.append(read_json(line).data)
        except SourceError as error:
            faults += (replace(fault, line=number) for fault in error.faults)
        lines[place,] = number
    if faults:
        raise SourceError(faults)
    return Document(data, lines)


def _read_csv(text: str) -> Document:
    """CSV with a header; the line of a row that goes over several is its first."""
    rows = _rows(text)
    header = next(rows)[1]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice or not all(header):
        said = f"the column {twice[0]!r} stands twice" if twice else "a column has no name"
        raise SourceError([Fault(said, hint="the first line names the columns", line=1)])
    data: list[JsonValue] = []
    lines: dict[Place, int] = {}
    faults: list[Fault] = []
    for number, cells in rows:
        if len(cells) != len(header):
            said = f"{len(cells)} cells, where the header has {len(header)}"
            faults.append(Fault(said, hint="a text with commas stands in double quotes", line=number))
            continue
        lines[len(data),] = number
        data.append(dict(zip(header, cells, strict=True)))
    if faults:
        raise SourceError(faults)
    return Document(data, lines)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that say something, each with the line at which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begin = 1
    try:
        for cells in reader:
            if cells:
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        raise SourceError([Fault(f"broken CSV: {error}", line=begin)]) from error


_READERS: Mapping[str, Callable[[str], Document]] = {
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".json": read_json,
    ".jsonl": _read_lines,
    ".csv": _read_csv,
}


def problems_of(data: Any, takers: Sequence[Taker]) -> list[Problem]:
    """The problems of a file, or of data as a file would hold it.

    Raises:
        SourceError: They have faults; all of them.
    """
    if isinstance(data, str | os.PathLike):
        return read_problems(data, takers)
    return fitting_problems(list(data) if not isinstance(data, Mapping) else data, takers)
