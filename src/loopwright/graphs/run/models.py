"""The models of a run: what is given now, what the plan refers to, and what the store remembers."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeAlias, TypeVar

from pydantic import TypeAdapter

from loopwright.errors import RunError, SourceError, StoreError
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.scripts import mark_of, new_mark, unasked
from loopwright.nodes.models.client import connect
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.given import as_model
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import Runnable
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.values import Json, JsonObject

AnyModel: TypeAlias = Model | ModelRef
"""What answers a run's questions."""

Given: TypeAlias = AnyModel | Runnable | str
"""What a user may give for a model: a text is the name of one, as in `ModelRef(text)`; a runnable is a chat model."""


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
    for name in plan.model_names:
        asked = given.get(name) or model
        found = asked or _remembered(stored.get(name)) or plan.models.get(name)
        if found is None:
            missing.append(name)
            continue
        if isinstance(asked, ScriptedModel):
            wrong += unasked(plan, asked)
        try:
            chosen[name] = as_model(found)
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
        return TypeAdapter(ModelRef).validate_python(data["ref"])
    except (LookupError, TypeError, ValueError, SourceError) as error:
        raise StoreError(f"the store remembers {data!r} as a model, which cannot be read; give it again") from error


def label_of(remembered: Any) -> str:
    """The label of a model that the store remembers.

    Example:
        >>> label_of({"ref": {"model": "gpt-4o-mini"}}), label_of({"live": "a test's model"}), label_of("damaged")
        ('gpt-4o-mini', "a test's model", 'unreadable')
    """
    try:
        if "ref" in remembered:
            return str(remembered["ref"]["model"])
        return ScriptedModel.from_data(remembered["script"]).label if "script" in remembered else remembered["live"]
    except (LookupError, TypeError, ValueError, SourceError):
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
    if isinstance(model, ModelRef):
        return {"ref": asdict(model)}
    if isinstance(model, ScriptedModel):
        return mark_of(model, remembered) or new_mark(model, {}, visits)
    return {"live": model.label}


Kept = TypeVar("Kept")


def own(model: Kept) -> Kept | ScriptedModel:
    """A model for one of several runs. Each has its own copy of a script, so that none takes the replies of another."""
    return ScriptedModel.from_data(model.to_data()) if isinstance(model, ScriptedModel) else model


def connected(models: Mapping[str, AnyModel]) -> dict[str, Model]:
    """The models ready to be asked, each reference connected once."""
    clients = {model: connect(model) for model in models.values() if isinstance(model, ModelRef)}
    return {name: clients[model] if isinstance(model, ModelRef) else model for name, model in models.items()}
