"""Reading a value out of a model's words: never a guess.

Models put JSON into fences and prose, write `Pass.` for `pass` and `8/10` for 8. Where the schema leaves such words
exactly one meaning, that meaning is taken, and noted. Everything else is `Unreadable`, with words that can be shown to
the model.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from loopwright.errors import Unreadable
from loopwright.nodes.fitting import fitted
from loopwright.nodes.prose import embedded, fenced, spoken_after_thought
from loopwright.state.schema import check_for, is_json, word_of
from loopwright.state.text import parsed
from loopwright.state.values import Json, JsonSchema

_SHOWN = 300
"""So many characters of an answer, or of the validator's words about it, are shown."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A value that was read.

    Args:
        value: The value; it fits the schema.
        note: What was done to the answer to get it, or "" when it was the answer itself.

    Example:
        >>> Reading("pass", 'read "Pass." as "pass"').repaired
        True
    """

    value: Json
    note: str = ""

    @property
    def repaired(self) -> bool:
        """Whether the value is not, to the letter, what the model said."""
        return bool(self.note)


def read_value(content: Json, schema: JsonSchema | None, *, truncated: bool = False) -> Reading:
    """The value that an answer holds.

    Args:
        content: What the model said: a text, or data already.
        schema: JSON Schema of the value; None for plain text, which is taken as it is.
        truncated: Whether the provider cut the answer short. Then no value is read from it, for a part may look like a
            whole; plain text is kept.

    Returns:
        The value, and a note when the answer was not the value to the letter.

    Raises:
        Unreadable: The answer is empty, or holds no value that fits, or more than one.

    Example:
        >>> rating = {"type": "number", "minimum": 1, "maximum": 10}
        >>> read_value("8/10", rating)
        Reading(value=8, note='read "8/10" as 8')
        >>> read_value("11/10", rating)
        Traceback (most recent call last):
        loopwright.errors.Unreadable: 11 is greater than the maximum of 10
    """
    if content is None or (isinstance(content, str) and not content.strip()):
        raise Unreadable("the answer is empty")
    if schema is None:
        if not isinstance(content, str):
            if not is_json(content):
                raise Unreadable("a text was asked for, and the answer is data that cannot be kept")
            raise Unreadable(f"a text was asked for, and the answer is {_shown(content)}")
        if not is_json(content):
            raise Unreadable("the answer holds halves of characters, which no text can have")
        return Reading(content)
    if truncated:
        raise Unreadable("the answer was cut off at the token limit; give a shorter one")
    if not isinstance(content, str):
        value = _fit(content, schema)
        return Reading(value, _note(content, value))
    text = spoken_after_thought(content)
    if not text.strip():
        raise Unreadable("the answer is a thought without an answer after it")
    reading = _from_text(text, schema)
    return reading if text == content or reading.repaired else Reading(reading.value, "taken from after the thought")


def kept(said: Json) -> Json:
    """What was said in a form that can be stored, whatever it is.

    Example:
        >>> kept("8/10"), kept(float("nan"))
        ('8/10', 'nan')
    """
    if is_json(said):
        return said
    try:
        text = said if isinstance(said, str) else repr(said)
    except RecursionError:
        text = f"{type(said).__name__} that is nested too deeply"
    return text.encode(errors="backslashreplace").decode()


def _from_text(text: str, schema: JsonSchema) -> Reading:
    """The value of the whole text, else of the one piece of data in it."""
    faults: list[Unreadable] = []
    for said, how in _spoken(text, schema):
        try:
            value = _fit(said, schema)
        except Unreadable as error:
            faults.append(error)
        else:
            return Reading(value, "; ".join(filter(None, [how, _note(said, value)])))
    pieces = list(embedded(text)) or [said for inner in fenced(text) for said, _ in _spoken(inner, schema)]
    fits = [fit for piece in pieces for fit in _fits(piece, schema)]
    if fits and all(_same(fit, fits[0][1]) for _, fit in fits):
        said, value = next((each for each in fits if _same(*each)), fits[0])
        return Reading(value, "; ".join(filter(None, ["taken out of the text around it", _note(said, value)])))
    if fits:
        raise Unreadable(f"the answer holds {len(fits)} values that differ; give exactly one")
    raise _fault(text, pieces, schema) or faults[0]


def _fault(text: str, pieces: list[Json], schema: JsonSchema) -> Unreadable | None:
    """Why a text cannot be read, where more can be said than that it does not fit."""
    if len(pieces) == 1 and not isinstance(pieces[0], str):
        try:
            _fit(pieces[0], schema)
        except Unreadable as error:
            return error
    if pieces or schema.get("type") not in ("object", "array"):
        return None
    try:
        parsed(text)
    except ValueError as error:
        if text.lstrip()[0] in "{[":
            return Unreadable(f"the answer is not valid JSON: {error}")
        return Unreadable(f"the answer is {_shown(text)}, and not JSON of the form {_form(schema)}")
    return None


def _form(schema: JsonSchema) -> str:
    """A schema in short: `{outcome: pass | revise, reason?: str}`."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping):
        return word_of(schema)
    needed = required if isinstance(required, list) else []
    parts = [
        f"{name}{'' if name in needed else '?'}: {word_of(part) if isinstance(part, Mapping) else 'any'}"
        for name, part in properties.items()
    ]
    return "{" + ", ".join(parts) + "}"


def _spoken(text: str, schema: JsonSchema) -> Iterator[tuple[Json, str]]:
    """What a whole text can stand for, and how: the JSON that it is, the JSON in a text that it is, or itself."""
    for line_ends, how in ((False, ""), (True, "read with line ends inside of its texts")):
        with suppress(ValueError):
            said = parsed(text, line_ends=line_ends)
            yield said, how
            if isinstance(said, str) and schema.get("type") in ("object", "array"):
                yield parsed(said), "read the JSON that stands in a text"
            break
    yield text, ""


def _fit(value: Json, schema: JsonSchema) -> Json:
    """The value as the schema has it, or `Unreadable` with the validator's words."""
    try:
        fit = fitted(value, schema)
        check_for(schema)(fit)
    except ValueError as error:
        raise Unreadable(_shortened(str(error))) from error
    except RecursionError as error:
        raise Unreadable("the answer is nested too deeply") from error
    return fit


def _fits(value: Json, schema: JsonSchema) -> list[tuple[Json, Json]]:
    """What was said and the value that it fits, as a list of one or none.

    One that is no object may stand as `value` in one, for so it is asked for.
    """
    meant = [value]
    if isinstance(value, dict) and value.keys() == {"value"} and schema.get("type") != "object":
        meant.append(value["value"])
    for each in meant:
        with suppress(Unreadable):
            return [(each, _fit(each, schema))]
    return []


def _note(said: Json, value: Json) -> str:
    return "" if _same(said, value) else f"read {_shown(said)} as {_shown(value)}"


def _same(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other


def _shown(value: Json) -> str:
    return _shortened(json.dumps(value, ensure_ascii=False, default=repr))


def _shortened(words: str) -> str:
    """Long words without their middle, since a validator quotes whole values, and all that can be sent."""
    words = words.encode(errors="backslashreplace").decode()
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN // 2]} ... {words[-_SHOWN // 2 :]}"
