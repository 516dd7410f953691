"""What a fork comes to, by the ends that its branches came to."""

from collections.abc import Iterable, Sequence

from loopwright.nodes.contract import FAILURES


def outcome_of_end(end: str) -> str:
    """A fork's outcome for an end of a body that is no success: an end that is called as a failure is that failure.

    Example:
        >>> outcome_of_end("max_rounds"), outcome_of_end("unreadable")
        ('failed', 'unreadable')
    """
    return end if end in FAILURES else "failed"


def fork_outcomes(ends: Iterable[tuple[str, bool]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The outcomes of a fork, and those that it never comes to.

    Args:
        ends: The ends of its bodies that are no success, each with whether a branch can come to it.

    Example:
        >>> fork_outcomes([("gave_up", True), ("unreadable", False)])
        (('done', 'failed'), ('unreadable',))
    """
    known = [(outcome_of_end(end), possible) for end, possible in ends]
    bad = dict.fromkeys(outcome for outcome, possible in known if possible)
    never = dict.fromkeys(outcome for outcome, _ in known if outcome not in bad)
    return ("done", *bad), tuple(never)


def outcome_of_ends(ends: Sequence[str]) -> tuple[str, str]:
    """A fork's outcome, and the reason.

    Args:
        ends: For each branch, in their order, the end that is no success, or "".

    Example:
        >>> outcome_of_ends(["", "unreadable", "failed"])
        ('failed', '2 of 3 branches failed')
        >>> outcome_of_ends(["", ""])
        ('done', '')
    """
    outcomes = [outcome_of_end(end) for end in ends if end]
    if not outcomes:
        return "done", ""
    return ("failed" if "failed" in outcomes else outcomes[0]), f"{len(outcomes)} of {len(ends)} branches failed"
