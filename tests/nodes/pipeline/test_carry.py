"""What a step that is a whole plan is handed."""

from loopwright.nodes.contract import AskModel
from loopwright.nodes.pipeline.carried import Source
from loopwright.nodes.pipeline.carry import Carry, CarrySummary

SOURCES = (Source("question", title="question"), Source("plan", title="plan"))
VIEW = {"question": "q", "plan": "Add."}


def test_it_is_put_together() -> None:
    node = Carry("hand", sources=SOURCES, writes="carried")
    assert node.answer(VIEW, None).update == {"carried": "question:\nq\n\nplan:\nAdd."}
    assert (node.contract.kind, node.contract.reads) == ("route", ("question", "plan"))


def test_it_is_summed_up_unless_there_is_nothing() -> None:
    node = CarrySummary("hand", sources=SOURCES, writes="carried", model="small")
    asked = node.ask(VIEW)
    assert isinstance(asked, AskModel)
    assert asked.messages[1]["content"] == "question:\nq\n\nplan:\nAdd."
    assert node.answer(VIEW, " Short. ").update == {"carried": "Short."}
    assert node.ask({"question": "", "plan": ""}) is None
    assert node.answer({}, None).update == {"carried": ""}
    assert node.models == ("small",)
