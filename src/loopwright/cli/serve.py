"""`loopwright serve`: the runs of a store that an event or a timer wakes go on."""

import asyncio
from typing import Annotated

import typer

from loopwright.cli.exits import INTERRUPTED, OK
from loopwright.cli.options import AsJson, StoreUrl
from loopwright.cli.output import Output
from loopwright.cli.phrases import counted, harmless, one_line
from loopwright.cli.signals import cancel_on_sigterm
from loopwright.cli.subjects import loop_at
from loopwright.graphs.run.serving import Server
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store


def serve(
    loop: Annotated[
        list[str] | None,
        typer.Option(
            "--loop",
            metavar="FILE|MODULE:NAME",
            help="A loop whose runs call functions. May be given again.",
            show_default=False,
        ),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Come back as soon as no run can go on.")] = False,
    at_once: Annotated[
        int, typer.Option("--at-once", metavar="N", min=1, help="How many runs may be at work at the same time.")
    ] = 8,
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Let the runs of a store go on whose event has come, or whose timer is due, until Ctrl-C.

    A run that waits costs nothing meanwhile. Several servers of one store do no harm. What was woken and interrupted,
    as when a server was killed, goes on, too. A run that calls functions needs its loop; one whose loop is not given is
    left as it is, and told.

    $ loopwright serve
    $ loopwright serve --loop app/loops.py:loop --loop tidy.yaml
    $ loopwright serve --once
    """
    output = Output(as_json=as_json)
    loops = [loop_at(text) for text in loop or []]
    told: list[dict[str, str]] = []

    def tell(run: str, words: str) -> None:
        told.append({"run": run, "said": words})
        output.say(f"{run}  {harmless(one_line(words))}")

    with Store(store) as opened:
        server = Server(opened, loops, at_once=at_once, tell=tell)
        if not once:
            output.say(f"serving {store}; Ctrl-C leaves it, with nothing lost", "dim")
        with output.apart():
            stopped = _work(server, once=once)
        output.say(f"runs went on {counted(server.gone_on, 'time')}", "dim")
        output.document({"store": store, "gone_on": server.gone_on, "runs": told})
    return INTERRUPTED if stopped and once else OK


def _work(server: Server, *, once: bool) -> bool:
    """Serve until Ctrl-C or SIGTERM, or `once`; whether it was stopped."""
    try:
        asyncio.run(_served(server, once=once))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return True
    return False


async def _served(server: Server, *, once: bool) -> None:
    cancel_on_sigterm()
    await server.work(once=once)
