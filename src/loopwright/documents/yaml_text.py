"""YAML 1.2 with lines, as far as it is JSON.

The parser's nodes are read here, not the objects that a YAML library would make of them: so every place has a line, a
key that stands twice is seen, and nothing but JSON comes out. Anchors and aliases are read; an alias inside its own
anchor, and aliases that multiply, are refused.
"""

import math

from pydantic import JsonValue
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from loopwright.documents.document import MAX_DEPTH, Document, Path, stands_twice, too_deep
from loopwright.errors import Fault, SourceError

MAX_VALUES = 100_000
"""How many values a document may hold after its aliases are written out."""

_SHOWN = 60
"""So much of a text that is wrong is told again."""

_TAG = "tag:yaml.org,2002:"
_HINTS = {
    "mapping values are not allowed here": "a text that holds ': ' stands in quotes",
    "expected <block end>": "look at the indentation; a text that begins with a quote is quoted as a whole",
    "but found another document": "one file, one document",
    "that cannot start any token": "a text that begins with this character stands in quotes",
}


def read_yaml(text: str) -> Document:
    """The data of a YAML text, and where everything stands.

    Raises:
        SourceError: It is broken, has a key twice, is not JSON, or would not end. The faults have lines, and no file.

    Example:
        >>> document = read_yaml("a: yes\\nb:\\n  - 0x10\\n")
        >>> document.data, document.line(("b", 0))
        ({'a': 'yes', 'b': [16]}, 3)
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False
    walk = _Walk(yaml)
    try:
        root: Node | None = yaml.compose(text)
        if root is None:
            raise SourceError([Fault("nothing stands in it but comments", line=1)])
        data = walk.value(root, ())
    except YAMLError as error:
        raise SourceError([_broken(text, error)]) from error
    except RecursionError as error:
        raise SourceError([too_deep(1)]) from error
    if walk.faults:
        raise SourceError(walk.faults)
    return Document(data, walk.lines)


def _broken(text: str, error: YAMLError) -> Fault:
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return Fault(
            f"broken YAML: the character {text[error.position : error.position + 1]!r} may not stand in it", line=line
        )
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return Fault(f"broken YAML: {error}", line=1)
    line, column, problem = error.problem_mark.line + 1, error.problem_mark.column + 1, error.problem or ""
    if "'\\t'" in problem:
        return Fault(f"a tab stands at column {column}", hint="YAML is indented with spaces", line=line)
    hint = next((hint for words, hint in _HINTS.items() if words in problem), "")
    parsing = error.context_mark is not None and (error.context or "").startswith("while parsing a flow")
    begun = error.context_mark.line + 1 if parsing else line
    since = f", which begins in line {begun}" if begun != line else ""
    words = f"{error.context}{since}: {problem}" if error.context else problem
    return Fault(f"broken YAML at column {column}: {words}", hint=hint, line=line)


class _Walk:
    """A walk over the parser's nodes."""

    def __init__(self, yaml: YAML) -> None:
        self.yaml = yaml
        self.lines: dict[Path, int] = {}
        self.faults: list[Fault] = []
        self._left = MAX_VALUES
        self._open: set[int] = set()

    def value(self, node: Node, path: Path) -> JsonValue:
        """The JSON of one node; what is not JSON is noted, and becomes None."""
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        self._left -= 1
        if self._left < 0:
            raise SourceError([Fault(f"more than {MAX_VALUES} values, with its aliases written out", path, line=line)])
        if len(path) > MAX_DEPTH:
            raise SourceError([too_deep(line)])
        if isinstance(node, ScalarNode):
            return self._scalar(node, path)
        if id(node) in self._open:
            self._not_json("this anchor holds an alias of itself", path)
            return None
        self._open.add(id(node))
        found: JsonValue = None
        if isinstance(node, MappingNode) and node.tag == f"{_TAG}map":
            found = self._mapping(node, path)
        elif isinstance(node, SequenceNode) and node.tag == f"{_TAG}seq":
            found = [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        else:
            self._unknown_tag(node, path)
        self._open.discard(id(node))
        return found

    def _mapping(self, node: MappingNode, path: Path) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self._key(key_node, path)
            if key is None:
                continue
            place = (*path, key)
            if key in found:
                self.faults.append(stands_twice(place, self.lines[place], line))
            self.lines[place] = line
            found[key] = self.value(value_node, place)
        return found

    def _key(self, node: Node, path: Path) -> str | None:
        line = node.start_mark.line + 1
        if node.tag == f"{_TAG}str" and isinstance(node, ScalarNode):
            return str(node.value)
        if node.tag == f"{_TAG}merge":
            self.faults.append(Fault("merge keys (<<) are not read", path, "write the keys out", line=line))
        elif isinstance(node, ScalarNode):
            fault = Fault(f"the key {node.value} is not a text", path, f'put it in quotes: "{node.value}"', line=line)
            self.faults.append(fault)
        else:
            self.faults.append(Fault("a key must be a text", path, line=line))
        return None

    def _scalar(self, node: ScalarNode, path: Path) -> JsonValue:
        kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
        readers = {
            "int": self.yaml.constructor.construct_yaml_int,
            "float": self.yaml.constructor.construct_yaml_float,
            "bool": self.yaml.constructor.construct_yaml_bool,
        }
        found: JsonValue = None
        if kind == "str":
            found = text
        elif kind == "timestamp":
            self._not_json(f"{text} is read as a date, and a date is not JSON", path, f'put it in quotes: "{text}"')
        elif kind in readers:
            try:
                found = readers[kind](node)
                str(found)  # a number in hexadecimal can have more digits than may be written
            except (ValueError, KeyError, IndexError):
                shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
                found = None
                self._not_json(f"{shown!r} cannot be read as {kind}", path)
            if isinstance(found, float) and not math.isfinite(found):
                self._not_json(f"{text} is not a finite number", path)
        elif kind != "null":
            self._unknown_tag(node, path)
        return found

    def _unknown_tag(self, node: Node, path: Path) -> None:
        tag = str(node.tag).replace(_TAG, "!!")
        self._not_json(f"the tag {tag} makes a value that is not JSON", path, "leave the tag out")

    def _not_json(self, message: str, path: Path, hint: str = "") -> None:
        self.faults.append(Fault(message, path, hint, line=self.lines[path]))
