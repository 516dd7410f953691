"""Records: usage adds up, field by field, in any order."""

from dataclasses import astuple, fields

from hypothesis import given
from hypothesis import strategies as st

from loopwright.state.records import Question, Usage, Visit

USAGES = st.builds(Usage, *[st.integers(0, 10**9) for _ in fields(Usage)])


@given(st.lists(USAGES))
def test_usage_adds_up_field_by_field(several: list[Usage]) -> None:
    total = sum(several, Usage())
    assert astuple(total) == tuple(map(sum, zip(*map(astuple, several), strict=True))) or not several
    assert sum(reversed(several), Usage()) == total


@given(USAGES)
def test_nothing_added_changes_nothing(usage: Usage) -> None:
    assert usage + Usage() == usage == Usage() + usage


def test_records_share_no_default_that_can_be_changed() -> None:
    first, second = Question("1", "ask", "?"), Question("2", "ask", "?")
    assert first.reply is not second.reply
    assert first.shorthand is not second.shorthand
    assert Visit(0, "write", "think", "done").usage == Usage()
