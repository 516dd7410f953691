"""Make the pages that say what the product itself says: `python docs/reference.py` writes what has changed.

The commands are those of `loopwright --help`, the fields of files those of `loopwright schema`, the findings those of
`loopwright explain`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent, fill
from typing import Any

import typer.main

from loopwright.cli.exits import EXIT_CODES
from loopwright.cli.main import app
from loopwright.graphs.forms.spec import FORMS
from loopwright.graphs.verify.explanations import ESSAY, EXPLANATIONS
from loopwright.sources.schema import json_schema

DOCS = Path(__file__).parent
NOTE = "<!-- made by docs/reference.py -->"

Schema = Mapping[str, Any]


def wrapped(text: str) -> str:
    """A paragraph in lines."""
    return fill(text, 120, break_on_hyphens=False, break_long_words=False)


def table(*head: str, rows: list[list[str]]) -> str:
    """A table in Markdown."""

    def row(cells: Sequence[str]) -> str:
        return " | ".join(cell.replace("|", "\\|") for cell in cells)

    return "\n".join([f"| {row(head)} |", f"|{'---|' * len(head)}", *(f"| {row(cells)} |" for cells in rows)])


# findings


def findings() -> str:
    """Every finding: its code, what it means, and a wrong and a right example."""
    parts = [
        "# Findings",
        NOTE,
        wrapped(
            "Every code that `loopwright check` can tell, with what it means, and a wrong and a right example. "
            "`loopwright explain CODE` says the same. The examples are parts of this graph: what one says stands in "
            "place of what the graph says there. In Python, `plan` is the builder of this graph; where a text begins "
            "with In LangGraph, `graph` is a `StateGraph`, and `node` any node."
        ),
        f"```yaml\n{ESSAY}```",
    ]
    for code, text in EXPLANATIONS.items():
        meaning, _, examples = text.partition("\n\nwrong:\n")
        wrong, _, right = examples.partition("\nright:\n")
        parts += [
            f"## {code}",
            wrapped(meaning),
            "Wrong:",
            fenced(dedent(wrong), " broken"),
            "Right:",
            fenced(dedent(right)),
        ]
    return "\n\n".join(parts) + "\n"


def fenced(example: str, whole: str = "") -> str:
    """An example as a block of its language, with a word that holds of it where it is a whole file."""
    if not re.match(r"\w+:", example):
        return f"```python fragment\n{example}\n```"
    return f"```yaml{whole if example.startswith('kind:') else ''}\n{example}\n```"


# commands


def commands() -> str:
    """Every command: what it does, what it takes, and examples; and the exit codes."""
    whole: Any = typer.main.get_command(app)
    parts = ["# Commands", NOTE, helped(whole.help), options(whole), wrapped(EXIT_CODES)]
    parts.append("What each code says of a run is in [runs](../runs.md#exit-codes).")
    for name, command in whole.commands.items():
        words = " ".join([f"loopwright {name}", *(argument(each) for each in arguments_of(command)), "[OPTIONS]"])
        parts += [f"## {name}", f"```text\n{words}\n```", helped(command.help), options(command)]
    return "\n\n".join(part for part in parts if part) + "\n"


def helped(text: str) -> str:
    """A command's help: its paragraphs, and its examples as a block."""
    parts = []
    for paragraph in text.split("\n\n"):
        shown = dedent(paragraph)
        parts.append(f"```console\n{shown}\n```" if shown.startswith("$ ") else wrapped(shown))
    return "\n\n".join(parts)


def arguments_of(command: Any) -> list[Any]:
    """What a command takes by its place."""
    return [each for each in command.params if each.param_type_name == "argument"]


def argument(parameter: Any) -> str:
    """An argument as a line of use shows it."""
    name = parameter.metavar or parameter.name.upper()
    return name if parameter.required else f"[{name}]"


def options(command: Any) -> str:
    """The table of what a command takes."""
    rows = [[f"`{argument(each)}`", each.help or ""] for each in arguments_of(command)] + [
        [f"`{', '.join(each.opts)}{f' {each.metavar}' if each.metavar else ''}`", said_of(each)]
        for each in command.params
        if each.param_type_name == "option" and not each.hidden
    ]
    return table("word", "what it says", rows=rows)


def said_of(option: Any) -> str:
    """An option's help, with its default and the variable that gives it."""
    words = [option.help or ""]
    if option.default not in (None, "", False, (), []) and option.show_default and not callable(option.default):
        words.append(f"Left out: `{option.default}`.")
    if option.envvar:
        words.append(f"Also by the variable `{option.envvar}`.")
    return " ".join(words)


# files


@dataclass
class Kind:
    """The page of one kind of file: its fields, and what they are made of, in the order in which it is named.

    Args:
        word: The kind.
        schema: Its JSON Schema.
        named: The definitions that the page has named so far, each of which has a section.
    """

    word: str
    schema: Schema
    named: list[str] = field(default_factory=list)

    def page(self) -> str:
        """The whole page."""
        parts = [f"# Files of kind {self.word}", NOTE, self.schema["description"]]
        parts += [
            f"`loopwright schema {self.word}` prints the same as JSON Schema, for editors.",
            self.fields(self.schema),
        ]
        for name in self.named:  # which grows on the way
            inner = self.schema["$defs"][name]
            parts += [f"## {name}", inner.get("description", ""), self.fields(inner)]
        return "\n\n".join(part if part.startswith("|") else wrapped(part) for part in parts if part) + "\n"

    def fields(self, schema: Schema) -> str:
        """The table of the fields of an object."""
        rows = [
            [
                f"`{name}`",
                f"`{self.word}`" if name == "kind" else self.type_of(each),
                "it must be given" if name in schema.get("required", ()) else default_of(each),
                "The kind of the file." if name == "kind" else each.get("description", ""),
            ]
            for name, each in schema["properties"].items()
        ]
        return table("field", "type", "left out", "what it says", rows=rows)

    def type_of(self, schema: Schema) -> str:
        """A schema in a few words."""
        return " or ".join(dict.fromkeys(self.words_of(schema)))

    def words_of(self, schema: Schema) -> Iterator[str]:
        """The words for each shape that a schema allows."""
        choices = [each for word in ("anyOf", "oneOf", "allOf") for each in schema.get(word, ())]
        if choices:
            for choice in choices:
                yield from self.words_of(choice)
        elif "$ref" in schema:
            yield from self.words_of_definition(schema["$ref"].rpartition("/")[2])
        elif schema.get("type") == "array":
            yield f"list of {self.type_of(schema.get('items', {}))}"
        elif schema.get("type") == "object":
            values = schema.get("additionalProperties")
            yield f"mapping of names to {self.type_of(values)}" if isinstance(values, Mapping) else "mapping"
        else:
            yield from plain_words(schema)

    def words_of_definition(self, name: str) -> Iterator[str]:
        """A definition as a link to where its fields are: here, or on the page of its kind."""
        inner = self.schema["$defs"][name]
        kind = inner.get("properties", {}).get("kind", {}).get("const")
        if name == "JsonValue":
            yield "any value"
        elif kind:
            yield f"[{kind}](kind-{kind}.md)"
        elif "properties" not in inner:
            yield from self.words_of(inner)
        else:
            if name not in self.named:
                self.named.append(name)
            yield f"[{name}](#{name.lower()})"


def default_of(schema: Schema) -> str:
    """What stands for a field that is left out."""
    default = schema.get("default")
    if default in (None, "", [], {}):
        return ""
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def plain_words(schema: Schema) -> Iterator[str]:
    """The words for what is neither a list nor a mapping; none for null, which nobody has to write."""
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "`true` or `false`"}
    if "enum" in schema:
        yield from (f"`{value}`" for value in schema["enum"])
    elif "const" in schema:
        yield f"`{schema['const']}`"
    elif schema.get("type") != "null":
        yield names.get(str(schema.get("type")), "any value") + limits(schema)


def limits(schema: Schema) -> str:
    """The least and the most that a number may be."""
    said = {"minimum": "from {}", "exclusiveMinimum": "above {}", "maximum": "to {}"}
    words = [form.format(f"{schema[key]:g}") for key, form in said.items() if key in schema]
    return f" {' '.join(words)}" if words else ""


def made() -> dict[Path, str]:
    """Every page that is made here, with its text."""
    kinds = {DOCS / "reference" / f"kind-{word}.md": Kind(word, json_schema(word)).page() for word in FORMS}
    return {DOCS / "findings.md": findings(), DOCS / "reference" / "commands.md": commands(), **kinds}


def main() -> None:
    """Write every page that is not as it is made now."""
    for file, text in made().items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
