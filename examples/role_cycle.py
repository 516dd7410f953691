"""A role cycle in Python: checked, started, answered by a person in another process, and finished. Needs no key."""

from pathlib import Path
from tempfile import TemporaryDirectory

import loopwright as lw

HERE = Path(__file__).parent

loop = lw.RoleCycle(
    task="Name the three gravest risks of a wooden footbridge, and a test for each.",
    rounds=lw.Rounds(min=1, max=4),
    review="after_stop",
    model=lw.ScriptedModel(HERE / "bridge.script.yaml"),  # or lw.ModelRef("gpt-4o-mini")
)
print(loop.check())
print(loop.certificate)

with TemporaryDirectory() as folder:
    store = f"sqlite:{folder}/runs.db"
    run = loop.start(store=store)
    print(run.status, len(run.visits), "visits")

    # The run is on disk. Any process that has the store can answer.
    again = lw.open_run(store, run.id)
    print(again.questions[0].text.splitlines()[0])
    again.resume("use metric units")
    again.resume("accept")
    print(again.end, again.reason)
    print(again.result.splitlines()[0])
