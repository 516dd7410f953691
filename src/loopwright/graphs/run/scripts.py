"""How far the scripts and recordings of a run were read, so that a resumed run gets what it would have got.

The store holds a mark for each scripted model: how many replies of each queue were given when the run had made so many
visits. A mark is set whenever the run rests; after a crash the visits since then are counted on. A recording has a mark
of the same kind, with the calls of each node.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from loopwright.graphs.brains.settings import TECHNIQUES
from loopwright.graphs.brains.techniques import ASKING_NODES
from loopwright.graphs.plan import Fork, Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Node
from loopwright.nodes.models.recording.recorded import Recorded
from loopwright.nodes.models.recording.track import Track
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


def new_recording_mark(model: Recorded, track: JsonObject) -> JsonObject:
    """The mark of a recording, as the store holds it.

    Args:
        model: The model with the recording before it.
        track: Where the run is in it.
    """
    return {**model.recording.to_data(), **track}


def recording_mark_of(model: Recorded, remembered: Any) -> Json:
    """What the store remembers of a model's recording, where it is this one; else None."""
    kept = remembered.get("recording") if isinstance(remembered, Mapping) else None
    if not isinstance(kept, Mapping) or not model.recording.to_data().items() <= kept.items():
        return None
    return dict(kept)


def marked(models: Mapping[str, Any], remembered: JsonObject, visits: int) -> JsonObject:
    """What the store remembers of a run's models, with the marks of its scripts where they are now."""
    return {**remembered, **{name: _marked(model, remembered.get(name), visits) for name, model in models.items()}}


def _marked(model: Any, remembered: Json, visits: int) -> Json:
    if isinstance(model, ScriptedModel):
        return new_mark(model, model.taken, visits)
    if isinstance(model, Recorded):
        behind = _marked(model.source, remembered, visits)
        mark = new_recording_mark(model, model.track.mark(visits))
        return {**(behind if isinstance(behind, dict) else {}), "recording": mark}
    return remembered


def rewound(remembered: JsonObject, later: Sequence[Visit], visits: int) -> JsonObject:
    """What the store remembers of a run's models, with the marks of its scripts where they were some visits before.

    Args:
        remembered: What it remembers now.
        later: The visits that are not to have been.
        visits: How many visits there are without them.
    """
    return {name: _rewound(model, later, visits) for name, model in remembered.items()}


def _rewound(remembered: Json, later: Sequence[Visit], visits: int) -> Json:
    if not isinstance(remembered, dict):
        return remembered
    kept = dict(remembered)
    if "recording" in kept:
        kept["recording"] = _rewound(kept["recording"], later, visits)
    since: Any = kept.get("since", 0)
    if since <= visits:
        return kept
    was: Any = kept["taken"]
    taken: Counter[str] = Counter(was)
    for visit in later[: since - visits]:
        if visit.model:
            taken[visit.node] -= _replies(visit)
    return {**kept, "taken": dict(taken), "since": visits}


def _replies(visit: Visit) -> int:
    """How many replies of a script a visit took."""
    usage = visit.usage
    return usage.calls + usage.retries + usage.repairs + (visit.outcome == "failed")


def unasked(plan: Plan, model: ScriptedModel) -> list[str]:
    """What to say of each queue of a script that no node of the plan takes from.

    A queue may be called as a node is, in a fork with or without the item, or as the last part of that name. A script
    for a brain may have queues for every technique, so that one word still changes which.
    """
    nodes = set(_asking(plan))
    known = nodes | {last(node) for node in nodes}
    brains = set(_brains(plan))
    return [
        f"{model.label} has replies for {queue!r}, which is no node that asks a model; {did_you_mean(queue, known)}"
        for queue in model.queues
        if queue != "default" and known.isdisjoint((queue, body(queue))) and not _of_a_technique(queue, brains)
    ]


def _brains(plan: Plan, prefix: str = "") -> Iterator[str]:
    """What stands before the names of the nodes of each brain, those in forks included."""
    for name, fold in plan.folds.items():
        if fold.words.partition(" ")[0] in TECHNIQUES:
            yield f"{prefix}{name}/" if name else prefix
    for name, placed in plan.nodes.items():
        if isinstance(placed.node, Fork):
            for key, branch in placed.node.branches.items():
                yield from _brains(branch.plan, f"{prefix}{place(name, key)}/")


def _of_a_technique(queue: str, brains: Iterable[str]) -> bool:
    """Whether a queue is called as a node of any technique is, in one of the brains or without its name."""
    return any(ASKING_NODES.fullmatch(body(queue).removeprefix(brain)) for brain in brains)


def _asking(plan: Plan) -> Iterator[str]:
    """The nodes that ask models, those in forks as `FORK/NODE`."""
    for name, placed in plan.nodes.items():
        if isinstance(placed.node, Fork):
            for key, branch in placed.node.branches.items():
                yield from (f"{place(name, key)}/{inner}" for inner in _asking(branch.plan))
        elif placed.node.models:
            yield name


def go_on(
    plan: Plan,
    models: Mapping[str, Any],
    remembered: Mapping[str, Any],
    visits: Callable[[], Sequence[Visit]],
    run: str = "",
) -> None:
    """Have each script and each recording go on where the run is.

    Args:
        plan: The run's plan, which says what each node asks.
        models: The run's models by name; several names may share a script.
        remembered: What the store holds of them.
        visits: Reads the run's completed visits; it is called only where there is a script or a recording.
        run: The run's id, by which recordings call it.
    """
    asks = _models_by_node(plan)

    def taken(names: set[str], mark: Mapping[str, Any]) -> Counter[str]:
        return _taken_since(mark, visits(), asks, names)

    behind = {name: model.source if isinstance(model, Recorded) else model for name, model in models.items()}
    for script, names in _sharing(behind, ScriptedModel):
        script.start_at(taken(names, remembered[min(names)]))
    tracks = {name: model.track for name, model in models.items() if isinstance(model, Recorded)}
    for track, names in _sharing(tracks, Track):
        mark = remembered[min(names)]["recording"]
        track.go_on(run, mark, taken(names, mark))


def moved(plan: Plan, remembered: JsonObject, visits: Sequence[Visit], names: Callable[[str], str]) -> JsonObject:
    """What the store remembers of a run's models where its plan is changed: the marks of its scripts and recordings
    where they are now, and their queues by what the nodes are called from now on.

    Args:
        plan: The plan that the run had.
        remembered: What the store holds of its models.
        visits: All visits that it has completed.
        names: What a node is called from now on.
    """
    asks = _models_by_node(plan)
    marks: Mapping[str, Any] = {name: mark for name, mark in remembered.items() if isinstance(mark, Mapping)}

    def at_the_end(mark: Mapping[str, Any], part: str) -> JsonObject:
        sharing = {name for name, other in marks.items() if other.get(part) == mark[part]}
        before = mark if part == "script" else mark[part]
        taken = _taken_since(before, visits, asks, sharing)
        return {"taken": {names(queue): count for queue, count in taken.items()}, "since": len(visits)}

    found: dict[str, Json] = dict(remembered)
    for name, mark in marks.items():
        kept: dict[str, Json] = dict(mark)
        if "script" in mark:
            script = mark["script"]
            queues = {names(queue): lines for queue, lines in script["script"].items()}
            kept |= {"script": {**script, "script": queues}, **at_the_end(mark, "script")}
        if "recording" in mark:
            kept |= {"recording": {**mark["recording"], **at_the_end(mark, "recording")}}
        found[name] = kept
    return found


def _taken_since(
    mark: Mapping[str, Any], visits: Sequence[Visit], asks: Mapping[str, set[str]], names: set[str]
) -> Counter[str]:
    """The replies that were given by now, by node, to those that ask for a model of one of these names."""
    count = Counter(mark["taken"])
    for visit in visits[mark["since"] :]:
        if names & (asks.get(visit.node) or asks.get(last(visit.node), set())):
            count[visit.node] += _replies(visit)
    return count


def _models_by_node(plan: Plan) -> dict[str, set[str]]:
    """The names of the models that each node asks, those in forks by their own names."""
    return {
        placed.name: set(placed.node.models)
        for part in plan.walk()
        for placed in part.nodes.values()
        if isinstance(placed.node, Node)
    }


Shared = TypeVar("Shared")


def _sharing(held: Mapping[str, Any], kind: type[Shared]) -> list[tuple[Shared, set[str]]]:
    """Each object of a kind once, with the names that have it."""
    found = {id(each): each for each in held.values() if isinstance(each, kind)}
    return [(each, {name for name, other in held.items() if other is each}) for each in found.values()]
