"""The README and the documents are followed from top to bottom, each in a folder of its own, as a reader would.

What a block's first line may say, after its language (only the language is shown to readers):

    python                  run; the blocks of one document are one session. A block of `>>> ` lines is a doctest
    python fragment         only compiled: it shows a detail that cannot run by itself
    text output             what the python block before it printed; `...` stands for anything
    yaml bridge.yaml        written to that file, as is a block of any language that names a file
    yaml                    a spec, that is YAML with a `kind`, loads and has no findings
    yaml broken             a spec that must have faults or findings
    console                 the commands after `$ ` exist: subcommands, options, make targets
    console run             the commands run, and print what stands below them; `...` stands for anything
    console run exit=3      the last command leaves with this code
    console run id=3f2a     3f2a stands for whatever the first output has in its place, in this block and after it
"""

import ast
import asyncio
import contextlib
import doctest
import inspect
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import loopwright
from loopwright.errors import SourceError

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
WORDS = {"python": {"fragment"}, "text": {"output"}, "yaml": {"broken"}, "console": {"run", "exit", "id"}}
FENCE = re.compile(r"^(?P<indent> *)```(?P<said>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a document, and the line that its text begins at."""

    language: str
    words: dict[str, str]
    text: str
    line: int

    @property
    def file(self) -> str:
        return next((word for word in self.words if "." in word), "")


def blocks_of(text: str) -> Iterator[Block]:
    """The fenced blocks of a document, in order.

    Raises:
        ValueError: A block says a word that nobody knows.
    """
    for found in FENCE.finditer(text):
        language, *said = found["said"].split() or [""]
        words = {name: value for name, _, value in (word.partition("=") for word in said)}
        line = text.count("\n", 0, found.start("text")) + 1
        unknown = {word for word in words if "." not in word} - WORDS.get(language, set())
        if unknown:
            raise ValueError(f"line {line - 1}: {language} knows {WORDS.get(language, set())}, not {unknown}")
        yield Block(language, words, textwrap.dedent(found["text"]), line)


@dataclass
class Reader:
    """Someone who follows one document.

    Args:
        document: The document.
        folder: Where they work.
        session: The module that the document's Python code runs in.
    """

    document: Path
    folder: Path
    session: ModuleType
    printed: str = ""
    names: dict[str, str] = field(default_factory=dict)

    def follow(self, block: Block) -> None:
        """Do what the block says, and fail where it is not so."""
        if block.file:
            (self.folder / block.file).write_text(block.text)
        match block.language:
            case "python":
                self.python(block)
            case "text" if "output" in block.words:
                self.compare(block.text, self.printed, self.place(block))
            case "yaml":
                self.spec(block)
            case "console" if "run" in block.words:
                self.console(block)
            case "console":
                for command, _ in commands_of(block.text):
                    assert faults_of(command) == [], self.place(block)

    def place(self, block: Block) -> str:
        return f"{self.document.name}, line {block.line}"

    def python(self, block: Block) -> None:
        if block.text.startswith(">>> "):
            test = doctest.DocTestParser().get_doctest(
                block.text, vars(self.session), self.document.name, str(self.document), block.line - 1
            )
            runner = doctest.DebugRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            runner.run(test, clear_globs=False)
            return
        # the empty lines before it make tracebacks and `inspect.getsource` point into the document
        text = "\n" * (block.line - 1) + block.text
        code = compile(text, str(self.document), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        if "fragment" in block.words:
            return
        with contextlib.redirect_stdout(io.StringIO()) as out:
            result = eval(code, vars(self.session))
            if inspect.iscoroutine(result):
                asyncio.run(result)
        self.printed = out.getvalue()

    def spec(self, block: Block) -> None:
        if not re.search("^kind:", block.text, re.MULTILINE):
            return
        path = self.folder / (block.file or "spec.yaml")
        path.write_text(block.text)
        found = findings_of(path)
        assert bool(found) == ("broken" in block.words), f"{self.place(block)}: {found or 'nothing is wrong with it'}"

    def console(self, block: Block) -> None:
        if name := block.words.get("id"):
            self.names.setdefault(name, "")
        steps = list(commands_of(block.text))
        for number, (command, expected) in enumerate(steps, start=1):
            for name, value in self.names.items():
                command = command.replace(name, value) if value else command
            made = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder,
                env=quiet_environment(self.folder),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            leaves = int(block.words.get("exit") or 0) if number == len(steps) else 0
            place = f"{self.place(block)}: $ {command}"
            assert made.returncode == leaves, f"{place}\n{made.stdout}"
            self.compare(expected, made.stdout, place)

    def compare(self, expected: str, actual: str, place: str) -> None:
        """Hold a text against what the document says, and learn what its names stand for."""
        pattern = re.escape("\n".join(line.rstrip() for line in expected.strip().splitlines())).replace(
            r"\.\.\.", ".*?"
        )
        for number, (name, value) in enumerate(self.names.items()):
            group = re.escape(value) if value else rf"(?P<name{number}>[\w-]+)"
            pattern = pattern.replace(re.escape(name), group, 1)
            pattern = pattern.replace(re.escape(name), re.escape(value) if value else f"(?P=name{number})")
        shown = "\n".join(line.rstrip() for line in actual.strip().splitlines())
        found = re.fullmatch(pattern, shown, re.DOTALL)
        assert found, f"{place}\n--- the document says\n{expected}\n--- it is\n{actual}"
        for number, name in enumerate(self.names):
            self.names[name] = found.groupdict().get(f"name{number}") or self.names[name]


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, and what it shows below each."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        found = re.match(r"(?P<command>(?:.*\\\n)*.*)\n?", part)
        assert found
        yield found["command"], part[found.end() :]


def findings_of(path: Path) -> list[str]:
    """What is wrong with a spec file, by the public face."""
    try:
        return [str(finding) for finding in loopwright.load(path).check()]
    except SourceError as error:
        return [str(fault) for fault in error.faults]


def quiet_environment(home: Path) -> dict[str, str]:
    """The environment of a reader who has installed the package and has no key."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**kept, "PATH": path, "HOME": str(home), "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}


def faults_of(command: str) -> list[str]:
    """What is wrong with a command that is shown but not run: words that the command line or the Makefile lacks."""
    program, *words = shlex.split(command, comments=True)
    if program == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return [word for word in words if "=" not in word and word not in targets]
    if program != "loopwright":
        return []
    subcommand = [word for word in words[:1] if not word.startswith("-")]
    shown = help_of(*subcommand)
    if not shown:
        return subcommand
    options = [word.partition("=")[0] for word in words if re.match("--?[a-z]", word)]
    return [option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", shown)]


@cache
def help_of(*subcommand: str) -> str:
    """The help page of a subcommand, or nothing where there is none."""
    helped = subprocess.run(
        [sys.executable, "-m", "loopwright", *subcommand, "--help"],
        env=quiet_environment(ROOT) | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if helped.returncode else helped.stdout


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("LOOPWRIGHT_STORE", raising=False)
    session = ModuleType("session")
    monkeypatch.setitem(sys.modules, session.__name__, session)
    return Reader(tmp_path / "sample.md", tmp_path, session)


@pytest.mark.timeout(300)  # the longest runs some fifty commands, each a process
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_a_document_can_be_followed(reader: Reader, document: Path) -> None:
    reader.document = document
    for block in blocks_of(document.read_text()):
        reader.follow(block)


LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)")


@pytest.mark.timeout(300)  # the longest runs some fifty commands, each a process
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    dead = [link for link in LINK.findall(document.read_text()) if not (document.parent / link).exists()]
    assert dead == []


def test_the_readme_shows_how_it_is_used() -> None:
    assert {"python", "yaml", "console"} <= {block.language for block in blocks_of((ROOT / "README.md").read_text())}


SAMPLE = """
1. Type this:

   ```python
   import pathlib
   def hello():
       return pathlib.Path("name.txt").read_text()
   ```

```python fragment
loop.run(task=...)
```

```text name.txt
bridge
```

```python
import inspect
print(hello().strip(), len(inspect.getsource(hello).splitlines()))
```

```text output
bridge 2
```

```console run id=3f2a
$ echo run 8x-12 is waiting
run 3f2a is ...
```

```console run exit=3
$ cat name.txt
bridge
$ echo "3f2a" \\
    && exit 3
3f2a
```

```python
>>> sorted(pathlib.Path().glob("name*"))
[PosixPath('name.txt')]
```
"""


def test_a_reader_follows_all_kinds_of_blocks(reader: Reader) -> None:
    reader.document.write_text(SAMPLE)
    for block in blocks_of(SAMPLE):
        reader.follow(block)
    assert reader.names == {"3f2a": "8x-12"}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("```python\nprint(1)\n```\n```text output\n2\n```", "the document says"),
        ("```python\nassert False, 'so'\n```", "so"),
        ("```console run\n$ echo 1\n2\n```", "the document says"),
        ("```console run\n$ exit 1\n```", "assert 1 == 0"),
        ("```console\n$ make nothing\n```", "nothing"),
    ],
)
def test_a_reader_stops_where_it_is_not_so(reader: Reader, block: str, message: str) -> None:
    *before, last = blocks_of(block)
    for found in before:
        reader.follow(found)
    with pytest.raises(AssertionError, match=message):
        reader.follow(last)


def test_an_error_points_into_the_document(reader: Reader) -> None:
    reader.document.write_text("# Title\n\n```python\nx = 1\nraise KeyError('gone')\n```\n")
    (block,) = blocks_of(reader.document.read_text())
    with pytest.raises(KeyError, match="gone") as caught:
        reader.follow(block)
    assert (caught.traceback[-1].path, caught.traceback[-1].lineno + 1) == (reader.document, 5)


def test_a_word_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match=r"line 2: console knows .*, not \{'runs'\}"):
        list(blocks_of("\n```console runs\n$ echo\n```"))
