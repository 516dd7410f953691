"""What a run is started with."""

from collections.abc import Iterable, Mapping, Sequence
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


def fitting_runs(plan: Plan, given: Any, own: Sequence[JsonObject]) -> list[JsonObject]:
    """The inputs of several runs, if all fit.

    Args:
        plan: The plan.
        given: A list with the inputs of each run; None for the loop's own.
        own: The loop's own. Where they are for one run, they hold in each run that is given nothing else.

    Raises:
        RunError: There is no run, or an input is missing, is not known or does not fit; with the run.
    """
    if given is None:
        return [fitting_inputs(plan, None, each) for each in own]
    if isinstance(given, Mapping | str) or not isinstance(given, Iterable):
        raise RunError(f"the inputs of several runs are a list with a mapping for each run; {given!r} is none")
    default = own[0] if len(own) == 1 else {}
    fitting, faults = [], []
    for number, each in enumerate(given, start=1):
        try:
            fitting.append(fitting_inputs(plan, each, default))
        except RunError as error:
            faults.append(f"run {number}: {error}")
    if faults:
        raise RunError("\n".join(faults))
    if not fitting:
        raise RunError("there is nothing to run: the list of inputs is empty")
    return fitting
