"""A process that makes processes which send to a store, or serve it: loopwright is imported once.

It reads a line of JSON for each, forks, and writes the child's id; a line `reap ID` waits for one, and tells its code.
"""

import contextlib
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import loopwright as lw
import loopwright.graphs.run.session

RELAYS: dict[str, Any] = runpy.run_path(str(Path(__file__).with_name("relays.py")))


def obey(order: dict[str, Any]) -> None:
    """Send all balls, each under its own id; or serve until nothing can go on."""
    if order["do"] == "send":
        with lw.Store(order["store"]) as store:
            for number, ball in enumerate(RELAYS["balls"](order["balls"])):
                store.send("ball", ball, id=f"ball {number}")
    else:
        lw.serve(order["store"], once=order["do"] == "serve once")


def work() -> None:
    """Fork for each order."""
    for line in sys.stdin:
        if line.startswith("reap"):
            said = os.waitstatus_to_exitcode(os.waitpid(int(line.split()[1]), 0)[1])
        elif (said := os.fork()) == 0:
            with contextlib.suppress(KeyboardInterrupt):
                obey(json.loads(line))
            os._exit(0)
        sys.stdout.write(f"{said}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    work()
