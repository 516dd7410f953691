"""How pictures grow: time for a line of the picture, by format and by the number of nodes.

A section is six nodes with two loops, a person, and two ends that every section leads to. The svg's time is the layout
engine's and our own, which is told beside it. Compare the lines with each other: where the work grows as the plan does,
the time for a line stays the same.

    python benchmarks/draw.py [--nodes 250 500 1000 2000] [--json]
"""

import argparse
import json
import time
from typing import Any

import graphlay

import loopwright as lw
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.scene import scene_of


def sections(nodes: int) -> lw.Plan:
    """A row of sections: gathered, drafted, checked, mended, approved, filed."""
    plan = lw.PlanBuilder("three hundred" if nodes == 300 else f"{nodes} nodes")
    count = max(1, nodes // 6)
    for number in range(1, count + 1):
        gather, draft, check, mend, approve, file = (
            f"{word} {number}" for word in ("gather", "draft", "check", "mend", "approve", "file")
        )
        for name in (gather, draft, mend, file):
            plan.node(lw.Think(name, prompt="Go on."))
        plan.node(lw.Judge(check, prompt="Good?", outcomes=["good", "weak", "off topic"]))
        plan.node(lw.Human(approve, text="Good?", outcomes=["yes", "no"]))
        plan.edge(gather, "done", draft).edge(draft, "done", check).edge(check, "good", approve)
        plan.edge(check, "weak", mend, at_most=3, then=approve).edge(mend, "done", check)
        plan.edge(check, "off topic", gather, at_most=2, then=lw.End("off_topic", ok=False))
        plan.edge(approve, "yes", file).edge(approve, "no", draft, at_most=2, then=lw.End("rejected", ok=False))
        plan.edge(file, "done", f"gather {number + 1}" if number < count else lw.End("finished"))
    return plan.build()


def measured(nodes: int) -> dict[str, float]:
    plan = sections(nodes)
    lines = len(scene_of(plan).arrows)
    spent = 0.0
    layout = graphlay.layout

    def timed(*args: Any, **options: Any) -> graphlay.Layout:
        nonlocal spent
        start = time.perf_counter()
        try:
            return layout(*args, **options)
        finally:
            spent += time.perf_counter() - start

    row: dict[str, float] = {"nodes": nodes, "lines": lines}
    graphlay.layout = timed
    try:
        for format in ("svg", "mmd", "dot", "txt"):
            start, spent = time.perf_counter(), 0.0
            picture(plan, format)
            taken = time.perf_counter() - start
            if format == "svg":
                row["engine_us_a_line"] = spent / lines * 1e6
            row[f"{format}_us_a_line"] = (taken - spent) / lines * 1e6
    finally:
        graphlay.layout = layout
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[250, 500, 1000, 2000])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measured(12)
    rows = [*map(measured, options.nodes)]
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print("  ".join(f"{name} {value:,.0f}" for name, value in row.items()))


if __name__ == "__main__":
    main()
