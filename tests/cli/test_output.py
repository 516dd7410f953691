"""Output: texts as they are, colours where they are wanted, and terminals that cannot show everything."""

import io
import json
import math
import sys
from pathlib import Path

import pytest

from loopwright.cli.exits import WrongUse
from loopwright.cli.output import Output, console_on, prepare_streams, print_json


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


def test_texts_are_followed_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Output(as_json=True).audience, Output(as_json=False).audience) == (None, None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert (Output(as_json=True).audience, Output(as_json=False).audience) == (None, "debug")


def test_json_holds_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    data = {"a": "\x9b2J\x7f\x1b[2J"}
    print_json(data)
    out = capsys.readouterr().out
    assert out == '{\n  "a": "\\u009b2J\\u007f\\u001b[2J"\n}\n'
    assert json.loads(out) == data


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_json_has_no_number_that_is_none(capsys: pytest.CaptureFixture[str], number: float) -> None:
    with pytest.raises(WrongUse, match=r"^this cannot be told in JSON, which has no NaN and no Infinity \("):
        print_json({"result": [number]})
    assert capsys.readouterr().out == ""


def test_json_is_json_where_the_terminal_has_no_unicode(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file, io.TextIOWrapper(file, encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        print_json("ä")
        monkeypatch.undo()
    assert (tmp_path / "out").read_text() == '"\\u00e4"\n'


def test_streams_that_were_closed_are_empty_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    prepare_streams()
    with sys.stdin, sys.stdout, sys.stderr:
        assert (sys.stdin.read(), Output(as_json=False).interactive, sys.stdout.write("a")) == ("", False, 1)
        monkeypatch.undo()


def test_a_terminal_without_unicode_gets_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file, io.TextIOWrapper(file, encoding="ascii") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        prepare_streams()
        Output(as_json=False).say("→ boss")
        stream.flush()
        monkeypatch.undo()
    assert (tmp_path / "out").read_text() == "\\u2192 boss\n"
