"""A run in words: a line for each visit where there are no pictures, and how it rests."""

from collections.abc import Callable

from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.run.handle import Run
from loopwright.nodes.events import Event, Retrying, VisitEnded
from loopwright.state.records import Usage


class Lines:
    """Tells a run where there is no notebook: a line for each visit, and how it rests.

    Args:
        run: The run.
        write: Takes the text.
    """

    def __init__(self, run: Run, write: Callable[[str], object]) -> None:
        self._run, self._write = run, write

    def note(self, event: Event) -> None:
        """Write down a visit, or that a call is made again."""
        match event:
            case VisitEnded(visit=visit):
                line = f"{visit.index} {visit.node} [{visit.outcome}] -> {visit.target}"
            case Retrying(node=node, reason=reason):
                line = f"  {node} asks again: {reason}"
            case _:
                return
        self._write(visible(line) + "\n")

    def finish(self) -> None:
        """Write down how the run rests."""
        self._write(words_at_rest(self._run) + "\n")


def words_at_rest(run: Run) -> str:
    """How a run rests, what it took, and what can be done now."""
    row = run.row
    how, then = {
        "finished": (f"ended as {row.end}{'' if row.ok else ', no success'}: {row.reason}", ""),
        "waiting": ("waits", "answer with run.resume(...), or watch(run.stream(...))"),
        "suspended": (f"is suspended: {row.reason}", "go on with run.resume(), or watch(run.stream())"),
        "interrupted": ("is interrupted", "go on with run.resume(), or watch(run.stream())"),
        "running": ("is running in another process", ""),
        "quarantined": (f"is quarantined: {row.reason}", "go on from what came before with run.fork(at=...)"),
    }[row.status]
    asked = [f"question {question.id[:8]} of {question.node}:\n{question.text}" for question in run.questions]
    usage = spent(run, run.store.registry.count_visits(run.id), run.usage)
    return lines_of(f"run {run.id} of {run.plan.name} {how}", usage, *asked, then)


def spent(run: Run, visits: int, usage: Usage) -> str:
    """What a run took, against its certificate."""
    most = run.certificate
    return f"{_of(visits, most.visits, 'visits')}, {_of(usage.calls, most.calls, 'model calls')}"


def _of(count: int, most: int | None, noun: str) -> str:
    return f"{count} {noun}" if most is None else f"{count} of at most {most} {noun}"


def lines_of(*texts: str) -> str:
    """Texts of runs and of models, one below the other, without what a terminal or a browser would obey.

    Example:
        >>> lines_of("two\\nlines", "", "\\x1b[2J")
        'two\\nlines\\n\ufffd[2J'
    """
    return "\n".join(visible(line) for text in texts if text for line in text.splitlines())
