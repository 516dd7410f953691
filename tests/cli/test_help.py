"""Help pages on a terminal of 80 columns."""

from typing import Any

import pytest

from loopwright.cli.help import help_of
from loopwright.cli.main import COMMANDS

PAGES = [(), *((command.__name__,) for command in COMMANDS)]


def page(loopwright: Any, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    monkeypatch.setenv("COLUMNS", "80")
    return [line.rstrip() for line in loopwright(*words, "--help").out.splitlines()]


@pytest.mark.parametrize("words", PAGES, ids=" ".join)
def test_flags_have_no_type(loopwright: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    lines = page(loopwright, monkeypatch, *words)
    assert any("--help" in line for line in lines)
    assert not [line for line in lines if "<bool>" in line]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_examples_stand_on_one_line(loopwright: Any, monkeypatch: pytest.MonkeyPatch, command: Any) -> None:
    examples = [line.strip() for line in command.__doc__.splitlines() if line.strip().startswith("$")]
    assert [line for line in page(loopwright, monkeypatch, command.__name__) if line.lstrip().startswith("$")] == [
        f" {example}" for example in examples
    ]


def test_paragraphs_are_broken_by_the_terminal(loopwright: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = page(loopwright, monkeypatch, "run")
    begin = lines.index(" Where it waits for a person and a terminal is there, it asks; Ctrl-D leaves it")
    assert lines[begin + 1 : begin + 4] == [
        " waiting. A file with several tasks is run once for each, and the exit code is",
        " that of the run which went worst.",
        "",
    ]


def test_no_docstring_is_an_empty_text() -> None:
    assert help_of(None) == ""
