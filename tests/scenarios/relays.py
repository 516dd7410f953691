"""Loops that pass events on, for processes that are killed; see `test_events.py`."""

from typing import Any

import loopwright as lw


def relay(balls: int) -> lw.Loop[Any]:
    """Passes each ball on that it gets."""
    plan = lw.PlanBuilder("relay", [lw.Channel("ball")])
    plan.node(lw.Wait("get", event="ball", where={"colour": "red"}, writes="ball"))
    plan.node(lw.Emit("give", event="passed", payload="<{ball}>", to="catcher"))
    plan.edge("get", "done", "give").edge("give", "done", "get", at_most=balls - 1, then=lw.End("passed"))
    return plan.loop()


def catcher(balls: int) -> lw.Loop[Any]:
    """Collects the balls that are passed on."""
    plan = lw.PlanBuilder("catcher", [lw.Channel("got", list, reduce="append")], result="got")
    plan.node(lw.Wait("catch", event="passed", writes="got"))
    return plan.edge("catch", "done", "catch", at_most=balls - 1, then=lw.End("full")).loop()


def balls(count: int) -> list[dict[str, Any]]:
    """Red balls in their order, and one of another colour after each."""
    return [{"number": number, "colour": colour} for number in range(count) for colour in ("red", "blue")]


def red(count: int) -> list[dict[str, Any]]:
    """The balls that the relay passes on."""
    return [ball for ball in balls(count) if ball["colour"] == "red"]
