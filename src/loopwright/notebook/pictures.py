"""A run as a picture in a notebook, with words below it; both change in place."""

import secrets
import time
from collections.abc import Callable
from typing import Protocol

from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.run.handle import Run
from loopwright.nodes.events import Event, Retrying, TextSaid, TextWithdrawn, VisitEnded, VisitStarted
from loopwright.notebook.pace import Later, Pace
from loopwright.notebook.words import lines_of, spent, words_at_rest

TAIL = 400
"""So many characters are shown of a text that is being said: the last ones."""


class Publish(Protocol):
    """How a notebook is given an output, or another content of one; see IPython's `DisplayPublisher`."""

    def __call__(self, data: dict[str, str], *, transient: dict[str, str], update: bool) -> None:
        """Show data of several MIME types."""


class Pictures:
    """Shows a run in a notebook: a picture and, below it, words; both change in place.

    Args:
        run: The run.
        publish: Takes the outputs.
        later: Calls a function after so many seconds.
        clock: Tells the seconds.
        theme: The picture's colours.
        opened: Whether the nodes of brains and the bodies of forks are shown.
    """

    def __init__(
        self,
        run: Run,
        publish: Publish,
        later: Later,
        *,
        clock: Callable[[], float] = time.monotonic,
        theme: ThemeName = "light",
        opened: bool = False,
    ) -> None:
        self._run, self._publish, self._theme, self._opened = run, publish, theme, opened
        self._visits, self._usage = [*run.visits], run.usage
        self._asking: dict[str, VisitStarted] = {}
        self._said: dict[str, str] = {}
        self._retrying, self._resting = "", False
        self._id, self._shown = secrets.token_hex(8), dict[str, dict[str, str]]()
        self._pace = Pace(self._draw, later, clock)
        self._pace.note(lambda: None)

    def note(self, event: Event) -> None:
        """Keep in mind what happened, and have it drawn in time."""
        self._pace.note(lambda: self._keep(event))

    def finish(self) -> None:
        """Draw the run as it is in its store."""
        self._resting = True
        self._pace.finish()

    def _keep(self, event: Event) -> None:
        match event:
            case VisitStarted(task=task):
                self._asking[task] = event
            case Retrying(node=node, reason=reason):
                self._retrying = f"{node} asks again: {reason}"
            case TextSaid(task=task, text=text):
                self._said[task] = (self._said.get(task, "") + text)[-TAIL:]
            case TextWithdrawn(task=task):
                self._said.pop(task, None)
            case VisitEnded(task=task, visit=visit):
                self._asking.pop(task, None)
                self._said.pop(task, None)
                self._retrying = ""
                self._visits.append(visit)
                self._usage += visit.usage

    def _draw(self) -> None:
        run = self._run
        if self._resting:
            shown, words = run.draw(theme=self._theme, opened=self._opened), words_at_rest(run)
        else:
            shown = picture(run.plan, visits=self._visits, at=self._at(), theme=self._theme, opened=self._opened)
            words = self._words()
        self._show("picture", {"image/svg+xml": shown, "text/plain": f"<picture of run {run.id}>"})
        self._show("words", {"text/plain": words})

    def _at(self) -> list[str]:
        """The nodes that are being visited; between two visits, where the last one led."""
        return [asked.node for asked in self._asking.values()] or [visit.target for visit in self._visits[-1:]]

    def _words(self) -> str:
        asking = [f"{asked.node} asks {asked.model}" if asked.model else asked.node for asked in self._asking.values()]
        doing = ", ".join(asking or [f"on to {name}" for name in self._at()]) or "begins"
        said = [f"{asked.node}: {self._said[task]}" for task, asked in self._asking.items() if task in self._said]
        head = f"run {self._run.id} of {self._run.plan.name}: {doing}"
        return lines_of(head, spent(self._run, len(self._visits), self._usage), self._retrying, *said)

    def _show(self, part: str, data: dict[str, str]) -> None:
        if self._shown.get(part) != data:
            self._publish(data, transient={"display_id": f"{self._id}-{part}"}, update=part in self._shown)
            self._shown[part] = data
