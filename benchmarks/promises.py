"""What each promise costs by itself, and how an inbox grows.

A lease is a run taken and left; an effect is a visit of a function beside the same function as no effect; an event is
sent, wakes a run that sleeps, and is taken. The last is measured in a small store and in a large one, with many events
that nobody waits for and many runs that wait for another one.

    python benchmarks/promises.py [--rounds 200] [--events 10 100000] [--waiting 1000] [--json]
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import loopwright as lw

BOUND = 1.5
EFFECT_VISITS = 20
BULK = 1_000


def asleep(event: str) -> lw.Loop[Any]:
    """A run that waits for an event for one of its name."""
    plan = lw.PlanBuilder("asleep", [lw.Channel("me", str, input=True), lw.Channel("got", dict)], result="got")
    wait = lw.Wait("sleep", event=event, where={"to": "<{me}>"}, writes="got")
    return plan.node(wait).edge("sleep", "done", lw.End("awake")).loop()


def counting(*, effect: bool) -> lw.Loop[Any]:
    """A function that is called again and again, as an effect or not."""

    def count(count: int) -> int:
        return count + 1

    act = lw.Act("count", count, reads="count", writes="count", effect="once" if effect else None)
    plan = lw.PlanBuilder("count", [lw.Channel("count", int, input=True)], result="count").node(act)
    return plan.edge("count", "done", "count", at_most=EFFECT_VISITS - 1, then=lw.End("counted")).loop()


def median_us(rounds: int, deed: Callable[[int], object]) -> float:
    """Microseconds that a deed takes, as the median of some."""
    taken = []
    for number in range(rounds):
        begun = time.perf_counter()
        deed(number)
        taken.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(taken)


def lease(store: lw.Store, rounds: int) -> float:
    """Taking a run, and leaving it as it is."""
    (run,) = asleep("never").enter_all([{"me": "x"}], store=store)

    def taken(_: int) -> None:
        row = store.registry.claim(run.id)
        assert row
        store.registry.interrupt(run.id, token=row.token)

    return median_us(rounds, taken)


def visit(store: lw.Store, rounds: int, *, effect: bool) -> float:
    """One visit of a run of many."""
    loop = counting(effect=effect)
    return median_us(max(rounds // 10, 1), lambda _: loop.start({"count": 0}, store=store)) / EFFECT_VISITS


def event(store: lw.Store, rounds: int, name: str) -> dict[str, float]:
    """Sending an event, finding which runs it wakes, and taking it."""
    loop = asleep(name)
    runs = [loop.start({"me": f"{name} {number}"}, store=store) for number in range(rounds)]
    send = median_us(rounds, lambda number: store.send(name, {"to": f"{name} {number}"}))
    wake = median_us(rounds, lambda number: store.inbox.ready(runs[number].row))
    take = median_us(rounds, lambda number: runs[number].resume())
    assert {run.status for run in runs} == {"finished"}
    return {"send": send, "wake": wake, "take": take}


def filled(folder: Path, events: int, waiting: int) -> lw.Store:
    """A store with so many events that nobody waits for, and so many runs that wait for none of them."""
    store = lw.Store(f"sqlite:{folder / f'{events}.db'}")
    loop = asleep("never")
    for _ in range(waiting if events > 10 else 1):
        loop.start({"me": "nobody"}, store=store)
    for start in range(0, events, BULK):
        with store.database.transaction():
            for number in range(start, min(start + BULK, events)):
                store.send("rings", {"to": "somebody", "number": number})
    return store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--events", type=int, nargs=2, default=[10, 100_000])
    parser.add_argument("--waiting", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with lw.Store(f"sqlite:{folder / 'alone.db'}") as store:
            report: dict[str, Any] = {
                "lease": lease(store, options.rounds),
                "plain_visit": visit(store, options.rounds, effect=False),
                "effect_visit": visit(store, options.rounds, effect=True),
            }
        few, many = (filled(folder, events, options.waiting) for events in options.events)
        with few, many:
            found = [event(store, options.rounds, f"gives {turn}") for turn in range(3) for store in (few, many)]
        report |= {
            deed: {
                "few": round(statistics.median(each[deed] for each in found[::2])),
                "many": round(statistics.median(each[deed] for each in found[1::2])),
            }
            for deed in ("send", "wake", "take")
        }
    if options.json:
        print(json.dumps(report, indent=2))
        return
    print(
        f"lease {report['lease']:.0f} us, plain visit {report['plain_visit']:.0f} us,"
        f" effect {report['effect_visit']:.0f} us"
    )
    for deed in ("send", "wake", "take"):
        small, large = report[deed]["few"], report[deed]["many"]
        print(
            f"{deed}: {small} us among {options.events[0]:,} events, {large} us among {options.events[1]:,}"
            f" and {options.waiting:,} waiting runs, ratio {large / small:.2f} (at most {BOUND})"
        )


if __name__ == "__main__":
    main()
