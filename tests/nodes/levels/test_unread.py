"""A judgement that nobody can read."""

from loopwright.nodes.levels.unread import UNREADABLE, Unread


def test_it_says_so() -> None:
    found = Unread("level 1/unread").answer({}, None)
    assert (found.outcome, found.update, found.reason) == ("done", {"reason_of_failure": UNREADABLE}, UNREADABLE)
