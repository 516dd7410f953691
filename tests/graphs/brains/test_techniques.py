"""The plans of the four techniques: their ports, their worst case, and runs that reach it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.errors import SourceError
from loopwright.graphs.brains.settings import TECHNIQUES
from loopwright.graphs.brains.techniques import DONE, NONE, brain
from loopwright.loop.loop import Loop
from loopwright.nodes.contract import FAILURES
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.reference import ModelRef
from loopwright.state.values import Json
from loopwright.testing.scripts import RecordingModel


def loop_of(technique: str, **fields: Any) -> Loop[Any]:
    builder = brain(technique, fields)
    return Loop(builder.build(), code=builder.code)


def always(n: int, rating: float = 5) -> RecordingModel:
    """A model that always gives as many options as it may."""

    def reply(call: ModelCall) -> Json:
        asked: Any = (call.schema or {}).get("properties", {})
        if not asked:
            return "the answer"
        if "options" in asked:
            return {"options": [f"option {place}" for place in range(n)]}
        return {"choice": n} if "choice" in asked else {"rating": rating}

    return RecordingModel(reply)


def calls_of_tree(n: int, breadth: int, depth: int) -> int:
    """Each kept line is expanded by one call, and each of what it became is rated by one."""
    kept, calls = 1, 0
    for _ in range(depth):
        calls += kept + kept * n
        kept = min(breadth, kept * n)
    return calls


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize(
    "fields", [{}, {"threshold": 5}, {"n": 1}, {"role": "navigation"}, {"role": "judge", "depth": 1}]
)
def test_all_have_the_same_ports_and_no_findings(technique: str, fields: Any) -> None:
    loop = loop_of(technique, **fields)
    assert not loop.check()
    assert {*loop.plan.ends.values()} == {DONE, NONE}
    assert loop.certificate.exact
    thinking = [
        placed for plan in loop.plan.walk() for placed in plan.nodes.values() if placed.contract.kind == "think"
    ]
    assert all(placed.contract.failures == FAILURES for placed in thinking)


@pytest.mark.parametrize(
    ("technique", "fields", "calls", "words"),
    [
        ("zero_shot", {}, 1, "zero_shot"),
        ("single_eval", {"n": 4}, 2, "single_eval n=4"),
        ("single_eval", {"n": 1}, 1, "single_eval n=1"),
        ("multi_eval", {"n": 5, "threshold": 7}, 6, "multi_eval n=5 threshold=7"),
        ("multi_eval", {"n": 1, "threshold": 7.5}, 2, "multi_eval n=1 threshold=7.5"),
        ("multi_eval", {"n": 1}, 1, "multi_eval n=1"),
        ("tree_of_thought", {"n": 3, "depth": 1}, 4, "tree_of_thought n=3 breadth=3 depth=1"),
        ("tree_of_thought", {"n": 3, "breadth": 2}, 12, "tree_of_thought n=3 breadth=2 depth=2"),
    ],
)
def test_the_table_of_calls(technique: str, fields: Any, calls: int, words: str) -> None:
    loop = loop_of(technique, **fields)
    assert loop.certificate.calls == calls
    assert loop.plan.folds[""].words == words


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_run_reaches_the_worst_case_of_a_tree(n: int, breadth: int, depth: int, threshold: bool) -> None:
    loop = loop_of("tree_of_thought", n=n, breadth=breadth, depth=depth, threshold=5 if threshold else None)
    model = always(n)
    run = loop.start({"task": "T"}, model=model)
    assert len(model.calls) == calls_of_tree(n, breadth, depth) == loop.certificate.calls
    assert len(run.visits) == loop.certificate.visits
    steps: Any = run.state["steps"]
    assert (run.end, run.result, len(steps)) == (DONE, "option 0", depth - 1)


@given(st.integers(1, 9), st.one_of(st.none(), st.just(5.0)))
@settings(max_examples=15, deadline=None)
def test_a_run_reaches_the_worst_case_of_multi_eval(n: int, threshold: float | None) -> None:
    loop = loop_of("multi_eval", n=n, threshold=threshold)
    model = always(n)
    run = loop.start({"task": "T"}, model=model)
    assert len(model.calls) == loop.certificate.calls == (1 if n == 1 and threshold is None else 1 + n)
    assert len(run.visits) == loop.certificate.visits


RATINGS = st.lists(st.one_of(st.none(), st.integers(1, 10), st.floats(1, 10)), min_size=1, max_size=5)


@given(RATINGS, st.one_of(st.none(), st.integers(1, 10)))
@settings(max_examples=25, deadline=None)
def test_any_ratings_in_a_run(ratings: list[float | None], threshold: int | None) -> None:
    def reply(call: ModelCall) -> Json:
        if call.node == "generate":
            return {"options": [f"option {place}" for place in range(len(ratings))]}
        said = next(rating for place, rating in enumerate(ratings) if call.node == f"rate[{place}]/judge")
        return "no rating" if said is None else {"rating": said}

    run = loop_of("multi_eval", n=6, threshold=threshold).start({"task": "T"}, model=RecordingModel(reply))
    readable = [rating for rating in ratings if rating is not None]
    kept: Any = run.state["ratings"]
    assert [rated and rated["rating"] for rated in kept] == ratings
    if not readable:
        assert run.status == "suspended"
    elif threshold is not None and max(readable) < threshold:
        assert (run.end, run.result) == (NONE, None)
    else:
        assert (run.end, run.state["chosen"]) == (DONE, ratings.index(max(readable)))
        assert run.result == f"option {run.state['chosen']}"


def test_an_unreadable_step_is_a_failure_like_any_other() -> None:
    good = always(2)
    model = RecordingModel(lambda call: "no list" if call.node == "expand 2[1]/expand" else good.ask(call))
    run = loop_of("tree_of_thought", n=2).start({"task": "T"}, model=model)
    assert (run.status, run.row.at) == ("suspended", ("expand 2[1]/expand",))
    assert run.resume(model=always(2)).end == DONE


def test_a_tree_keeps_the_best_and_shows_the_steps() -> None:
    def reply(call: ModelCall) -> Json:
        asked: Any = (call.schema or {}).get("properties", {})
        said = call.messages[-1]["content"]
        if "options" in asked:
            return {"options": ["left", "right"]} if "none yet" in said else {"options": ["home", "away"]}
        return {"rating": 9 if "away" in said else 7 if "right" in said else 3}

    model = RecordingModel(reply)
    run = loop_of("tree_of_thought", n=2, breadth=1).start({"task": "Where?"}, model=model)
    assert (run.result, run.state["steps"], run.state["paths"]) == ("away", ["right"], [["right"]])
    (asked,) = model.prompts("expand 2[0]/expand")
    assert asked[-1]["content"].startswith("Where?\n\nThe steps so far:\n\n1. right\n\nGive 2 answers")


def test_one_model_generates_and_another_judges() -> None:
    models = {"strong": ModelRef("gpt-4o")}
    for technique, judging in (("single_eval", "choose"), ("multi_eval", "rate")):
        plan = brain(technique, {"judge_model_name": "strong", "models": models}).build()
        assert plan.model_names == ("default", "strong")
        assert {*plan.models} == {"strong"}
        assert judging in plan.nodes


def test_an_unknown_field_is_told() -> None:
    with pytest.raises(SourceError, match=r"there is no field 'treshold'.*did you mean 'threshold'"):
        brain("multi_eval", {"treshold": 3})
