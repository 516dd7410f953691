"""What may be given for a model, and what is refused."""

from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel

from loopwright.errors import RunError
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.given import as_model
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import RunnableModel
from loopwright.nodes.models.scripted import ScriptedModel


def test_a_name_is_a_reference() -> None:
    assert as_model("gpt-4o-mini") == ModelRef("gpt-4o-mini")


@pytest.mark.parametrize("given", [ModelRef("m"), ScriptedModel({"default": ["A"]})], ids=["reference", "model"])
def test_what_is_a_model_stays(given: Any) -> None:
    assert as_model(given) is given


def test_a_chat_model_of_langchain_becomes_one() -> None:
    model = as_model(FakeListChatModel(responses=["A"]))
    assert isinstance(model, RunnableModel)
    assert model.ask(ModelCall("write", [])).content == "A"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"model": "m"},
            "a dict is no model: give a name, a ModelRef, a ScriptedModel, a LangChain chat model, "
            "or a Model of your own",
        ),
        (ScriptedModel, "ScriptedModel is a class, and no model: give an instance, ScriptedModel(...)"),
        (" ", "this ModelRef is not valid: model: a model's name must not be blank"),
    ],
)
def test_what_is_no_model(given: Any, words: str) -> None:
    with pytest.raises(RunError) as caught:
        as_model(given)
    assert str(caught.value) == words
