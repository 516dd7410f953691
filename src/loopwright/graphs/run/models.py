"""The models of a run: what is given now, what the plan refers to, and what the store remembers."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from loopwright.errors import RunError
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.scripts import mark_of, new_mark
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.values import Json, JsonObject

AnyModel: TypeAlias = Model | ModelRef
"""What answers a run's questions."""

Given: TypeAlias = AnyModel | str
"""What a user may give for a model: a text is the name of one, as in `ModelRef(text)`."""


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
            chosen[name] = ModelRef(found) if isinstance(found, str) else found
    if strange := [repr(model) for model in chosen.values() if not isinstance(model, ModelRef | Model)]:
        raise RunError(f"{', '.join(strange)} is no model: give a name, a ModelRef, a ScriptedModel or an own Model")
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
    if isinstance(model, ModelRef):
        return {"ref": asdict(model)}
    if isinstance(model, ScriptedModel):
        return mark_of(model, remembered) or new_mark(model, {}, visits)
    return {"live": model.label}


def connected(models: Mapping[str, AnyModel]) -> dict[str, Model]:
    """The models ready to be asked, each reference connected once."""
    clients = {model: connect(model) for model in models.values() if isinstance(model, ModelRef)}
    return {name: clients[model] if isinstance(model, ModelRef) else model for name, model in models.items()}
