"""Failures on their way, and their words."""

from loopwright.nodes.driver.failure import Failure, words_of_error


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_an_error_is_told_in_one_line_with_its_place() -> None:
    words = words_of_error(raised(ValueError("no bridge")))
    assert words.startswith("ValueError: no bridge (at ")
    assert words.endswith("test_failure.py:8)")


def test_an_error_without_words_or_place_is_told_by_its_name() -> None:
    assert words_of_error(KeyError()) == "KeyError"


def test_a_failure_has_taken_nothing_unless_it_says_so() -> None:
    failure = Failure("failed", "503")
    assert (failure.usage.attempts, dict(failure.short), failure.said) == (0, {}, ())
