"""Loops that are broken and killed: one of each form, what a model server answers them, and what people say.

Each reply hangs on the request alone, so that a call that is made again is answered as it was.
"""

import hashlib
import json
import re
import time
from typing import Any

import loopwright as lw
from loopwright.loop.loop import Loop
from loopwright.nodes.contract import ToolCall

STOP = "Fluggaenkoechiebolsen"
TEXT = {"type": "string"}
NOTES = {"type": "array", "items": TEXT}

roles = lw.RoleCycle(task="T", rounds=lw.Rounds(min=3, max=4))


def _fan_out() -> Loop[Any]:
    """Three branches of two visits each, twice."""
    channels = [lw.Channel("item", TEXT, input=True), lw.Channel("text", TEXT), lw.Channel("grade", TEXT)]
    body = lw.PlanBuilder("body", channels, result="grade")
    body.node(lw.Think("write", prompt="Write <{item}>", writes="text")).edge("write", "done", "grade")
    body.node(lw.Think("grade", prompt="Grade <{text}>", writes="grade")).edge("grade", "done", lw.End("graded"))
    items = lw.Channel("items", NOTES, default=["a", "b", "c"])
    plan = lw.PlanBuilder("fork", [items, lw.Channel("grades"), lw.Channel("notes", NOTES, reduce="append")])
    plan.each("rate", over="items", as_="item", do=body.build(), collect="grades", at_most=3)
    plan.edge("rate", "done", "look")
    judge = lw.Judge("look", prompt="Look <{grades}> after <{notes}>", outcomes=["good", "again"], writes="notes")
    plan.node(judge).edge("look", "good", lw.End("good"))
    plan.edge("look", "again", "rate", at_most=1, then=lw.End("bad", ok=False))
    return plan.loop()


def _nested() -> Loop[Any]:
    """A loop inside of a loop: each part is written until it is good, and all of it twice."""
    notes = lw.Channel("notes", NOTES, reduce="append")
    inner = lw.PlanBuilder("part", [lw.Channel("topic", TEXT, input=True), lw.Channel("text", TEXT), notes])
    inner.node(lw.Think("write", prompt="Write <{topic}> after <{notes}>", writes="text"))
    inner.node(lw.Judge("review", prompt="Look <{text}> after <{notes}>", outcomes=["good", "again"], writes="notes"))
    inner.edge("write", "done", "review").edge("review", "good", lw.End("good"))
    inner.edge("review", "again", "write", at_most=2, then=lw.End("good"))
    outer = lw.PlanBuilder("whole", [lw.Channel("topic", TEXT, default="x"), notes, lw.Channel("last", TEXT)])
    outer.node(lw.Think("choose", prompt="Choose after <{notes}>", writes="topic")).edge("choose", "done", "part")
    outer.node(inner.build())
    outer.node(lw.Judge("look", prompt="Look <{topic}> after <{notes}>", outcomes=["good", "again"], writes="notes"))
    outer.edge("part", "good", "look").edge("look", "good", lw.End("good"))
    outer.edge("look", "again", "choose", at_most=3, then=lw.End("bad", ok=False))
    return outer.loop()


def _by_hand() -> Loop[Any]:
    """A letter that a person looks at, with what they said to it."""
    channels = [lw.Channel("draft", TEXT), lw.Channel("wishes", NOTES, reduce="append")]
    plan = lw.PlanBuilder("letter", channels, result="draft")
    plan.node(lw.Think("write", prompt="Write after <{wishes}>", writes="draft")).edge("write", "done", "look")
    plan.node(lw.Human("look", text="<{draft}>", outcomes=["send", "again"], on_text="again", writes="wishes"))
    plan.edge("look", "send", lw.End("sent"))
    plan.edge("look", "again", "write", at_most=5, then=lw.End("not_sent", ok=False))
    return plan.loop()


def look(place: int) -> str:
    """Look at a place."""
    return f"seen {place}"


fan_out, nested, by_hand = _fan_out(), _nested(), _by_hand()
tools = lw.ToolLoop([look], prompt="Look.")
talk = lw.Conversation([{"name": "ann"}, {"name": "bob", "human": "always"}], task="T", max_messages=7, stop=None)
steps = lw.Pipeline(
    [
        {"agent": {"name": "cost", "prompt": "Cost of <{question}>"}, "needs": []},
        {"agent": {"name": "risk", "prompt": "Risk of <{question}>"}, "needs": []},
        {"agent": {"name": "advice", "prompt": "Advise: <{carried}>"}, "needs": ["cost", "risk"]},
        {"agent": {"name": "note", "prompt": "Write: <{carried}> <{cost}>"}, "needs": ["advice"]},
    ],
    question="oak",
)

PEOPLE = {"look": ["shorter", "longer", "again", "send"], "ask bob": ["", "hm", ""]}


def answer(call: lw.ModelCall) -> Any:
    """The same for a model in this process."""
    said = reply({"messages": call.messages, "tools": call.tools})
    return lw.ModelReply("", tool_calls=said) if isinstance(said, tuple) else said


def slow_reply(body: Any) -> Any:
    """The same, so slowly that many a kill finds a call under way."""
    time.sleep(0.03)
    return reply(body)


def reply(body: Any) -> Any:
    """What the server answers: to judges `again` until they have said so once, and texts that tell what was asked."""
    said = json.dumps(body["messages"])
    if body.get("tools"):
        looked = sum(message["role"] == "tool" for message in body["messages"])
        calls = tuple(ToolCall("look", {"place": looked + place}, f"call {looked + place}") for place in range(2))
        return calls if looked < 4 else "Seen."
    if len(body["messages"]) == 14:  # the boss of round 3
        return STOP
    if found := re.search(r"Look .* after (.*)", said):
        again = found[1].count("more")
        return {"outcome": "good" if again else "again", "reason": "enough" if again else "more"}
    return f"text {hashlib.sha256(said.encode()).hexdigest()[:8]}"
