"""Following a run and showing it: in a notebook as a picture that changes in place, elsewhere line by line.

Nothing of IPython is imported. A notebook has loaded it already, and elsewhere it is not needed.
"""

import asyncio
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, Protocol, TypeVar

from loopwright.errors import RunError
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.streams import AsyncStream, Stream
from loopwright.nodes.events import Event
from loopwright.notebook.pace import Later, Timer
from loopwright.notebook.pictures import Pictures, Publish
from loopwright.notebook.words import Lines

AnyStream = TypeVar("AnyStream", bound=Stream[Any] | AsyncStream[Any])
Result = TypeVar("Result")


def watch(stream: Stream[Run[Result]], *, theme: ThemeName = "light", opened: bool = False) -> Run[Result]:
    """Follow a run and show it as it is: its picture, with the path, where it is and how often it was where.

    In a notebook the picture changes in place, at most five times a second, and its last state stays in the saved
    notebook. Below it stands what the run does, what is being said where the stream tells texts, and what it asks.
    Elsewhere a line is written for each visit. An interrupt of the kernel leaves the run interrupted.

    Args:
        stream: What happens: `loop.stream(...)` starts a run, `run.stream(answer)` goes on.
        theme: The picture's colours: `light` or `dark`.
        opened: Whether the nodes of brains and the bodies of forks are shown.

    Returns:
        The run, which rests now.

    Raises:
        RunError: The stream is for a user, and tells no visits; or it is one with awaited calls.

    Example:
        >>> from loopwright.loop.role_cycle import RoleCycle
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> loop = RoleCycle(task="Bridge?", roles={"solver": {}, "boss": {}})
        >>> script = ScriptedModel({"solver": ["Wood."], "boss": ["Fluggaenkoechiebolsen"]})
        >>> run = watch(loop.stream(model=script))  # doctest: +ELLIPSIS
        0 solver [done] -> boss
        1 boss [stop] -> stopped
        run ... of role_cycle ended as stopped: boss said the stop word in round 1
        2 of at most 8 visits, 2 of at most 8 model calls
    """
    watcher = _watcher_of(_fit(stream, Stream), _later_in_a_thread, theme, opened)
    try:
        with stream:
            for event in stream:
                watcher.note(event)
    finally:
        watcher.finish()
    return stream.run


async def awatch(stream: AsyncStream[Run[Result]], *, theme: ThemeName = "light", opened: bool = False) -> Run[Result]:
    """Follow a run with awaited calls, and show it as it is: `run = await awatch(loop.astream(...))`; see `watch`."""
    watcher = _watcher_of(_fit(stream, AsyncStream), asyncio.get_running_loop().call_later, theme, opened)
    try:
        async with stream:
            async for event in stream:
                watcher.note(event)
    finally:
        watcher.finish()
    return stream.run


def _fit(stream: AnyStream, kind: type[AnyStream]) -> AnyStream:
    if not isinstance(stream, kind):
        how = (
            "await awatch(...) takes loop.astream(...)" if kind is AsyncStream else "watch(...) takes loop.stream(...)"
        )
        raise RunError(f"{how} or the same of a run, and got a {type(stream).__name__}")
    if stream.audience == "user":
        raise RunError("a stream for a user tells no visits, so there is nothing to watch; leave its audience out")
    return stream


class Watcher(Protocol):
    """Shows what happens in a run."""

    def note(self, event: Event) -> None:
        """Something happened."""

    def finish(self) -> None:
        """The run rests, or was left."""


def _watcher_of(stream: Stream | AsyncStream, later: Later, theme: ThemeName, opened: bool) -> Watcher:
    publish = _publisher()
    if publish is None:
        return Lines(stream.run, sys.stdout.write)
    return Pictures(stream.run, publish, later, theme=theme, opened=opened)


def _publisher() -> Publish | None:
    """What takes outputs in a notebook; None where this is none. IPython in a terminal shows no pictures."""
    ipython: Any = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    publish: Publish | None = shell.display_pub.publish if hasattr(shell, "kernel") else None
    return publish


def _later_in_a_thread(seconds: float, call: Callable[[], None]) -> Timer:
    """A call from another thread; its output goes to the cell that this one belongs to."""
    timer = threading.Timer(seconds, copy_context().run, (call,))
    timer.daemon = True
    timer.start()
    return timer
