"""A contest from its first run to its last: stopped, gone on with, judged; nothing is paid for twice."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from loopwright.errors import ModelError, RunError, UnknownRun
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compare.contenders import Contender, Entry
from loopwright.graphs.compare.contest import Contest, Task
from loopwright.graphs.compare.problems import Problem
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.scoring import Checker
from loopwright.graphs.compare.trials import Trial
from loopwright.graphs.plan import End
from loopwright.graphs.run.program import Program
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store

PROBLEMS = [Problem(str(n), {"sum": f"{n}+{n}"}, str(2 * n)) for n in range(1, 5)]
RIGHT = Checker(lambda result, expected: result == expected)


def go_on(contest: Contest, drive: Any, at_once: int = 2) -> Results:
    return asyncio.run(contest.ago_on(at_once)) if drive.awaited else contest.go_on()


def means(results: Results) -> dict[str, float | None]:
    return {each.name: each.quality.mean if each.quality else None for each in results.contenders}


def test_every_contender_gets_every_problem(contender: Any, store: Store, drive: Any) -> None:
    a, b = contender("a"), contender("b", 1)
    found = go_on(Contest(Task([a, b], PROBLEMS, RIGHT, repeat=2), store), drive)
    assert means(found) == {"a": 1.0, "b": 0.0}
    assert (len(found.trials), found.complete, found.notes) == (16, True, ())
    assert {trial.calls for trial in found.trials} == {1}
    assert (a.models["default"].asked, b.models["default"].asked) == (8, 8)
    assert (found.store, found.most_calls) == ("memory:", {"a": 1, "b": 1})


def test_the_order_and_how_many_at_once_change_nothing(contender: Any) -> None:
    def told(problems: list[Problem], at_once: int) -> Any:
        with Store("memory:") as store:
            task = Task([contender("a"), contender("b", 1)], problems, RIGHT, repeat=2)
            found = asyncio.run(Contest(task, store).ago_on(at_once))
        trials = {(trial.contender, trial.problem, trial.repetition, trial.score) for trial in found.trials}
        return trials, found.pairs, [each.quality for each in found.contenders]

    assert told(PROBLEMS, 1) == told(PROBLEMS[::-1], 5)


class Stopped:
    """A model that answers so often, and then stops everything."""

    retries = 0
    label = "adder"

    def __init__(self, times: int) -> None:
        self.left, self.asked = times, 0

    def ask(self, call: ModelCall) -> ModelReply:
        """Answer, or stop."""
        if not self.left:
            raise KeyboardInterrupt
        self.left, self.asked = self.left - 1, self.asked + 1
        return ModelReply("2")

    async def aask(self, call: ModelCall) -> ModelReply:
        """Answer, or stop."""
        return self.ask(call)


def test_what_was_stopped_goes_on_and_asks_nothing_twice(contender: Any, tmp_path: Any) -> None:
    first, second = Stopped(3), Stopped(100)
    url = f"sqlite:{tmp_path / 'runs.db'}"
    with Store(url) as store:
        contest = Contest(Task([contender("a", model=first), contender("b", model=first)], PROBLEMS, RIGHT), store)
        with pytest.raises(KeyboardInterrupt) as stopped:
            contest.go_on()
    assert stopped.value.__notes__[-1] == (
        f'batch {contest.batch}: go on with compare(..., store="{url}", batch="{contest.batch}")'
    )
    with Store(url) as store:
        task = Task([contender("a", model=second), contender("b", model=second)], PROBLEMS, RIGHT, batch=contest.batch)
        found = Contest(task, store).go_on()
        assert (first.asked, second.asked) == (3, 5)
        assert (found.complete, len(found.trials)) == (True, 8)
        Contest(task, store).go_on()
        assert second.asked == 5


def test_a_contest_in_memory_is_gone(contender: Any, store: Store) -> None:
    contest = Contest(Task([contender("a", model=Stopped(0))], PROBLEMS, RIGHT), store)
    with pytest.raises(KeyboardInterrupt) as stopped:
        contest.go_on()
    assert "it was kept in memory:, and is gone with this process" in stopped.value.__notes__[-1]


def test_scores_are_made_anew_without_asking(contender: Any, store: Store) -> None:
    a = contender("a")
    task = Task([a], PROBLEMS, Checker(lambda result: result))
    found = Contest(task, store).go_on()
    assert (found.complete, [trial.score for trial in found.trials]) == (False, [None] * 4)
    assert all("returned '" in trial.fault for trial in found.trials)
    mended = Contest(replace(task, checker=RIGHT, batch=found.batch[:5]), store).go_on()
    assert (means(mended), mended.complete, a.models["default"].asked) == ({"a": 1.0}, True, 4)


class Flaky:
    """A model that fails until it is mended."""

    retries = 0
    label = "flaky"

    def __init__(self) -> None:
        self.broken, self.asked = True, 0

    def ask(self, call: ModelCall) -> ModelReply:
        """Answer, or fail."""
        self.asked += 1
        if self.broken and "1" in call.messages[-1]["content"]:
            raise ModelError("503")
        one, other = call.messages[-1]["content"].split("+")
        return ModelReply(str(int(one) + int(other)))

    async def aask(self, call: ModelCall) -> ModelReply:
        """Answer, or fail."""
        return self.ask(call)


def test_a_run_that_failed_has_no_answer_and_is_asked_again_only_if_wanted(
    contender: Any, store: Store, drive: Any
) -> None:
    model = Flaky()
    task = Task([contender("a", model=model)], PROBLEMS, RIGHT)
    found = go_on(Contest(task, store), drive)
    assert [trial.status for trial in found.trials] == ["suspended", "finished", "finished", "finished"]
    assert (means(found), found.complete) == ({"a": 0.75}, False)
    assert means(replace(found, no_answer=None)) == {"a": 1.0}
    model.broken = False
    found = go_on(Contest(replace(task, batch=found.batch), store), drive)
    assert (means(found), model.asked) == ({"a": 0.75}, 4)
    found = go_on(Contest(replace(task, batch=found.batch, again=True), store), drive)
    assert (means(found), model.asked, found.complete) == ({"a": 1.0}, 5, True)


def ending(name: str, end: End, *, wait: bool = False) -> Contender:
    plan = PlanBuilder("ending", [Channel("sum", str, input=True), Channel("said", str, default="")], result="said")
    if wait:
        plan.node(Human("say", text="?", writes="said"))
    else:
        plan.node(Think("say", prompt="<{sum}>", writes="said"))
    plan.edge("say", "done", end)
    return Contender(name, Program(plan.build(), {}), {} if wait else {"default": Flaky()})


def test_an_end_that_is_no_success_and_a_wait_are_no_answers(store: Store) -> None:
    contenders = [ending("none", End("none", ok=False)), ending("asks", End("said"), wait=True)]
    found = Contest(Task(contenders, PROBLEMS[1:2], RIGHT), store).go_on()
    assert [(trial.end, trial.status, trial.answered) for trial in found.trials] == [
        ("none", "finished", False),
        ("", "waiting", False),
    ]
    assert found.notes[-1].startswith(
        "2 runs have no answer and are scored 0: none none 1, asks waiting 1; the first, run "
    )


def judge(model: Any) -> Contender:
    inputs = [Channel(name, str, input=True) for name in ("problem", "answer", "expected")]
    plan = PlanBuilder("judge", [*inputs, Channel("score", int)], result="score")
    plan.node(Think("rate", prompt="<{problem}> = <{answer}>? <{expected}>", output=int, writes="score"))
    return Contender("judge", Program(plan.edge("rate", "done", End("rated")).build(), {}), {"default": model})


class Judge:
    """Gives 10 for what is expected, and 1 for anything else; it keeps what it was asked."""

    retries = 0

    def __init__(self, label: str = "judge") -> None:
        self.asked: list[str] = []
        self.label, self.broken = label, False

    def ask(self, call: ModelCall) -> ModelReply:
        """Rate."""
        text = call.messages[-1]["content"]
        self.asked.append(text)
        if self.broken:
            raise ModelError("503")
        _, answer, expected = text.replace("=", "?").split("?")
        return ModelReply(10 if answer.strip() == expected.strip() else 1)

    async def aask(self, call: ModelCall) -> ModelReply:
        """Rate."""
        return self.ask(call)


def test_a_judge_is_counted_apart_and_asked_once_for_one_answer(contender: Any, store: Store, drive: Any) -> None:
    model = Judge()
    task = Task([contender("a"), contender("b"), contender("c", 1)], PROBLEMS, judge=judge(model))
    found = go_on(Contest(task, store), drive)
    assert means(found) == {"a": 10.0, "b": 10.0, "c": 1.0}
    assert sorted(model.asked) == sorted(
        f"{n}+{n} = {said}? {2 * n}" for n in range(1, 5) for said in (2 * n, 2 * n + 1)
    )
    assert (found.judgements, found.judging.calls) == (8, 8)
    assert {trial.calls for trial in found.trials} == {1}
    again = go_on(Contest(replace(task, batch=found.batch), store), drive)
    assert (means(again), len(model.asked), again.judging.calls) == (means(found), 8, 8)


def test_another_judge_judges_anew(contender: Any, store: Store) -> None:
    first, second = Judge(), Judge("another")
    task = Task([contender("a")], PROBLEMS, judge=judge(first))
    batch = Contest(task, store).go_on().batch
    Contest(replace(task, batch=batch, judge=judge(second)), store).go_on()
    assert (len(first.asked), len(second.asked)) == (4, 4)
    assert means(Contest(replace(task, batch=batch, judge=None, checker=RIGHT), store).go_on()) == {"a": 1.0}


def test_what_a_judge_could_not_score_is_told_and_judged_again(contender: Any, store: Store, drive: Any) -> None:
    model = Judge()
    model.broken = True
    task = Task([contender("a")], PROBLEMS, judge=judge(model))
    found = go_on(Contest(task, store), drive)
    assert means(found) == {"a": None}
    (fault,) = {trial.fault for trial in found.trials}
    assert fault == "the judge came to no end that is a success (suspended: rate: 503)"
    model.broken = False
    found = go_on(Contest(replace(task, batch=found.batch, again=True), store), drive)
    assert (means(found), found.complete) == ({"a": 10.0}, True)


def test_a_judge_whose_result_is_no_number_scores_nothing(contender: Any, store: Store) -> None:
    plan = PlanBuilder("judge", [Channel("answer", str, input=True), Channel("said", str)], result="said")
    plan.node(Think("rate", prompt="<{answer}>", writes="said")).edge("rate", "done", End("rated"))
    model = Judge()
    words = Contender("judge", Program(plan.build(), {}), {"default": _Words()})
    found = Contest(Task([contender("a")], PROBLEMS[:1], judge=words), store).go_on()
    assert [trial.fault for trial in found.trials] == ["the judge said 'good', which is no number"]
    assert model.asked == []


class _Words(Judge):
    def ask(self, call: ModelCall) -> ModelReply:
        """Praise."""
        return ModelReply("good")


def test_nothing_to_judge_asks_no_judge(contender: Any, store: Store) -> None:
    model = Judge()
    failing = contender("a", model=Stopped(0))
    failing.models["default"].ask = _fail
    found = Contest(Task([failing], PROBLEMS[:1], judge=judge(model)), store).go_on()
    assert (found.judgements, model.asked, found.trials[0].answered) == (0, [], False)


def _fail(call: ModelCall) -> ModelReply:
    raise ModelError("503")


class Listening:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def begin(self, batch: str, runs: int, left: int, trials: Mapping[str, Trial]) -> None:
        """Keep it."""
        self.told.append((runs, left, len(trials)))

    def judge(self, answers: int, left: int) -> None:
        """Keep it."""
        self.told.append(("judge", answers, left))

    def began(self, entry: Entry) -> None:
        """Keep it."""
        self.told.append((entry.contender.name, entry.problem.name))

    def rests(self, entry: Entry, trial: Trial | None) -> None:
        """Keep it."""
        self.told.append(trial.score if trial else None)


def test_whoever_watches_is_told(contender: Any, store: Store) -> None:
    watcher = Listening()
    task = Task([contender("a"), contender("b", 1)], PROBLEMS[:1], RIGHT)
    batch = Contest(task, store, watcher).go_on().batch
    assert watcher.told == [(2, 2, 0), ("a", "1"), 1.0, ("b", "1"), 0.0]
    watcher.told.clear()
    Contest(replace(task, batch=batch, checker=None, judge=judge(Judge())), store, watcher).go_on()
    assert watcher.told == [(2, 0, 2), ("judge", 2, 2), ("judge", "1"), None, ("judge", "1"), None]


def test_a_batch_that_is_not_there_is_told(contender: Any, store: Store) -> None:
    with pytest.raises(UnknownRun, match="there is no batch 'b7c0'"):
        Contest(Task([contender("a")], PROBLEMS, RIGHT, batch="b7c0"), store)


def test_none_at_once_is_refused(contender: Any, store: Store) -> None:
    contest = Contest(Task([contender("a")], PROBLEMS, RIGHT), store)
    with pytest.raises(RunError, match="at_once"):
        asyncio.run(contest.ago_on(0))


class Failing(Listening):
    """Cannot be told anything."""

    def rests(self, entry: Entry, trial: Trial | None) -> None:
        """Fail."""
        raise OSError("no space")


def test_an_awaited_contest_that_fails_leaves_the_others_interrupted(contender: Any, store: Store) -> None:
    contest = Contest(Task([contender("a")], PROBLEMS, RIGHT), store, Failing())
    with pytest.raises(OSError, match="no space") as stopped:
        asyncio.run(contest.ago_on(3))
    assert contest.batch in stopped.value.__notes__[-1]
    assert {row.status for row in store.registry.batch(contest.batch)} == {"finished", "interrupted"}
