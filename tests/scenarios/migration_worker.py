"""A process that makes processes which migrate a store and are killed: it reads orders from standard input.

An order, a line of JSON, names the store and the statement before which the process kills itself with SIGKILL. For each
order, a line is written that says how the process went. Loopwright is imported once.
"""

import json
import os
import signal
import sys
from typing import Any

import loopwright.graphs.run.moving  # noqa: F401 - the engine is loaded before a process is made
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End
from loopwright.graphs.run.changed import migrate
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store

DECLARED = Migration(nodes={"approve": "sign"}, channels={"draft": "text"})


def letters(node: str = "approve", channel: str = "draft") -> Loop[Any]:
    """A draft is written, and a person approves of it; as it was, or with other names."""
    plan = PlanBuilder("letters", [Channel("to", input=True), Channel(channel)], result=channel)
    plan.node(Think("write", prompt="To <{to}>.", writes=channel)).edge("write", "done", node)
    plan.node(Human(node, text=f"Send? <{{{channel}}}>", outcomes=["send", "drop"]))
    return plan.edge(node, "send", End("sent")).edge(node, "drop", End("dropped", ok=False)).loop()


def obey(order: dict[str, Any]) -> None:
    """Migrate the store, and be killed before the statement; without one, to the end."""
    left: int = order["statement"]

    def count(_: str) -> None:
        nonlocal left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    with Store(order["store"]) as store:
        if left:
            store.database.connection.set_trace_callback(count)
        for _ in migrate(store, letters("sign", "text"), DECLARED):
            pass


def main() -> None:
    """Fork for each order, and tell how the child went."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            obey(json.loads(line))
            os._exit(0)
        sys.stdout.write(f"{os.waitpid(child, 0)[1]}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
