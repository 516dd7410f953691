"""A process that makes processes to be killed in an effect: for each order on standard input it forks a child.

For each order, a line of JSON, it writes how the child went when it is gone: 0, or the signal that killed it. The child
kills itself at the moment that the order names, or is killed by the server that it pays at.
"""

import asyncio
import json
import os
import signal
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

import loopwright as lw
import loopwright.graphs.run.session  # the engine is loaded once, for all children
from loopwright.loop.loop import Loop
from loopwright.state.store.effect_ledger import EffectLedger
from loopwright.state.store.steps import Steps

ORDER: dict[str, Any] = {}
TEXT = {"type": "string"}


def post(path: str, key: str = "") -> str:
    """Ask the server to do something; the number of what it did."""
    headers = {"Pid": str(os.getpid()), "Key": key}
    request = urllib.request.Request(f"{ORDER['server']}/{path}", data=b"{}", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        done = str(json.loads(answer.read())["row"])
    kill_at("after the call")
    return done


def kill_at(moment: str) -> None:
    """Kill this process, where the order says so."""
    if ORDER.get("kill") == moment:
        os.kill(os.getpid(), signal.SIGKILL)


def price(item: str) -> int:
    """A plain function."""
    return len(item)


@lw.effect
def pay(item: str) -> str:
    """Pay, without a key: the server cannot know that it was asked before."""
    return post(f"pay/{item}")


@lw.effect
async def apay(item: str) -> str:
    """The same, awaited."""
    return await asyncio.to_thread(post, f"pay/{item}")


@lw.effect("repeatable")
def order(item: str, idempotency_key: str) -> str:
    """Order, with a key."""
    return post(f"order/{item}", idempotency_key)


def one(function: Any) -> Loop[Any]:
    """A price, an effect, and what is said of it."""
    channels = [lw.Channel("item", TEXT, default="oak"), lw.Channel("price"), lw.Channel("paid"), lw.Channel("said")]
    plan = lw.PlanBuilder("shop", channels, result="said")
    plan.node(lw.Act("price", price, writes="price")).edge("price", "done", "buy")
    plan.node(lw.Act("buy", function, writes="paid")).edge("buy", "done", "say")
    plan.node(lw.Act("say", say, writes="said")).edge("say", "done", lw.End("bought"))
    return plan.loop()


def say(paid: str) -> str:
    """A plain function."""
    return f"row {paid}"


def fork(function: Any) -> Loop[Any]:
    """Three branches, each with an effect."""
    items = lw.Channel("items", {"type": "array", "items": TEXT}, default=["oak", "larch", "pine"])
    plan = lw.PlanBuilder("shop", [items, lw.Channel("paid")], result="paid")
    plan.each("all", over="items", as_="item", do=lw.Act("buy", function, writes="paid"), collect="paid", at_most=3)
    plan.edge("all", "done", lw.End("bought"))
    return plan.loop()


def tools(function: Any) -> Loop[Any]:
    """A model that calls a tool which is an effect."""
    return lw.ToolLoop([function], prompt="Buy oak.")


SHAPES: dict[str, Callable[[Any], Loop[Any]]] = {"one": one, "fork": fork, "tools": tools}
FUNCTIONS: dict[str, Any] = {"pay": pay, "apay": apay, "order": order}


def loop_of(name: str) -> Loop[Any]:
    """A loop, as `one pay`."""
    shape, function = name.split()
    return SHAPES[shape](FUNCTIONS[function])


def model_of(name: str) -> lw.ScriptedModel | None:
    """What answers in it."""
    shape, function = name.split()
    call = {"tools": [{"tool": function, "args": {"item": "oak"}}]}
    return lw.ScriptedModel({"ask": [call, "Bought."]}) if shape == "tools" else None


def watched(owner: Any, name: str, moment: str) -> None:
    """Have a method kill the process before it, and after it."""
    method = getattr(owner, name)

    def around(*args: Any, **options: Any) -> Any:
        kill_at(f"before {moment}")
        made = method(*args, **options)
        kill_at(f"after {moment}")
        return made

    setattr(owner, name, around)


def work() -> None:
    """Start the run of the order, or let it go on."""
    watched(EffectLedger, "begin", "it is started")
    watched(EffectLedger, "finish", "it is finished")
    kept = Steps.note

    def note(self: Any, task: str, namespace: str, visit: Any, told: Any, *kept_with_it: Any) -> None:
        def on_disk(place: int) -> None:
            told(place)
            if visit.effect:
                kill_at("after its visit")

        kept(self, task, namespace, visit, on_disk, *kept_with_it)

    changed: Any = Steps
    changed.note = note
    loop, model, store = loop_of(ORDER["loop"]), model_of(ORDER["loop"]), lw.Store(ORDER["store"])
    options: dict[str, Any] = {"model": model} if model else {}
    found = list(store.registry.all())
    run = lw.open_run(store, found[0].id, loop=loop) if found else loop.enter_all(store=store, **options)[0]
    if ORDER.get("awaited"):
        asyncio.run(run.aresume(**ORDER.get("resume", {})))
    else:
        run.resume(**ORDER.get("resume", {}))


def main() -> None:
    """Obey until there are no more orders."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            ORDER.update(json.loads(line))
            work()
            os._exit(0)
        _, went = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(went)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
