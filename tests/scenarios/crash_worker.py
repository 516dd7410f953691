"""A process that makes processes to be killed: it reads orders from standard input and forks a child for each.

For each order, a line of JSON, it writes two lines: the child's process id, and, when the child is gone, how it went.
Loopwright is imported once, so that a child is there in a few milliseconds.
"""

import asyncio
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import loopwright.graphs.run.session  # noqa: F401 - the engine is loaded before the clock runs
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.brains import MultiEval
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.loop.tool_loop import ToolLoop
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.role import Rounds
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store

Made = tuple[Loop[Any], Mapping[str, list[Any]]]
WORD = "Fluggaenkoechiebolsen"


def roles() -> Made:
    """The four roles, three rounds."""
    loop = RoleCycle(task="T", rounds=Rounds(min=3, max=4))
    script = {name: [f"{name} {index}" for index in range(3)] for name in ("solver", "detractor", "master")}
    return loop, {**script, "boss": ["boss 0", "boss 1", WORD]}


def nested() -> Made:
    """A loop inside of a loop: each part is written until it is good, and all of it twice."""
    inner = PlanBuilder("part", [Channel("topic", input=True), Channel("text"), Channel("notes", reduce="append")])
    inner.node(Think("write", prompt="<{topic}> <{notes}>", writes="text"))
    inner.node(Judge("review", prompt="<{text}>", outcomes=["pass", "revise"], writes="notes"))
    inner.edge("write", "done", "review").edge("review", "pass", End("good"))
    inner.edge("review", "revise", "write", at_most=2, then=End("good"))
    outer = PlanBuilder("whole", [Channel("topic"), Channel("chosen")], result="chosen")
    outer.node(Think("choose", prompt="?", writes="topic")).edge("choose", "done", "part").node(inner.build())
    outer.node(Judge("look", prompt="?", outcomes=["good", "again"], writes="chosen")).edge("part", "good", "look")
    outer.edge("look", "again", "choose", at_most=3, then=End("bad", ok=False)).edge("look", "good", End("good"))
    no, yes = {"outcome": "revise", "reason": "no"}, {"outcome": "pass", "reason": "yes"}
    return outer.loop(), {
        "choose": ["one", "two"],
        "write": [f"text {index}" for index in range(5)],
        "review": [no, yes, no, no, no],
        "look": [{"outcome": "again", "reason": "more"}, {"outcome": "good", "reason": "enough"}],
    }


def branches() -> Made:
    """Four branches of two visits each, twice."""
    body = PlanBuilder("body", [Channel("item", input=True), Channel("text"), Channel("grade")], result="grade")
    body.node(Think("write", prompt="<{item}>", writes="text")).edge("write", "done", "grade")
    body.node(Think("grade", prompt="<{text}>", writes="grade")).edge("grade", "done", End("graded"))
    plan = PlanBuilder("fork", [Channel("items", default=["a", "b", "c", "d"]), Channel("grades")], result="grades")
    plan.each("rate", over="items", as_="item", do=body.build(), collect="grades", at_most=4).edge(
        "rate", "done", "look"
    )
    plan.node(Judge("look", prompt="<{grades}>", outcomes=["good", "again"])).edge("look", "good", End("good"))
    plan.edge("look", "again", "rate", at_most=1, then=End("bad", ok=False))
    script = {
        f"rate[{place}]/{node}": [f"{node} {place} {index}" for index in range(2)]
        for place in range(4)
        for node in ("write", "grade")
    }
    return plan.loop(), {**script, "look": [{"outcome": "again"}, {"outcome": "good"}]}


ORDER: dict[str, Any] = {}
"""The order that this process obeys, for the tools, which are functions of the module."""


def look(place: int) -> str:
    """Look at a place."""
    note(ORDER, f"look {place}")
    if ORDER.get("hang_at") == place:
        hang(ORDER)
    return f"seen {place}"


def tools() -> Made:
    """A model that looks at four places at once, and then answers."""
    calls = {"tools": [{"tool": "look", "args": {"place": place}} for place in range(4)]}
    return ToolLoop([look], prompt="Look."), {"ask": [calls, "Seen."]}


def ratings() -> Made:
    """Six options, each rated by itself; only a server answers for it."""
    return MultiEval(prompt="A name?", n=6), {}


LOOPS: dict[str, Callable[[], Made]] = {
    "roles": roles,
    "nested": nested,
    "branches": branches,
    "tools": tools,
    "ratings": ratings,
}


class Journal(ScriptedModel):
    """A scripted model that writes each call down before it answers, in a file that outlives the process."""

    def __init__(self, script: Mapping[str, list[Any]], order: Mapping[str, Any]) -> None:
        super().__init__(script)
        self._order = order
        self._asked = 0

    def ask(self, call: ModelCall) -> ModelReply:
        """Answer, after the order's delay."""
        self._note(call)
        time.sleep(self._order["delay"])
        return super().ask(call)

    async def aask(self, call: ModelCall) -> ModelReply:
        """Answer, after the order's delay."""
        self._note(call)
        await asyncio.sleep(self._order["delay"])
        return await super().aask(call)

    def _note(self, call: ModelCall) -> None:
        self._asked += 1
        if "snapshots" in self._order:
            self._keep_copy(Path(self._order["snapshots"]) / f"{self._asked}.db")
        if self._order.get("hang_before") == self._asked:
            hang(self._order)
        note(self._order, call.node)
        if self._order.get("hang_in") == self._asked:
            hang(self._order)

    def _keep_copy(self, path: Path) -> None:
        source, copy = sqlite3.connect(self._order["store"].removeprefix("sqlite:")), sqlite3.connect(path)
        source.backup(copy)
        source.close()
        copy.close()


def note(order: Mapping[str, Any], line: str) -> None:
    """Write a line into the journal."""
    journal = os.open(order["journal"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(journal, f"{line}\n".encode())
    os.close(journal)


def hang(order: Mapping[str, Any]) -> None:
    """Say so, and wait to be killed."""
    Path(order["hangs"]).touch()
    time.sleep(60)


def obey(order: Mapping[str, Any]) -> None:
    """Start the loop's run, or go on with the one that is in the store, unless a new one is wanted."""
    ORDER.update(order)
    loop, script = LOOPS[order["loop"]]()
    given: Any = (
        ModelRef("m", base_url=order["server"], api_key_env="PATH") if "server" in order else Journal(script, order)
    )
    if "recording" in order:
        replays = order["mode"] == "replay"
        given = Recording(order["recording"], order["mode"], model=None if replays else given)
    models = dict.fromkeys(loop.plan.model_names, given)
    with Store(order["store"]) as store:
        known = [] if order.get("new") else list(store.registry.all())
        if order["awaited"]:
            run = open_run(store, known[0].id, loop=loop, models=models) if known else None
            asyncio.run(run.aresume() if run else loop.astart(store=store, models=models))
        elif known:
            open_run(store, known[0].id, loop=loop, models=models).resume()
        else:
            loop.start(store=store, models=models)


def tell(what: object) -> None:
    """Write a line to whoever gives the orders."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main() -> None:
    """Fork for each order, and wait. One that is gone is reaped when asked for: a kill may be on its way to it."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            obey(json.loads(line))
            os._exit(0)
        tell(child)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        tell("gone")
        sys.stdin.readline()
        tell(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main()
