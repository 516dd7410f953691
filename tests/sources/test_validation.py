"""What pydantic says, in our own words."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from langchain_core.language_models import FakeListChatModel
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from loopwright.graphs.forms.edge_text import Target
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.graphs.forms.spec import FORMS, Refused
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.sources.validation import faults_of


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Cat(Closed):
    lives: int


class Dog(Closed):
    name: str
    tricks: list[str] = []


class Pets(Closed):
    count: int = 0
    weight: Annotated[float, Field(gt=0, le=10)] = 1.0
    low: Annotated[int, Field(ge=1, lt=5)] = 1
    tame: bool = True
    mood: Literal["calm", "wild"] = "calm"
    one: int | None = None
    word: str | list[str] = ""
    pet: Cat | Dog | None = None
    pair: tuple[int, int] = (1, 2)
    some: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    code: Annotated[str, Field(min_length=2)] = "ab"
    odd: int = 1
    even: int = 2
    by_name: dict[str, Cat] = {}

    @field_validator("odd")
    @classmethod
    def _odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise Refused("it must be odd", "as 3 is")
        return value

    @field_validator("even")
    @classmethod
    def _even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("it must be even")
        return value


def test_a_list_is_not_told_to_be_short_for_what_stands_in_it() -> None:
    assert told({"some": ["x"]}) == ["some.0: expected a whole number, got the text 'x'"]


def told(data: object) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        Pets.model_validate(data)
    return [str(fault) for fault in faults_of(caught.value, data, Pets)]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({"count": "x"}, "count: expected a whole number, got the text 'x'"),
        ({"count": 1.5}, "count: expected a whole number, got the number 1.5"),
        ({"count": "y" * 50}, f"count: expected a whole number, got the text '{'y' * 37}...'"),
        ({"count": []}, "count: expected a whole number, got an empty list"),
        ({"weight": 0}, "weight: must be more than 0, got the number 0"),
        ({"weight": 11}, "weight: must be at most 10, got the number 11"),
        ({"low": 0}, "low: must be at least 1, got the number 0"),
        ({"low": 5}, "low: must be less than 5, got the number 5"),
        ({"weight": {}}, "weight: expected a number, got an empty mapping"),
        ({"tame": None}, "tame: expected true or false, got nothing"),
        (
            {"mood": "clam"},
            "mood: the text 'clam' is not one of the choices (did you mean 'calm'? there are: calm, wild)",
        ),
        ({"one": "x"}, "one: expected a whole number, got the text 'x'"),
        ({"word": True}, "word: expected a text or a list, got true"),
        ({"word": ["a", 3]}, "word.1: expected a text, got the number 3"),
        ({"pet": 3}, "pet: expected a mapping, got the number 3"),
        ({"pair": [1]}, "pair.1: the entry 1 is missing"),
        ({"pair": [1, 2, 3]}, "pair: must have at most 2 entries, got a list"),
        ({"some": []}, "some: must have at least 1 entry, got an empty list"),
        ({"code": "a"}, "code: must have at least 2 characters, got the text 'a'"),
        ({"odd": 2}, "odd: it must be odd (as 3 is)"),
        ({"even": 1}, "even: it must be even"),
        ({"by_name": {"tom": {}}}, "by_name.tom.lives: the key 'lives' is missing"),
        ({"pet": {"name": "Rex", "trick": []}}, None),
    ],
)
def test_each_error_is_told(data: object, fault: str | None) -> None:
    expected = (
        fault or "pet.trick: the key 'trick' is not known here (did you mean 'tricks'? there are: lives, name, tricks)"
    )
    assert told(data) == [expected]


def test_of_several_shapes_the_one_that_it_nearly_has_is_told() -> None:
    assert told({"pet": {"name": "Rex", "tricks": "sit"}}) == ["pet.tricks: expected a list, got the text 'sit'"]
    assert told({"pet": {"lives": "nine"}}) == ["pet.lives: expected a whole number, got the text 'nine'"]


def test_faults_keep_their_order_around_a_choice_of_shapes() -> None:
    found = told({"count": "x", "word": 3, "odd": 2, "even": 1})
    assert [fault.partition(":")[0] for fault in found] == ["count", "word", "odd", "even"]


def test_a_value_that_no_file_can_hold() -> None:
    assert told({"count": object}) == ["count: expected a whole number, got a type"]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (
            {"roles": {"solver": {"model": ModelRef("m")}, "boss": {}}},
            "roles.solver.model: expected a text, got a ModelRef "
            "(a name goes here, as 'strong', and the reference into models={'strong': ModelRef(...)})",
        ),
        (
            {"roles": {"solver": {"model": ScriptedModel({"default": ["A"]})}, "boss": {}}},
            "roles.solver.model: expected a text, got a ScriptedModel "
            "(a name goes here, as 'strong', and the reference into models={'strong': ModelRef(...)}; "
            "a live model takes its place by start(models={'strong': ...}))",
        ),
        (
            {"models": {"best": FakeListChatModel(responses=[])}},
            "models.best: expected a mapping, got a FakeListChatModel "
            "(a reference goes into models={'best': ModelRef(...)}; "
            "a live model takes its place by start(models={'best': ...}))",
        ),
        ({"answer": ModelRef("m")}, "answer: expected a text, got a ModelRef"),
    ],
)
def test_a_model_in_a_wrong_place_is_told_its_place(data: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError) as caught:
        RoleCycleSpec.model_validate({"task": "Bridge?", **data})
    assert [str(found) for found in faults_of(caught.value, data, RoleCycleSpec)] == [fault]


def _lenient(schema: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The places of pydantic's schema where a text would do for a number or a flag."""
    if isinstance(schema, dict):
        if schema.get("type") in ("int", "float", "bool") and not schema.get("strict"):
            yield " ".join(path)
        elif schema.get("type") != "tagged-union" and schema.get("cls") is not Target:  # any JSON value; read of a text
            for key, part in schema.items():
                if key not in ("metadata", "serialization"):
                    yield from _lenient(part, (*path, key))
    elif isinstance(schema, list | tuple):
        for part in schema:
            yield from _lenient(part, path)


@pytest.mark.parametrize("kind", sorted(FORMS))
def test_no_text_and_no_flag_stands_for_a_number(kind: str) -> None:
    assert list(_lenient(FORMS[kind].__pydantic_core_schema__)) == []
