"""What was answered, in its parts."""

import pytest

from loopwright.errors import ContractError
from loopwright.nodes.replies import parts_of
from loopwright.state.values import Json


def test_parts_of_an_answer() -> None:
    assert parts_of({"a": 1, "b": None}, "a", "b") == {"a": 1, "b": None}
    assert parts_of({}) == {}


@pytest.mark.parametrize(
    ("reply", "needed", "words"),
    [
        ("yes", (), "the answer 'yes' is no object"),
        (None, ("a",), "the answer None is no object with 'a'"),
        ({"a": 1}, ("a", "b"), "the answer {'a': 1} is no object with 'a' and 'b'"),
    ],
)
def test_parts_that_are_not_there(reply: Json, needed: tuple[str, ...], words: str) -> None:
    with pytest.raises(ContractError) as caught:
        parts_of(reply, *needed)
    assert str(caught.value) == words
