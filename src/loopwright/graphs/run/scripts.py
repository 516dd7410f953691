"""How far the scripts of a run were read, so that a resumed run gets the replies that it would have got.

The store holds a mark for each scripted model: how many replies of each queue were given when the run had made so many
visits. A mark is set whenever the run rests; after a crash the visits since then are counted on.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from loopwright.graphs.plan import Fork, Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Node
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.places import body, last, place
from loopwright.state.records import Visit
from loopwright.state.values import Json, JsonObject


def new_mark(model: ScriptedModel, taken: Mapping[str, int], visits: int) -> JsonObject:
    """A mark, as the store holds it.

    Args:
        model: The scripted model.
        taken: The replies that were given, by queue.
        visits: How many visits the run had completed then.
    """
    return {"script": model.to_data(), "taken": dict(taken), "since": visits}


def mark_of(model: ScriptedModel, remembered: Any) -> Json:
    """What the store remembers, where it is a mark of this script; else None."""
    same = isinstance(remembered, Mapping) and remembered.get("script") == model.to_data()
    return dict(remembered) if same else None


def marked(models: Mapping[str, Any], remembered: JsonObject, visits: int) -> JsonObject:
    """What the store remembers of a run's models, with the marks of its scripts where they are now."""
    now = {
        name: new_mark(model, model.taken, visits) for name, model in models.items() if isinstance(model, ScriptedModel)
    }
    return {**remembered, **now}


def rewound(remembered: JsonObject, later: Sequence[Visit], visits: int) -> JsonObject:
    """What the store remembers of a run's models, with the marks of its scripts where they were some visits before.

    Args:
        remembered: What it remembers now.
        later: The visits that are not to have been.
        visits: How many visits there are without them.
    """
    return {name: _rewound(model, later, visits) for name, model in remembered.items()}


def _rewound(remembered: Any, later: Sequence[Visit], visits: int) -> Json:
    if not isinstance(remembered, Mapping) or remembered.get("since", 0) <= visits:
        return dict(remembered) if isinstance(remembered, Mapping) else remembered
    taken: Counter[str] = Counter(remembered["taken"])
    for visit in later[: remembered["since"] - visits]:
        if visit.model:
            taken[visit.node] -= _replies(visit)
    return {**remembered, "taken": dict(taken), "since": visits}


def _replies(visit: Visit) -> int:
    """How many replies of a script a visit took."""
    usage = visit.usage
    return usage.calls + usage.retries + usage.repairs + (visit.outcome == "failed")


def unasked(plan: Plan, model: ScriptedModel) -> list[str]:
    """What to say of each queue of a script that no node of the plan takes from.

    A queue may be called as a node is, in a fork with or without the item, or as the last part of that name.
    """
    nodes = set(_asking(plan))
    known = nodes | {last(node) for node in nodes}
    return [
        f"{model.label} has replies for {queue!r}, which is no node that asks a model; {did_you_mean(queue, known)}"
        for queue in model.queues
        if queue != "default" and known.isdisjoint((queue, body(queue)))
    ]


def _asking(plan: Plan) -> Iterator[str]:
    """The nodes that ask models, those in forks as `FORK/NODE`."""
    for name, placed in plan.nodes.items():
        if isinstance(placed.node, Fork):
            for key, branch in placed.node.branches.items():
                yield from (f"{place(name, key)}/{inner}" for inner in _asking(branch.plan))
        elif placed.node.models:
            yield name


def go_on(
    plan: Plan, models: Mapping[str, Any], remembered: Mapping[str, Any], visits: Callable[[], Sequence[Visit]]
) -> None:
    """Have each script go on where the run is.

    Args:
        plan: The run's plan, which says what each node asks.
        models: The run's models by name; several names may share a script.
        remembered: What the store holds of them.
        visits: Reads the run's completed visits; it is called only where there is a script.
    """
    scripts = {id(model): model for model in models.values() if isinstance(model, ScriptedModel)}
    asks = _models_by_node(plan)
    for model in scripts.values():
        names = {name for name, other in models.items() if other is model}
        mark = remembered[min(names)]
        taken = Counter(mark["taken"])
        for visit in visits()[mark["since"] :]:
            if names & (asks.get(visit.node) or asks.get(last(visit.node), set())):
                taken[visit.node] += _replies(visit)
        model.start_at(taken)


def moved(plan: Plan, remembered: JsonObject, visits: Sequence[Visit], names: Callable[[str], str]) -> JsonObject:
    """What the store remembers of a run's models where its plan is changed: the marks of its scripts where they are
    now, and their queues by what the nodes are called from now on.

    Args:
        plan: The plan that the run had.
        remembered: What the store holds of its models.
        visits: All visits that it has completed.
        names: What a node is called from now on.
    """
    asks = _models_by_node(plan)
    marks: Mapping[str, Any] = remembered
    found: dict[str, Json] = {}
    for name, mark in marks.items():
        if not isinstance(mark, Mapping) or "script" not in mark:
            found[name] = remembered[name]
            continue
        sharing = {
            other for other, each in marks.items() if isinstance(each, Mapping) and each.get("script") == mark["script"]
        }
        taken: Counter[str] = Counter(mark["taken"])
        for visit in visits[mark["since"] :]:
            if sharing & (asks.get(visit.node) or asks.get(last(visit.node), set())):
                taken[visit.node] += _replies(visit)
        script = mark["script"]
        queues = {names(queue): lines for queue, lines in script["script"].items()}
        counts: JsonObject = {names(queue): count for queue, count in taken.items()}
        found[name] = {"script": {**script, "script": queues}, "taken": counts, "since": len(visits)}
    return found


def _models_by_node(plan: Plan) -> dict[str, set[str]]:
    """The names of the models that each node asks, those in forks by their own names."""
    return {
        placed.name: set(placed.node.models)
        for part in plan.walk()
        for placed in part.nodes.values()
        if isinstance(placed.node, Node)
    }
