"""The seam of models: what counts as a model, and what a reply counts for."""

from loopwright.nodes.models.contract import Model, ModelCall, ModelReply, StreamingModel
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.records import Usage


class Echo:
    """A model of a user's own, that knows nothing of this package's classes."""

    label, retries = "echo", 0

    def ask(self, call: ModelCall) -> ModelReply:
        return ModelReply(call.messages[-1]["content"])

    async def aask(self, call: ModelCall) -> ModelReply:
        return self.ask(call)


class Blocking:
    """A model that cannot be awaited."""

    label, retries = "blocking", 0

    def ask(self, call: ModelCall) -> ModelReply:
        return ModelReply("")


def test_a_model_is_told_by_what_it_has() -> None:
    assert isinstance(Echo(), Model)
    assert isinstance(ScriptedModel({"default": ["A"]}), Model)
    assert not isinstance(Blocking(), Model)
    assert not isinstance(ModelRef("m"), Model)


def test_a_model_may_leave_out_saying_its_text_in_parts() -> None:
    assert isinstance(ScriptedModel({"default": ["A"]}), StreamingModel)
    assert not isinstance(Echo(), StreamingModel)


async def test_both_ways_of_asking_give_the_same() -> None:
    call = ModelCall("write", [{"role": "user", "content": "Write."}])
    assert Echo().ask(call) == await Echo().aask(call) == ModelReply("Write.")


def test_a_reply_counts_as_one_call_where_it_does_not_say() -> None:
    assert (ModelReply("a").usage, ModelReply("a").truncated) == (Usage(calls=1), False)
    assert sum((ModelReply(text).usage for text in "abc"), Usage()) == Usage(calls=3)
