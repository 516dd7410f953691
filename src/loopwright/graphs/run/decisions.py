"""Decisions about effects of which nobody knows whether they happened: which one is meant, and whether it fits."""

import json
from collections.abc import Sequence
from typing import Any

from loopwright.errors import ContractError, NotWaiting, RunError, WrongAnswer
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.moments import locate
from loopwright.graphs.run.record import RunRecord
from loopwright.nodes.code import CodeNode, as_data
from loopwright.nodes.driver.steps import Job
from loopwright.nodes.driver.visit import require_contract
from loopwright.nodes.models.secrecy import showable
from loopwright.state.records import Decided, Effect
from loopwright.state.schema import check_for
from loopwright.state.store.lease import busy
from loopwright.state.store.runs import RunRow, has_ended


def decision_for(row: RunRow, plan: Plan, effects: Sequence[Effect], word: Any, reply: Any, key: str | None) -> Decided:
    """The decision, where it is one about an effect of a run.

    Args:
        row: The run.
        plan: Its plan.
        effects: Its effects.
        word: `done` or `again`.
        reply: What the function would have returned, where it is done.
        key: The effect's key, or a prefix of it, or the place of its node; None where only one is meant.

    Raises:
        RunError: There is no such word, or a reply to what is called again.
        NotWaiting: The run has ended, nothing is to be decided, or it is not clear which effect is meant.
        RunBusy: The run is being run, and so its effects are under way.
        WrongAnswer: The function could not have returned this.
    """
    if word not in ("done", "again"):
        raise RunError(f'an effect is "done", or to be called "again"; {word!r} is neither')
    if word == "again" and reply is not None:
        raise RunError("a reply is what came of an effect that is done, and one that is called again gives its own")
    if row.status == "running":
        raise busy(row)
    if row.status == "finished":
        raise has_ended(row)
    effect = _meant(row, [each for each in effects if each.is_open], key)
    if word == "again":
        return Decided(effect.key, "again")
    located = locate(plan, effect.node)
    node, outer, channels = located.node.node, located.node.channels, located.plan.channels
    if not isinstance(node, CodeNode):
        raise NotWaiting(f"run {row.id}: {effect.node} calls no function in this plan")
    checks = {name: check_for(channels[outer.get(name, name)].write_schema) for name in node.contract.writes}
    try:
        answer = node.decided(effect.arguments, reply)
        require_contract(Job(node, {}, checks, {}, label=effect.node), answer)
    except ContractError as error:
        raise WrongAnswer(f"this cannot have come of the effect {effect.key}: {error}; nothing was changed") from error
    return Decided(effect.key, "done", as_data(answer))


def undecided(run: RunRecord[Any]) -> tuple[Effect, ...]:
    """The effects of a run at rest that wait for a decision, since nobody knows whether they happened."""
    if run.row.status in ("running", "finished"):
        return ()
    return tuple(effect for effect in run.effects if effect.is_unknown and not effect.repeatable)


def effect_words(effect: Effect) -> str:
    """An effect in a line: where it is, and by which key.

    Example:
        >>> effect_words(Effect("3f2a-07", "pay", "shop:pay", {"euros": 3}))
        'pay: shop:pay({"euros": 3}), key 3f2a-07'
    """
    given = showable(json.dumps(effect.arguments, ensure_ascii=False))
    return f"{effect.node}: {effect.name}({given}), key {effect.key}"


def _meant(row: RunRow, known: Sequence[Effect], key: str | None) -> Effect:
    """The effect that is decided about: the one of this key or place, or the only one that nobody knows of."""
    if not known:
        raise NotWaiting(f"run {row.id}: there is no effect to be decided about")
    found = [each for each in known if key and (each.node == key or each.key.startswith(key))]
    if key is None:
        found = [each for each in known if each.is_unknown] or list(known)
    if len(found) != 1:
        fault = "say which effect is meant, by its key" if found else f"no effect {key!r} is open"
        raise NotWaiting(f"run {row.id}: {fault}; open is {'; '.join(map(effect_words, found or known))}")
    return found[0]
