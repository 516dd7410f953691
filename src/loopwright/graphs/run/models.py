"""The models of a run: what is given now, what the plan refers to, and what the store remembers."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from loopwright.errors import RunError
from loopwright.graphs.plan import Plan
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.values import Json, JsonObject

AnyModel: TypeAlias = Model | ModelRef


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
        raise RunError(f"no model is given for {names}: give model=, models= or a reference in the plan")
    return chosen


def _remembered(data: Any) -> AnyModel | None:
    if not isinstance(data, Mapping) or "live" in data:
        return None
    if "script" in data:
        return ScriptedModel.from_data(data["script"])
    return TypeAdapter(ModelRef).validate_python(data["ref"])


def as_data(models: Mapping[str, AnyModel]) -> JsonObject:
    """The models as the store remembers them; of a live object only its label, so that it must be given again."""
    return {name: _as_data(model) for name, model in models.items()}


def _as_data(model: AnyModel) -> Json:
    if isinstance(model, ModelRef):
        return {"ref": asdict(model)}
    if isinstance(model, ScriptedModel):
        return {"script": model.to_data()}
    return {"live": model.label}


def connected(models: Mapping[str, AnyModel], visits_by_node: Mapping[str, int]) -> dict[str, Model]:
    """The models ready to be asked, each reference connected once.

    Args:
        models: Models and references by name.
        visits_by_node: Completed visits by node: scripted models go on where they were.
    """
    clients: dict[ModelRef, Model] = {}
    ready: dict[str, Model] = {}
    for name, model in models.items():
        if isinstance(model, ModelRef):
            ready[name] = clients.setdefault(model, connect(model))
        else:
            if isinstance(model, ScriptedModel):
                model.start_at(visits_by_node)
            ready[name] = model
    return ready
