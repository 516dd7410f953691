"""`--each FILE`: a list of inputs, a run for each."""

from pathlib import Path

from loopwright.documents.files import read_file
from loopwright.errors import Fault, SourceError
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.state.schema import check_for, word_of
from loopwright.state.values import JsonObject


def read_each(plan: Plan, path: Path) -> list[JsonObject]:
    """The inputs of each run.

    Args:
        plan: The plan.
        path: A YAML or JSON file: a list with a mapping for each run, from inputs to values; where the plan has one
            input, its values alone will do.

    Raises:
        SourceError: It is no such list, an input is not known, or a value does not fit; all of it, with lines.
    """
    document = read_file(path)
    known = {channel.name: channel for channel in plan.inputs}
    if not isinstance(document.data, list) or not document.data:
        fault = Fault("this is no list of inputs", hint="a list with a mapping for each run, from inputs to values")
        raise SourceError(document.located([fault]))
    faults: list[Fault] = []
    rows: list[JsonObject] = []
    for index, item in enumerate(document.data):
        if not isinstance(item, dict) and len(known) == 1:
            row: JsonObject = {next(iter(known)): item}
        elif isinstance(item, dict):
            row = item
        else:
            faults.append(Fault("expected a mapping, from inputs to values", (index,)))
            continue
        rows.append(row)
        for name, value in row.items():
            place = (index, name) if row is item else (index,)
            if name not in known:
                hint = did_you_mean(name, known) if known else "this loop takes none"
                faults.append(Fault(f"there is no input {name!r}", place, hint))
                continue
            try:
                check_for(known[name].type)(value)
            except ValueError as error:
                faults.append(Fault(f"{error}", place, f"it takes {word_of(known[name].type)}"))
    if faults:
        raise SourceError(document.located(faults))
    return rows
