"""Results: the notes that have to be known before the numbers are believed."""

from dataclasses import replace
from typing import Any


def test_nothing_has_to_be_known_of_a_clean_comparison(results: Any) -> None:
    found = results({"a": [1.0, 1.0], "b": [0.0, 1.0]})
    assert (found.notes, found.complete, found.problems) == ((), True, 2)


def test_runs_without_an_answer_are_told_with_their_rule(results: Any) -> None:
    found = results({"a": [1.0, None, None], "b": [0.0, 1.0, None]})
    assert not found.complete
    assert found.notes == (
        "3 runs have no answer and are scored 0: a suspended 2, b suspended 1; the first, run a-2: say: 503",
    )
    assert results({"a": [1.0, None], "b": [0.0, 1.0]}, no_answer=None).notes == (
        "1 run has no answer and is left out of the means: a suspended 1; the first, run a-2: say: 503",
    )


def test_an_end_that_is_no_success_is_told_by_its_name(results: Any, trial: Any) -> None:
    ended = trial("a", "1", answered=False, end="none", ok=False)
    found = results({"b": [1.0]}, trials=(ended,), most_calls={"a": 1})
    assert found.notes == ("1 run has no answer and is scored 0: a none 1",)


def test_contenders_who_may_spend_more_are_told(results: Any) -> None:
    scores = {"a": [1.0], "b": [1.0], "c": [1.0]}
    assert results(scores, most_calls={"a": 2, "b": 3, "c": 3}).notes == ()
    assert results(scores, most_calls={"a": 1, "b": 11, "c": 3}).notes == (
        "the contenders may make different numbers of calls (a 1, b 11, c 3): what is better may only have spent more."
        " The same budget for all makes them equal: --budget calls=N, or budget=",
    )
    assert results(scores, most_calls={"a": 1, "b": 11, "c": 3}, equal=True).notes == ()
    (note,) = results(scores, most_calls={"a": 1, "b": None, "c": 1}).notes
    assert "(a 1, b without bound, c 1)" in note


def test_answers_that_could_not_be_scored_are_told_once_for_each_fault(results: Any, trial: Any) -> None:
    trials = [trial("a", str(place), fault=f"checks.py:{place // 2}: no") for place in range(14)]
    found = results({}, trials=tuple(trials), most_calls={"a": 1})
    (note,) = found.notes
    head, *told = note.splitlines()
    assert head == "14 answers could not be scored, and are in no mean:"
    assert told[0] == "  checks.py:0: no (problem 0, run a-0, and 1 more)"
    assert (len(told), told[-1]) == (6, "  and 2 more faults")
    (note,) = replace(found, trials=tuple(trials[:1])).notes
    assert note == ("1 answer could not be scored, and is in no mean:\n  checks.py:0: no (problem 0, run a-0)")


def test_runs_that_are_open_or_were_not_asked_for_are_told(results: Any, trial: Any) -> None:
    left = trial("a", "1", answered=False, status="running", end="", ok=None)
    found = results({}, trials=(left,), most_calls={"a": 1}, others=4)
    assert found.notes == (
        "1 run has not come to rest, and is in no mean",
        "batch b7c0 has 4 more runs, which were not asked for here",
    )


def test_results_of_another_type_than_expected_are_told(results: Any, trial: Any) -> None:
    wrong = tuple(trial("a", str(place), 0.0, result=4, expected="4") for place in range(2))
    found = results({}, trials=wrong, most_calls={"a": 1})
    assert found.notes == (
        "every score of a is 0, and result and expected are never of one type: result is a number, as 4, and expected a"
        ' text, as "4"',
    )
    assert replace(found, trials=(*wrong, trial("a", "3", 0.0, result="5", expected="4"))).notes == ()
    assert replace(found, trials=(*wrong, trial("a", "3", 1.0, result=5, expected="4"))).notes == ()
    assert replace(found, judgements=2).notes == ()
    assert repr(found) == "Results('b7c0', problems=2, runs=2, contenders='a')"


def test_more_calls_than_the_certificate_has_and_scripts_are_told(results: Any) -> None:
    found = results({"a": [1.0, 1.0], "b": [0.0, 1.0]}, scripted=("b",))
    trials = tuple(replace(each, calls=2) if each.contender == "a" else each for each in found.trials)
    assert replace(found, trials=trials).notes == (
        "calls has retries and repairs, which at most leaves out: so a made more of them",
        "each run begins its script anew (b): every problem gets the same replies",
    )


def test_a_budget_is_named_as_what_suspends(results: Any, trial: Any) -> None:
    over = trial("a", "1", answered=False, status="suspended", ok=None, over_budget=True)
    found = results({}, trials=(over,), most_calls={"a": 1})
    assert found.notes == ("1 run has no answer and is scored 0: a suspended over budget 1",)


def test_runs_that_asked_different_models_are_told(results: Any) -> None:
    found = results({"a": [1.0, 1.0, 1.0], "b": [0.0, 1.0, 1.0]})
    other = replace(found.trials[0], model="another")
    assert replace(found, trials=(other, *found.trials[1:])).notes == (
        "the runs of a asked different models: adder 0 2, another 1",
    )


def test_calls_of_unknown_price_are_told(results: Any) -> None:
    found = results({"a": [1.0, 1.0], "b": [0.0, 1.0]})
    trials = tuple(replace(each, unpriced=3) if each.contender == "b" else each for each in found.trials)
    assert replace(found, trials=trials).notes == ("the cost is without calls of unknown price: b 6",)
