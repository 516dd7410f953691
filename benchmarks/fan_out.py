"""What a wide fork costs beside the same one written by hand in LangGraph, with `Send`, a reducer and the same model.

Every branch asks a model that takes 50 ms for a score, and all branches may be at work at once. Both run interleaved in
one process, blocking and awaited, in memory and on SQLite. The report is the medians of the wall times, and the median
ratio of the pairs.

    python benchmarks/fan_out.py [--branches 256] [--pairs 7] [--json]
"""

import argparse
import asyncio
import gc
import json
import operator
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

import loopwright as lw

AT_MOST = 1.5
"""How many times as long as by hand a fork may take."""

DELAY = 0.05
SCHEMA: dict[str, Any] = {"type": "object"}
WAL = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"


class State(TypedDict, total=False):
    options: list[int]
    ratings: Annotated[list[float], operator.add]


class Sent(TypedDict):
    option: int


def model_of() -> lw.ScriptedModel:
    return lw.ScriptedModel({"rater": [{"reply": {"score": 5}, "delay": DELAY}], "repeat": "last"})


def call_of(state: Sent) -> lw.ModelCall:
    return lw.ModelCall("rater", [{"role": "user", "content": f"Rate 1 to 10: {state['option']}"}], SCHEMA)


def by_hand(saver: Any, awaited: bool) -> Any:
    """The graph as one would write it."""
    model = model_of()

    def rate(state: Sent) -> dict[str, Any]:
        reply: Any = model.ask(call_of(state)).content
        return {"ratings": [reply["score"]]}

    async def arate(state: Sent) -> dict[str, Any]:
        reply: Any = (await model.aask(call_of(state))).content
        return {"ratings": [reply["score"]]}

    def send(state: State) -> list[Send]:
        return [Send("rate", {"option": each}) for each in state["options"]]

    graph: Any = StateGraph(State).add_node("rate", arate if awaited else rate)
    graph.add_conditional_edges(START, send, ["rate"]).add_edge("rate", END)
    return graph.compile(checkpointer=saver)


def by_plan(branches: int) -> lw.Loop[Any]:
    """The same as a plan; it has as many branches at work at once as the graph by hand."""
    options = lw.Channel("options", list[int], input=True)
    plan = lw.PlanBuilder("rate", [options, lw.Channel("ratings", list[float])], result="ratings")
    rater = lw.Judge("rater", prompt="Rate 1 to 10: <{option}>", score=(1, 10))
    plan.each("rate", over="options", as_="option", at_most=branches, do=rater, collect="ratings")
    plan.edge("rate", "done", lw.End("rated"))
    loop = plan.loop(model=model_of())
    loop.program.machine  # noqa: B018 - made once for all runs, before the clock
    return loop


def config_of(branches: int) -> Any:
    return {"configurable": {"thread_id": "1"}, "max_concurrency": branches}


def checked(ratings: list[float], branches: int) -> None:
    if len(ratings) != branches:
        raise SystemExit(f"{len(ratings)} ratings came of {branches} branches")


def blocking(branches: int, folder: str) -> tuple[float, float]:
    """The seconds that it takes by hand, and as a plan, with blocking calls."""
    inputs, loop = {"options": [*range(branches)]}, by_plan(branches)
    if not folder:
        graph = by_hand(InMemorySaver(), awaited=False)
        hand = seconds(lambda: graph.invoke(inputs, config_of(branches), durability="sync")["ratings"], branches)
        return hand, seconds(lambda: loop.start(inputs).result, branches)
    connection = sqlite3.connect(f"{folder}/hand.db", check_same_thread=False)
    connection.executescript(WAL)
    graph = by_hand(SqliteSaver(connection), awaited=False)
    hand = seconds(lambda: graph.invoke(inputs, config_of(branches), durability="sync")["ratings"], branches)
    connection.close()
    with lw.Store(f"sqlite:{folder}/plan.db") as store:
        return hand, seconds(lambda: loop.start(inputs, store=store).result, branches)


async def awaited(branches: int, folder: str) -> tuple[float, float]:
    """The same with awaited calls."""
    inputs, loop = {"options": [*range(branches)]}, by_plan(branches)

    async def hand_of(saver: Any) -> float:
        graph = by_hand(saver, awaited=True)

        async def run() -> Any:
            return (await graph.ainvoke(inputs, config_of(branches), durability="sync"))["ratings"]

        return await aseconds(run, branches)

    async def plan_of(store: lw.Store | None) -> float:
        async def run() -> Any:
            return (await (loop.astart(inputs, store=store) if store else loop.astart(inputs))).result

        return await aseconds(run, branches)

    if not folder:
        return await hand_of(InMemorySaver()), await plan_of(None)
    async with AsyncSqliteSaver.from_conn_string(f"{folder}/hand.db") as saver:
        await saver.conn.executescript(WAL)
        hand = await hand_of(saver)
    with lw.Store(f"sqlite:{folder}/plan.db") as store:
        return hand, await plan_of(store)


def seconds(function: Callable[[], list[float]], branches: int) -> float:
    gc.collect()
    start = time.perf_counter()
    ratings = function()
    taken = time.perf_counter() - start
    checked(ratings, branches)
    return taken


async def aseconds(function: Callable[[], Awaitable[list[float]]], branches: int) -> float:
    gc.collect()
    start = time.perf_counter()
    ratings = await function()
    taken = time.perf_counter() - start
    checked(ratings, branches)
    return taken


def pair(way: str, kept: str, branches: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        place = folder if kept == "sqlite" else ""
        return blocking(branches, place) if way == "blocking" else asyncio.run(awaited(branches, place))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--branches", type=int, default=256)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for way in ("blocking", "awaited"):
        for kept in ("memory", "sqlite"):
            pair(way, kept, 8)
            pairs = [pair(way, kept, options.branches) for _ in range(options.pairs)]
            rows.append(
                {
                    "way": way,
                    "kept": kept,
                    "hand_ms": round(statistics.median(hand for hand, _ in pairs) * 1e3, 1),
                    "loopwright_ms": round(statistics.median(plan for _, plan in pairs) * 1e3, 1),
                    "ratio": round(statistics.median(plan / hand for hand, plan in pairs), 3),
                    "at_most": AT_MOST,
                }
            )
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print(
            f"{row['way']:9} {row['kept']:7} {options.branches} branches of {DELAY * 1e3:.0f} ms: "
            f"by hand {row['hand_ms']:6.1f} ms  loopwright {row['loopwright_ms']:6.1f} ms  "
            f"ratio {row['ratio']:.2f} (at most {row['at_most']})"
        )


if __name__ == "__main__":
    main()
