"""Models with a recording before them: recorded, replayed, cached; asked with blocking and with awaited calls."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import ModelError, NotRecorded
from loopwright.nodes.contract import ToolCall, ToolSpec
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply, StreamingModel
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.recording.asked import asked_in
from loopwright.nodes.models.recording.recorded import MODES, Recorded
from loopwright.nodes.models.recording.recording import Mode, Recording
from loopwright.nodes.models.recording.track import Track
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.records import Usage

Way = Callable[[Recorded, ModelCall], tuple[list[str], ModelReply]]


def asked(model: Recorded, call: ModelCall) -> tuple[list[str], ModelReply]:
    return [], model.ask(call)


def awaited(model: Recorded, call: ModelCall) -> tuple[list[str], ModelReply]:
    return [], asyncio.run(model.aask(call))


def streamed(model: Recorded, call: ModelCall) -> tuple[list[str], ModelReply]:
    *parts, reply = model.stream(call)
    assert isinstance(reply, ModelReply)
    return [str(part) for part in parts], reply


def astreamed(model: Recorded, call: ModelCall) -> tuple[list[str], ModelReply]:
    async def gather() -> list[str | ModelReply]:
        return [part async for part in model.astream(call)]

    *parts, reply = asyncio.run(gather())
    assert isinstance(reply, ModelReply)
    return [str(part) for part in parts], reply


WAYS = pytest.mark.parametrize("way", [asked, awaited, streamed, astreamed])


class Plain:
    """A model that answers with what it is made of, in whole."""

    price = Price(input=0, output=0)

    label, retries = "plain", 5

    def __init__(self, *said: Any, delay: float = 0) -> None:
        self.said, self.delay, self.calls = list(said), delay, 0

    def ask(self, call: ModelCall) -> ModelReply:
        self.calls += 1
        time.sleep(self.delay)
        said = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, ModelReply) else ModelReply(said, Usage(1, 5, 2))

    async def aask(self, call: ModelCall) -> ModelReply:
        await asyncio.sleep(self.delay)
        return self.ask(call)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def recorded(path: Path, mode: Mode, source: Model | ModelRef | None = None, track: Track | None = None) -> Recorded:
    recording = Recording(path, mode)
    recording.open()
    return MODES[mode](recording, "default", source, track or Track("r"))


def call(text: str = "A risk?", **more: Any) -> ModelCall:
    return ModelCall("solver", [{"role": "user", "content": text}], **more)


@WAYS
def test_what_is_recorded_is_replayed(path: Path, way: Way) -> None:
    calls = (ToolCall("now", {"zone": "UTC"}, "1"),)
    replies = [
        ModelReply("Two words.", Usage(1, 5, 2)),
        ModelReply({"score": 3}, Usage(1), truncated=True),
        ModelReply("", Usage(1), tool_calls=calls),
    ]
    questions = [call(), call(schema={}), call(tools=[ToolSpec("now")])]
    model = recorded(path, "record", Plain(*replies))
    assert [way(model, question)[1] for question in questions] == replies
    again = recorded(path, "replay")
    said = [way(again, question) for question in questions]
    assert [reply for _, reply in said] == replies
    if way in (streamed, astreamed):
        assert said[0][0] == ["Two", " words."]


@WAYS
def test_failures_are_replayed_and_their_waits_are_not(path: Path, way: Way) -> None:
    failures = [
        ModelError("429", retryable=True, retry_after=20.0),
        ModelError("503", retryable=True),
        ModelError("later", retryable=True, retry_after=900.0),
        ModelError("no such model"),
        KeyError("odd"),
    ]
    model = recorded(path, "record", Plain(*failures, "x"))
    for failure in failures:
        with pytest.raises(type(failure)):
            way(model, call())
    again = recorded(path, "replay")
    came = []
    for _ in failures:
        with pytest.raises(ModelError) as caught:
            way(again, call())
        came.append((str(caught.value), caught.value.retryable, caught.value.retry_after))
    assert came == [
        ("429", True, 0.0),
        ("503", True, 0.0),
        ("later", True, 900.0),
        ("no such model", False, 0.0),
        ("plain: KeyError: 'odd'", False, 0.0),
    ]
    with pytest.raises(NotRecorded):
        way(again, call())


@WAYS
def test_a_reply_that_cannot_be_written_does_not_count(path: Path, way: Way) -> None:
    model = recorded(path, "record", Plain("Rot."))
    path.unlink()
    path.mkdir()
    with pytest.raises(ModelError, match=r"calls\.jsonl cannot be written \(Is a directory\)") as caught:
        way(model, call())
    assert not caught.value.retryable


def test_a_model_streams_as_it_did(path: Path) -> None:
    model = recorded(path, "record", ScriptedModel({"default": ["One two three."]}))
    assert isinstance(model, StreamingModel)
    assert streamed(model, call())[0] == ["One", " two", " three."]
    assert streamed(recorded(path, "replay"), call())[0] == ["One", " two", " three."]


def test_labels_say_what_is_done(path: Path) -> None:
    model = recorded(path, "record", Plain("x"))
    model.ask(call())
    made = [model, recorded(path, "replay"), recorded(path, "cache", ModelRef("gpt-4o-mini", retries=1))]
    assert [(each.label, each.retries, each.repairs) for each in made] == [
        ("plain (recorded in calls.jsonl)", 5, 1),
        ("plain (replayed from calls.jsonl)", 5, 1),
        ("gpt-4o-mini (cached in calls.jsonl)", 1, 1),
    ]


@WAYS
def test_a_cache_asks_once_whichever_node_asks(path: Path, way: Way) -> None:
    plain = Plain("Two words.")
    for _ in range(2):
        model = recorded(path, "cache", plain)
        first, second = way(model, call()), way(model, ModelCall("other", call().messages))
        assert (first[1].content, second[1].content) == ("Two words.", "Two words.")
        assert second[1].usage == Usage(cached=1)
    assert plain.calls == 1


def test_a_cache_knows_a_question_by_all_that_changes_the_answer(path: Path) -> None:
    plain = Plain("x")
    model = recorded(path, "cache", plain)
    questions = [call(), call("Else?"), call(schema={}), call(tools=[ToolSpec("now")]), call(tools=[ToolSpec("late")])]
    for question in [*questions, *questions]:
        model.ask(question)
    assert plain.calls == len(questions)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ModelRef("m"), ModelRef("m", api_key_env="B", timeout=3, retries=0, proxy="http://p:1"), True),
        (ModelRef("m"), ModelRef("n"), False),
        (ModelRef("m"), ModelRef("m", temperature=0.5), False),
        (ModelRef("m"), ModelRef("m", base_url="http://h/v1"), False),
        (ScriptedModel({"a": ["x"]}), ScriptedModel({"a": ["x"]}), True),
        (ScriptedModel({"a": ["x"]}), ScriptedModel({"a": ["y"]}), False),
        (ScriptedModel({"a": ["x"]}), ModelRef("m"), False),
    ],
)
def test_what_changes_no_answer_is_no_part_of_the_key(path: Path, one: Any, other: Any, same: bool) -> None:
    track = Track()
    recording = Recording(path, "cache")
    recording.open()
    recording.keep(MODES["cache"](recording, "a", one, track)._key(asked_in(call())[0]), ModelReply("kept"))
    assert (
        recording.answer(MODES["cache"](recording, "b", other, track)._key(asked_in(call())[0])) is not None
    ) == same


def test_a_cache_keeps_no_failure_and_nothing_that_cannot_be_read(path: Path) -> None:
    schema = {"type": "number"}
    cut = ModelReply("", tool_calls=(ToolCall("now"),), truncated=True)
    plain = Plain(ModelError("503", retryable=True), "not a number", cut, "9 or 10", 7)
    model = recorded(path, "cache", plain)
    with pytest.raises(ModelError):
        model.ask(call(schema=schema))
    said = [model.ask(call(schema=schema)).content for _ in range(5)]
    assert said[-2:] == [7, 7]
    assert plain.calls == 5


def test_of_equal_questions_at_once_one_is_asked(path: Path) -> None:
    plain = Plain("x", delay=0.05)
    model = recorded(path, "cache", plain)
    threads = [threading.Thread(target=model.ask, args=[call()]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert plain.calls == 1

    async def all_at_once() -> list[ModelReply]:
        return await asyncio.gather(*(model.aask(call("Async?")) for _ in range(8)))

    assert sum(reply.usage.calls for reply in asyncio.run(all_at_once())) == 1
    assert plain.calls == 2


def test_the_next_in_line_asks_where_the_first_failed(path: Path) -> None:
    plain = Plain(ModelError("503", retryable=True), "x", delay=0.02)
    model = recorded(path, "cache", plain)

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(model.aask(call()) for _ in range(3)), return_exceptions=True)

    said = asyncio.run(all_at_once())
    assert [type(each) for each in said] == [ModelError, ModelReply, ModelReply]
    assert plain.calls == 2


def test_each_run_has_its_own_script_and_place(path: Path) -> None:
    script = ScriptedModel({"default": ["one", "two"]})
    model = recorded(path, "record", script)
    other = model.on(Track("s"), script.anew())
    assert [model.ask(call()).content, other.ask(call()).content, model.ask(call()).content] == ["one", "one", "two"]


def test_what_a_model_of_a_user_gives_by_mistake_is_left_to_the_driver(path: Path) -> None:
    class Odd(Plain):
        def ask(self, call: ModelCall) -> Any:
            return "a text"

    said: list[Any] = [recorded(path, "record", Odd()).ask(call()), recorded(path, "cache", Odd()).ask(call())]
    assert said == ["a text", "a text"]
