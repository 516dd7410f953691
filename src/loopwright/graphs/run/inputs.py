"""What a run is started with."""

from collections.abc import Mapping
from typing import Any

from loopwright.errors import RunError
from loopwright.graphs.plan import Plan
from loopwright.state.rebuilt import plain
from loopwright.state.schema import check_for
from loopwright.state.values import JsonObject


def fitting_inputs(plan: Plan, given: Any, default: Mapping[str, Any] | None = None) -> JsonObject:
    """The inputs as JSON, if they fit.

    Args:
        plan: The plan.
        given: The values of its inputs, by channel; None is none.
        default: What holds where nothing else is given.

    Raises:
        RunError: One is missing, is not known or does not fit; all that is wrong is told at once.
    """
    if given is not None and not isinstance(given, Mapping):
        raise RunError(f"inputs are a mapping, from the names of channels to their values; {given!r} is none")
    inputs = {name: plain(value) for name, value in {**(default or {}), **(given or {})}.items()}
    known = {channel.name: channel for channel in plan.inputs}
    faults = [f"there is no input {name!r}" for name in inputs if name not in known]
    for name, channel in known.items():
        if name not in inputs:
            if not channel.always_there:
                faults.append(f"input {name!r} is missing")
            continue
        try:
            check_for(channel.type)(inputs[name])
        except ValueError as error:
            faults.append(f"input {name!r} does not fit: {error}")
    if faults:
        raise RunError(f"{'; '.join(faults)}. The inputs of {plan.name!r} are: {', '.join(known) or 'none'}")
    return inputs
