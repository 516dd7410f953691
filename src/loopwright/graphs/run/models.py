"""The models of a run: what is given now, what the plan refers to, and what the store remembers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from loopwright.errors import RunError
from loopwright.graphs.plan import Plan
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.records import Visit
from loopwright.state.values import Json, JsonObject

AnyModel: TypeAlias = Model | ModelRef
Visits: TypeAlias = Callable[[], Sequence[Visit]]


def models_for(
    plan: Plan,
    model: AnyModel | None = None,
    models: Mapping[str, AnyModel] | None = None,
    remembered: Mapping[str, Json] | None = None,
) -> dict[str, AnyModel]:
    """The model for each name that the plan asks for.

    Args:
        plan: The plan.
        model: Answers for every name that `models` does not give.
        models: Models by name.
        remembered: What the store holds of the models that the run was started with.

    Raises:
        RunError: A name has no model; all such names are told at once.
    """
    given, stored = dict(models or {}), dict(remembered or {})
    if unknown := sorted(given.keys() - plan.model_names):
        known = ", ".join(plan.model_names) or "none"
        raise RunError(f"no node asks for a model {', '.join(map(repr, unknown))}; this plan asks for: {known}")
    chosen: dict[str, AnyModel] = {}
    missing: list[str] = []
    for name in plan.model_names:
        found = given.get(name) or model or _remembered(stored.get(name)) or plan.models.get(name)
        if found is None:
            missing.append(name)
        else:
            chosen[name] = found
    if missing:
        names = ", ".join(map(repr, missing))
        raise RunError(
            f"no model is given for {names}: give model= or models= (--model or --script on the command line), "
            "or name it under the plan's models"
        )
    return chosen


def _remembered(data: Any) -> AnyModel | None:
    if not isinstance(data, Mapping) or "live" in data:
        return None
    if "script" in data:
        return ScriptedModel.from_data(data["script"])
    return TypeAdapter(ModelRef).validate_python(data["ref"])


def label_of(remembered: Any) -> str:
    """The label of a model that the store remembers.

    Example:
        >>> label_of({"ref": {"model": "gpt-4o-mini"}}), label_of({"live": "a test's model"})
        ('gpt-4o-mini', "a test's model")
    """
    if "ref" in remembered:
        return str(remembered["ref"]["model"])
    return ScriptedModel.from_data(remembered["script"]).label if "script" in remembered else str(remembered["live"])


def as_data(models: Mapping[str, AnyModel], remembered: Mapping[str, Json] | None = None) -> JsonObject:
    """The models as the store remembers them; of a live object only its label, so that it must be given again.

    Args:
        models: The models by name.
        remembered: What the store holds so far: a script that stays the same keeps what was lost of it.
    """
    lost = {name: _lost(model, (remembered or {}).get(name)) for name, model in models.items()}
    return {name: _as_data(model, lost[name]) for name, model in models.items()}


def with_losses(models: Mapping[str, AnyModel], visits: Visits) -> JsonObject:
    """The models as remembered after a failure: with the replies of scripts that came to no completed visit."""
    data: JsonObject = {}
    for name, model in models.items():
        lost: Counter[str] = Counter()
        if isinstance(model, ScriptedModel):
            kept = ScriptedModel.from_data(model.to_data())
            kept.start_at(_taken(model, visits()))
            lost = Counter(model.taken) - Counter(kept.taken)
        data[name] = _as_data(model, lost)
    return data


def _as_data(model: AnyModel, lost: Mapping[str, int]) -> Json:
    if isinstance(model, ModelRef):
        return {"ref": asdict(model)}
    if isinstance(model, ScriptedModel):
        return {"script": model.to_data(), "lost": dict(lost)}
    return {"live": model.label}


def _lost(model: AnyModel, remembered: Any) -> dict[str, int]:
    """The replies of a script, by queue, that were given to no completed visit."""
    if not isinstance(model, ScriptedModel) or not isinstance(remembered, Mapping):
        return {}
    return dict(remembered["lost"]) if remembered.get("script") == model.to_data() else {}


def _taken(model: ScriptedModel, visits: Sequence[Visit]) -> Counter[str]:
    """The replies of a script, by node, that completed visits took."""
    taken: Counter[str] = Counter()
    for visit in visits:
        if visit.model == model.label:
            taken[visit.node] += visit.usage.calls + visit.usage.retries + (visit.outcome == "failed")
    return taken


def connected(
    models: Mapping[str, AnyModel], visits: Visits = tuple, remembered: Mapping[str, Json] | None = None
) -> dict[str, Model]:
    """The models ready to be asked, each reference connected once, scripted ones where they were.

    Args:
        models: Models and references by name.
        visits: Reads the run's completed visits; only scripted models need to know them.
        remembered: What the store holds of the models.
    """
    clients: dict[ModelRef, Model] = {}
    ready: dict[str, Model] = {}
    for name, model in models.items():
        if isinstance(model, ModelRef):
            ready[name] = clients.setdefault(model, connect(model))
        else:
            if isinstance(model, ScriptedModel):
                model.start_at(_taken(model, visits()) + Counter(_lost(model, (remembered or {}).get(name))))
            ready[name] = model
    return ready
