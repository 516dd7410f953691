"""What a run is started with."""

from collections.abc import Mapping
from typing import Any

from loopwright.errors import RunError
from loopwright.graphs.plan import Plan
from loopwright.state.schema import check_for
from loopwright.state.values import JsonObject


def fitting_inputs(plan: Plan, inputs: Mapping[str, Any]) -> JsonObject:
    """The inputs, if they fit.

    Raises:
        RunError: One is missing, is not known or does not fit; all that is wrong is told at once.
    """
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
    return dict(inputs)
