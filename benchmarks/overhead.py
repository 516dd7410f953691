"""What a visit costs beside the same graph written by hand in LangGraph: same channels, prompts, delta lists and model.

Both graphs write and judge in turn until the bound is used up, with a model that answers at once. They run interleaved
in one process, so that the ratio of a pair stands even where the machine is noisy. The report is the median ratio.

    python benchmarks/overhead.py [--rounds 300] [--pairs 9] [--json]
"""

import argparse
import gc
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

import loopwright as lw


class Instant:
    """A model that answers at once: a text, or the verdict `revise`."""

    label = "instant"
    retries = 0

    def ask(self, call: lw.ModelCall) -> lw.ModelReply:
        verdict: dict[str, Any] = {"outcome": "revise", "reason": "too short"}
        return lw.ModelReply("A bridge of wood." if call.schema is None else verdict)

    async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
        return self.ask(call)


MODEL = Instant()
SCHEMA: dict[str, Any] = {"type": "object"}


def concatenated(state: list[str] | None, writes: Sequence[list[str]]) -> list[str]:
    return [*(state or ()), *(item for write in writes for item in write)]


class State(TypedDict, total=False):
    topic: str
    draft: str
    notes: Annotated[list[str], DeltaChannel(concatenated, list, snapshot_frequency=1000)]
    rounds: int


def by_hand(rounds: int, checkpointer: Any = None) -> Any:
    """The graph as one would write it: two functions and a counter."""

    def write(state: State) -> dict[str, Any]:
        prompt = f"Write about {state['topic']}."
        reply = MODEL.ask(lw.ModelCall("write", [{"role": "user", "content": prompt}]))
        return {"draft": reply.content}

    def review(state: State) -> Command[str]:
        prompt = f"Is this good enough? {state['draft']}"
        reply: Any = MODEL.ask(lw.ModelCall("review", [{"role": "user", "content": prompt}], SCHEMA)).content
        update: dict[str, Any] = {"notes": [reply["reason"]]}
        if reply["outcome"] == "revise" and state.get("rounds", 0) < rounds:
            return Command(update={**update, "rounds": state.get("rounds", 0) + 1}, goto="write")
        return Command(update=update, goto=END)

    graph = StateGraph(State)
    graph.add_node("write", write)
    graph.add_node("review", review, destinations=("write", END))
    graph.add_edge(START, "write")
    graph.add_edge("write", "review")
    return graph.compile(checkpointer=checkpointer)


def by_plan(rounds: int) -> lw.Loop[Any]:
    """The same as a plan."""
    notes = lw.Channel("notes", {"type": "array", "items": {"type": "string"}}, reduce="append")
    text = {"type": "string"}
    plan = lw.PlanBuilder("essay", [lw.Channel("topic", text, input=True), lw.Channel("draft", text), notes])
    plan.node(lw.Think("write", prompt="Write about <{topic}>.", writes="draft"))
    plan.node(lw.Judge("review", prompt="Is this good enough? <{draft}>", outcomes=["pass", "revise"], writes="notes"))
    plan.edge("write", "done", "review").edge("review", "pass", lw.End("finished"))
    plan.edge("review", "revise", "write", at_most=rounds, bound="rounds", then=lw.End("max_rounds", ok=False))
    return plan.loop(model=MODEL)


def clocked(function: Callable[[], object], visits: int) -> float:
    """Microseconds a visit."""
    gc.collect()
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) / visits * 1e6


def without_persistence(rounds: int) -> tuple[float, float]:
    limit = {"recursion_limit": 2 * rounds + 10}
    hand, plan = by_hand(rounds), by_plan(rounds).compile()
    visits = 2 * (rounds + 1)
    return (
        clocked(lambda: hand.invoke({"topic": "bridges"}, limit), visits),
        clocked(lambda: plan.invoke({"topic": "bridges"}, limit), visits),
    )


def with_sqlite(rounds: int) -> tuple[float, float]:
    visits = 2 * (rounds + 1)
    loop = by_plan(rounds)
    loop.certificate  # noqa: B018 - proved once per plan, before the clock
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "hand.db", check_same_thread=False)
        connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
        graph = by_hand(rounds, SqliteSaver(connection))
        config = {"configurable": {"thread_id": "1"}, "recursion_limit": 2 * rounds + 10}
        hand = clocked(lambda: graph.invoke({"topic": "bridges"}, config, durability="sync"), visits)
        with lw.Store(f"sqlite:{folder}/plan.db") as store:
            plan = clocked(lambda: loop.start({"topic": "bridges"}, store=store), visits)
        connection.close()
    return hand, plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = {}
    for name, pair, most in (("no persistence", without_persistence, 1.4), ("sqlite", with_sqlite, 1.2)):
        pair(20)
        pairs = [pair(options.rounds) for _ in range(options.pairs)]
        report[name] = {
            "hand_us": round(statistics.median(hand for hand, _ in pairs), 1),
            "loopwright_us": round(statistics.median(plan for _, plan in pairs), 1),
            "ratio": round(statistics.median(plan / hand for hand, plan in pairs), 3),
            "at_most": most,
        }
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for name, row in report.items():
        print(
            f"{name:15} by hand {row['hand_us']:7.1f} us  loopwright {row['loopwright_us']:7.1f} us  "
            f"ratio {row['ratio']:.2f} (at most {row['at_most']})"
        )


if __name__ == "__main__":
    main()
