"""How runs grow: bytes and time with the length of a run, wall time with the width of a fork, runs in a second.

Each line is one measurement on this machine; compare the lines with each other, not with those of another machine. The
growth of a run is measured beside the same loop written by hand in LangGraph, with its usual list (`operator.add`) and
its SQLite saver; `growth` is the last length's figures over the first's, with the most that we allow ourselves.

    python benchmarks/scale.py [--visits 500 2000] [--rounds 5] [--branches 8 64 256] [--runs 200] [--json]
"""

import argparse
import asyncio
import gc
import json
import operator
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

import loopwright as lw

AT_MOST = {"us_per_visit": 1.15, "kB": 4.4, "open_ms": 1.5}
"""How much more 2,000 visits may take than 500."""


class Instant:
    """A model that answers at once: 500 characters, or the verdict `again`."""

    label = "instant"
    retries = 0

    def ask(self, call: lw.ModelCall) -> lw.ModelReply:
        return lw.ModelReply("x" * 500 if call.schema is None else {"outcome": "again"})

    async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
        return self.ask(call)


class Slow:
    """A model that takes 50 ms for a rating."""

    label = "slow"
    retries = 0

    def ask(self, call: lw.ModelCall) -> lw.ModelReply:
        time.sleep(0.05)
        return lw.ModelReply({"score": 5})

    async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
        await asyncio.sleep(0.05)
        return lw.ModelReply({"score": 5})


def growing(visits: int) -> lw.Loop[Any]:
    """A writer whose texts are all kept in one list, a judge that never is content, and at the end a person."""
    plan = lw.PlanBuilder("growing", [lw.Channel("log", list[str], reduce="append")])
    plan.node(lw.Think("write", prompt="Go on.", writes="log"))
    plan.node(lw.Judge("judge", prompt="Enough?", outcomes=["enough", "again"]))
    plan.node(lw.Human("look", text="Enough?", outcomes=["yes", "no"]))
    plan.edge("write", "done", "judge").edge("judge", "enough", lw.End("finished"))
    plan.edge("judge", "again", "write", at_most=visits // 2 - 1, bound="rounds", then="look")
    plan.edge("look", "yes", lw.End("finished")).edge("look", "no", "look")
    return plan.loop(model=Instant())


class State(TypedDict, total=False):
    log: Annotated[list[str], operator.add]
    rounds: int


def growing_by_hand(visits: int, saver: SqliteSaver) -> Any:
    """The same loop as one would write it in LangGraph."""

    def write(state: State) -> State:
        return {"log": [str(Instant().ask(lw.ModelCall("write", [])).content)]}

    def judge(state: State) -> Command[str]:
        rounds = state.get("rounds", 0) + 1
        return Command(update={"rounds": rounds}, goto="write" if rounds < visits // 2 else "look")

    def look(state: State) -> Command[str]:
        return Command(goto=END if interrupt("Enough?") == "yes" else "look")

    graph = StateGraph(State)
    graph.add_node("write", write)
    graph.add_node("judge", judge, destinations=("write", "look"))
    graph.add_node("look", look, destinations=("look", END))
    graph.add_edge(START, "write").add_edge("write", "judge")
    return graph.compile(checkpointer=saver)


def rating(branches: int) -> lw.Loop[Any]:
    """One rating for each of some options, side by side."""
    plan = lw.PlanBuilder("rating", [lw.Channel("options", list[int], input=True), lw.Channel("ratings")])
    rater = lw.Judge("rater", prompt="Rate <{option}>", score=(1, 10))
    plan.each("rate", over="options", as_="option", do=rater, collect="ratings", at_most=branches)
    return plan.edge("rate", "done", lw.End("finished")).loop(model=Slow())


def short() -> lw.Loop[Any]:
    """A row of ten nodes."""
    plan = lw.PlanBuilder("short", [lw.Channel("text", str)])
    for number in range(10):
        plan.node(lw.Think(f"n{number}", prompt="Go on.", writes="text"))
        plan.edge(f"n{number}", "done", f"n{number + 1}" if number < 9 else lw.End("finished"))
    return plan.loop(model=Instant())


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def median_ms(function: Callable[[], object]) -> float:
    """The median of some calls: what is asked of a run that waits changes nothing in it."""
    return statistics.median(seconds(function) for _ in range(9)) * 1e3


def figures(visits: int, taken: float, folder: str, opened: float, resumed: float) -> dict[str, float]:
    size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return {
        "visits": visits,
        "us_per_visit": taken / visits * 1e6,
        "kB": size / 1e3,
        "open_ms": opened,
        "resume_ms": resumed,
    }


def length(visits: int) -> dict[str, float]:
    """A run that grows until it waits, is opened, and goes on for a visit."""
    loop = growing(visits)
    loop.program.machine  # noqa: B018 - made once for all runs, before the clock
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:{folder}/runs.db"
        with lw.Store(url) as store:
            gc.collect()
            taken = seconds(lambda: loop.start(store=store))
            run = next(store.registry.all()).id
        opened = median_ms(lambda: lw.open_run(url, run, loop=loop).questions)
        with lw.Store(url) as store:
            resumed = median_ms(lambda: lw.open_run(store, run, loop=loop).resume("no", model=Instant()))
        return figures(visits, taken, folder, opened, resumed)


def length_by_hand(visits: int) -> dict[str, float]:
    """The same in LangGraph."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/hand.db"
        config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": visits + 10}
        with SqliteSaver.from_conn_string(path) as saver:
            saver.conn.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
            graph = growing_by_hand(visits, saver)
            gc.collect()
            taken = seconds(lambda: graph.invoke({}, config, durability="sync"))

        def look() -> object:
            with SqliteSaver.from_conn_string(path) as again:
                return growing_by_hand(visits, again).get_state(config).interrupts

        opened = median_ms(look)
        with SqliteSaver.from_conn_string(path) as saver:
            graph = growing_by_hand(visits, saver)
            resumed = median_ms(lambda: graph.invoke(Command(resume="no"), config, durability="sync"))
        return figures(visits, taken, folder, opened, resumed)


def growth(lengths: list[int], rounds: int) -> list[dict[str, Any]]:
    """The medians of some rounds, ours beside LangGraph's, each length in its turn; and last over first."""
    rows: list[dict[str, Any]] = []
    for name, measure, times in (("loopwright", length, rounds), ("by hand", length_by_hand, 1)):
        measured = [[measure(visits) for visits in lengths] for _ in range(times)]
        medians = [
            {key: statistics.median(one[key] for one in column) for key in column[0]}
            for column in zip(*measured, strict=True)
        ]
        ratios = {key: round(medians[-1][key] / medians[0][key], 2) for key in medians[0]}
        rows += [{"written": name, **median} for median in medians]
        rows.append({"written": name, "growth": ratios, "at_most": AT_MOST if name == "loopwright" else {}})
    return rows


def width(branches: int) -> dict[str, float]:
    loop, inputs = rating(branches), {"options": list(range(branches))}
    loop.program.machine  # noqa: B018 - made once for all runs, before the clock
    blocking = seconds(lambda: loop.start(inputs))
    awaited = seconds(lambda: asyncio.run(loop.astart(inputs)))
    return {"branches": branches, "sync_ms": blocking * 1e3, "async_ms": awaited * 1e3}


def throughput(runs: int) -> dict[str, float]:
    loop = short()
    loop.program.machine  # noqa: B018 - made once for all runs, before the clock
    with tempfile.TemporaryDirectory() as folder, lw.Store(f"sqlite:{folder}/runs.db") as store:
        taken = seconds(lambda: [loop.start(store=store) for _ in range(runs)])
    return {"runs_of_10_visits": runs, "runs_per_s": runs / taken}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--branches", type=int, nargs="+", default=[8, 64, 256])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    length(20)
    rows = [*growth(options.visits, options.rounds), *map(width, options.branches), throughput(options.runs)]
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        words = (
            f"{value:,.1f}".removesuffix(".0") if isinstance(value, float) else str(value) for value in row.values()
        )
        print("  ".join(f"{name} {word}" for name, word in zip(row, words, strict=True) if word != "{}"))


if __name__ == "__main__":
    main()
