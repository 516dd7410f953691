"""Whether one type takes all that another one does. Where that cannot be told, it is taken not to."""

import json
from collections.abc import Mapping
from typing import Any

from loopwright.state.values import JsonSchema

_SAYING_NOTHING = frozenset({"title", "description", "examples", "default", "$schema"})
_UNDERSTOOD = frozenset({"type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf"})


def takes_all_of(one: JsonSchema, other: JsonSchema) -> bool:
    """Whether every value that fits the other schema fits this one, as far as that can be told.

    Example:
        >>> takes_all_of({"enum": ["yes", "no", "later"]}, {"enum": ["yes", "no"]})
        True
        >>> takes_all_of({"enum": ["yes"]}, {"enum": ["yes", "no"]}), takes_all_of({"type": "string"}, {})
        (False, False)
    """
    mine, its = _told(one), _told(other)
    if not mine or json.dumps(mine, sort_keys=True) == json.dumps(its, sort_keys=True):
        return True
    if "anyOf" in its:
        rest = {key: value for key, value in its.items() if key != "anyOf"}
        return all(takes_all_of(mine, {**rest, **each}) for each in its["anyOf"])
    if "anyOf" in mine and mine.keys() == {"anyOf"}:
        return any(takes_all_of(each, its) for each in mine["anyOf"])
    if not mine.keys() <= _UNDERSTOOD or "anyOf" in mine:
        return False
    return _takes_words(mine, its) and _takes_parts(mine, its)


def _takes_words(mine: Mapping[str, Any], its: Mapping[str, Any]) -> bool:
    """Whether the kinds and the single values of the other are among those of this one."""
    values = its.get("enum", [its["const"]] if "const" in its else None)
    if "enum" in mine or "const" in mine:
        own = mine.get("enum", [mine.get("const")])
        if values is None or not all(any(_same(value, each) for each in own) for value in values):
            return False
    if "type" not in mine:
        return True
    kinds, found = _listed(mine["type"]), _listed(its.get("type", ()))
    if not found and values is not None:
        found = [_kind(value) for value in values]
    return bool(found) and all(kind in kinds or (kind == "integer" and "number" in kinds) for kind in found)


def _takes_parts(mine: Mapping[str, Any], its: Mapping[str, Any]) -> bool:
    """Whether the parts of the other's mappings and lists are taken."""
    if not set(mine.get("required", ())) <= set(its.get("required", ())):
        return False
    own, parts = mine.get("properties", {}), its.get("properties", {})
    closed = mine.get("additionalProperties", True)
    rest = its.get("additionalProperties", True)
    if closed is False and (rest is not False or not parts.keys() <= own.keys()):
        return False
    if isinstance(closed, Mapping) and not (
        rest is False or (isinstance(rest, Mapping) and takes_all_of(closed, rest))
    ):
        return False
    if any(name not in parts and rest is not False for name in own):
        return False
    spare = closed if isinstance(closed, Mapping) else {}
    if not all(takes_all_of(own.get(name, spare), part) for name, part in parts.items()):
        return False
    return "items" not in mine or ("items" in its and takes_all_of(mine["items"], its["items"]))


def _told(schema: JsonSchema) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in _SAYING_NOTHING}


def _listed(kinds: Any) -> list[Any]:
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _kind(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
