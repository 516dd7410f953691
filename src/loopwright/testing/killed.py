"""A process that makes processes to be killed: it loads a loop once, and forks a process for each order.

Its first line of input names the loop; each further one is an order to start or go on with the loop's run in a store,
until that rests for good. For each it writes two lines: the new process's id, and, once that is gone, that it is; then
it waits for a line, and says how the process went. So the id is that of no other process as long as it may be killed.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import loopwright.graphs.run.session
import loopwright.nodes.models.openai  # noqa: F401
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.opening import open_run
from loopwright.loop.load import load
from loopwright.loop.loop import Loop
from loopwright.nodes.models.reference import ModelRef
from loopwright.sources.targets import find, refused, target_of
from loopwright.state.store.store import Store
from loopwright.testing.histories import settle


def loop_of(named: Mapping[str, Any]) -> Loop[Any]:
    """The loop that an order names, or whose plan it holds.

    Raises:
        SourceError: There is none.
    """
    if "plan" in named:
        return Loop(Plan.from_data(named["plan"]))
    target = target_of(named["loop"])
    if target is None:
        return load(named["loop"])
    found = find(target)
    if not isinstance(found.value, Loop):
        raise refused(target, found, "a Loop", ("loopwright",))
    return found.value


def obey(loop: Loop[Any], order: Mapping[str, Any]) -> None:
    """Start the loop's run, or go on with the one that is in the store, until it rests for good."""
    model = ModelRef("any", base_url=order["server"], api_key_env="", retries=0)
    models = dict.fromkeys(loop.plan.model_names, model)
    with Store(order["store"]) as store:
        known = [row.id for row in store.registry.all()]
        if known:
            run = open_run(store, known[0], loop=loop, models=models)
        else:
            run = loop.enter_all(
                [loop.inputs[0] if order["inputs"] is None else order["inputs"]], store=store, models=models
            )[0]
        settle(run, order["people"], awaited=order["awaited"])


def tell(what: object) -> None:
    """Write a line to whoever gives the orders."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main() -> None:
    """Load, and fork for each order."""
    loop = loop_of(json.loads(sys.stdin.readline()))
    tell("ready")
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            obey(loop, json.loads(line))
            os._exit(0)
        tell(child)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        tell("gone")
        sys.stdin.readline()
        tell(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
