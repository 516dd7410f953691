"""One visit, walked step by step: what the driver asks for, and what it makes of the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from loopwright.errors import ContractError, ModelError, ScriptEnded, Unreadable
from loopwright.nodes.contract import Answer, Ask, AskModel, Contract, Node, ToolCall, ToolSpec, View
from loopwright.nodes.driver.steps import (
    CallModel,
    CallWorld,
    Job,
    Outside,
    Result,
    Sleep,
    Step,
    Suspend,
    Tell,
    Visiting,
)
from loopwright.nodes.driver.visit import visit
from loopwright.nodes.events import Retrying
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.retrying import LONGEST_ASKED
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.tools.ask import AskTools
from loopwright.nodes.wait import Human
from loopwright.state.channels import MISSING
from loopwright.state.records import Usage
from loopwright.state.schema import check_for
from loopwright.testing.scripts import RecordingModel

MODEL = RecordingModel({"default": ["unused"]}, label="m")
TEXT = check_for({"type": "string"})
WRITE = Think("write", prompt="Write.", writes="draft")
REVIEW = Judge("review", prompt="Good?", outcomes=["pass", "revise"], writes="notes")
BUSY = ModelError("m: 429 too many requests", retryable=True)


def job(node: Node, view: Mapping[str, Any] | None = None, handled: str = "") -> Job:
    checks = dict.fromkeys(node.contract.writes, TEXT)
    return Job(node, view or {}, checks, {"default": MODEL}, "task", node.name, frozenset(handled.split()))


def walk(visiting: Visiting, *replies: Any) -> tuple[list[Step], Result | None]:
    """The steps of a visit that is sent these replies (exceptions are thrown in), and its result if it came to one."""
    steps = [next(visiting)]
    for reply in replies:
        try:
            steps.append(visiting.throw(reply) if isinstance(reply, BaseException) else visiting.send(reply))
        except StopIteration as stop:
            return steps, stop.value
    return steps, None


def said(content: Any, **more: Any) -> ModelReply:
    return ModelReply(content, **more)


def test_a_model_is_asked_once_and_its_answer_is_written() -> None:
    steps, result = walk(visit(job(WRITE)), said("A bridge.", usage=Usage(1, 10, 2)))
    assert steps == [CallModel(MODEL, ModelCall("write", [{"role": "user", "content": "Write."}]))]
    assert result == Result(Answer("done", {"draft": "A bridge."}), "A bridge.", "m", Usage(1, 10, 2))


def test_a_verdict_is_an_outcome() -> None:
    _, result = walk(visit(job(REVIEW)), said({"outcome": "revise", "reason": "long"}))
    assert result is not None
    assert result.answer == Answer("revise", {"notes": "long"}, "long")


def test_a_failed_call_is_made_again_after_the_time_that_the_server_wants() -> None:
    busy = ModelError("m: 429", retryable=True, retry_after=7)
    steps, result = walk(visit(job(WRITE)), busy, None, None, busy, None, None, said("A"))
    call = CallModel(MODEL, ModelCall("write", [{"role": "user", "content": "Write."}]))
    told = Tell(Retrying("write", "task", "m: 429", 7))
    assert steps == [call, told, Sleep(7), call, told, Sleep(7), call]
    assert result is not None
    assert result.usage == Usage(calls=1, retries=2)


def test_after_the_last_retry_the_run_is_suspended_and_asks_again() -> None:
    visiting = visit(job(WRITE))
    steps, _ = walk(visiting, *[BUSY, None, None] * 3, BUSY)
    reason = "m: 429 too many requests (tried 4 times)"
    assert steps[-1] == Suspend(reason, Usage(retries=3, failed=1), "m", {}, "Write.")
    assert isinstance(visiting.send(None), CallModel)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelError("m: 401 wrong key"), "m: 401 wrong key"),
        (ScriptEnded("m has no replies"), "m has no replies"),
        (ModelError("m: 429", retryable=True, retry_after=LONGEST_ASKED + 1), "m: 429"),
    ],
)
def test_what_cannot_pass_is_not_tried_again(error: ModelError, reason: str) -> None:
    assert walk(visit(job(WRITE)), error)[0][1:] == [Suspend(reason, Usage(failed=1), "m", {}, "Write.")]


def test_a_failure_with_an_edge_is_an_outcome() -> None:
    _, result = walk(visit(job(WRITE, handled="failed")), BUSY, None, None, ModelError("m: 401"))
    answer = Answer("failed", {}, "m: 401 (tried 2 times)")
    assert result == Result(answer, None, "m", Usage(retries=1, failed=1))


def test_a_broken_answer_is_asked_for_once_more() -> None:
    steps, result = walk(visit(job(REVIEW)), said("banana"), said('{"outcome": "pass", "reason": ""}'))
    assert result is not None
    assert (result.answer.outcome, result.usage) == ("pass", Usage(calls=1, repairs=1))
    first, second = steps
    assert isinstance(first, CallModel)
    assert isinstance(second, CallModel)
    question, answer, again = second.call.messages
    assert [question] == first.call.messages
    assert answer == {"role": "assistant", "content": "banana"}
    assert again["role"] == "user"
    assert again["content"].startswith("That answer cannot be used: ")


@pytest.mark.parametrize("broken", ["banana", "", None, '{"outcome": "banana"}', ["pass"], "pass or revise"])
def test_an_answer_that_stays_broken_is_unreadable(broken: Any) -> None:
    _, result = walk(visit(job(REVIEW, handled="unreadable failed")), said(broken), said(broken))
    assert result is not None
    assert (result.answer.outcome, result.answer.update) == ("unreadable", {})
    assert result.usage == Usage(calls=1, repairs=1)
    steps, none = walk(visit(job(REVIEW)), said(broken), said(broken))
    assert none is None
    assert isinstance(steps[-1], Suspend)
    assert steps[-1].reason == result.answer.reason


def test_retries_and_repairs_are_counted_side_by_side() -> None:
    busy = ModelError("m: 503", retryable=True, retry_after=0)
    _, result = walk(visit(job(REVIEW)), busy, None, None, said("?"), busy, None, None, said({"outcome": "pass"}))
    assert result is not None
    assert result.usage == Usage(calls=1, retries=2, repairs=1)


def test_a_model_that_is_not_there() -> None:
    node = Think("write", prompt="Write.", model="strong", writes="draft")
    assert walk(visit(job(node)))[0] == [
        Suspend("there is no model 'strong'; this run has default: give it with model= or models=", asked="Write.")
    ]


def test_a_model_that_raises_anything_else_is_a_failure_too() -> None:
    assert walk(visit(job(WRITE)), ZeroDivisionError("oh"))[0][-1] == Suspend(
        "m: ZeroDivisionError: oh", Usage(failed=1), "m", {}, "Write."
    )


def test_a_question_to_someone_outside() -> None:
    node = Human("approve", text="Publish?", outcomes=["yes", "no"], writes="notes")
    steps, result = walk(visit(job(node)), {"action": "no", "text": "too long"})
    assert steps == [Outside(node.ask({}))]  # type: ignore[arg-type]
    assert result == Result(Answer("no", {"notes": "too long"}, "too long"), {"action": "no", "text": "too long"})


def test_a_route_asks_for_nothing() -> None:
    with pytest.raises(StopIteration) as stop:
        next(visit(job(Route("long", lambda draft: "yes" if draft else "no", outcomes=["yes", "no"]), {"draft": "x"})))
    assert stop.value.value.answer == Answer("yes")


def test_a_function_is_called_with_copies_of_what_it_reads() -> None:
    view: dict[str, Any] = {"items": ["a"]}
    node = Act("grow", _grow, writes="draft")
    steps, _ = walk(visit(job(node, view)))
    (step,) = steps
    assert isinstance(step, CallWorld)
    assert step.call() == {"outcome": "done", "update": {"draft": "b"}, "reason": ""}
    assert view == {"items": ["a"]}


def _grow(items: list[str]) -> str:
    items.append("b")
    return items[-1]


CONTRACTS = [
    (("maybe", {}), "node 'act': it answered 'maybe'; its outcomes are good, bad"),
    (("good", {"other": "x"}), "node 'act': it wrote 'other'; its declared writes are draft"),
    (("good", {"draft": 8}), "node 'act': what it wrote to 'draft' does not fit: 8 is not of type \"string\""),
    (
        ("maybe", {"draft": {1}, "other": "x"}),
        "node 'act': it answered 'maybe'; its outcomes are good, bad; what it wrote to 'draft' does not fit: {1} is not"
        " JSON that can be kept: text that can be encoded, finite numbers of 64 bits, booleans, null, and lists and"
        " dicts with text keys, 100 deep at most; it wrote 'other'; its declared writes"
        " are draft",
    ),
]


@pytest.mark.parametrize(("answer", "reason"), CONTRACTS)
def test_what_was_not_declared_suspends(answer: Any, reason: str) -> None:
    node = Route("act", lambda: answer, outcomes=["good", "bad"], writes="draft")
    assert walk(visit(job(node, handled="failed unreadable")))[0] == [Suspend(reason)]


def test_a_declared_write_is_made_where_nothing_was_chosen() -> None:
    node = Act("act", _grow, writes=["draft", "notes"])
    steps, _ = walk(visit(job(node, {"items": []})), {"outcome": "done", "update": {"draft": "x"}, "reason": ""})
    assert steps[-1] == Suspend("node 'act': it did not write 'notes', which it declares")
    route = Route("route", lambda: "bad", outcomes=["good", "bad"], writes="draft")
    with pytest.raises(StopIteration) as stop:
        next(visit(job(route)))
    assert stop.value.value.answer == Answer("bad")


def test_what_was_never_written_cannot_be_read() -> None:
    (step,), _ = walk(visit(job(Think("write", prompt="<{topic}> <{tone}>"), {"topic": MISSING, "tone": "dry"})))
    assert isinstance(step, Suspend)
    assert step.reason.startswith("node 'write' reads 'topic', which nothing has written: a node before it left out")


def test_a_return_value_that_means_nothing_suspends() -> None:
    node = Route("act", lambda: 3, outcomes=["good", "bad"])
    expected = "node 'act' returned 3; expected one of its outcomes (good, bad), or (outcome, update)"
    assert walk(visit(job(node)))[0] == [Suspend(expected)]


def test_an_exception_of_a_route_names_the_line_it_came_by() -> None:
    def choose() -> str:
        return dict[str, str]()["nothing"]

    line = choose.__code__.co_firstlineno + 1
    node = Route("act", choose, outcomes=["good", "bad"])
    expected = f"node 'act': KeyError: 'nothing' (at {__file__}:{line})"
    assert walk(visit(job(node)))[0] == [Suspend(expected)]


def test_a_contract_error_of_a_function_is_not_a_failure_outcome() -> None:
    node = Act("act", _grow, writes="draft")
    steps, _ = walk(visit(job(node, {"items": []}, handled="failed")), ContractError("node 'act' returned 3"))
    assert steps[-1] == Suspend("node 'act' returned 3")


def test_an_exception_of_a_function_is_the_outcome_failed() -> None:
    _, result = walk(visit(job(Act("act", _grow, writes="draft"), {"items": []}, handled="failed")), OSError("no disk"))
    assert result is not None
    assert result.answer == Answer("failed", {}, "OSError: no disk")


def test_what_a_suspended_visit_took_is_told() -> None:
    broken = said("?", usage=Usage(1, 10, 2))
    steps, _ = walk(visit(job(REVIEW)), broken, broken)
    assert isinstance(steps[-1], Suspend)
    assert steps[-1].usage == Usage(calls=1, tokens_in=20, tokens_out=4, repairs=1)
    steps, _ = walk(visit(job(Think("write", prompt="?", writes="draft"))), said("A", usage=Usage(1, 10, 2)))
    assert len(steps) == 1


def test_words_that_cannot_be_encoded_are_told_as_they_can() -> None:
    _, result = walk(visit(job(WRITE, handled="failed")), OSError("no file a\udcff.txt"))
    assert result is not None
    assert result.answer.reason == "m: OSError: no file a\\udcff.txt"


ASK = AskTools("ask", prompt="Late?", writes="answer", tools=[ToolSpec("now")])
ASKED: dict[str, Any] = {"history": []}
ANYTHING = {"answer": TEXT, "calls": check_for({}), "history": check_for({})}


def asking(*replies: Any) -> tuple[list[Step], Result | None]:
    return walk(visit(Job(ASK, ASKED, ANYTHING, {"default": MODEL}, "task", "ask")), *replies)


def test_calls_of_tools_are_a_reply() -> None:
    steps, result = asking(said("I look.", tool_calls=(ToolCall("now", {}, "1"),)))
    assert isinstance(steps[0], CallModel)
    assert steps[0].call.tools == [ToolSpec("now")]
    assert result
    assert result.reply == {"answer": "I look.", "calls": [{"name": "now", "args": {}, "id": "1"}]}
    assert result.answer.outcome == "call"


def test_an_answer_where_tools_were_offered_is_read_like_any_other() -> None:
    steps, result = asking(said(""), said("No."))
    assert isinstance(steps[1], CallModel)
    assert "the answer is empty" in steps[1].call.messages[-1]["content"]
    assert result
    assert (result.reply, result.usage.repairs) == ({"answer": "No.", "calls": []}, 1)


def test_calls_that_were_cut_off_are_not_made() -> None:
    steps, result = asking(said("", tool_calls=(ToolCall("now", {}, "1"),), truncated=True), said("No."))
    assert isinstance(steps[1], CallModel)
    assert "cut off at the token limit, in the middle of its calls" in steps[1].call.messages[-1]["content"]
    assert result
    assert result.answer.outcome == "done"


@pytest.mark.parametrize("reply", ["a text", ModelReply("", tool_calls=({"name": "now", "args": {}},))])  # type: ignore[arg-type]
def test_what_is_no_reply_of_a_model_is_told(reply: Any) -> None:
    visiting = visit(Job(WRITE, {}, {"draft": TEXT}, {"default": MODEL}))
    next(visiting)
    step = visiting.send(reply)
    assert isinstance(step, Suspend)
    assert step.reason.startswith(f"m gave {reply!r:.200}, and a model's reply is an lw.ModelReply, its calls a tuple")


@dataclass(frozen=True)
class Counts(Node):
    """A node that asks nobody, cannot read what is there, and asks a model when it is asked again."""

    name: str = "counts"

    @property
    def contract(self) -> Contract:
        return Contract("think", (), ("draft",), ("done",))

    def ask(self, view: View) -> Ask | None:
        return None

    def ask_again(self, view: View) -> Ask | None:
        return AskModel([{"role": "user", "content": "How many?"}])

    def answer(self, view: View, reply: Any) -> Answer:
        if reply is None:
            raise Unreadable("nothing can be read")
        return Answer("done", {"draft": reply})


def test_a_node_may_say_that_what_is_there_cannot_be_read() -> None:
    steps, result = walk(visit(job(Counts())))
    assert (steps, result) == ([Suspend("nothing can be read")], None)
    with pytest.raises(StopIteration) as stop:
        next(visit(job(Counts(), handled="unreadable")))
    assert stop.value.value == Result(Answer("unreadable", {}, "nothing can be read"))


def test_where_the_run_was_suspended_at_the_visit_the_node_asks_again() -> None:
    steps, result = walk(visit(replace(job(Counts()), again=True)), said("three"))
    assert isinstance(steps[0], CallModel)
    assert result
    assert (result.answer.update, result.usage.calls) == ({"draft": "three"}, 1)
