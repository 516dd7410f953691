"""What a fork comes to, by the ends of its branches."""

import pytest

from loopwright.graphs.outcomes import fork_outcomes, outcome_of_end, outcome_of_ends
from loopwright.nodes.contract import FAILURES


@pytest.mark.parametrize("failure", FAILURES)
def test_an_end_with_the_name_of_a_failure_is_that_failure(failure: str) -> None:
    assert outcome_of_end(failure) == failure
    assert outcome_of_ends(["", failure]) == (failure, "1 of 2 branches failed")
    assert fork_outcomes([(failure, True)]) == (("done", failure), ())


def test_any_other_end_that_is_no_success_is_failed_and_goes_first() -> None:
    assert outcome_of_ends(["unreadable", "gave_up", ""]) == ("failed", "2 of 3 branches failed")
    assert outcome_of_ends([]) == outcome_of_ends([""]) == ("done", "")
    assert fork_outcomes([("a", True), ("b", True)]) == (("done", "failed"), ())


def test_what_no_branch_comes_to_may_have_an_edge() -> None:
    assert fork_outcomes([("none", False)]) == (("done",), ("failed",))
    assert fork_outcomes([("none", False), ("bad", True)]) == (("done", "failed"), ())
