"""Who listens to a run, and what of it they are told."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import get_args

from loopwright.errors import RunError
from loopwright.nodes.contract import Audience
from loopwright.nodes.events import Event, RunEnded, RunSuspended, RunWaiting, TextSaid, TextWithdrawn

AUDIENCES: tuple[Audience, ...] = get_args(Audience)


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who follows a run.

    Args:
        audience: `debug` for all events and texts, `user` for what a person in front should see; None for all events
            without texts.

    Raises:
        RunError: There is no such audience.
    """

    audience: Audience | None = None

    def __post_init__(self) -> None:
        if self.audience not in (None, *AUDIENCES):
            raise RunError(
                f"there is no audience {self.audience!r}; it is user, debug, or None for events without texts"
            )

    @property
    def hears(self) -> Collection[Audience]:
        """The audiences whose texts are heard: who debugs hears all, a user what is for the user.

        Example:
            >>> Listener("debug").hears, Listener("user").hears, Listener().hears
            (('user', 'debug'), ('user',), ())
        """
        if self.audience is None:
            return ()
        return AUDIENCES if self.audience == "debug" else (self.audience,)

    def told(self, event: Event) -> Event | None:
        """An event as it is told to this listener; None where it is not for them.

        A user is shown what a person in front should see: texts that are for the user, questions to a person, and how
        the run rests. Reasons are left out, as they hold the words of judges and of servers.

        Example:
            >>> Listener("user").told(RunEnded("3f2a", "finished", True, "judge: quite good"))
            RunEnded(run='3f2a', end='finished', ok=True, reason='')
        """
        if self.audience != "user":
            return event
        match event:
            case TextSaid(audience="user") | TextWithdrawn(audience="user"):
                return event
            case RunWaiting(questions=questions):
                return replace(event, questions=tuple(each for each in questions if each.source == "person"))
            case RunSuspended() | RunEnded():
                return replace(event, reason="")
        return None
