"""Writing YAML: JSON data as a text that people read, with comments where they help."""

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from loopwright.documents.document import Path

WIDTH = 100
"""Columns that a list or a mapping on one line may take."""

_PLAIN = re.compile(r"[A-Za-z<](?:[\w ./()<>?!'-]*[\w./()<>?!'-])?", re.ASCII)
_TAKEN = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "<<"}
"""Words that some reader of YAML takes for something else than a text."""

_UNSEEN = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What a reader of YAML refuses, drops, or takes for the end of a line."""

_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_yaml(data: Mapping[str, JsonValue], comments: Mapping[Path, str] | None = None) -> str:
    """The YAML of a mapping. Read again it gives the same data, text by text.

    Args:
        data: JSON data.
        comments: What is said above a place, by its path; above all under ().

    Example:
        >>> data = {"kind": "graph", "nodes": {"a": {"prompt": "Hello.\\nHow are you?"}}, "tags": ["a", "1"]}
        >>> print(write_yaml(data, {("nodes",): "who speaks"}), end="")
        kind: graph
        # who speaks
        nodes:
          a:
            prompt: |-
              Hello.
              How are you?
        tags: [a, "1"]
    """
    said = comments or {}
    return "".join(f"{line}\n" for line in [*_said((), said, ""), *_mapping(data, (), said, "")])


def _mapping(data: Mapping[str, JsonValue], path: Path, comments: Mapping[Path, str], margin: str) -> Iterator[str]:
    for key, value in data.items():
        place = (*path, key)
        yield from _said(place, comments, margin)
        yield from _entry(f"{margin}{_scalar(key)}:", value, place, comments, margin)


def _entry(head: str, value: JsonValue, path: Path, comments: Mapping[Path, str], margin: str) -> Iterator[str]:
    """A value behind its key or its dash: on the same line, or below it and further in."""
    within = any(place[: len(path)] == path and place != path for place in comments)
    flow = None if within else _flow(value)
    if flow is not None and (not isinstance(value, dict | list) or len(head) + 1 + len(flow) <= WIDTH):
        yield f"{head} {flow}"
    elif isinstance(value, dict):
        yield head
        yield from _mapping(value, path, comments, f"{margin}  ")
    elif isinstance(value, list):
        yield head
        for index, item in enumerate(value):
            place = (*path, index)
            yield from _said(place, comments, f"{margin}  ")
            yield from _entry(f"{margin}  -", item, place, comments, f"{margin}  ")
    else:
        yield from _block(head, str(value), f"{margin}  ")


def _flow(value: JsonValue) -> str | None:
    """A value on one line; None for one that has a text of several lines, which stands below."""
    if isinstance(value, str):
        return None if _stands_below(value) else _scalar(value)
    if isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        parts = [part for item in items if (part := _flow(item)) is not None]
        if len(parts) < len(value):
            return None
        if isinstance(value, dict):
            return f"{{{', '.join(f'{_scalar(key)}: {part}' for key, part in zip(value, parts, strict=True))}}}"
        return f"[{', '.join(parts)}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def _stands_below(text: str) -> bool:
    return "\n" in text and not _UNSEEN.search(text.replace("\n", ""))


def _block(head: str, text: str, margin: str) -> Iterator[str]:
    """A text of several lines, as it is; its mark says how it ends, and where it begins if that is not clear."""
    lines = text.split("\n")
    end = "-"
    if lines[-1] == "":
        end = "" if text.strip("\n") and not text.endswith("\n\n") else "+"
        lines.pop()
    inset = "2" if text[:1] in (" ", "\n") else ""
    yield f"{head} |{inset}{end}"
    yield from (f"{margin}{line}" if line else "" for line in lines)


def _scalar(text: str) -> str:
    """A text on one line, quoted where YAML would read it otherwise."""
    if _PLAIN.fullmatch(text) and text.lower() not in _TAKEN:
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_UNSEEN.sub(_escape, quoted)}"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    code = ord(char)
    return _NAMED.get(char) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _said(path: Path, comments: Mapping[Path, str], margin: str) -> Iterator[str]:
    yield from (f"{margin}# {_UNSEEN.sub(' ', line)}".rstrip() for line in comments.get(path, "").splitlines())
