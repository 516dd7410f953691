"""Keys and passwords stand nowhere: not in what any command says, nor in any file that it leaves.

The server is a real one that quotes the key in each of its answers and errors; the proxy is named with a password in
the environment. Each command of the command line is run, so that a new one is not forgotten.
"""

import logging
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import COMMANDS, main
from loopwright.testing import ModelServer
from loopwright.testing.model_server import Trouble

KEY, PASSWORD = "sk-proj-0123456789abcdef", "hunter2-hunter2"
SPEC = """
kind: graph
name: letter
channels: {{to: {{type: str, input: true, default: Ada}}, draft: str, mark: int, wish: {{type: str, default: none}}}}
nodes:
  write: {{type: think, prompt: "To <{{to}}>: <{{wish}}>", writes: draft}}
  rate: {{type: judge, prompt: "Rate <{{draft}}>", outcomes: [fine, poor], writes: wish}}
  look: {{type: human, text: "Send <{{draft}}>?", outcomes: [send, again], on_text: again, writes: wish}}
edges: ["write -> rate", "rate [fine] -> look", "rate [poor] -> look", "look [send] -> end sent",
        "look [again] -> write, at most 3, then fail not_sent"]
result: draft
models: {{default: {{model: any, base_url: "{url}", retries: 0{more}}}}}
"""
SHORT = """
kind: graph
name: {name}
channels: {{to: {{type: str, input: true}}, draft: str}}
nodes: {{write: {{type: think, prompt: "To <{{to}}>", writes: draft}}}}
edges: ["write -> end sent"]
result: draft
models: {{default: {{model: any, base_url: "{url}", retries: 0}}}}
"""
CHECK = "def right(result, expected):\n    return result == expected\n"


def echo(body: dict[str, Any]) -> Any:
    """What was asked, answered with the key in it."""
    if "response_format" in body:
        return {"outcome": "fine", "reason": f"it says {KEY}"}
    return f"Dear Ada, my key is {KEY}."


class Commands:
    """Runs commands, and keeps all that they said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.said: list[str] = []
        self.run: set[str] = set()

    def __call__(self, *words: str, code: int = 0) -> str:
        self.run.add(words[0])
        self._capsys.readouterr()
        assert main([*words]) == code, (words, self._capsys.readouterr())
        said = self._capsys.readouterr()
        self.said.append(f"{words}: {said.out}\n{said.err}")
        return said.out


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOOPWRIGHT_STORE", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://user:{PASSWORD}@127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return Commands(capsys)


def leaks(place: Path, secret: str) -> list[str]:
    """The files under a folder that hold a secret."""
    files = [path for path in place.rglob("*") if path.is_file()]
    return [str(path.relative_to(place)) for path in files if secret.encode() in path.read_bytes()]


def test_no_command_says_or_keeps_a_key(command: Commands, tmp_path: Path, cfg: Any, caplog: Any) -> None:
    caplog.set_level(logging.DEBUG)
    Path("cfg.py").write_text(cfg())
    Path("sums.csv").write_text("to,expected\nAda,x\n")
    Path("right.py").write_text(CHECK)
    with ModelServer(echo) as server:
        Path("letter.yaml").write_text(SPEC.format(url=server.base_url, more=""))
        command("check", "letter.yaml", "--json")
        command("draw", "letter.yaml", "-o", "letter.svg")
        command("explain", "unbounded-loop")
        command("schema")
        command("convert", "neurobdsm", "cfg.py", "-o", "cycle.yaml")
        said = command("run", "letter.yaml", "--record", "calls.jsonl", "--no-input", code=3)
        run = said.partition("letter: run ")[2].partition(",")[0]
        command("run", "letter.yaml", "--cache", "cache.jsonl", "--json", code=3)
        command("run", "letter.yaml", "--replay", "calls.jsonl", "--no-input", code=3)
        command("runs", "--json")
        command("show", run, "--full")
        command("show", run, "--json")
        command("resume", run, "be brief", "--no-input", code=3)
        command("history", run, "--full")
        command("history", run, "--full", "--json")
        command("draw", "--run", run, "-o", "path.html")
        command("fork", run, "--at", "2")
        command("migrate", "letter.yaml")
        command("send", "rings", "--to", run)
        command("serve", "--once")
        for name in ("one", "two"):
            Path(f"{name}.yaml").write_text(SHORT.format(name=name, url=server.base_url))
        command("compare", "one.yaml", "two.yaml", "--problems", "sums.csv", "--check", "right.py:right")
        command("prune", run)
    assert {each.__name__ for each in COMMANDS} == command.run
    assert any("my key is ***." in said for said in command.said)
    assert [said for said in command.said if KEY in said or PASSWORD in said] == []
    assert (leaks(tmp_path, KEY), leaks(tmp_path, PASSWORD)) == ([], [])
    assert KEY not in caplog.text
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize("debug", [(), ("--debug",)], ids=["plain", "debug"])
def test_no_error_of_a_server_or_a_proxy_says_one(
    command: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, debug: tuple[str, ...]
) -> None:
    quoted = Trouble(401, body=f'{{"error": {{"message": "no such key: {KEY}", "type": "invalid"}}}}')
    with ModelServer(lambda _: quoted) as server:
        Path("letter.yaml").write_text(SPEC.format(url=server.base_url, more=""))
        said = [command(*debug, "run", "letter.yaml", "--no-input", "--json", code=4)]
    monkeypatch.delenv("NO_PROXY")
    said.append(command(*debug, "run", "letter.yaml", "--no-input", "--json", code=4))
    Path("letter.yaml").write_text(SPEC.format(url="http://127.0.0.1:9/v1", more=""))
    monkeypatch.setenv("HTTP_PROXY", f"http://user:{PASSWORD}@[broken")
    said.append(command(*debug, "run", "letter.yaml", "--no-input", "--json", code=4))
    assert "no such key: ***" in said[0]
    assert [each for each in command.said if KEY in each or PASSWORD in each] == []
    assert (leaks(tmp_path, KEY), leaks(tmp_path, PASSWORD)) == ([], [])


@pytest.mark.parametrize(
    ("url", "more"),
    [
        (f"http://me:{PASSWORD}@host/v1", ""),
        (f"http://host/v1?api_key={KEY}", ""),
        ("http://host/v1", f', proxy: "http://me:{PASSWORD}@host:1"'),
        ("http://host/v1", f", api_key_env: {KEY}"),
        ("http://host/v1", f", api_key: {KEY}"),
    ],
    ids=["user", "query", "proxy", "variable", "key"],
)
@pytest.mark.parametrize("words", ["check", "draw", "run"])
def test_a_file_that_holds_one_is_refused_without_its_words(
    command: Commands, tmp_path: Path, url: str, more: str, words: str
) -> None:
    Path("letter.yaml").write_text(SPEC.format(url=url, more=more))
    command(words, "letter.yaml", code=2)
    assert [said for said in command.said if KEY in said or PASSWORD in said] == []
    Path("letter.yaml").unlink()
    assert (leaks(tmp_path, KEY), leaks(tmp_path, PASSWORD)) == ([], [])
