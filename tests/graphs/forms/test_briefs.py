"""The briefs that the four roles have of their own."""

import pytest

from loopwright.graphs.forms.briefs import BRIEFS, brief_of
from loopwright.nodes.prompts import placeholders
from loopwright.nodes.role import PLACEHOLDERS, Stop


def test_there_is_a_brief_for_each_of_the_four() -> None:
    assert list(BRIEFS) == ["solver", "detractor", "master", "boss"]


@pytest.mark.parametrize("name", BRIEFS)
def test_only_the_role_that_may_stop_is_told_the_word(name: str) -> None:
    assert placeholders(brief_of(name, Stop())) == ("role", "rounds_max", *(("stop_word",) if name == "boss" else ()))
    assert placeholders(brief_of(name, Stop(role=name))) == ("role", "rounds_max", "stop_word")


@pytest.mark.parametrize("name", BRIEFS)
def test_where_a_verdict_stops_no_word_is_told(name: str) -> None:
    brief = brief_of(name, Stop(role=name, match="verdict"))
    assert placeholders(brief) == ("role", "rounds_max")
    assert "`stop`" in brief


@pytest.mark.parametrize("name", BRIEFS)
def test_a_brief_stays_the_same_through_all_rounds(name: str) -> None:
    assert "round" not in placeholders(brief_of(name, Stop(role=name)))
    assert set(placeholders(brief_of(name, Stop(role=name)))) < set(PLACEHOLDERS)
