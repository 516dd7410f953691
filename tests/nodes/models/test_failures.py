import pytest

from loopwright.errors import ModelError
from loopwright.nodes.models.failures import model_error, seconds_to_wait
from loopwright.nodes.models.reference import ModelRef


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("2.5", 2.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 0.0),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_seconds_to_wait(header: str, seconds: float | None) -> None:
    assert seconds_to_wait(header, now=100.0) == seconds


def test_an_exception_of_any_kind_becomes_words() -> None:
    error = model_error(KeyError("choices"), ModelRef("m"), "http://user:secret@host:8080/v1/")
    assert type(error) is ModelError
    assert (
        str(error) == "m at http://host:8080/v1 answered with something that is no chat completion: KeyError: 'choices'"
    )
    assert (error.retryable, error.retry_after) == (True, None)
