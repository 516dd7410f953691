"""Which failures may pass, and how long to wait for that."""

import pytest

from loopwright.nodes.models.retrying import may_pass, seconds_to_wait


def test_statuses_that_may_pass() -> None:
    assert [status for status in range(300, 600) if may_pass(status)] == [408, 409, 425, 429, *range(500, 600)]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("2.5", 2.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 0.0),
        ("Thu, 01 Jan 99999999999999999999 00:02:00 GMT", None),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_seconds_to_wait(header: str, seconds: float | None) -> None:
    assert seconds_to_wait(header, now=100.0) == seconds
