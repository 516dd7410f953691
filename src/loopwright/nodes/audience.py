"""Who listens to a run, and what of it they are told."""

from collections.abc import Collection
from dataclasses import replace
from typing import get_args

from loopwright.errors import RunError
from loopwright.nodes.contract import Audience
from loopwright.nodes.events import Event, RunEnded, RunSuspended, RunWaiting, TextSaid, TextWithdrawn

AUDIENCES: tuple[Audience, ...] = get_args(Audience)


def require_audience(listener: Audience | None) -> None:
    """Refuse what is no audience.

    Raises:
        RunError: It is none.
    """
    if listener not in (None, *AUDIENCES):
        raise RunError(f"there is no audience {listener!r}; it is user, debug, or None for events without texts")


def heard_by(listener: Audience | None) -> Collection[Audience]:
    """The audiences whose texts a listener hears: who debugs hears all, a user what is for the user.

    Example:
        >>> heard_by("debug"), heard_by("user"), heard_by(None)
        (('user', 'debug'), ('user',), ())
    """
    if listener is None:
        return ()
    return AUDIENCES if listener == "debug" else (listener,)


def shown_to(listener: Audience | None, event: Event) -> Event | None:
    """An event as a listener is told it; None where it is not for them.

    A user is shown what a person in front should see: texts that are for the user, questions to a person, and how the
    run rests. Reasons are left out, as they hold the words of judges and of servers.

    Example:
        >>> shown_to("user", RunEnded("3f2a", "finished", True, "judge: quite good"))
        RunEnded(run='3f2a', end='finished', ok=True, reason='')
    """
    if listener != "user":
        return event
    match event:
        case TextSaid(audience="user") | TextWithdrawn(audience="user"):
            return event
        case RunWaiting(questions=questions):
            return replace(event, questions=tuple(each for each in questions if each.source == "person"))
        case RunSuspended() | RunEnded():
            return replace(event, reason="")
    return None
