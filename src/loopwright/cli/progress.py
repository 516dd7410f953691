"""Progress: a line for each visit that stays, and below them, on a terminal, a line that lives."""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from loopwright.cli.phrases import LEAST_TEXT, cut, padded, said_in, seconds_words, stacked, usage_words
from loopwright.graphs.certificate.certify import Certificate, certify
from loopwright.graphs.draw.lettering import columns_of, visible
from loopwright.graphs.plan import Fork, Plan
from loopwright.graphs.run.handle import Run
from loopwright.nodes.events import (
    Event,
    Held,
    Retrying,
    RunAwaited,
    RunStarted,
    TextSaid,
    TextWithdrawn,
    VisitEnded,
    VisitStarted,
)
from loopwright.nodes.places import place
from loopwright.state.records import Usage, Visit

LONGEST_NAME = 28
"""Columns for a node's name, or its outcome."""

_ADDRESS = re.compile(r" at https?://\S*[^\s:;,.]")

TIME, TOKENS = 9, 15
"""Columns that a visit's time and its tokens take, with those between them."""


SPOKEN, TAIL = 6, 2000
"""Lines that are shown of a text while it is said, and so many characters of its end are looked at for them."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A model that is being asked now: by which node, and since when."""

    node: str
    model: str
    since: float


class Columns:
    """How wide the columns of a plan's visits are.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> columns = Columns(one_node_plan(Think("greet", prompt="Hello")))
        >>> visit = Visit(0, "greet", "think", "done", reply="Good morning.", usage=Usage(tokens_out=3), seconds=1.24)
        >>> columns.line(visit, 60)
        '  0  greet  done    1.2 s       3 tokens  Good morning.'
    """

    def __init__(self, plan: Plan) -> None:
        outcomes = [edge.outcome for part in plan.walk() for edge in part.possible.edges]
        self._node = min(LONGEST_NAME, max(map(len, _places(plan)), default=0))
        self._outcome = min(LONGEST_NAME, max(map(len, outcomes), default=0))

    def line(self, visit: Visit, width: int, *, tokens: bool = True) -> str:
        """A visit on one line: its index, node, outcome, time, tokens if any are counted, and what was said.

        A terminal that is too narrow for that gets no tokens and no time, and one that is narrower still gets what was
        said on a line of its own.
        """
        node, outcome, said = visible(visit.node), visible(visit.outcome), said_in(visit)
        parts = [f"{visit.index:>3}", padded(node, self._node), padded(outcome, self._outcome)]
        room = width - sum(columns_of(part) + 2 for part in parts)
        if room < LEAST_TEXT:
            return stacked([str(visit.index), node, outcome], said, width)
        if room >= LEAST_TEXT + TIME:
            parts.append(f"{seconds_words(visit.seconds):>7}")
        if tokens and room >= LEAST_TEXT + TIME + TOKENS:
            parts.append(f"{visit.usage.tokens:>6,} tokens")
        return cut("  ".join([*parts, said]), width).rstrip()


def _places(plan: Plan, around: str = "") -> Iterator[str]:
    """What the nodes are called in visits; of the items of a fork only the last one that is foreseen."""
    for name, placed in plan.nodes.items():
        yield around + name
        if isinstance(placed.node, Fork):
            last = max(placed.node.at_most or 1, 1) - 1
            for key, branch in placed.node.branches.items():
                yield from _places(branch.plan, f"{place(around + name, key or last)}/")


class Rounds:
    """Which round of its loop a run is in. Where a plan has several loops there is no one round, and nothing is said.

    Args:
        certificate: Says the loop's head, and how many rounds there can be.
        run: The run; the rounds that it made before are counted.
    """

    def __init__(self, certificate: Certificate, run: Run) -> None:
        self._head, self._most = next(iter(certificate.rounds.items())) if len(certificate.rounds) == 1 else ("", 0)
        self._done = sum(visit.node == self._head for visit in run.visits) if self._head else 0

    def begun_by(self, node: str) -> str:
        """The round that a visit of this node begins, in words; "" where it begins none."""
        return f"round {self._done + 1} of at most {self._most}" if node == self._head else ""

    def count(self, visit: Visit) -> None:
        """Count a completed visit."""
        self._done += visit.node == self._head


class LiveLine(ABC):
    """Tells what happens; a context in which a line lives below what stays, where there is a terminal.

    Args:
        console: Where it is told.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(
                get_renderable=self._now,
                console=self._console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _line(self, text: str, style: str = "") -> None:
        self._say(cut(visible(text), self._console.width), style)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style=style), soft_wrap=True)

    @abstractmethod
    def _now(self) -> Text:
        """What happens now."""


class Progress(LiveLine):
    """Tells what happens in a run; a context in which the live line is shown.

    Args:
        console: Where it is told.
        run: The run; what it did before is counted.
        asks: The labels of the models that it asks.

    Attributes:
        begun: Whether the run has gone on in this process.
    """

    def __init__(self, console: Console, run: Run, asks: Sequence[str]) -> None:
        super().__init__(console)
        self._columns, self._run = Columns(run.plan), run
        self._name, self._asks, self.begun = run.plan.name, asks, False
        self._measure()
        self._visits, self._usage = run.store.registry.count_visits(run.id), run.usage
        self._asked: dict[str, Asking] = {}
        self._spoken: dict[str, str] = {}
        self._spinner = Spinner("dots")

    def _measure(self) -> None:
        """What the run may take at most; it may be given more when it goes on."""
        self._certificate: Certificate = certify(self._run.plan)
        self._rounds = Rounds(self._certificate, self._run)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._asked.clear()
        self._spoken.clear()
        super().__exit__(kind, error, trace)

    def tell(self, event: Event) -> None:
        """Show an event."""
        match event:
            case RunStarted(run=run, resumed=resumed) if not self.begun:
                self.begun = True
                self._measure()
                asks = f", asks {', '.join(self._asks)}" if self._asks else ""
                self._say(visible(f"{self._name}: run {run}{' goes on' if resumed else ''}{asks}"), "bold")
            case VisitStarted(node=node, model=model, task=task):
                if begun := self._rounds.begun_by(node):
                    self._line(begun, "dim")
                if model:
                    self._asked[task] = Asking(node, model, time.monotonic())
            case RunAwaited() | Retrying() | Held():
                self._line(pause_line(event, self._console.width), "yellow")
            case TextSaid(task=task, text=text):
                so_far = self._spoken.pop(task, "")  # whoever spoke last is shown
                self._spoken[task] = (so_far + text)[-TAIL:]
            case TextWithdrawn(task=task):
                self._spoken.pop(task, None)
            case VisitEnded(visit=visit, task=task):
                self._asked.pop(task, None)
                self._spoken.pop(task, None)
                self._count(visit)
            case _:
                pass

    def _count(self, visit: Visit) -> None:
        """Show what a visit came to, and what was done to its answer."""
        self._rounds.count(visit)
        self._visits, self._usage = self._visits + 1, self._usage + visit.usage
        self._say(self._columns.line(visit, self._console.width, tokens=self._usage.tokens > 0))
        if visit.kind in ("route", "act") and len(lines := visit.reason.splitlines()) > 1:
            for line in lines:
                self._line(f"     {line}", "bold")
        if visit.usage.repairs or visit.raw is not None:
            self._line(f"     {visit.note}", "yellow")

    def _now(self) -> Text:
        now = time.monotonic()
        dots = self._spinner.render(now)
        turning = dots.plain if isinstance(dots, Text) else ""
        line = status_line(self._asked, now, self._visits, self._usage, self._certificate)
        status = Text(cut(f"{turning} {line}", self._console.width), style="cyan", no_wrap=True)
        spoken = "".join(list(self._spoken.values())[-1:])
        return Text("\n").join([*spoken_lines(spoken, self._console), status])


def spoken_lines(text: str, console: Console) -> list[Text]:
    """The last lines of a text that is being said, as wide as the terminal at most."""
    whole = Text("\n".join(visible(line) for line in text.splitlines()), style="dim")
    return list(whole.wrap(console, console.width))[-SPOKEN:] if text else []


def pause_line(event: RunAwaited | Retrying | Held, width: int) -> str:
    """Why nothing happens now: whom or what is waited for.

    Args:
        event: What was told of it.
        width: Columns of the terminal.

    Example:
        >>> print(pause_line(RunAwaited("3f2a", "process 7 on ada"), 80))
        waiting for process 7 on ada, which goes on with this answer
    """
    match event:
        case Retrying(node=node, reason=reason, wait=wait):
            return retry_line(node, reason, wait, width)
        case Held(node=node, reason=reason, wait=wait):
            return held_line(node, reason, wait, width)
    return f"waiting for {visible(event.holder)}, which goes on with this answer"


def retry_line(node: str, reason: str, wait: float, width: int) -> str:
    """A call that failed and is made again; what is too long loses the address first, then the end of its reason.

    Args:
        node: The node that asks.
        reason: Why the call failed.
        wait: Seconds until it is made again.
        width: Columns of the terminal.

    Example:
        >>> print(retry_line("write", "m at http://a.test/v1 answered with status 503: busy, come back", 0.7, 64))
             write: m answered with status 503: busy, c…; again in 0.7 s
    """
    head, tail = f"     {cut(visible(node), LONGEST_NAME)}: ", f"; again in {seconds_words(wait)}"
    room, said = width - columns_of(head + tail), visible(reason)
    if columns_of(said) > room:
        said = _ADDRESS.sub("", said)
    return f"{head}{cut(said, room)}{tail}"


def held_line(node: str, reason: str, wait: float, width: int) -> str:
    """A call that waits for a rate limit; arguments as of `retry_line`.

    Example:
        >>> print(held_line("write", "gpt-4o-mini: requests_per_minute=20", 12.3, 80))
             write: gpt-4o-mini: requests_per_minute=20; waits 12.3 s
    """
    head, tail = f"     {cut(visible(node), LONGEST_NAME)}: ", f"; waits {seconds_words(wait)}"
    return f"{head}{cut(visible(reason), width - columns_of(head + tail))}{tail}"


def status_line(asked: Mapping[str, Asking], now: float, visits: int, usage: Usage, certificate: Certificate) -> str:
    """What a run does now, and what it took so far against its certificate.

    Args:
        asked: The models that are being asked.
        now: The time, on the clock of `Asking.since`.
        visits: Completed visits.
        usage: What they took.
        certificate: The worst case.
    """
    spent = usage_words(visits, usage, certificate.visits, certificate.calls)
    if not asked:
        return f"working · {spent}"
    first, *others = asked.values()
    more = f" and {len(others)} more" if others else ""
    return f"{visible(first.node)}{more} asks {visible(first.model)}, {seconds_words(now - first.since)} · {spent}"
