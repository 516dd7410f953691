"""LangChain's chat models, real and faked, and things that only look like them, as models."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import pytest
from langchain_core.exceptions import ModelAuthenticationError, ModelRateLimitError, ModelTimeoutError
from langchain_core.language_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI

from loopwright.errors import ModelError, ScriptEnded
from loopwright.graphs.plan import End
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.contract import ToolCall, ToolSpec
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply
from loopwright.nodes.models.runnable import Runnable, RunnableModel
from loopwright.nodes.think import Judge
from loopwright.state.channels import Channel
from loopwright.state.records import Usage
from loopwright.testing.model_server import ModelServer, Trouble

ClientAt: TypeAlias = Callable[[ModelServer], ChatOpenAI]
Result = TypeVar("Result")

CALL = ModelCall("write", [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello there"}])
YES_OR_NO = ModelCall("judge", CALL.messages, {"type": "string", "enum": ["yes", "nö"]})
WISH = 'Answer with JSON of this schema, and nothing else:\n{"type": "string", "enum": ["yes", "nö"]}'


class Plain:
    """Not of LangChain; it says or raises what it is given."""

    def __init__(self, said: Any) -> None:
        self.said = said
        self.asked: list[Any] = []

    def invoke(self, chat: Any) -> Any:
        self.asked.append(chat)
        if isinstance(self.said, Exception):
            raise self.said
        return self.said

    async def ainvoke(self, chat: Any) -> Any:
        return self.invoke(chat)


def said(model: Model, call: ModelCall, awaited: bool) -> ModelReply:
    return asyncio.run(model.aask(call)) if awaited else model.ask(call)


def error_of(raised: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        RunnableModel(Plain(raised), label="m").ask(CALL)
    return caught.value


both_ways = pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])


@pytest.fixture
def client_at() -> Iterator[ClientAt]:
    """Makes real clients of LangChain, whose connections are closed when the test is over."""
    made: list[ChatOpenAI] = []

    def client_at(server: ModelServer) -> ChatOpenAI:
        made.append(ChatOpenAI(model="test-model", base_url=server.base_url, max_retries=0))
        return made[-1]

    yield client_at
    for chat in made:
        chat.root_client.close()


def awaited_with(chat: ChatOpenAI, answer: Awaitable[Result]) -> Result:
    """What is awaited, in a loop that closes the client's connections in the end."""

    async def answered() -> Result:
        async with chat.root_async_client:
            return await answer

    return asyncio.run(answered())


@both_ways
def test_a_real_chat_model_answers(client_at: ClientAt, awaited: bool) -> None:
    with ModelServer(["Good morning to you."]) as server:
        chat = client_at(server)
        model = RunnableModel(chat)
        reply = awaited_with(chat, model.aask(CALL)) if awaited else model.ask(CALL)
    assert (model.label, model.retries) == ("test-model", 3)
    assert reply == ModelReply("Good morning to you.", Usage(calls=1, tokens_in=4, tokens_out=4))
    assert server.requests[0].body["messages"] == CALL.messages


@both_ways
def test_a_schema_is_asked_for_in_words(client_at: ClientAt, awaited: bool) -> None:
    with ModelServer(['"yes"']) as server:
        chat = client_at(server)
        model = RunnableModel(chat)
        reply = awaited_with(chat, model.aask(YES_OR_NO)) if awaited else model.ask(YES_OR_NO)
    assert reply.content == '"yes"'
    body = server.requests[0].body
    *before, last = CALL.messages
    assert body["messages"] == [*before, {**last, "content": f"{last['content']}\n\n{WISH}"}]
    assert "response_format" not in body


def judging() -> Loop[Any]:
    plan = PlanBuilder("judging", [Channel("score", {"type": "integer"})], result="score")
    plan.node(Judge("judge", prompt="Rate it.", score=(1, 10), writes="score"))
    plan.edge("judge", "done", End("judged"))
    return plan.loop()


@both_ways
def test_a_call_that_failed_is_made_again(client_at: ClientAt, awaited: bool) -> None:
    loop = judging()
    replies: list[str | Trouble] = [Trouble(429, retry_after="0"), "It is fine.", '{"score": 8}']
    with ModelServer(replies) as server:
        chat = client_at(server)
        run = awaited_with(chat, loop.astart(model=chat)) if awaited else loop.start(model=chat)
    assert (run.result, run.visits[0].model) == (8, "test-model")
    assert (run.usage.calls, run.usage.retries, run.usage.repairs) == (1, 1, 1)


@pytest.mark.parametrize(
    ("trouble", "words", "retryable", "retry_after"),
    [
        (Trouble(429, retry_after="7"), "answered with status 429: as the test wants it", True, 7.0),
        (Trouble(503), "answered with status 503: as the test wants it", True, None),
        (Trouble(401), "answered with status 401: as the test wants it", False, None),
        (
            Trouble(429, body='{"error": {"message": "No money.", "code": "insufficient_quota"}}'),
            "answered with status 429: No money.",
            False,
            None,
        ),
    ],
)
def test_what_a_real_server_refuses(
    client_at: ClientAt, trouble: Trouble, words: str, retryable: bool, retry_after: float | None
) -> None:
    with ModelServer(trouble) as server, pytest.raises(ModelError) as caught:
        RunnableModel(client_at(server)).ask(CALL)
    error = caught.value
    assert (str(error), error.retryable, error.retry_after) == (f"test-model {words}", retryable, retry_after)
    assert error.__cause__ is None


def test_a_real_server_that_is_gone(client_at: ClientAt) -> None:
    with ModelServer("ok") as server:
        chat = client_at(server)
    with pytest.raises(ModelError) as caught:
        RunnableModel(chat).ask(CALL)
    assert str(caught.value) == "test-model failed: OpenAIConnectionError: Connection error."
    assert caught.value.retryable


@both_ways
def test_a_fake_chat_model_answers(awaited: bool) -> None:
    counts = UsageMetadata(input_tokens=5, output_tokens=2, total_tokens=7)
    messages = iter([AIMessage("Rot.", usage_metadata=counts)])
    reply = said(RunnableModel(GenericFakeChatModel(messages=messages)), CALL, awaited)
    assert reply == ModelReply("Rot.", Usage(calls=1, tokens_in=5, tokens_out=2))


@both_ways
def test_a_function_as_a_runnable_answers(awaited: bool) -> None:
    echo: RunnableLambda[Any, str] = RunnableLambda(lambda chat: chat[-1]["content"].upper())
    model = RunnableModel(echo, label="echo", retries=0)
    assert (model.label, model.retries) == ("echo", 0)
    assert said(model, CALL, awaited) == ModelReply("HELLO THERE")


def test_labels() -> None:
    named = Plain("")
    assert RunnableModel(named).label == "Plain"
    vars(named).update(model="claude", model_name="")
    assert RunnableModel(named).label == "claude"
    vars(named).update(model_name="claude-1")
    assert RunnableModel(named).label == "claude-1"
    assert RunnableModel(ChatOpenAI(model="bound").bind(temperature=0.5)).label == "bound"


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Rot.", "Rot."),
        ({"outcome": "pass"}, {"outcome": "pass"}),
        (AIMessage([{"type": "text", "text": "R"}, "ot", {"type": "thinking", "text": "?"}, {"type": "image"}]), "Rot"),
        (AIMessage([]), ""),
    ],
)
def test_what_a_reply_says(said: Any, content: Any) -> None:
    assert RunnableModel(Plain(said)).ask(CALL) == ModelReply(content)


@pytest.mark.parametrize(
    ("about", "truncated"),
    [
        ({"finish_reason": "length"}, True),
        ({"stop_reason": "max_tokens"}, True),
        ({"finish_reason": "stop"}, False),
        ({}, False),
    ],
)
def test_an_answer_that_was_cut(about: dict[str, str], truncated: bool) -> None:
    assert RunnableModel(Plain(AIMessage("R", response_metadata=about))).ask(CALL).truncated is truncated


def test_an_answer_that_is_none() -> None:
    assert str(error_of(7)) == "m answered with int, which is neither a message nor a text"
    wish = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    assert str(error_of(wish)) == "m asks to call a tool, and a run calls none for it; give it no tools"


@pytest.mark.parametrize(
    ("raised", "words", "retryable"),
    [
        (ModelRateLimitError("slow down"), "m failed: ModelRateLimitError: slow down", True),
        (ModelTimeoutError("late"), "m failed: ModelTimeoutError: late", True),
        (ModelAuthenticationError("who?"), "m failed: ModelAuthenticationError: who?", False),
        (ConnectionResetError("gone"), "m failed: ConnectionResetError: gone", True),
        (ValueError("at http://me:pw@h?key=abc"), "m failed: ValueError: at http://h?key=***", False),
    ],
)
def test_what_a_runnable_raises(raised: Exception, words: str, retryable: bool) -> None:
    error = error_of(raised)
    assert (str(error), error.retryable, error.retry_after) == (words, retryable, None)


def test_an_error_of_ours_stays() -> None:
    ended = ScriptEnded("no more")
    assert error_of(ended) is ended


def test_it_is_a_model_and_what_it_asks_is_a_runnable() -> None:
    assert isinstance(RunnableModel(Plain("")), Model)
    assert isinstance(Plain(""), Runnable)
    assert isinstance(FakeListChatModel(responses=[]), Runnable)
    assert not isinstance(FakeListChatModel(responses=[]), Model)


class TakesTools(Plain):
    """A runnable that is given tools as LangChain's chat models are."""

    tools: Any = None

    def bind_tools(self, tools: Any) -> "TakesTools":
        self.tools = tools
        return self


@both_ways
def test_tools_are_bound_and_their_calls_come_back(awaited: bool) -> None:
    plain = TakesTools(AIMessage("I look.", tool_calls=[{"id": "1", "name": "now", "args": {}}]))
    reply = said(RunnableModel(plain), ModelCall("ask", CALL.messages, tools=[ToolSpec("now", "The time.")]), awaited)
    assert (reply.content, reply.tool_calls) == ("I look.", (ToolCall("now", {}, "1"),))
    assert [tool["function"]["name"] for tool in plain.tools] == ["now"]
    assert plain.asked == [list(CALL.messages)]


def test_with_tools_the_schema_is_for_the_answer_alone() -> None:
    plain = TakesTools("yes")
    RunnableModel(plain).ask(ModelCall("judge", CALL.messages, YES_OR_NO.schema, [ToolSpec("now")]))
    assert plain.asked[0][-1]["content"].endswith(WISH.replace("Answer", "\n\nWhen no tool is needed, answer"))


@pytest.mark.parametrize("runnable", [FakeListChatModel(responses=["a"]), Plain("a")])
def test_what_takes_no_tools_is_told(runnable: Runnable) -> None:
    with pytest.raises(ModelError, match="m cannot be given tools: its class has no bind_tools of its own") as caught:
        RunnableModel(runnable, label="m").ask(ModelCall("ask", CALL.messages, tools=[ToolSpec("now")]))
    assert not caught.value.retryable


def test_a_real_chat_model_in_parts(client_at: ClientAt) -> None:
    with ModelServer("Good morning.") as server:
        parts = list(RunnableModel(client_at(server)).stream(CALL))
    assert [part for part in parts[:-1] if part] == ["Good", " morning."]
    assert isinstance(parts[-1], ModelReply)
    assert parts[-1].content == "Good morning."


def test_a_fake_chat_model_in_parts(parts_of: Any) -> None:
    chat = GenericFakeChatModel(messages=iter([AIMessage("Good morning.")]))
    parts = parts_of(RunnableModel(chat), CALL)
    assert ("".join(parts[:-1]), parts[-1]) == ("Good morning.", ModelReply("Good morning."))
    assert len(parts) == 4


def test_a_runnable_that_cannot_stream_answers_whole(parts_of: Any) -> None:
    assert parts_of(RunnableModel(Plain("Rot.")), CALL) == [ModelReply("Rot.")]


class Speaking(Plain):
    """A runnable that says what it is given part by part, and may fail then."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(None)
        self.parts = parts

    def stream(self, input: Any, /) -> Iterator[Any]:
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            yield part

    async def astream(self, input: Any, /) -> AsyncIterator[Any]:
        for part in self.stream(input):
            yield part


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (["Ro", "t."], ["Ro", "t.", ModelReply("Rot.")]),
        ([{"a": 1}, {"a": 1, "b": 2}], ["", "", ModelReply({"a": 1, "b": 2})]),
        (
            [AIMessageChunk(content="Ro"), AIMessageChunk(content=[{"type": "text", "text": "t."}])],
            ["Ro", "t.", ModelReply("Rot.")],
        ),
    ],
)
def test_parts_of_all_kinds(parts_of: Any, said: list[Any], parts: list[Any]) -> None:
    assert parts_of(RunnableModel(Speaking(*said)), CALL) == parts


def test_what_fails_in_the_middle(parts_of: Any) -> None:
    with pytest.raises(ModelError, match=r"Speaking failed: ConnectionError: gone") as caught:
        parts_of(RunnableModel(Speaking("Ro", ConnectionError("gone"))), CALL)
    assert caught.value.retryable
    with pytest.raises(ModelError, match=r"Speaking answered with NoneType"):
        parts_of(RunnableModel(Speaking()), CALL)


def test_it_is_shown_with_its_label() -> None:
    assert repr(RunnableModel(FakeListChatModel(responses=["A"]))) == "RunnableModel(label='FakeListChatModel')"
