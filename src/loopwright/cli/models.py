"""The models that a command runs with, and what they need before the run may start."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from loopwright.cli.exits import WrongUse
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.models import AnyModel, Given, models_for
from loopwright.nodes.models.client import missing_keys
from loopwright.nodes.models.recording.recorded import Recorded
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel


def given_model(
    model: str,
    script: Path | None,
    *,
    record: Path | None = None,
    replay: Path | None = None,
    cache: Path | None = None,
    of: str = "",
) -> AnyModel | Recording | None:
    """The model that the options name, with the recording before it that they name; None where they name neither.

    Args:
        model: As of `--model`.
        script: As of `--script`.
        record: As of `--record`.
        replay: As of `--replay`.
        cache: As of `--cache`.
        of: What the names of the first two begin with, as `judge-`.

    Raises:
        WrongUse: They name two, or none that can be.
        SourceError: The script has faults.
    """
    if model and script:
        raise WrongUse(f"--{of}model and --{of}script both say who answers; give one of them")
    files = {name: path for name, path in (("record", record), ("replay", replay), ("cache", cache)) if path}
    if len(files) > 1:
        named = " and ".join(f"--{name}" for name in files)
        raise WrongUse(f"{named} say different things of the same calls; give one of them")
    if replay and (model or script):
        raise WrongUse(f"--replay asks no model; leave {'--model' if model else '--script'} out, or say --cache FILE")
    try:
        behind = ScriptedModel(script) if script else ModelRef(model) if model else None
    except ValueError as error:
        raise WrongUse(f"--{of}model: {error}") from error
    if record:
        return Recording(record, "record", model=behind)
    if cache:
        return Recording(cache, "cache", model=behind)
    return Recording(replay, "replay") if replay else behind


def require_models(plan: Plan, given: Given | None, remembered: Mapping[str, Any] | None = None) -> list[str]:
    """The labels of the models that will be asked; each once.

    Args:
        plan: The plan.
        given: The model that the options name, or that the loop brings.
        remembered: What the store knows of the run's models.

    Raises:
        RunError: A model is missing; all of them are told.
        WrongUse: A key is missing that a model needs; all of them are told.
    """
    models = models_for(plan, given, None, remembered)
    require_keys(models.values())
    return list(dict.fromkeys(_label(model) for model in models.values()))


def require_keys(models: Iterable[AnyModel]) -> None:
    """Refuse to start where a model cannot be asked.

    Args:
        models: The models that will be asked.

    Raises:
        WrongUse: A key is missing that a model needs; all of them are told.
    """
    refs = [ref for model in models if isinstance(ref := _surely_asked(model), ModelRef)]
    if missing := missing_keys(refs):
        variables = ", ".join(missing)
        asked = ", ".join(dict.fromkeys(ref.model for ref in refs if ref.api_key_env in missing))
        verb = "is" if len(missing) == 1 else "are"
        raise WrongUse(
            f"{variables} {verb} not set, and {asked} cannot be asked without; nothing was started. Set the key, "
            "name another variable with api_key_env ('' for a server that needs no key), or try it with --script FILE"
        )


def _surely_asked(model: AnyModel) -> AnyModel | None:
    """The model that cannot be done without; a cache may have all answers."""
    if isinstance(model, Recorded):
        return model.source if model.recording.mode == "record" else None
    return model


def _label(model: AnyModel) -> str:
    if isinstance(model, ModelRef):
        return model.model
    torn = model.recording.torn if isinstance(model, Recorded) else 0
    return f"{model.label}, whose line {torn}, the last, is not whole and was left out" if torn else model.label
