"""Output: texts as they are, colours where they are wanted, and terminals that cannot show everything."""

import io
import sys
from pathlib import Path

import pytest

from loopwright.cli.output import Output, accept_any_text, console_on


def test_texts_are_no_markup_and_are_not_broken(capsys: pytest.CaptureFixture[str]) -> None:
    text = "[red]not red[/red] :smile: " + "long " * 60 + "end"
    Output(as_json=False).say(text, "bold")
    assert capsys.readouterr().out == text + "\n"


def test_talk_goes_to_standard_error_with_json(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(as_json=True)
    output.say("talk")
    output.document({"a": "ä"})
    assert capsys.readouterr() == ('{\n  "a": "ä"\n}\n', "talk\n")


def test_a_pipe_has_a_width_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console_on(stderr=False).width == 100
    monkeypatch.setenv("COLUMNS", "70")
    assert console_on(stderr=False).width == 70


def test_nobody_is_interactive_with_json_or_in_a_pipe() -> None:
    assert (Output(as_json=True).interactive, Output(as_json=False).interactive) == (False, False)


def test_a_terminal_without_unicode_gets_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file, io.TextIOWrapper(file, encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        accept_any_text()
        Output(as_json=False).say("→ boss")
        stream.flush()
        monkeypatch.undo()
    assert (tmp_path / "out").read_text() == "\\u2192 boss\n"
