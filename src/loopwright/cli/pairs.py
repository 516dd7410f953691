"""Values of channels, as options give them: NAME=VALUE, NAME=@FILE, or a file of them all."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from loopwright.cli.exits import WrongUse
from loopwright.documents.files import read_file, read_text
from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import SourceError
from loopwright.hints import did_you_mean
from loopwright.state.channels import Channel
from loopwright.state.schema import check_for, word_of
from loopwright.state.text import value_from_text
from loopwright.state.values import Json, JsonObject


def parse_pairs(option: str, noun: str, known: Mapping[str, Channel], pairs: list[str]) -> JsonObject:
    """The values of all pairs.

    A text stays a text where the channel takes one, anything else is JSON or YAML; a file in the place of a value is a
    text, too, or YAML, and `@@` at its beginning stands for the sign itself. A file alone is a mapping from names to
    values, over which those count that are given by name.

    Args:
        option: The option, as `-i`.
        noun: What it gives, as `input`.
        known: The channels that may be given.
        pairs: What it was given.

    Raises:
        WrongUse: A pair has no `=`, a name that stands twice, one that is not known, a file that cannot be read, or a
            value that does not fit; all that is wrong is told at once.
    """
    of_files: JsonObject = {}
    values: JsonObject = {}
    faults: list[str] = []
    for pair in pairs:
        name, found, text = pair.partition("=")
        if pair.startswith("@"):
            faults += (f"{option} {pair}: {fault}" for fault in _from_file(pair[1:], noun, known, of_files))
        elif not found:
            faults.append(f"{option} {pair}: write it as NAME=VALUE")
        elif name not in known:
            faults.append(f"{option} {pair}: {_unknown(noun, name, known)}")
        elif name in values:
            faults.append(f"{option} {pair}: {name!r} is given twice")
        else:
            try:
                values[name] = _value(text, known[name])
            except SourceError as error:
                faults.append(f"{option} {pair}: {error}")
            except ValueError as error:
                faults.append(f"{option} {name}: {error}; it takes {word_of(known[name].type)}")
    if faults:
        raise WrongUse("; ".join(faults))
    return {**of_files, **values}


def _unknown(noun: str, name: str, known: Mapping[str, Channel]) -> str:
    return f"there is no {noun} {name!r} ({did_you_mean(name, known) if known else 'this loop takes none'})"


def _from_file(file: str, noun: str, known: Mapping[str, Channel], values: JsonObject) -> Iterator[str]:
    """Take the values of a file, and tell what is wrong with them."""
    try:
        document = read_file(file)
    except SourceError as error:
        yield str(error)
        return
    if not isinstance(document.data, dict):
        yield f"it is no mapping of {noun}s, as `topic: bridges` is"
        return
    for name, value in document.data.items():
        where = f"line {document.line((name,))}"
        if name not in known:
            yield f"{where}: {_unknown(noun, name, known)}"
            continue
        try:
            check_for(known[name].type)(value)
            values[name] = value
        except ValueError as error:
            yield f"{where}: {name}: {error}; it takes {word_of(known[name].type)}"


def _value(text: str, channel: Channel) -> Json:
    """The value that a text, or a file, stands for.

    Raises:
        ValueError: It does not fit.
        SourceError: The file cannot be read.
    """
    if text.startswith("@@"):
        text = text[1:]
    elif text.startswith("@"):
        text = read_text(text[1:])
    try:
        return value_from_text(text, channel.type)
    except ValueError:
        with suppress(SourceError, ValueError):
            value = read_yaml(text).data
            check_for(channel.type)(value)
            return value
        raise
