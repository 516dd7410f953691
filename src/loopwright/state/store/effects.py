"""The table of effects: what runs were about to do to the world, and what came of it.

A row is open from the moment before the call until its visit is complete. While it is open, the visit at its place has
this effect and no other, in whichever process it is made.
"""

import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from loopwright.errors import NotWaiting
from loopwright.state.records import Decided, Effect
from loopwright.state.store.columns import declared, names

_JSON = frozenset({"arguments", "repeatable", "reply"})
_NAMES = names(Effect)

EFFECTS = (
    f"CREATE TABLE IF NOT EXISTS effects (run TEXT NOT NULL, {declared(Effect)}, PRIMARY KEY (run, key)) WITHOUT ROWID;"
    " CREATE UNIQUE INDEX IF NOT EXISTS effects_open ON effects (run, node) WHERE visit < 0"
)
_INSERT = f"INSERT INTO effects (run, {', '.join(_NAMES)}) VALUES (:run, {', '.join(f':{name}' for name in _NAMES)})"
_SELECT = f"SELECT {', '.join(_NAMES)} FROM effects WHERE run = ?"
_OPEN = f"{_SELECT} AND visit < 0"
CLOSE = "UPDATE effects SET visit = ? WHERE run = ? AND key = ? AND visit < 0"
"""The statement that closes the effect of a visit, for the transaction that keeps the visit."""


def read_effects(connection: sqlite3.Connection, run: str) -> tuple[Effect, ...]:
    """The effects of a run, in the order of their visits; those come last whose visits are not complete."""
    rows = connection.execute(f"{_SELECT} ORDER BY visit < 0, visit, started, key", (run,)).fetchall()
    return tuple(map(_effect, rows))


def open_effects(connection: sqlite3.Connection, run: str) -> tuple[Effect, ...]:
    """Those whose visits are not complete."""
    return tuple(map(_effect, connection.execute(f"{_OPEN} ORDER BY started, key", (run,)).fetchall()))


def open_effect_at(connection: sqlite3.Connection, run: str, node: str) -> Effect | None:
    """The effect of the visit that is to be made at a place; None before it was first begun."""
    found = connection.execute(f"{_OPEN} AND node = ?", (run, node)).fetchone()
    return _effect(found) if found else None


def insert_effect(connection: sqlite3.Connection, run: str, effect: Effect) -> None:
    """Enter an effect."""
    connection.execute(_INSERT, {"run": run, **_columns(asdict(effect))})


def change_effect(connection: sqlite3.Connection, run: str, key: str, **changes: Any) -> bool:
    """Change fields of an effect whose visit is not complete; whether there is one."""
    assignments = ", ".join(f"{name} = :{name}" for name in changes)
    statement = f"UPDATE effects SET {assignments} WHERE run = :run AND key = :which AND visit < 0"
    return connection.execute(statement, {**_columns(changes), "run": run, "which": key}).rowcount == 1


def keep_decision(connection: sqlite3.Connection, run: str, decided: Decided) -> None:
    """Keep what someone has decided about an effect; what is done has this reply from here on.

    Raises:
        NotWaiting: Its visit is complete.
    """
    done = {"state": "finished", "reply": decided.reply, "reason": "", "ended": time.time()}
    more = done if decided.decision == "done" else {"state": "started"}
    if not change_effect(connection, run, decided.key, decision=decided.decision, **more):
        raise NotWaiting(f"run {run}: nothing is to be decided about the effect {decided.key}")


def rename_effects(connection: sqlite3.Connection, run: str, named: Callable[[str], str]) -> None:
    """Have the effects of visits that are not complete be at the new names of their nodes."""
    for effect in open_effects(connection, run):
        change_effect(connection, run, effect.key, node=named(effect.node))


def _columns(values: dict[str, Any]) -> dict[str, Any]:
    return {name: json.dumps(value) if name in _JSON else value for name, value in values.items()}


def _effect(row: tuple[Any, ...]) -> Effect:
    return Effect(
        **{name: json.loads(value) if name in _JSON else value for name, value in zip(_NAMES, row, strict=True)}
    )
