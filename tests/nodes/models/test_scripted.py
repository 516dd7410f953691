"""Replies from a script: queues, failures, ends, and going on in another process."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import ModelError, ScriptEnded, SourceError
from loopwright.nodes.contract import ToolCall, ToolSpec
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.records import Usage
from loopwright.state.values import Json


def said(model: Model, *nodes: str) -> list[Json]:
    return [model.ask(ModelCall(node, [])).content for node in nodes]


def ask_here(model: Model, node: str) -> ModelReply:
    return model.ask(ModelCall(node, []))


def ask_in_a_loop(model: Model, node: str) -> ModelReply:
    return asyncio.run(model.aask(ModelCall(node, [])))


both_ways = pytest.mark.parametrize("ask", [ask_here, ask_in_a_loop])
Asking = Callable[[Model, str], ModelReply]


def test_it_is_a_model_and_says_that_it_is_scripted(tmp_path: Path) -> None:
    path = tmp_path / "bridge.script.yaml"
    path.write_text("default: [hello]\n")
    assert isinstance(ScriptedModel(path), Model)
    assert ScriptedModel(str(path)).label == "scripted (bridge.script.yaml)"
    assert ScriptedModel(path, label="mine").label == "scripted (mine)"
    assert ScriptedModel({"default": ["a"]}).label == "scripted"
    assert ScriptedModel({"default": ["a"]}).retries == 3


@both_ways
def test_replies_in_order_and_one_counted_call_each(ask: Asking) -> None:
    model = ScriptedModel({"default": ["a", {"outcome": "pass"}]})
    assert ask(model, "write") == ModelReply("a", Usage(calls=1))
    assert ask(model, "write") == ModelReply({"outcome": "pass"}, Usage(calls=1))


def test_each_node_has_its_queue_and_others_share_the_default() -> None:
    model = ScriptedModel({"write": ["w1", "w2"], "default": ["d1", "d2"]})
    assert said(model, "write", "other", "write", "another") == ["w1", "d1", "w2", "d2"]
    assert model.taken == {"write": 2, "default": 2}


@pytest.mark.parametrize(
    ("queues", "answer"),
    [
        (["rate[2]/rater", "rate/rater", "rater", "default"], "rate[2]/rater"),
        (["rate[1]/rater", "rate/rater", "rater", "default"], "rate/rater"),
        (["rate", "rater", "default"], "rater"),
        (["rate", "default"], "default"),
    ],
)
def test_a_node_in_a_branch_takes_the_first_queue_that_there_is(queues: list[str], answer: str) -> None:
    model = ScriptedModel({name: [name] for name in queues})
    assert said(model, "rate[2]/rater") == [answer]


def test_brackets_deep_inside_count_as_little() -> None:
    assert said(ScriptedModel({"a/b/c": ["found"]}), "a[0]/b[13]/c") == ["found"]


@both_ways
def test_scripted_failures(ask: Asking) -> None:
    model = ScriptedModel(
        {"default": [{"error": "429 slow down", "retryable": True, "retry_after": 2}, {"error": "broken"}]}
    )
    with pytest.raises(ModelError, match=r"^429 slow down$") as first:
        ask(model, "write")
    with pytest.raises(ModelError, match=r"^broken$") as second:
        ask(model, "write")
    assert (first.value.retryable, first.value.retry_after) == (True, 2.0)
    assert (second.value.retryable, second.value.retry_after) == (False, None)


@both_ways
def test_a_slow_reply(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def asleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr("asyncio.sleep", asleep)
    assert ask(ScriptedModel({"default": [{"delay": 1.5, "reply": "late"}]}), "write").content == "late"
    assert waited == [1.5]


def test_a_question_beyond_the_script() -> None:
    model = ScriptedModel({"write": ["one"], "review": ["a", "b"]}, label="short")
    said(model, "write", "review", "review")
    with pytest.raises(ScriptEnded) as caught:
        said(model, "write")
    assert str(caught.value) == (
        "scripted (short) has 1 reply in its queue write, and write asks for one more; add one, or repeat: last"
    )
    assert not caught.value.retryable
    with pytest.raises(ScriptEnded, match=r"has 2 replies in its queue review, and review asks for one more"):
        said(model, "review")


def test_a_node_without_a_queue() -> None:
    with pytest.raises(ScriptEnded) as caught:
        said(ScriptedModel({"write": ["one"], "review": ["a"]}), "polish")
    assert (
        str(caught.value)
        == "scripted has no replies for polish; there are queues for: write, review. Add polish or default"
    )


def test_the_last_reply_repeats_where_the_script_says_so() -> None:
    model = ScriptedModel({"repeat": "last", "write": ["a", "b"], "default": ["d"]})
    assert said(model, *["write"] * 4, "x", "y") == ["a", "b", "b", "b", "d", "d"]


def test_counts_are_exact_under_load() -> None:
    model = ScriptedModel({"default": [str(n) for n in range(200)]})
    with ThreadPoolExecutor(8) as pool:
        contents = [reply.content for reply in pool.map(lambda _: ask_here(model, "write"), range(200))]
    assert sorted(map(int, map(str, contents))) == list(range(200))
    assert model.taken == {"default": 200}


def test_it_goes_on_where_another_process_stopped() -> None:
    script = {"write": ["w1", "w2", "w3"], "rater": ["r1", "r2", "r3"], "default": ["d1", "d2", "d3"]}
    model = ScriptedModel(script)
    model.start_at({"write": 2, "rate[0]/rater": 1, "rate[1]/rater": 1, "other": 1, "another": 1})
    assert said(model, "write", "rate[2]/rater", "other") == ["w3", "r3", "d3"]


def test_its_own_counts_bring_it_to_the_same_place() -> None:
    first = ScriptedModel({"write": ["w1", "w2"], "default": ["d1", "d2"]})
    said(first, "write", "other")
    second = ScriptedModel({"write": ["w1", "w2"], "default": ["d1", "d2"]})
    said(second, "write", "write")
    second.start_at(first.taken)
    assert said(second, "write", "other") == ["w2", "d2"]


def test_it_lives_on_as_data(tmp_path: Path) -> None:
    path = tmp_path / "gone.script.yaml"
    path.write_text("repeat: last\nwrite: [a, {delay: 0, reply: b}]\n")
    data: Any = json.loads(json.dumps(ScriptedModel(path).to_data()))
    path.unlink()
    again = ScriptedModel.from_data(data)
    assert again.label == "scripted (gone.script.yaml)"
    assert said(again, "write", "write", "write") == ["a", "b", "b"]
    assert again.to_data() == data


def test_what_is_no_script() -> None:
    with pytest.raises(SourceError, match=r"^a script is a file or a mapping, not 3$"):
        ScriptedModel(3)  # type: ignore[arg-type]


NOW = [ToolSpec("now")]
CALLS = {"tools": [{"tool": "now", "args": {"zone": "UTC"}}, {"tool": "now"}]}


def test_a_call_of_a_tool_is_one_where_tools_are_offered() -> None:
    model = ScriptedModel({"ask": [{"tool": "now", "args": {"zone": "UTC"}}, CALLS, {"tool": "now", "price": 3}]})
    first, second, third = (model.ask(ModelCall("ask", [], tools=NOW)) for _ in range(3))
    assert (first.content, first.tool_calls) == ("", (ToolCall("now", {"zone": "UTC"}),))
    assert second.tool_calls == (ToolCall("now", {"zone": "UTC"}), ToolCall("now"))
    assert (third.content, third.tool_calls) == ({"tool": "now", "price": 3}, ())


def test_without_tools_the_same_is_a_structured_answer() -> None:
    reply = asyncio.run(ScriptedModel({"ask": [CALLS]}).aask(ModelCall("ask", [])))
    assert (reply.content, reply.tool_calls) == (CALLS, ())


def test_a_call_of_a_tool_may_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("loopwright.nodes.models.scripted.time.sleep", slept.append)
    model = ScriptedModel({"ask": [{"reply": {"tool": "now"}, "delay": 0.5}]})
    assert (model.ask(ModelCall("ask", [], tools=NOW)).tool_calls, slept) == ((ToolCall("now"),), [0.5])


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("Rot.", ["Rot."]),
        ("\n  A  bridge\tof wood. \n", ["\n  A", "  bridge", "\tof", " wood.", " \n"]),
        ("  ", ["  "]),
        ("", [""]),
        ({"outcome": "pass"}, [""]),
        ({"delay": 0.004, "reply": "A b"}, ["A", " b"]),
    ],
)
def test_a_text_in_words(parts_of: Any, reply: Any, words: list[str]) -> None:
    *said, whole = parts_of(ScriptedModel({"default": [reply]}), ModelCall("write", []))
    assert said == words
    assert whole == ask_here(ScriptedModel({"default": [reply]}), "write")


def test_a_stream_takes_one_reply_and_fails_as_a_call_does(parts_of: Any) -> None:
    model = ScriptedModel({"write": [{"error": "429", "retryable": True}, "A b"]})
    with pytest.raises(ModelError, match="429") as caught:
        parts_of(model, ModelCall("write", []))
    assert caught.value.retryable
    assert parts_of(model, ModelCall("write", [])) == ["A", " b", ModelReply("A b")]
    assert model.taken == {"write": 2}
    with pytest.raises(ScriptEnded):
        parts_of(model, ModelCall("write", []))


def test_it_is_shown_with_its_queues() -> None:
    assert repr(ScriptedModel({"write": ["A"], "judge": ["B"]})) == "<ScriptedModel, replies for: write, judge>"
    assert repr(ScriptedModel({"default": ["A"]}, label="a.yaml")) == "<ScriptedModel a.yaml, replies for: default>"
