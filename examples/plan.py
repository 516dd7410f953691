"""A plan made by hand: a writer, a judge, and at most three revisions. Needs no key."""

from pathlib import Path

import loopwright as lw


class Essay(lw.State):
    """What the nodes read and write."""

    topic: str = lw.input()
    draft: str
    notes: list[str] = lw.append()


plan = lw.PlanBuilder("draft and review", Essay, result="draft")
plan.node(lw.Think("write", prompt="Write about <{topic}>. Notes so far: <{notes}>", writes="draft"))
plan.node(lw.Judge("review", prompt="Good enough? <{draft}>", outcomes=["pass", "revise"], writes="notes"))
plan.edge("write", "done", "review")
plan.edge("review", "pass", lw.End("finished"))
plan.edge("review", "revise", "write", at_most=3, bound="rounds", then=lw.End("max_rounds", ok=False))

loop = plan.loop()
print(loop.check())
print(loop.certificate)
print(loop.draw(format="txt"))

model = lw.ScriptedModel(Path(__file__).parent / "essay.script.yaml")  # or lw.ModelRef("gpt-4o-mini")
for event in loop.stream({"topic": "wooden bridges"}, model=model):
    if isinstance(event, lw.VisitEnded):
        print(event.visit.node, "->", event.visit.outcome)
    if isinstance(event, lw.RunEnded):
        print(event.end, "because:", event.reason)
