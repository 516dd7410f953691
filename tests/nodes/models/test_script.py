"""Script files: every kind of reply, and every fault at once."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.nodes.models.script import Line, read_script, script_of, tool_calls_of

HINT = "a reply is a text, a list or a mapping of texts and numbers; put anything else in quotes"

FILE = """\
repeat: last
default:
  - hello
  - "yes"
review:
  - {outcome: pass, reason: fine}
  - [a, b]
  - 8
  - {error: 429 too many requests, retryable: true, retry_after: 1}
  - {error: broken}
  - {delay: 0.5, reply: late}
  - {delay: 0.5, reply: {error: late and broken}}
  - {reply: {error: this is the answer, reply: too}}
  - {error: an answer with, outcome: pass}
"""


def test_every_kind_of_reply(tmp_path: Path) -> None:
    path = tmp_path / "bridge.script.yaml"
    path.write_text(FILE)
    script = read_script(path)
    assert script.repeats
    assert script.queues["default"] == (Line("hello"), Line("yes"))
    assert script.queues["review"] == (
        Line({"outcome": "pass", "reason": "fine"}),
        Line(["a", "b"]),
        Line(8),
        Line(error="429 too many requests", retryable=True, retry_after=1.0),
        Line(error="broken"),
        Line("late", delay=0.5),
        Line(error="late and broken", delay=0.5),
        Line({"error": "this is the answer", "reply": "too"}),
        Line({"error": "an answer with", "outcome": "pass"}),
    )


def test_json_files_are_scripts_too(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text('{\n\t"default": ["a", {"b": null}]\n}')
    assert read_script(path).queues == {"default": (Line("a"), Line({"b": None}))}


def test_a_script_can_be_made_again_from_its_data() -> None:
    script = script_of({"repeat": "last", "default": ("a", {"reply": "b", "delay": 1})})
    assert script.data == {"repeat": "last", "default": ["a", {"reply": "b", "delay": 1}]}
    assert script_of(script.data) == script


def test_a_node_may_have_the_name_of_a_setting() -> None:
    script = script_of({"repeat": ["again"]})
    assert (script.queues, script.repeats) == ({"repeat": (Line("again"),)}, False)


@pytest.mark.parametrize(
    ("data", "faults"),
    [
        (["a"], ["a script is a mapping (of node names, or default, to lists of replies)"]),
        (None, ["a script is a mapping (of node names, or default, to lists of replies)"]),
        ({}, ["the script has no replies (give a list under default, or under a node's name)"]),
        ({"default": []}, ["default: a queue is a list of replies, with at least one"]),
        ({"default": "hello"}, ["default: a queue is a list of replies, with at least one"]),
        ({3: ["a"]}, ["3 is no name of a node (put it in quotes)"]),
        ({"default": ["a"], "repeat": "first"}, ["repeat: repeat is 'first' (the one choice is: last)"]),
        (
            {"default": ["a", None, object]},
            [
                f"default.1: None is no reply ({HINT})",
                f"default.2: <class 'object'> is no reply ({HINT})",
            ],
        ),
        (
            {"a": [{"error": 429, "retryable": "yes", "retry_after": -1}], "b": [{"reply": "x", "delay": "1s"}]},
            [
                "a.0.error: 429 is no text (put it in quotes)",
                "a.0.retryable: 'yes' is not true or false",
                "a.0.retry_after: -1 is no number of seconds",
                "b.0.delay: '1s' is no number of seconds",
            ],
        ),
    ],
)
def test_all_faults_at_once(data: Any, faults: list[str]) -> None:
    with pytest.raises(SourceError) as caught:
        script_of(data)
    assert [str(fault) for fault in caught.value.faults] == faults


@pytest.mark.parametrize(
    ("name", "text", "faults"),
    [
        (
            "a.yaml",
            "default: [a]\ndefault: [b]\n",
            ["a.yaml:2: default: the key 'default' stands twice, in lines 1 and 2"],
        ),
        (
            "a.json",
            '{"default":\n["a"],\n"default": ["b"]}',
            ["a.json:3: default: the key 'default' stands twice, in lines 1 and 3"],
        ),
        (
            "b.yaml",
            "default: [a\n",
            [
                "b.yaml:2: broken YAML at column 1: while parsing a flow sequence, which begins in line 1:"
                " expected ',' or ']', but got '<stream end>'"
            ],
        ),
        ("c.json", '{"default":\n [}', ["c.json:2: broken JSON at column 3: expecting value"]),
        (
            "d.yaml",
            "default: [2024-01-01]\n3: [a]\n",
            [
                "d.yaml:1: default.0: 2024-01-01 is read as a date, and a date is not JSON"
                ' (put it in quotes: "2024-01-01")',
                'd.yaml:2: the key 3 is not a text (put it in quotes: "3")',
            ],
        ),
        ("e.yaml", "a: \x07\n", ["e.yaml:1: broken YAML: the character '\\x07' may not stand in it"]),
        ("f.yaml", "# nothing yet\n", ["f.yaml:1: nothing stands in it but comments"]),
        (
            "g.yaml",
            "solver:\n  - one\n  -\nboss:\n  - reply: two\n    delay: soon\nrepeat: first\nmaster: []\n",
            [
                f"g.yaml:3: solver.1: None is no reply ({HINT})",
                "g.yaml:6: boss.0.delay: 'soon' is no number of seconds",
                "g.yaml:7: repeat: repeat is 'first' (the one choice is: last)",
                "g.yaml:8: master: a queue is a list of replies, with at least one",
            ],
        ),
    ],
)
def test_faults_name_the_file_and_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, faults: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    with pytest.raises(SourceError) as caught:
        read_script(name)
    assert [str(fault) for fault in caught.value.faults] == faults


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("binary.yaml").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(SourceError) as caught:
        read_script("binari.yaml")
    assert (
        str(caught.value)
        == "binari.yaml: there is no such file (did you mean 'binary.yaml'? there is only binary.yaml)"
    )
    with pytest.raises(SourceError) as caught:
        read_script("binary.yaml")
    assert str(caught.value) == "binary.yaml:1: not UTF-8 text (save the file as UTF-8)"


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ({"tool": "now"}, ["now"]),
        ({"tools": [{"tool": "now"}, {"tool": "then", "args": {}}]}, ["now", "then"]),
        ({"tools": []}, []),
        ({"tools": [{"tool": "now"}, "then"]}, []),
        ({"tools": "now"}, []),
        ({"tool": 3}, []),
        ({"args": {}}, []),
        ("now", []),
    ],
)
def test_calls_of_tools(reply: Any, names: list[str]) -> None:
    assert [call.name for call in tool_calls_of(reply)] == names
