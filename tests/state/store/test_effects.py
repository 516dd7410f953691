"""The ledger against a world that counts: whatever cuts a run off, a decision is asked for or nothing is done twice."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopwright.state.records import Decided
from loopwright.state.store.effect_ledger import EffectLedger
from loopwright.state.store.effects import CLOSE, keep_decision, open_effect_at, open_effects, read_effects
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store

CUTS = ("before", "begun", "called", "finished", "raised", "")
"""Where an attempt at a visit is cut off, or that the function raises; "" where nothing is in its way."""


@dataclass
class World:
    """What was done, by key, how often it was asked for with that key, and what was known to have failed."""

    asked: dict[str, int] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)


def attempt(ledger: EffectLedger, world: World, cut: str, *, repeatable: bool) -> Any:
    """One attempt at a visit: its key when it came to its end, None where it was cut off, `unknown` where it stands."""
    if cut == "before":
        return None
    effect, is_called = ledger.begin("pay", "pay", {}, repeatable=repeatable)
    if not is_called:
        return effect.key if effect.state == "finished" else "unknown"
    if cut == "begun":
        return None
    world.asked[effect.key] = world.asked.get(effect.key, 0) + 1
    if cut == "raised":
        ledger.fail(effect.key, "OSError")
        return None
    world.done[effect.key] = world.done.get(effect.key, 0) + (0 if repeatable and effect.key in world.done else 1)
    if cut == "called":
        return None
    ledger.finish(effect.key, "reply")
    return None if cut == "finished" else effect.key


@given(cuts=st.lists(st.lists(st.sampled_from(CUTS), max_size=6), min_size=1, max_size=4), repeatable=st.booleans())
def test_each_visit_does_it_once(cuts: list[list[str]], repeatable: bool) -> None:
    with Store("memory:") as store:
        run, connection, world = (
            store.registry.enter(RunRow("", "shop", "f"), {}).id,
            store.database.connection,
            World(),
        )
        keys = []
        for index, tries in enumerate(cuts):
            key = None
            for cut in [*tries, ""]:
                key = _made(store, run, world, cut, repeatable=repeatable) or key
                if key:
                    break
            assert key is not None
            with store.database.transaction():
                connection.execute(CLOSE, (index, run, key))
            keys.append(key)
        assert world.done == dict.fromkeys(keys, 1)
        assert len(set(keys)) == len(keys)
        assert [effect.key for effect in read_effects(connection, run)] == keys
        assert open_effects(connection, run) == ()


def _made(store: Store, run: str, world: World, cut: str, *, repeatable: bool) -> str | None:
    """What a new process comes to, with a decision of somebody who looks at the world where one is needed."""
    claimed = store.registry.claim(run, take_over=True)
    assert claimed is not None
    ledger = EffectLedger(store.database, run, claimed.token)
    made = attempt(ledger, world, cut, repeatable=repeatable)
    if made != "unknown":
        return None if made is None else str(made)
    assert not repeatable
    found = open_effect_at(store.database.connection, run, "pay")
    assert found is not None
    assert found.is_unknown
    word: Any = "done" if found.key in world.done else "again"
    with store.database.transaction() as connection:
        keep_decision(connection, run, Decided(found.key, word, "reply"))
    made = attempt(ledger, world, cut, repeatable=repeatable)
    return None if made is None else str(made)
