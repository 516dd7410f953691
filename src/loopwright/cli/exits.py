"""Exit codes: what a command's number says, and which number an error has."""

from loopwright.errors import LoopwrightError, PlanError, RunBusy
from loopwright.state.records import Status

OK = 0
FINDINGS = 1
OTHER_END = 1
LEFT = 1
WRONG_USE = 2
WAITING = 3
SUSPENDED = 4
BUG = 70
NOT_WRITTEN = 74
BUSY = 75
INTERRUPTED = 130
READER_GONE = 141

EXIT_CODES = (
    "Exit codes: 0 an end that is a success, 1 findings that are errors, another end, or runs that cannot go on with a "
    "changed plan, 2 wrong use, 3 waiting for an answer, 4 suspended, 130 interrupted (it can be resumed), "
    "74 the output could not be written, 75 another process runs this run, 141 whoever read it has gone, "
    "70 a fault in loopwright itself."
)

_SEVERITY = (OK, WAITING, OTHER_END, SUSPENDED, BUSY, INTERRUPTED)


class WrongUse(LoopwrightError):
    """A command cannot do what was asked with what it was given."""


class Stopped(LoopwrightError):
    """What surrounds a run failed in its middle, as a full disk does. The run is interrupted."""


def code_of_run(status: Status, ok: bool | None) -> int:
    """The exit code for how a run rests.

    Args:
        status: The run's status.
        ok: Whether the end it came to is a success.

    Example:
        >>> code_of_run("finished", True), code_of_run("finished", False), code_of_run("waiting", None)
        (0, 1, 3)
    """
    if status == "finished":
        return OK if ok else OTHER_END
    codes = {"waiting": WAITING, "suspended": SUSPENDED, "running": BUSY, "quarantined": WRONG_USE}
    return codes.get(status, INTERRUPTED)


def code_of_error(error: LoopwrightError) -> int:
    """The exit code of an error that came before a run began, or that has nothing to do with one."""
    if isinstance(error, RunBusy):
        return BUSY
    return FINDINGS if isinstance(error, PlanError) else WRONG_USE


def worst(codes: list[int]) -> int:
    """The code of several runs: that of the one which went worst.

    Example:
        >>> worst([0, 3, 1]), worst([0, 3]), worst([])
        (1, 3, 0)
    """
    return max(codes, key=_SEVERITY.index, default=OK)
