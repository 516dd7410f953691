"""The models of a run: what is given now, what the plan refers to, and what the store remembers."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeAlias, TypeVar

from pydantic import TypeAdapter

from loopwright.errors import RunError, SourceError, StoreError
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.scripts import mark_of, new_mark, new_recording_mark, recording_mark_of, unasked
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.given import as_model
from loopwright.nodes.models.recording.recorded import MODES, Recorded
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.recording.track import Track, first_mark
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import Runnable
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.values import Json, JsonObject

AnyModel: TypeAlias = Model | ModelRef
"""What answers a run's questions."""

Given: TypeAlias = AnyModel | Runnable | Recording | str
"""What a user may give for a model: a text is the name of one, as in `ModelRef(text)`; a runnable is a chat model; a
recording stands before the models that there are otherwise."""


def models_for(
    plan: Plan,
    model: Given | None = None,
    models: Mapping[str, Given] | None = None,
    remembered: Mapping[str, Json] | None = None,
) -> dict[str, AnyModel]:
    """The model for each name that the plan asks for.

    Args:
        plan: The plan.
        model: Answers for every name that `models` does not give.
        models: Models by name.
        remembered: What the store holds of the models that the run was started with.

    Raises:
        RunError: A name has no model, what is given is none, or no node asks for a queue of a script; all such are told
            at once.
    """
    given, stored = by_name(models), dict(remembered or {})
    if unknown := sorted(given.keys() - plan.model_names):
        known = ", ".join(plan.model_names) or "none"
        raise RunError(f"no node asks for a model {', '.join(map(repr, unknown))}; this plan asks for: {known}")
    chosen: dict[str, AnyModel] = {}
    missing: list[str] = []
    wrong: list[str] = []
    recordings = _Recordings()
    for name in plan.model_names:
        recording, asked = _told_apart(given.get(name), model)
        if recording is None and (asked is None or _is_live(stored.get(name))):
            recording = recordings.remembered(stored.get(name))
        if recording is not None and recording.mode == "replay":
            chosen[name] = recordings.before(None, recording, name)
            continue
        found = asked or _remembered(stored.get(name)) or plan.models.get(name)
        if found is None:
            missing.append(name)
            continue
        if isinstance(asked, ScriptedModel):
            wrong += unasked(plan, asked)
        try:
            chosen[name] = recordings.before(as_model(found), recording, name)
        except RunError as error:
            wrong.append(str(error))
    if wrong:
        raise RunError("; ".join(dict.fromkeys(wrong)))
    if missing:
        names = ", ".join(map(repr, missing))
        raise RunError(
            f"no model is given for {names}: give model= or models= (--model or --script on the command line), "
            "or name it under the plan's models"
        )
    return chosen


def either(model: Given | None, own: Given | None) -> Given | None:
    """The model that is given, or else the loop's own; a recording that is given stands before the loop's own."""
    return model.before(own) if isinstance(model, Recording) and not isinstance(own, Recording) else model or own


def adds_to(model: Given | None) -> bool:
    """Whether what is given leaves the models that a run has: nothing does, and a recording without a model of its own.

    Example:
        >>> adds_to(None), adds_to(Recording("calls.jsonl")), adds_to("gpt-4o-mini")
        (True, True, False)
    """
    return not model or (isinstance(model, Recording) and model.model is None)


def _told_apart(named: Given | None, model: Given | None) -> tuple[Recording | None, AnyModel | Runnable | str | None]:
    """The recording among what is given for a name, and the model."""
    recording = next((each for each in (named, model) if isinstance(each, Recording)), None)
    behind = (named, model, recording.model if recording else None)
    asked = next((each for each in behind if each and not isinstance(each, Recording)), None)
    return recording, asked.source if recording and isinstance(asked, Recorded) else asked


class _Recordings:
    """The recordings of a run. The models before which the same one stands share where the run is in it."""

    def __init__(self) -> None:
        self._tracks: dict[int, tuple[Recording, Track]] = {}
        self._remembered: dict[tuple[str, str], Recording] = {}

    def remembered(self, data: Any) -> Recording | None:
        """The recording that the store remembers of a model."""
        kept = data.get("recording") if isinstance(data, Mapping) else None
        if kept is None:
            return None
        try:
            place = str(kept["path"]), str(kept["mode"])
            recording = self._remembered.setdefault(place, Recording.from_data(kept))
        except (LookupError, TypeError, ValueError) as error:
            raise StoreError(
                f"the store remembers {kept!r} as a recording, which cannot be read; give it again"
            ) from error
        recording.require_there()
        return recording

    def before(self, model: AnyModel | None, recording: Recording | None, name: str) -> AnyModel:
        """The model, with the recording before it where there is one."""
        if recording is None or isinstance(model, Recorded):
            assert model is not None
            return model
        recording.open()
        _, track = self._tracks.setdefault(id(recording), (recording, Track()))
        return MODES[recording.mode](recording, name, model, track)


def _is_live(remembered: Any) -> bool:
    """Whether the store could not keep a model itself."""
    return isinstance(remembered, Mapping) and "live" in remembered


def by_name(models: Any) -> dict[str, Given]:
    """What a user gives as models by name; None is none.

    Raises:
        RunError: It is no mapping.
    """
    if models is not None and not isinstance(models, Mapping):
        raise RunError(f"models are a mapping, from the names that a plan asks for to models; {models!r} is none")
    return dict(models or {})


def _remembered(data: Any) -> AnyModel | None:
    try:
        if data is None or "live" in data:
            return None
        if "script" in data:
            return ScriptedModel.from_data(data["script"])
        return None if data.keys() == {"recording"} else TypeAdapter(ModelRef).validate_python(data["ref"])
    except (AttributeError, LookupError, TypeError, ValueError, SourceError) as error:
        raise StoreError(f"the store remembers {data!r} as a model, which cannot be read; give it again") from error


def label_of(remembered: Any) -> str:
    """The label of a model that the store remembers.

    Example:
        >>> label_of({"ref": {"model": "gpt-4o-mini"}}), label_of({"live": "a test's model"}), label_of("damaged")
        ('gpt-4o-mini', "a test's model", 'unreadable')
    """
    try:
        recording = Recording.from_data(remembered["recording"]) if "recording" in remembered else None
        if recording and remembered.keys() == {"recording"}:
            return recording.deed
        if "ref" in remembered:
            label = str(remembered["ref"]["model"])
        else:
            script = remembered.get("script")
            label = ScriptedModel.from_data(script).label if script else remembered["live"]
        return f"{label} ({recording.deed})" if recording else label
    except (AttributeError, LookupError, TypeError, ValueError, SourceError):
        return "unreadable"


def as_data(
    models: Mapping[str, AnyModel], remembered: Mapping[str, Json] | None = None, visits: int = 0
) -> JsonObject:
    """The models as the store remembers them; of a live object only its label, so that it must be given again.

    Args:
        models: The models by name.
        remembered: What the store holds so far: a script that stays the same keeps its mark.
        visits: How many visits the run has completed.
    """
    return {name: _as_data(model, (remembered or {}).get(name), visits) for name, model in models.items()}


def _as_data(model: AnyModel, remembered: Any, visits: int) -> Json:
    if isinstance(model, Recorded):
        behind = {} if model.source is None else _as_data(model.source, remembered, visits)
        mark = recording_mark_of(model, remembered) or new_recording_mark(model, first_mark(visits))
        return {**(behind if isinstance(behind, dict) else {}), "recording": mark}
    if isinstance(model, ModelRef):
        return {"ref": asdict(model)}
    if isinstance(model, ScriptedModel):
        return mark_of(model, remembered) or new_mark(model, {}, visits)
    return {"live": model.label}


Kept = TypeVar("Kept")


def own(model: Kept) -> Kept | ScriptedModel | Recording:
    """A model for one of several runs, with a script of its own."""
    if isinstance(model, Recording) and isinstance(model.model, ScriptedModel):
        return model.on(model.model.anew())
    return model.anew() if isinstance(model, ScriptedModel) else model


def own_of(models: Mapping[str, AnyModel]) -> dict[str, AnyModel]:
    """The models of one run; names that share a script, or a recording, go on doing so."""
    tracks = {id(model.track): Track() for model in models.values() if isinstance(model, Recorded)}
    behind = (model.source if isinstance(model, Recorded) else model for model in models.values())
    scripts = {id(model): model.anew() for model in behind if isinstance(model, ScriptedModel)}

    def own_in(model: AnyModel) -> AnyModel:
        if isinstance(model, Recorded):
            return model.on(tracks[id(model.track)], scripts.get(id(model.source), model.source))
        return scripts.get(id(model), model)

    return {name: own_in(model) for name, model in models.items()}


def connected(models: Mapping[str, AnyModel]) -> dict[str, Model]:
    """The models ready to be asked."""
    return {name: connect(model) if isinstance(model, ModelRef) else model for name, model in models.items()}
