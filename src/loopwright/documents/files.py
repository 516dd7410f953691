"""Files: YAML or JSON on disk, read to plain JSON data with the line of every place in it; texts to disk."""

import os
import secrets
from collections.abc import Collection
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from loopwright.documents.document import Document
from loopwright.documents.json_text import read_json
from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError
from loopwright.hints import did_you_mean

MAX_BYTES = 2_000_000
SUFFIXES = (".yaml", ".yml", ".json")


def read_file(path: str | os.PathLike[str]) -> Document:
    """Read a file: one that ends in `.json` as JSON, any other as YAML 1.2.

    Args:
        path: The file.

    Returns:
        Its data and lines.

    Raises:
        SourceError: It is not there, cannot be read, or is not such a file; with all of its faults.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "x.yaml").write_text("name: x\\nkind: graph\\n")
        ...     document = read_file(Path(folder, "x.yaml"))
        >>> document.data, document.line(["kind"])
        ({'name': 'x', 'kind': 'graph'}, 2)
    """
    file = Path(path)
    name = str(path)
    text = read_text(path)
    try:
        document = read_json(text) if file.suffix.lower() == ".json" else read_yaml(text)
    except SourceError as error:
        raise SourceError(Document(None, file=name).located(error.faults)) from error
    return replace(document, file=name)


def read_text(path: str | os.PathLike[str], suffixes: Collection[str] = SUFFIXES, most: int = MAX_BYTES) -> str:
    """The text of a file.

    Args:
        path: The file.
        suffixes: What the names of such files end in; where this one is not there, those are named that are.
        most: How many bytes it may have.

    Raises:
        SourceError: It is not there, cannot be read, or is no text.
    """
    try:
        return _text(Path(path), suffixes, most)
    except SourceError as error:
        raise SourceError(Document(None, file=str(path)).located(error.faults)) from error


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file can be seen there: none where no file can have such a name, or its folder is closed to us.

    Args:
        path: The file.

    Example:
        >>> is_file("x" * 5000)
        False
    """
    try:
        return Path(path).is_file()
    except OSError:
        return False


def files_in(folder: Path, pattern: str) -> list[Path]:
    """What stands in a folder and fits a pattern, in order; nothing where the folder is not there or closed to us.

    Args:
        folder: The folder.
        pattern: As `Path.glob` has it.
    """
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def write_file(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file, in the place of what was there; whoever reads it never sees half of it.

    Args:
        path: The file.
        data: What it holds; a text is written as UTF-8.

    Raises:
        OSError: It cannot be written, and is as it was.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name[:32]}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _text(file: Path, suffixes: Collection[str], most: int) -> str:
    try:
        if file.is_dir():
            raise SourceError([Fault("this is a folder, not a file", hint=_beside(file, file, suffixes))])
        with file.open("rb") as stream:
            raw = stream.read(most + 1)
    except FileNotFoundError as error:
        raise SourceError([Fault("there is no such file", hint=_beside(file, file.parent, suffixes))]) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SourceError([Fault(f"cannot be read: {reason}")]) from error
    if len(raw) > most:
        raise SourceError([Fault(f"larger than {most // 1_000_000} MB, which no such file is")])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SourceError([Fault("not UTF-8 text", hint="save the file as UTF-8", line=line)]) from error
    if not text.strip():
        raise SourceError([Fault("the file is empty", line=1)])
    return text


def _beside(file: Path, folder: Path, suffixes: Collection[str]) -> str:
    """What could have been meant: the nearest names in the folder."""
    if not folder.is_dir():
        return f"there is no folder {folder} either"
    names = [found.name for found in files_in(folder, "*") if found.suffix.lower() in suffixes]
    nearest = get_close_matches(file.name, names, n=10, cutoff=0.0)
    return did_you_mean(file.name, nearest) if nearest else f"no file in {folder} ends in {' or '.join(suffixes)}"
