"""Holders on other hosts: whether one still runs a run is seen only by watching it for a while."""

import time

from loopwright.cli.output import Output
from loopwright.graphs.run.handle import Run
from loopwright.state.store.lease import BEAT_EVERY, SILENT_AFTER

LOOK_EVERY = 0.5
"""Seconds between two looks."""


def watch_holder(run: Run, output: Output) -> None:
    """Where a process on another host holds a run, watch until it says that it does, or has been silent for too long.

    Args:
        run: The run. Afterwards its status is `running` where it is being run, and `interrupted` where its holder has
            lost it.
        output: Where it is told that, and for how long, nothing else is done.
    """
    row = run.row
    if row.status != "running" or row.holder is None or row.holder.is_here:
        return
    output.say(
        f"run {row.id} is held by {row.holder}: waiting for a sign of it, which comes every {BEAT_EVERY:.0f} s;"
        f" after {SILENT_AFTER:.0f} s without one the run goes on here"
    )
    while run.row == row:
        time.sleep(LOOK_EVERY)
