"""What the keys of a file mean, for its JSON Schema: each is said once, in a docstring's `Args`."""

import re
from collections.abc import Iterator
from typing import Any

_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n        .*)*)", re.MULTILINE)
"""One entry of a docstring's `Args`, as `inspect.cleandoc` leaves it."""


def summary_of(docstring: str) -> str:
    """The first paragraph of a docstring, in one line.

    Example:
        >>> summary_of("Who ends it,\\nand how.\\n\\nArgs:\\n    role: The role.")
        'Who ends it, and how.'
    """
    return " ".join(docstring.partition("\n\n")[0].split())


def arguments_of(docstring: str) -> dict[str, str]:
    """What a docstring says of each argument.

    Example:
        >>> arguments_of("Who ends it.\\n\\nArgs:\\n    role: The role\\n        that may.\\n    word: What it says.")
        {'role': 'The role that may.', 'word': 'What it says.'}
    """
    return {key: " ".join(words.split()) for key, words in _ARGUMENT.findall(docstring.partition("\nArgs:\n")[2])}


def describe(schema: dict[str, Any], model: Any) -> None:
    """Write down beside each key of a model's schema what it means; pydantic calls it.

    What the model's own docstring does not say is taken from the classes that it is made of, and from that of which it
    makes one.
    """
    said: dict[str, str] = {}
    for docstring in _docstrings(model):
        said = {**arguments_of(docstring), **said}
    for name, field in model.model_fields.items():
        key = schema.get("properties", {}).get(field.alias or name)
        if key is None:
            continue
        if name in said:
            words = said[name].removeprefix(f"In the file `{field.alias}`: ")
            key["description"] = words[:1].upper() + words[1:]
        elif name in ("kind", "type"):
            key["description"] = summary_of(_docstring(model))


def _docstrings(model: Any) -> Iterator[str]:
    makes = getattr(model, "makes", None)
    yield from map(_docstring, [*model.__mro__, *(makes.__mro__ if makes else ())])


def _docstring(found: Any) -> str:
    lines = (vars(found).get("__doc__") or "").split("\n")
    return "\n".join([lines[0], *(line.removeprefix("    ") for line in lines[1:])])
