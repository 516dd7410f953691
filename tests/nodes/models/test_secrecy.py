"""What is shown of the words of others."""

import pytest
from pydantic import TypeAdapter, ValidationError

from loopwright.nodes.models.secrecy import showable, without_secrets, words_of


@pytest.mark.parametrize(
    ("text", "key", "shown"),
    [
        ("nothing at all", "", "nothing at all"),
        ("a test of a test", "test", "a test of a test"),
        ("Bearer abcdefgh, abcdefgh", "abcdefgh", "Bearer ***, ***"),
        ("socks5://u:p@ss@h:1 and https://token@h", "", "socks5://h:1 and https://h"),
        ("mail me@h or http://h/a@b", "", "mail me@h or http://h/a@b"),
        ("?API_KEY=a&access_token=b&n=1 'token=c'", "", "?API_KEY=***&access_token=***&n=1 'token=***'"),
    ],
)
def test_without_secrets(text: str, key: str, shown: str) -> None:
    assert without_secrets(text, key) == shown


def test_a_long_text_is_cut_after_its_secrets_are_gone() -> None:
    assert showable("a" * 600) == "a" * 600
    assert showable("a" * 596 + "key-of-mine", "key-of-mine") == "a" * 596 + "***"
    assert showable("a" * 601) == "a" * 600 + " ..."


def test_a_value_that_did_not_fit_is_not_told() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(int).validate_python("a key")
    assert words_of(caught.value) == ("Input should be a valid integer, unable to parse string as an integer")
    assert words_of(KeyError("x")) == "'x'"
