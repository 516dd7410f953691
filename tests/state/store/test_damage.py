"""What is damaged is told in words; what is another error stays one."""

import json

import pytest

from loopwright.errors import DamagedRun
from loopwright.state.store.damage import readable


def test_what_cannot_be_read_is_told_in_one_line() -> None:
    told = r"^store memory:: a visit of run 3f2a cannot be read: two$"
    with pytest.raises(DamagedRun, match=told), readable("memory:", "a visit of run 3f2a"):
        raise ValueError("two\nlines")


@pytest.mark.parametrize("text", ["[1,", "[" * 100_000])
def test_json_that_is_none(text: str) -> None:
    with pytest.raises(DamagedRun), readable("memory:", "a reply"):
        json.loads(text)


def test_another_error_stays_one() -> None:
    with pytest.raises(OSError, match="full"), readable("memory:", "a reply"):
        raise OSError("full")
