"""A turn: a place in a queue, for threads and tasks alike."""

from concurrent.futures import Future


class Turn:
    """A place in a queue. Whoever keeps the queue grants it, or wakes its owner to look again.

    A thread waits for `woken` by its `result`, a task by `asyncio.wrap_future`.

    Attributes:
        granted: Whether its time has come.
        woken: Done when there is something to see; a new one is there as soon as it is.

    Example:
        >>> turn = Turn()
        >>> first = turn.woken
        >>> turn.grant()
        >>> turn.granted, first.done(), turn.woken.done()
        (True, True, False)
    """

    def __init__(self) -> None:
        self.granted = False
        self.woken: Future[None] = Future()

    def wake(self) -> None:
        """Let the owner look again."""
        woken, self.woken = self.woken, Future()
        if woken.set_running_or_notify_cancel():  # whoever waited may have left
            woken.set_result(None)

    def grant(self) -> None:
        """Let the owner go on."""
        self.granted = True
        self.wake()
