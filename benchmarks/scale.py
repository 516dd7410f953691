"""How runs grow: bytes and time with the length of a run, wall time with the width of a fork, runs in a second.

Each line is one measurement on this machine; compare the lines with each other, not with those of another machine.

    python benchmarks/scale.py [--visits 500 2000] [--branches 8 64 256] [--runs 200] [--json]
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import loopwright as lw


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
    """A writer whose texts are all kept in one list, and a judge that never is content."""
    plan = lw.PlanBuilder("growing", [lw.Channel("log", list[str], reduce="append")])
    plan.node(lw.Think("write", prompt="Go on.", writes="log"))
    plan.node(lw.Judge("judge", prompt="Enough?", outcomes=["enough", "again"]))
    plan.edge("write", "done", "judge").edge("judge", "enough", lw.End("finished"))
    plan.edge("judge", "again", "write", at_most=visits // 2 - 1, bound="rounds", then=lw.End("max", ok=False))
    return plan.loop(model=Instant())


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


def length(visits: int) -> dict[str, float]:
    loop = growing(visits)
    loop.program.machine  # noqa: B018 - made once for all runs, before the clock
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:{folder}/runs.db"
        with lw.Store(url) as store:
            taken = seconds(lambda: loop.start(store=store))
            run = next(store.registry.all()).id
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        opened = seconds(lambda: lw.open_run(url, run).status)
    return {"visits": visits, "us_per_visit": taken / visits * 1e6, "kB": size / 1e3, "open_ms": opened * 1e3}


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
    parser.add_argument("--branches", type=int, nargs="+", default=[8, 64, 256])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    length(20)
    rows = [*map(length, options.visits), *map(width, options.branches), throughput(options.runs)]
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print("  ".join(f"{name} {value:,.1f}".removesuffix(".0") for name, value in row.items()))


if __name__ == "__main__":
    main()
