"""How runs grow on disk: with what is written, and not with its square."""

import random
from pathlib import Path
from typing import Any

from loopwright.graphs.plan import End
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.role import Rounds
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel


def size(folder: Path, loop: Loop[Any], reply: Any, **inputs: Any) -> int:
    """Bytes of a store with one run."""
    folder.mkdir()
    with Store(f"sqlite:{folder / 'runs.db'}") as store:
        run = loop.start(inputs, store=store, model=RecordingModel(reply))
        assert run.end == End("max_rounds", ok=False)
    return sum(file.stat().st_size for file in folder.iterdir())


def prose(length: int) -> str:
    """Text that is hardly the same twice."""
    return "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz ,.", k=length))


def growing(rounds: int) -> Loop[Any]:
    builder = PlanBuilder("growing", [Channel("brief", str, input=True), Channel("log", list[str], reduce="append")])
    builder.node(Think("write", prompt="<{brief}>", writes="log")).edge("write", "done", "judge")
    builder.node(Judge("judge", prompt="Enough?", outcomes=["yes", "no"])).edge("judge", "yes", End("good"))
    end = End("max_rounds", ok=False)
    return builder.edge("judge", "no", "write", at_most=rounds - 1, bound="rounds", then=end).loop()


def test_four_times_the_visits_take_four_times_the_room(tmp_path: Path) -> None:
    brief, text = prose(20_000), prose(500)
    sizes = [
        size(
            tmp_path / str(rounds),
            growing(rounds),
            lambda call: {"outcome": "no"} if call.schema else text,
            brief=brief,
        )
        for rounds in (50, 200)
    ]
    assert sizes[1] < 4.4 * sizes[0] < 3_000_000


def test_a_transcript_of_two_hundred_rounds_of_two_kilobytes(tmp_path: Path) -> None:
    briefs, stop = {"solver": {"brief": "B"}}, {"role": "solver", "word": "STOP"}
    loop = RoleCycle(task="T", rounds=Rounds(max=200), roles=briefs, order=["solver"], stop=stop, review="never")
    assert size(tmp_path / "role", loop, lambda call: prose(2000)) < 2_000_000
