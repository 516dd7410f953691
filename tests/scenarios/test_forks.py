"""Forks on the real engine: results by index, failures, people in branches, and branches of unequal length."""

import asyncio
import threading
from typing import Any

import pytest

from loopwright.errors import AlreadyAnswered, NotWaiting
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.handle import Run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.testing.scripts import RecordingModel, assert_path, path_of

ITEMS = Channel("items", {"type": "array"}, input=True)
GRADE = Think("grade", prompt="<{item}>", writes="mark")


def each(body: Any, at_most: int | None = 8) -> Loop[Any]:
    builder = PlanBuilder("each", [ITEMS, Channel("marks")], result="marks")
    builder.each("rate", over="items", as_="item", do=body, collect="marks", at_most=at_most)
    builder.edge("rate", "done", End("rated"))
    return builder.loop()


def longer() -> Plan:
    """Write, then grade until it is good: two visits or more."""
    builder = PlanBuilder("body", [Channel("item", input=True), Channel("text"), Channel("mark")], result="mark")
    builder.node(Think("write", prompt="<{item}>", writes="text")).edge("write", "done", "grade")
    builder.node(Judge("grade", prompt="<{text}>", outcomes=["good", "again"], writes="mark"))
    builder.edge("grade", "good", End("good")).edge("grade", "again", "write", at_most=3, then=End("good"))
    return builder.build()


def longer_of(node: Think) -> Plan:
    """The node, and after it another visit."""
    builder = PlanBuilder("body", [Channel("item", input=True), Channel("mark")], result="mark")
    builder.node(node).edge("grade", "done", "again").node(Think("again", prompt="?", writes="mark"))
    return builder.edge("again", "done", End("good")).build()


def echo(call: ModelCall) -> Any:
    """Says which branch asked; grades are good."""
    return {"outcome": "good", "reason": call.node} if call.schema else f"from {call.node}"


@pytest.mark.parametrize("count", [0, 1, 3, 8])
def test_one_visit_in_each_branch(drive: Any, count: int) -> None:
    model = RecordingModel(echo)
    run = drive.start(each(GRADE), {"items": [f"item {index}" for index in range(count)]}, model=model)
    assert run.result == [f"from rate[{index}]/grade" for index in range(count)]
    assert sorted(path_of(run)) == sorted(
        [*(f"rate[{index}]/grade done -> done" for index in range(count)), "rate done -> rated"]
    )
    assert path_of(run)[-1] == "rate done -> rated"
    prompts = [model.prompts(f"rate[{index}]/grade") for index in range(count)]
    assert prompts == [[[{"role": "user", "content": f"item {index}"}]] for index in range(count)]


def test_results_come_back_by_index_whoever_is_first(drive: Any) -> None:
    script = {f"rate[{index}]/grade": [{"reply": f"{index}", "delay": 0.02 * (3 - index)}] for index in range(4)}
    run = drive.start(each(GRADE), {"items": list("abcd")}, model=ScriptedModel(script))
    assert run.result == ["0", "1", "2", "3"]
    assert run.visits[0].node == "rate[3]/grade"


def test_longer_branches_of_unequal_length_join_once(drive: Any) -> None:
    again, good = {"outcome": "again", "reason": "long"}, {"outcome": "good", "reason": "fine"}
    grades = {f"rate[{index}]/grade": [*[again] * index, good] for index in range(4)}
    model = RecordingModel({**grades, "write": ["text"], "repeat": "last"})
    run = drive.start(each(longer()), {"items": list("abcd")}, model=model)
    assert run.result == ["fine"] * 4
    visited = [visit.node for visit in run.visits]
    assert [visited.count(f"rate[{index}]/write") for index in range(4)] == [1, 2, 3, 4]
    assert visited.count("rate") == 1
    assert visited[-1] == "rate"


def test_an_empty_list_goes_straight_to_the_join(drive: Any) -> None:
    model = RecordingModel(echo)
    run = drive.start(each(longer()), {"items": []}, model=model)
    assert_path(run, ["rate done -> rated"])
    assert (run.result, model.calls) == ([], [])


@pytest.mark.parametrize("body", [GRADE, longer()], ids=["one visit", "longer"])
def test_more_items_than_declared_suspend_before_a_call(drive: Any, body: Any) -> None:
    model = RecordingModel(echo)
    run = drive.start(each(body, at_most=2), {"items": list("abc")}, model=model)
    assert (run.status, run.reason) == ("suspended", "fork 'rate': 3 items came, and at most 2 were declared")
    assert (run.visits, model.calls) == ((), [])


@pytest.mark.parametrize("body", [GRADE, longer()], ids=["one visit", "longer"])
def test_a_failing_branch_suspends_and_its_siblings_are_not_asked_again(drive: Any, body: Any) -> None:
    failing = {"rate[1]/grade", "rate[2]/write"} if isinstance(body, Plan) else {"rate[1]/grade"}

    def answer(call: ModelCall) -> Any:
        if call.node in failing:
            failing.remove(call.node)
            raise ZeroDivisionError("oh")
        return echo(call)

    model = RecordingModel(answer)
    run = drive.start(each(body), {"items": list("abc")}, model=model)
    assert run.status == "suspended"
    assert run.reason.startswith("rate[1]/grade")
    assert ": recording: ZeroDivisionError: oh" in run.reason
    before = list(model.asked)
    drive.resume(run)
    assert run.status == "finished"
    again = ["rate[1]/grade"] if not isinstance(body, Plan) else ["rate[1]/grade", "rate[2]/grade", "rate[2]/write"]
    assert sorted(model.asked[len(before) :]) == again
    assert len(run.visits) == len({visit.node for visit in run.visits})


def asking() -> Loop[Any]:
    """Each branch writes, and asks a person."""
    body = PlanBuilder("body", [Channel("item", input=True), Channel("text"), Channel("note")], result="note")
    body.node(Think("write", prompt="<{item}>", writes="text")).edge("write", "done", "ask")
    body.node(Human("ask", text="Is <{item}> fine?", outcomes=["yes", "no"], writes="note", on_text="no"))
    body.edge("ask", "yes", End("fine")).edge("ask", "no", End("wrong", ok=False))
    builder = PlanBuilder("asking", [ITEMS, Channel("notes")], result="notes")
    builder.each("rate", over="items", as_="item", do=body.build(), collect="notes", at_most=3)
    builder.edge("rate", "done", End("all fine")).edge("rate", "failed", End("some wrong", ok=False))
    return builder.loop()


def question(run: Run, node: str) -> str:
    (found,) = [asked.id for asked in run.questions if asked.node == node]
    return found


def test_people_in_branches(drive: Any) -> None:
    model = RecordingModel(echo)
    run = drive.start(asking(), {"items": ["a", "b"]}, model=model)
    assert [(asked.node, asked.text) for asked in run.questions] == [
        ("rate[0]/ask", "Is a fine?"),
        ("rate[1]/ask", "Is b fine?"),
    ]
    with pytest.raises(NotWaiting, match="say which question is answered, by its id"):
        drive.resume(run, "yes")
    second = question(run, "rate[1]/ask")
    drive.resume(run, "too short", question=second)
    assert (run.status, [asked.node for asked in run.questions]) == ("waiting", ["rate[0]/ask"])
    with pytest.raises(AlreadyAnswered, match=f"question {second[:8]} of rate\\[1\\]/ask was answered with"):
        drive.resume(run, "yes", question=second)
    drive.resume(run, {"action": "yes", "text": "fine"})
    assert (run.end, run.result, run.reason) == (
        End("some wrong", ok=False),
        ["fine", "too short"],
        "1 of 2 branches failed",
    )
    assert sorted(model.asked) == ["rate[0]/write", "rate[1]/write"]


def test_a_person_beside_a_failure(drive: Any) -> None:
    model = RecordingModel({"rate[0]/write": ["A"], "rate[1]/write": [{"error": "down"}, {"error": "down"}, "B"]})
    run = drive.start(asking(), {"items": ["a", "b"]}, model=model)
    assert (run.status, run.reason) == ("waiting", "rate[1]/write: down")
    drive.resume(run, "yes")
    assert (run.status, run.reason) == ("suspended", "rate[1]/write: down")
    drive.resume(run)
    assert [asked.node for asked in run.questions] == ["rate[1]/ask"]
    drive.resume(run, "yes")
    assert run.end == End("all fine")
    assert sorted(model.asked) == ["rate[0]/write", *["rate[1]/write"] * 3]


def test_parallel_bodies_by_name(drive: Any) -> None:
    builder = PlanBuilder("parallel", [Channel("draft", input=True), Channel("reviews")], result="reviews")
    style = Judge("style", prompt="<{draft}>", outcomes=["good", "bad"])
    facts = Judge("facts", prompt="<{draft}>", score=(1, 10), writes="score")
    builder.parallel("reviews", {"style": style, "facts": facts})
    builder.edge("reviews", "done", End("reviewed"))
    model = RecordingModel({"reviews[style]/style": [{"outcome": "bad"}], "reviews[facts]/facts": [{"score": 7}]})
    run = drive.start(builder.loop(), {"draft": "D"}, model=model)
    assert run.result == {"style": "bad", "facts": 7}
    assert sorted(path_of(run)) == [
        "reviews done -> reviewed",
        "reviews[facts]/facts done -> done",
        "reviews[style]/style bad -> bad",
    ]


def rounds() -> Loop[Any]:
    """The same fork, three times, over a list that grows."""
    channels = [Channel("items", {"type": "array"}, reduce="append"), Channel("marks"), Channel("all", reduce="append")]
    builder = PlanBuilder("rounds", channels, result="all")
    builder.node(Think("more", prompt="?", writes="items")).edge("more", "done", "rate")
    builder.each("rate", over="items", as_="item", do=longer(), collect="marks", at_most=3).edge("rate", "done", "keep")
    builder.node(Act("keep", keep, reads="marks", writes="all")).edge("keep", "done", "enough")
    builder.node(Route("enough", enough, outcomes=["yes", "no"])).edge("enough", "yes", End("all"))
    return builder.edge("enough", "no", "more", at_most=5, then=End("too many", ok=False)).loop()


def keep(marks: list[str]) -> list[str]:
    return marks


def enough(items: list[str]) -> str:
    return "yes" if len(items) == 3 else "no"


def test_a_fork_that_is_visited_in_several_rounds(drive: Any) -> None:
    run = drive.start(rounds(), model=RecordingModel(echo))
    marks = [f"rate[{index}]/grade" for index in range(3)]
    assert run.result == [marks[:1], marks[:2], marks]
    assert [visit.node for visit in run.visits].count("rate") == 3


def test_a_fork_in_a_nested_plan_and_in_a_body(drive: Any) -> None:
    inner = each(longer()).plan
    body = PlanBuilder("body", [Channel("item", {"type": "array"}, input=True), Channel("marks")], result="marks")
    body.node(inner, name="part", inputs={"items": "item"}, writes="marks").edge("part", "rated", End("ok"))
    outer = PlanBuilder("outer", [ITEMS, Channel("found")], result="found")
    outer.each("every", over="items", as_="item", do=body.build(), collect="found", at_most=2)
    outer.edge("every", "done", End("done"))
    model = RecordingModel(echo)
    run = drive.start(outer.loop(), {"items": [["a", "b"], ["c"]]}, model=model)
    assert run.result == [
        ["every[0]/part/rate[0]/grade", "every[0]/part/rate[1]/grade"],
        ["every[1]/part/rate[0]/grade"],
    ]
    assert sorted(model.asked) == sorted(
        f"every[{outer}]/part/rate[{inner}]/{node}"
        for outer, inner in [(0, 0), (0, 1), (1, 0)]
        for node in ("write", "grade")
    )
    assert [visit.node for visit in run.visits if visit.kind == "each"][-1] == "every"


def test_what_was_collected_must_fit(drive: Any) -> None:
    builder = PlanBuilder("typed", [ITEMS, Channel("marks", {"type": "array", "items": {"type": "integer"}})])
    builder.each("rate", over="items", as_="item", do=GRADE, collect="marks", at_most=2)
    run = drive.start(builder.edge("rate", "done", End("rated")).loop(), {"items": ["a"]}, model=RecordingModel(echo))
    assert run.status == "suspended"
    assert run.reason == (
        "fork 'rate': what it collected in 'marks' does not fit: "
        'at 0: "from rate[0]/grade" is not of type "integer"'
    )


class Meeting:
    """A model that answers when all branches have asked."""

    label, retries = "meeting", 0

    def __init__(self, count: int) -> None:
        self._all = threading.Barrier(count, timeout=10)

    def ask(self, call: ModelCall) -> ModelReply:
        self._all.wait()
        return ModelReply("r")

    async def aask(self, call: ModelCall) -> ModelReply:
        return await asyncio.to_thread(self.ask, call)


@pytest.mark.parametrize("body", [GRADE, longer_of(GRADE)], ids=["one visit", "longer"])
def test_branches_of_a_sync_run_are_at_work_side_by_side(body: Any) -> None:
    """Left alone, the engine has a handful of threads."""
    run = each(body, at_most=64).start({"items": ["x"] * 64}, model=Meeting(64))
    assert (run.status, run.result) == ("finished", ["r"] * 64)


def test_many_branches(drive: Any) -> None:
    model = RecordingModel(echo)
    run = drive.start(each(GRADE, at_most=256), {"items": ["x"] * 256}, model=model)
    assert run.result == [f"from rate[{index}]/grade" for index in range(256)]
    assert len(run.visits) == 257


async def test_runs_with_forks_side_by_side_in_one_event_loop() -> None:
    loop = each(longer())
    runs = await asyncio.gather(*(loop.astart({"items": ["a", "b"]}, model=RecordingModel(echo)) for _ in range(4)))
    assert [run.result for run in runs] == [["rate[0]/grade", "rate[1]/grade"]] * 4


class Alone:
    """A model that says whether anybody else was asking at the same time."""

    label, retries = "alone", 0

    def __init__(self) -> None:
        self._one = threading.Lock()

    def ask(self, call: ModelCall) -> ModelReply:
        alone = self._one.acquire(blocking=False)
        if alone:
            threading.Event().wait(0.005)
            self._one.release()
        return ModelReply("alone" if alone else "beside another")

    async def aask(self, call: ModelCall) -> ModelReply:
        return await asyncio.to_thread(self.ask, call)


def test_an_embedded_graph_may_have_fewer_branches_at_work() -> None:
    graph = each(GRADE).compile(model=Alone())
    answers = graph.invoke({"items": [*range(8)]}, {"max_concurrency": 1})["marks"]
    assert answers == ["alone"] * 8
