"""Many durable runs at once beside the same graph written by hand on LangGraph's async SQLite saver.

Each run makes ten visits of 10 ms, one after the other, and each step is on disk, flushed (`synchronous=FULL`), before
the next begins. All runs are begun at once in one event loop. Both write to a file in the same folder, in turn.

    python benchmarks/many_runs.py [--runs 500] [--pairs 3] [--json]
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

import loopwright as lw

VISITS = 10
SECONDS = 0.01
AT_LEAST = 2.0
NODES = [f"step {number}" for number in range(VISITS)]


class State(TypedDict, total=False):
    count: int


async def one_more(state: State) -> State:
    await asyncio.sleep(SECONDS)
    return {"count": state.get("count", 0) + 1}


async def count(count: int) -> int:
    await asyncio.sleep(SECONDS)
    return count + 1


def by_hand(saver: AsyncSqliteSaver) -> Any:
    """The graph as one would write it: ten functions in a row."""
    graph = StateGraph(State)
    for before, name in pairwise([START, *NODES]):
        graph.add_node(name, one_more)
        graph.add_edge(before, name)
    graph.add_edge(NODES[-1], END)
    return graph.compile(checkpointer=saver)


def by_plan() -> lw.Loop[Any]:
    """The same as a plan."""
    plan = lw.PlanBuilder("count", [lw.Channel("count", int, input=True)], result="count")
    for name in NODES:
        plan.node(lw.Act(name, count, reads="count", writes="count"))
    for before, name in pairwise(NODES):
        plan.edge(before, "done", name)
    return plan.edge(NODES[-1], "done", lw.End("counted")).loop()


async def hand_seconds(file: Path, runs: int) -> float:
    async with aiosqlite.connect(file) as connection:
        await connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
        saver = AsyncSqliteSaver(connection)
        await saver.setup()
        graph = by_hand(saver)

        async def run(number: int) -> None:
            config = {"configurable": {"thread_id": str(number)}}
            result = await graph.ainvoke({"count": 0}, config, durability="sync")
            assert result["count"] == VISITS

        start = time.perf_counter()
        await asyncio.gather(*map(run, range(runs)))
        return time.perf_counter() - start


async def plan_seconds(file: Path, runs: int) -> float:
    with lw.Store(f"sqlite:{file}") as store:
        store.database.connection.execute("PRAGMA synchronous=FULL")
        loop = by_plan()
        loop.certificate  # noqa: B018 - proved once per plan, before the clock

        async def run() -> None:
            assert (await loop.astart({"count": 0}, store=store)).result == VISITS

        start = time.perf_counter()
        await asyncio.gather(*(run() for _ in range(runs)))
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    hand, plan = [], []
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(options.pairs):
            hand.append(options.runs / asyncio.run(hand_seconds(Path(folder, f"hand{pair}.db"), options.runs)))
            plan.append(options.runs / asyncio.run(plan_seconds(Path(folder, f"plan{pair}.db"), options.runs)))
    report = {
        "hand_per_second": round(statistics.median(hand), 1),
        "loopwright_per_second": round(statistics.median(plan), 1),
        "ratio": round(statistics.median(ours / theirs for ours, theirs in zip(plan, hand, strict=True)), 2),
        "at_least": AT_LEAST,
    }
    if options.json:
        print(json.dumps(report, indent=2))
        return
    print(
        f"{options.runs} runs at once: by hand {report['hand_per_second']} a second,"
        f" loopwright {report['loopwright_per_second']}, ratio {report['ratio']} (at least {AT_LEAST})"
    )


if __name__ == "__main__":
    main()
