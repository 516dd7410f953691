"""JSON with lines: the standard library reads the data, and one more pass over the tokens finds the lines."""

import json
import math
import re

from pydantic import JsonValue

from loopwright.documents.document import MAX_DEPTH, Document, Path, stands_twice, too_deep
from loopwright.errors import Fault, SourceError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def read_json(text: str) -> Document:
    """The data of a JSON text, and where everything stands.

    Raises:
        SourceError: It is broken, has a key twice, a number that is not finite, or is nested too deeply. The faults
            have lines, and no file.

    Example:
        >>> read_json('{"a": [1,\\n2]}').line(("a", 1))
        2
    """
    try:
        data: JsonValue = json.loads(text)
        pass_ = _Lines(text)
        pass_.value(next(pass_.tokens), ())
    except json.JSONDecodeError as error:
        raise SourceError([_broken(text, error)]) from error
    except RecursionError as error:
        raise SourceError([too_deep(1)]) from error
    except ValueError as error:  # the limit of digits in a whole number
        raise SourceError([Fault(f"a number is too long: {error}", line=1)]) from error
    if pass_.faults:
        raise SourceError(pass_.faults)
    return Document(data, pass_.lines)


def _broken(text: str, error: json.JSONDecodeError) -> Fault:
    before, after = text[: error.pos].rstrip(), text[error.pos :].lstrip()
    comma = before.endswith(",") or after.startswith(",")
    if comma and after.removeprefix(",").lstrip().startswith(("}", "]")):
        line = text.count("\n", 0, text.rfind(",", 0, error.pos + 1)) + 1
        return Fault("a comma stands before a closing bracket", hint="JSON has no trailing commas", line=line)
    message = error.msg[0].lower() + error.msg[1:]
    return Fault(f"broken JSON at column {error.colno}: {message}", line=error.lineno)


class _Lines:
    """A walk over the tokens of a text that is known to be JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _TOKEN.finditer(text)
        self.lines: dict[Path, int] = {}
        self.faults: list[Fault] = []
        self._at, self._line = 0, 1

    def value(self, first: re.Match[str], path: Path) -> None:
        """Note the lines of one value, which begins with this token."""
        line = self._line_of(first)
        self.lines.setdefault(path, line)
        if len(path) > MAX_DEPTH:
            raise SourceError([too_deep(line)])
        word = first.group()
        if word == "{":
            self._mapping(path)
        elif word == "[":
            self._list(path)
        elif word[0] != '"' and word not in ("true", "false", "null") and not math.isfinite(float(word)):
            self.faults.append(Fault(f"{word} is not a finite number", path, line=line))

    def _mapping(self, path: Path) -> None:
        seen: dict[str, int] = {}
        token = next(self.tokens)
        while token.group() != "}":
            if token.group() != ",":
                key, line = json.loads(token.group()), self._line_of(token)
                if key in seen:
                    self.faults.append(stands_twice((*path, key), seen[key], line))
                seen[key] = self.lines[(*path, key)] = line
                next(self.tokens)
                self.value(next(self.tokens), (*path, key))
            token = next(self.tokens)

    def _list(self, path: Path) -> None:
        index = 0
        token = next(self.tokens)
        while token.group() != "]":
            if token.group() != ",":
                self.value(token, (*path, index))
                index += 1
            token = next(self.tokens)

    def _line_of(self, token: re.Match[str]) -> int:
        self._line += self.text.count("\n", self._at, token.start())
        self._at = token.start()
        return self._line
