"""Script files: every kind of reply, and every fault at once."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import SourceError
from loopwright.nodes.models.script import Line, read_script, script_of

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
    ("name", "text", "message"),
    [
        (
            "a.yaml",
            "default: [a]\ndefault: [b]\n",
            ':2: found duplicate key "default"',
        ),
        ("b.yaml", "default: [a\n", ":2: expected ',' or ']', but got '<stream end>'"),
        ("c.json", '{"default":\n [}', ":2: Expecting value"),
        (
            "d.yaml",
            "default: [2024-01-01]\n",
            f": default.0: datetime.date(2024, 1, 1) is no reply ({HINT})",
        ),
        ("e.yaml", "a: \x07\n", ": not valid YAML"),
    ],
)
def test_faults_name_the_file(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        read_script(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.yaml"
    with pytest.raises(SourceError) as caught:
        read_script(missing)
    assert str(caught.value) == f"{missing}: the script cannot be read: No such file or directory"
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(SourceError) as caught:
        read_script(binary)
    assert str(caught.value) == f"{binary}: the script cannot be read: it is not UTF-8"
