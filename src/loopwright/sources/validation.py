"""What pydantic found wrong with a spec, in our own words and with the places that the document has."""

import re
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from loopwright.documents.document import Path, inside, leads
from loopwright.errors import Fault
from loopwright.graphs.forms.spec import FORMS, Refused
from loopwright.hints import did_you_mean
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import Runnable
from loopwright.sources.schema import keys_at, tags_at

_MISSING = {"missing", "missing_argument", "missing_keyword_only_argument"}
_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}

_EXPECTED = {
    "a text": ("string_type",),
    "a whole number": ("int_type", "int_parsing", "int_from_float", "int_parsing_size"),
    "a number": ("float_type", "float_parsing", "finite_number"),
    "true or false": ("bool_type", "bool_parsing"),
    "a list": ("list_type", "tuple_type", "sequence_str", "set_type", "frozen_set_type", "iterable_type"),
    "a mapping": ("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"),
    "nothing": ("none_required",),
}
_EXPECTED_BY_TYPE = {type_: words for words, types in _EXPECTED.items() for type_ in types}

_LIMITS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than": lambda limit: f"must be more than {limit['gt']:g}",
    "greater_than_equal": lambda limit: f"must be at least {limit['ge']:g}",
    "less_than": lambda limit: f"must be less than {limit['lt']:g}",
    "less_than_equal": lambda limit: f"must be at most {limit['le']:g}",
    "string_too_short": lambda limit: (
        "must not be empty" if limit["min_length"] == 1 else f"must have at least {limit['min_length']} characters"
    ),
    "too_short": lambda limit: f"must have at least {_counted(limit['min_length'])}",
    "too_long": lambda limit: f"must have at most {_counted(limit['max_length'])}",
}


@dataclass(frozen=True)
class _Finding:
    """One error of pydantic, with its place in the document.

    Args:
        path: The place.
        choices: Where a value could have had several shapes: the place, and pydantic's label of the shape it tried.
        details: What pydantic says.
        expected: For a value of the wrong type: what was expected instead.
    """

    path: Path
    choices: tuple[tuple[Path, str], ...]
    details: ErrorDetails
    expected: tuple[str, ...] = ()


def faults_of(error: ValidationError, data: object, spec_class: type[BaseModel]) -> list[Fault]:
    """All that is wrong, each with the path of a key that is, or should be, in the document.

    Args:
        error: What pydantic raised.
        data: The document that it was given.
        spec_class: The model that it was read as.
    """
    found = [_finding(details, data) for details in error.errors(include_url=False) if not _is_echo(details)]
    return [_fault(finding, data, spec_class) for finding in _settled(found)]


def _is_echo(details: ErrorDetails) -> bool:
    """Whether a list is told to be too short only because what stands in it was refused."""
    given, limit = details["input"], details.get("ctx", {})
    return details["type"] == "too_short" and isinstance(given, Sized) and len(given) >= limit["min_length"]


def _finding(details: ErrorDetails, data: object) -> _Finding:
    """The parts of pydantic's place that lead into the document are the path; the others are labels of shapes."""
    path: Path = ()
    choices: list[tuple[Path, str]] = []
    for index, part in enumerate(details["loc"]):
        if leads(data, part) or (details["type"] in _MISSING and index == len(details["loc"]) - 1):
            path, data = (*path, part), inside(data, part)
        else:
            choices.append((path, str(part)))
    expected = _EXPECTED_BY_TYPE.get(details["type"])
    return _Finding(path, tuple(choices), details, (expected,) if expected else ())


def _settled(found: list[_Finding]) -> list[_Finding]:
    """One account for each value that could have had several shapes."""
    for place in sorted({place for finding in found for place, _ in finding.choices}, key=len):
        shapes: dict[str, list[_Finding]] = {}
        for finding in found:
            label = next((label for at, label in finding.choices if at == place), None)
            if label is not None:
                shapes.setdefault(label, []).append(finding)
        if len(shapes) > 1:
            tried = [finding for shape in shapes.values() for finding in shape]
            rest = [finding for finding in found if finding not in tried]
            position = found.index(tried[0])
            found = [*rest[:position], *_nearest(place, list(shapes.values())), *rest[position:]]
    return found


def _nearest(place: Path, shapes: list[list[_Finding]]) -> list[_Finding]:
    """What keeps a value from the shape that it nearly has; one finding, where it is of the wrong type for all."""
    near = [shape for shape in shapes if not any(finding.expected and finding.path == place for finding in shape)]
    if near:
        return min(near, key=len)
    expected = dict.fromkeys(word for shape in shapes for finding in shape for word in finding.expected)
    return [replace(shapes[0][0], path=place, expected=tuple(expected))]


def _fault(finding: _Finding, data: object, spec_class: type[BaseModel]) -> Fault:
    path, details = finding.path, finding.details
    kind, context, value = details["type"], details.get("ctx", {}), details["input"]
    if kind in _MISSING:
        return Fault(f"the {'entry' if isinstance(path[-1], int) else 'key'} {path[-1]!r} is missing", path)
    if kind in _UNKNOWN:
        known = keys_beside(path, data, spec_class)
        return Fault(f"the key {path[-1]!r} is not known here", path, did_you_mean(str(path[-1]), known))
    if finding.expected:
        expected = " or ".join(finding.expected)
        return Fault(f"expected {expected}, got {_shown(value)}", path, _place_of_model(value, path))
    if kind in _LIMITS:
        return Fault(f"{_LIMITS[kind](context)}, got {_shown(value)}", path)
    if kind in ("literal_error", "enum"):
        return _not_a_choice(value, str(context.get("expected", "")), path)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _no_such_shape(details, path, tags_at(*_from_spec(path, data, spec_class)))
    cause = context.get("error")
    if isinstance(cause, ValueError):
        return Fault(str(cause), path, cause.hint if isinstance(cause, Refused) else "")
    return Fault(details["msg"][:1].lower() + details["msg"][1:], path)


def keys_beside(path: Path, data: object, spec_class: type[BaseModel]) -> list[str]:
    """The keys that may stand where this one does; none, where keys are names that the document gives itself."""
    return keys_at(*_from_spec(path[:-1], data, spec_class))


def _from_spec(path: Path, data: object, spec_class: type[BaseModel]) -> tuple[Mapping[str, Any], object, Path]:
    """The schema, the data and the path, beginning at the innermost spec that a place lies in."""
    start, root, model = 0, data, spec_class
    for index, part in enumerate(path):
        data = inside(data, part)
        kind = inside(data, "kind")
        if isinstance(kind, str) and kind in FORMS:
            start, root, model = index + 1, data, FORMS[kind]
    return _schema_of(model), root, path[start:]


@cache
def _schema_of(model: type[BaseModel]) -> Mapping[str, Any]:
    return model.model_json_schema()


def _place_of_model(value: object, path: Path) -> str:
    """Where a model goes that stands for a name, or a live one that stands for a reference; "" for all else."""
    if not isinstance(value, ModelRef | Model | Runnable):
        return ""
    if path[-1] == "model":
        name, hint = "strong", "a name goes here, as 'strong', and the reference into "
    elif path[-2:-1] == ("models",):
        name, hint = str(path[-1]), "a reference goes into "
    else:
        return ""
    live = "" if isinstance(value, ModelRef) else f"; a live model takes its place by start(models={{{name!r}: ...}})"
    return f"{hint}models={{{name!r}: ModelRef(...)}}{live}"


def _not_a_choice(value: object, expected: str, path: Path) -> Fault:
    choices = re.findall(r"'([^']*)'", expected)
    return Fault(f"{_shown(value)} is not one of the choices", path, did_you_mean(str(value), choices))


def _no_such_shape(details: ErrorDetails, path: Path, tags: list[str]) -> Fault:
    """A value whose shape is told by one of its keys, and is not."""
    key, value = details["ctx"]["discriminator"].strip("'"), details["input"]
    if key in value:
        return _not_a_choice(value[key], details["ctx"]["expected_tags"], (*path, key))
    return Fault(f"the key {key!r} is missing", (*path, key), f"there are: {', '.join(tags)}" if tags else "")


def _counted(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"


def _shown(value: object) -> str:
    """What came, in a few words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value if len(value) <= 40 else value[:37] + '...'!r}"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    return f"a {type(value).__name__}"
