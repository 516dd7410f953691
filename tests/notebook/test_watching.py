"""Watching runs: in lines where there is no notebook, and in a real kernel."""

import asyncio
import re
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from loopwright.errors import RunError
from loopwright.graphs.run.handle import Run
from loopwright.loop.role_cycle import RoleCycle
from loopwright.notebook.watching import awatch, watch
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"
LINES = """\
0 solver [done] -> boss
1 boss [stop] -> stopped
run ID of role_cycle ended as stopped: boss said the stop word in round 1
2 of at most 8 visits, 2 of at most 8 model calls
"""


def cycle() -> RoleCycle:
    return RoleCycle(
        task="T", roles={"solver": {}, "boss": {}}, model=RecordingModel({"solver": ["S"], "boss": [WORD]})
    )


def seen(run: Run, capsys: pytest.CaptureFixture[str]) -> str:
    assert run.status == "finished"
    return capsys.readouterr().out.replace(run.id, "ID")


def test_lines_where_there_is_no_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    assert seen(watch(cycle().stream()), capsys) == LINES
    assert seen(asyncio.run(watched()), capsys) == LINES


async def watched() -> Run:
    return await awatch(cycle().astream())


def test_ipython_in_a_terminal_is_no_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for shell in (None, SimpleNamespace(display_pub=None)):
        ipython = SimpleNamespace(get_ipython=lambda shell=shell: shell)
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        assert seen(watch(cycle().stream()), capsys) == LINES


async def test_what_cannot_be_watched() -> None:
    loop = cycle()
    with pytest.raises(RunError, match=r"watch\(\.\.\.\) takes loop\.stream\(\.\.\.\).*got a AsyncStream"):
        watch(loop.astream())  # type: ignore[arg-type]
    with pytest.raises(RunError, match=r"await awatch\(\.\.\.\) takes loop\.astream\(\.\.\.\).*got a Stream"):
        await awatch(loop.stream())  # type: ignore[arg-type]
    with pytest.raises(RunError, match="a stream for a user tells no visits"):
        watch(loop.stream(audience="user"))


class Kernel:
    """A real kernel, as a notebook has one."""

    def __init__(self, manager: KernelManager) -> None:
        self.manager, self.client = manager, manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code: str, *, interrupt: bool = False) -> list[dict[str, Any]]:
        """The messages of a cell; it is interrupted when it asks a model, where that is wanted."""
        messages: list[dict[str, Any]] = []

        def note(message: dict[str, Any]) -> None:
            if message["msg_type"] not in ("status", "execute_input"):
                messages.append(message)
            if interrupt and "asks scripted" in str(message["content"].get("data")):
                self.manager.interrupt_kernel()

        self.client.execute_interactive(code, timeout=60, output_hook=note)
        return messages


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    kernel = Kernel(manager)
    kernel.run(
        "import loopwright as lw\n"
        "from loopwright.notebook import awatch, watch\n"
        "loop = lw.RoleCycle(task='T', roles={'solver': {}, 'boss': {}}, rounds={'max': 8})\n"
        "def script(delay):\n"
        "    reply = {'delay': delay, 'reply': 'Go on.'}\n"
        "    return lw.ScriptedModel({'default': [reply], 'repeat': 'last'})\n"
    )
    yield kernel
    kernel.client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def outputs_of(messages: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What each output of a cell was, from first to last, by its display id."""
    shown: dict[str, list[dict[str, Any]]] = {}
    for message in messages:
        assert message["msg_type"] in ("display_data", "update_display_data", "error"), message
        if message["msg_type"] != "error":
            name = message["content"]["transient"]["display_id"]
            assert (message["msg_type"] == "display_data") == (name not in shown)
            shown.setdefault(name, []).append(message["content"]["data"])
    return shown


@pytest.mark.parametrize(
    "line", ["run = watch(loop.{}(model=script(0.02)))", "run = await awatch(loop.a{}(model=script(0.02)))"]
)
def test_a_real_kernel_shows_a_run_in_place(kernel: Kernel, line: str) -> None:
    pictures, words = outputs_of(kernel.run(line.format("stream"))).values()
    assert len(pictures) >= 3, "16 visits take longer than the wait between two pictures"
    assert re.findall(r"<svg ", "".join(data["image/svg+xml"] for data in pictures)) == ["<svg "] * len(pictures)
    assert ": begins\n" in words[0]["text/plain"]
    assert "ended as max_rounds, no success" in words[-1]["text/plain"]
    (same,) = [message["content"]["text"] for message in kernel.run("print(run.draw() + run.status)")]
    assert same == pictures[-1]["image/svg+xml"] + "finished\n"


@pytest.mark.parametrize("line", ["watch(events)", "await awatch(events)"])
def test_an_interrupted_kernel_leaves_an_interrupted_run(kernel: Kernel, line: str) -> None:
    kernel.run(f"events = loop.{'a' if 'await' in line else ''}stream(model=script(0.3))")
    messages = kernel.run(line, interrupt=True)
    *_, last = outputs_of(messages).values()
    assert [message["content"]["ename"] for message in messages if message["msg_type"] == "error"] != []
    assert "is interrupted" in last[-1]["text/plain"]
    (status,) = [message["content"]["text"] for message in kernel.run("print(events.run.status)")]
    assert status == "interrupted\n"
