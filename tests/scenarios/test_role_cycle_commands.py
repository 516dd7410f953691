"""NB-8 and NB-10 by the command line, against a model server: the calls that really arrive."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.graphs.run.opening import open_batch, open_run
from loopwright.testing.model_server import ModelServer, Trouble

STORE = "sqlite:.loopwright/runs.db"
WORD = "Fluggaenkoechiebolsen"
NAMES = ("solver", "detractor", "master", "boss")
Command = Callable[..., tuple[int, Any]]


@pytest.fixture
def loopwright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """A command and `--json`: its code and its document."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOOPWRIGHT_STORE", raising=False)

    def command(*words: str) -> tuple[int, Any]:
        capsys.readouterr()
        code = main([*words, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return command


class Team:
    """Answers for all roles by what they were told first: a letter, and the word of the boss.

    Args:
        down: The role that fails, and at what task; it is up again when this is None.
    """

    def __init__(self, down: tuple[str, str] | None) -> None:
        self.down = down
        self.server = ModelServer(self.reply)

    def reply(self, body: Any) -> str | Trouble:
        name, task = self.place(body)
        if self.down == (name, task):
            return Trouble(status=503, retry_after="0")
        return WORD if name == "boss" else name[0].upper()

    def place(self, body: Any) -> tuple[str, str]:
        name, _, task = body["messages"][0]["content"].partition("\n\nTask:\n")
        return name, task

    @property
    def asked(self) -> list[tuple[str, str, int]]:
        """Of each request the role, the task, and how many messages it held."""
        bodies: list[Any] = [request.body for request in self.server.requests]
        return [(*self.place(body), len(body["messages"])) for body in bodies]


@contextmanager
def team(down: tuple[str, str], tasks: list[str]) -> Iterator[Team]:
    made = Team(down)
    with made.server as server:
        model = {"model": "m", "base_url": server.base_url, "api_key_env": "", "retries": 2}
        roles = {name: {"brief": name} for name in NAMES}
        spec = {"kind": "role_cycle", "tasks": tasks, "roles": roles, "models": {"default": model}}
        Path("cycle.json").write_text(json.dumps(spec))
        yield made


def test_nb_8_a_role_is_tried_again_and_then_goes_on_where_it_failed(loopwright: Command) -> None:
    with team(("detractor", "T"), ["T"]) as made:
        code, document = loopwright("run", "cycle.json")
        run = open_run(STORE, document["id"])
        assert (code, document["status"], document["end"]) == (4, "suspended", None)
        assert document["reason"].startswith("detractor: m at http://127.0.0.1")
        assert document["reason"].endswith("(tried 3 times)")
        tried = [("solver", "T", 1), *[("detractor", "T", 2)] * 3]
        assert made.asked == tried
        assert [(visit.node, visit.reply) for visit in run.visits] == [("solver", "S")]

        assert loopwright("resume", run.id)[0] == 4
        assert made.asked == [*tried, *[("detractor", "T", 2)] * 3]

        made.down = None
        code, document = loopwright("resume", run.id)
        assert (code, document["end"], document["result"]) == (0, "stopped", "S")
        assert made.asked[7:] == [("detractor", "T", 2), ("master", "T", 3), ("boss", "T", 4)]
        assert [(visit.node, visit.reply) for visit in run.visits] == [
            ("solver", "S"),
            ("detractor", "D"),
            ("master", "M"),
            ("boss", WORD),
        ]


def test_nb_10_the_first_task_fails_and_the_second_is_done(loopwright: Command) -> None:
    with team(("master", "first"), ["first", "second"]) as made:
        code, document = loopwright("run", "cycle.json")
        first, second = document["runs"]
        assert (code, first["status"], second["end"]) == (4, "suspended", "stopped")
        done = [("solver", "first", 1), ("detractor", "first", 2), *[("master", "first", 3)] * 3]
        assert made.asked == [*done, *[(name, "second", at) for at, name in enumerate(NAMES, start=1)]]

        made.down = None
        code, document = loopwright("resume", "--batch", document["batch"])
        assert (code, [run["end"] for run in document["runs"]]) == (0, ["stopped", "stopped"])
        assert made.asked[9:] == [("master", "first", 3), ("boss", "first", 4)]
        assert [run.result for run in open_batch(STORE, document["batch"])] == ["S", "S"]
