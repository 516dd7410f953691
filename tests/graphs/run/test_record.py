"""What a run tells of itself."""

from typing import Any

import pytest

from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel


def approval() -> Loop[Any]:
    builder = PlanBuilder("approval", [Channel("draft"), Channel("notes")], result="notes")
    builder.node(Think("write", prompt="Write.", writes="draft")).edge("write", "done", "approve")
    shorthand = {"default": "yes", "on_text": "no"}
    node = Human("approve", text="Publish?\n<{draft}>", outcomes=["yes", "no"], writes="notes", **shorthand)
    builder.node(node).edge("approve", "yes", End("published")).edge("approve", "no", End("dropped", ok=False))
    return builder.loop()


@pytest.fixture
def waiting(store: Store) -> Run:
    return approval().start(store=store, model=RecordingModel({"write": ["A bridge."]}))


def test_a_run_that_waits(waiting: Run, store: Store) -> None:
    (question,) = waiting.questions
    assert (waiting.status, waiting.end, waiting.result, waiting.reason) == ("waiting", None, None, "")
    assert (question.node, question.text, question.source) == ("approve", "Publish?\nA bridge.", "person")
    assert question.default == {"action": "yes", "text": ""}
    assert waiting.state == {"draft": "A bridge."}
    assert repr(waiting) == f"Run('{waiting.id}', 'approval', status='waiting')"
    assert open_run(store, waiting.id[:6]).questions == (question,)


def test_a_picture_of_the_path(waiting: Run) -> None:
    assert waiting.draw().startswith("<svg")
    assert waiting._repr_mimebundle_()["text/plain"] == repr(waiting)
