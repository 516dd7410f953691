"""The ledger of one run's effects, as its runner writes it: before an effect is called, and after it."""

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loopwright.errors import StoreError
from loopwright.state.records import Effect
from loopwright.state.store.database import Database, errors_of
from loopwright.state.store.effects import change_effect, insert_effect, open_effect_at, read_effects
from loopwright.state.store.lease import require_lease
from loopwright.state.values import Json, JsonObject


class EffectLedger:
    """What a runner tells of the effects of its run. All of it is on the disk itself when it comes back.

    Args:
        database: The store's file.
        run: The run's id.
        token: The token with which the run is held. A runner that has lost it begins nothing.

    Example:
        >>> from loopwright.state.store.runs import RunRow
        >>> from loopwright.state.store.store import Store
        >>> store = Store("memory:")
        >>> entered = store.registry.enter(RunRow("", "shop", "1"), {})
        >>> run = store.registry.claim(entered.id)
        >>> ledger = EffectLedger(store.database, run.id, run.token)
        >>> effect, is_called = ledger.begin("pay", "shop:pay", {"euros": 3}, repeatable=False)
        >>> is_called, ledger.begin("pay", "shop:pay", {"euros": 3}, repeatable=False)[1]
        (True, False)
        >>> ledger.finish(effect.key, "paid")
        >>> ledger.begin("pay", "shop:pay", {"euros": 3}, repeatable=False)[0].reply
        'paid'
    """

    def __init__(self, database: Database, run: str, token: int) -> None:
        self._database, self._run, self._token = database, run, token

    def begin(self, node: str, name: str, arguments: JsonObject, *, repeatable: bool) -> tuple[Effect, bool]:
        """The effect of the visit at a place, which is written down as started where it is to be called.

        Args:
            node: The place of the node.
            name: The function's name.
            arguments: What it is called with.
            repeatable: Whether it may be called again where nobody knows whether it happened.

        Returns:
            The effect, and whether it is to be called now. If not, it is finished, and has its reply, or nobody knows.

        Raises:
            LeaseLost: Somebody else has taken the run.
            StoreError: It cannot be written, and so it is not to be called.
        """
        now = time.time()
        with self._written() as connection:
            found = open_effect_at(connection, self._run, node)
            if found is None:
                key = f"{self._run}-{secrets.token_hex(16)}"
                new = Effect(key, node, name, arguments, repeatable, started=now)
                insert_effect(connection, self._run, new)
                return new, True
            if found.state == "finished" or (found.is_unknown and not repeatable):
                return found, False
            again: dict[str, Any] = {"state": "started", "started": now, "ended": 0.0, "decision": ""}
            again |= {"attempts": found.attempts + 1, "arguments": arguments, "repeatable": repeatable, "reason": ""}
            change_effect(connection, self._run, found.key, **again)
        return found, True

    def finish(self, key: str, reply: Json) -> None:
        """It has come back, and this came of it.

        Raises:
            LeaseLost: Somebody else has taken the run.
            StoreError: It cannot be written, and so nobody will know.
        """
        self._end(key, state="finished", reply=reply)

    def fail(self, key: str, reason: str) -> None:
        """It has raised an exception; errors as of `finish`."""
        self._end(key, state="failed", reason=reason)

    def _end(self, key: str, **changes: Any) -> None:
        with self._written() as connection:
            change_effect(connection, self._run, key, **changes, ended=time.time())

    @contextmanager
    def _written(self) -> Iterator[sqlite3.Connection]:
        """A transaction of the run's holder that is on the disk itself: after a power cut too, it is known."""
        with self._database.lock:
            self._flush("FULL")
            try:
                with self._database.transaction() as connection:
                    require_lease(connection, self._run, self._token)
                    yield connection
            finally:
                self._flush("NORMAL")

    def _flush(self, how: str) -> None:
        with errors_of(self._database.url):
            self._database.connection.execute(f"PRAGMA synchronous={how}")


def effects_of(database: Database, run: str) -> tuple[Effect, ...]:
    """All effects of a run, in the order of their visits; those come last whose visits are not complete.

    Raises:
        StoreError: One of them cannot be read.
    """
    try:
        with database.reading() as connection:
            return read_effects(connection, run)
    except (ValueError, TypeError) as error:
        raise StoreError(f"store {database.url}: an effect of run {run} cannot be read: {error}") from error
