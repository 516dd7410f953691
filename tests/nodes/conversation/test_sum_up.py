"""The summary of a conversation by a model."""

from loopwright.nodes.contract import AskModel
from loopwright.nodes.conversation.sum_up import SumUp
from loopwright.nodes.conversation.talk import Talk


def test_it_is_of_all_that_was_said() -> None:
    node = SumUp("sum up", talk=Talk(agents=("ann",), most=2), prompt="In short?", model="small")
    asked = node.ask({"task": "hi", "transcript": [{"speaker": "ann", "text": "Yes."}]})
    assert isinstance(asked, AskModel)
    assert [message["content"] for message in asked.messages] == ["Task: hi", "ann: Yes.", "In short?"]
    assert (node.models, node.answer({}, " Yes. ").update) == (("small",), {"summary": "Yes."})
