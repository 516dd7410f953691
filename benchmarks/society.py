"""How a society grows: time and bytes for each event, from quarter to quarter, and what its sleep costs.

Fifty agents talk in a ring, all awake at every tick; a model that answers at once stands for theirs. Each quarter of
the events is one line; with a history that cost anything the last would be dearer than the first. `asleep` is the
processor time that a server takes in a second while all sleep.

    python benchmarks/society.py [--agents 50] [--events 10000] [--asleep 5] [--json]
"""

import argparse
import json
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import loopwright as lw

TALK = "World:agent_speaks_with_agent_event"


class Instant:
    """A model that answers at once: each agent talks to the first one near it."""

    label = "instant"
    retries = 0

    def ask(self, call: lw.ModelCall) -> lw.ModelReply:
        properties: Any = (call.schema or {}).get("properties", {})
        if "next_action" in properties:
            said: Any = {"inventory": [], "step_completed": "", "plan": ["talk"], "violated_constraints": []}
            return lw.ModelReply({**said, "next_action_aim": "talk", "next_action": TALK, "is_action_valid": True})
        return lw.ModelReply({"target_id": properties["target_id"]["enum"][0], "message": "x" * 100})

    async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
        return self.ask(call)


def society(agents: int, ticks: int, *, awake: bool = True) -> lw.Society:
    """So many agents, which talk at every tick, each with somebody else."""
    base = {"navigation": {"type": "zero_shot"}, "awake": awake, "heeds": [], "wakes_on": {}}
    return lw.Society({f"agent {n}": {} for n in range(agents)}, base_agent=base, ticks=ticks, model=Instant())


def growth(agents: int, events: int, file: Path) -> list[dict[str, float]]:
    """Time and bytes for each event, by quarters."""
    ticks = max(events // agents, 4)
    marks = [(time.perf_counter(), 0)]
    run = society(agents, ticks).stream(store=f"sqlite:{file}")
    done = 0
    for event in run:
        if isinstance(event, lw.VisitEnded) and event.visit.node == "settle":
            done += 1
            if done % (ticks // 4) == 0:
                marks.append((time.perf_counter(), size(file)))
    spans = pairwise(marks[:5])
    each = ticks // 4 * agents
    return [{"ms": (b[0] - a[0]) * 1000 / each, "kB": (b[1] - a[1]) / 1000 / each} for a, b in spans]


def size(file: Path) -> int:
    """Bytes of a store's files."""
    return sum(part.stat().st_size for part in file.parent.glob(f"{file.name}*"))


def asleep(agents: int, seconds: float, file: Path) -> float:
    """Milliseconds of processor time in a second, while all sleep and a server waits for something to happen."""
    with lw.Store(f"sqlite:{file}") as store:
        run = society(agents, 2, awake=False).start(store=store)
        assert run.status == "waiting"
    server = threading.Thread(target=lw.serve, args=(f"sqlite:{file}",), daemon=True)
    server.start()
    time.sleep(1)
    before = time.process_time()
    time.sleep(seconds)
    return (time.process_time() - before) * 1000 / seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--asleep", type=float, default=5.0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quarters = growth(args.agents, args.events, Path(folder) / "runs.db")
        idle = asleep(args.agents, args.asleep, Path(folder) / "asleep.db")
    if args.json:
        print(json.dumps({"quarters": quarters, "asleep_ms_per_s": idle}))
        return
    print(f"{args.agents} agents, {args.events} events")
    for number, quarter in enumerate(quarters, 1):
        print(f"quarter {number}: {quarter['ms']:.1f} ms and {quarter['kB']:.2f} kB an event")
    print(f"asleep: {idle:.1f} ms of processor time a second")


if __name__ == "__main__":
    main()
