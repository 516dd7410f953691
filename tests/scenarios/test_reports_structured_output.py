"""Structured output: what users of other engines reported, and what must happen here. Each test names its report.

The client is the real one, and so are the servers: one knows JSON schemas, one only tools, one only text.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loopwright as lw
from loopwright.testing.model_server import ModelServer, Reply, Takes, Trouble

SERVERS: tuple[Takes, ...] = ("json_schema", "tools", "text")
CALLS = {"json_schema": 1, "tools": 2, "text": 3}
"""Requests until the first answer: each rung that a server refuses is one."""

HOW = {"json_schema": "", "tools": "answered by a tool call", "text": "asked for in words"}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")


@pytest.fixture(params=SERVERS)
def takes(request: pytest.FixtureRequest) -> Takes:
    known: Takes = request.param
    return known


def model_at(server: ModelServer, **options: Any) -> lw.ModelRef:
    return lw.ModelRef("test-model", base_url=server.base_url, **options)


class Rated(lw.State):
    option: str = lw.input(default="oak")
    points: float


def rating() -> lw.Loop[Any]:
    """A judge of 1 to 10, with an edge for what cannot be read."""
    plan = lw.PlanBuilder("rate", Rated, result="points")
    plan.node(lw.Judge("rate", prompt="Rate from 1 to 10: <{option}>", score=(1, 10), writes="points"))
    plan.edge("rate", "done", lw.End("rated")).edge("rate", "unreadable", lw.End("unclear", ok=False))
    return plan.loop()


# --- fast-agent#296: a rating that comes as another type fails for ever ---

READ = {
    '{"score": 8}': (8, ""),
    '{"score": 8.0}': (8.0, ""),
    '{"score": "8"}': (8, 'read {"score": "8"} as {"score": 8}'),
    '{"score": "8/10"}': (8, 'read {"score": "8/10"} as {"score": 8}'),
    '"8/10"': (8, 'read "8/10" as {"score": 8}'),
    "8": (8, 'read 8 as {"score": 8}'),
    "8.0": (8.0, 'read 8.0 as {"score": 8.0}'),
    "8/10": (8, 'read "8/10" as {"score": 8}'),
    'Sure:\n```json\n{"score": 8}\n```': (8, "taken out of the text around it"),
}
NEVER = [
    *(
        '{"score": "eight"}',
        '{"score": 11}',
        '{"score": -1}',
        '{"score": null}',
        '{"score": NaN}',
        '{"score": Infinity}',
    ),
    *('{"score": "between 7 and 8"}', '{"score": true}', '{"score": 0.', '{"score": 8', '{"score": 7, "score": 8}'),
    *("eight", "11", "-1", "null", "NaN", "between 7 and 8", "11/10", "8.", "true", "", '{"score": 7} or {"score": 8}'),
]


@pytest.mark.parametrize("said", READ)
def test_fast_agent_296_a_rating_with_one_meaning_is_read_and_kept_as_it_was_said(
    drive: Any, takes: Takes, said: str
) -> None:
    value, read = READ[said]
    with ModelServer([said], takes=takes) as server:
        run = drive.start(rating(), model=model_at(server))
    assert (run.end, run.result, type(run.result)) == (lw.End("rated"), value, type(value))
    (visit,) = run.visits
    assert visit.note == "; ".join(filter(None, [HOW[takes], read]))
    assert visit.raw == (said if read else None)
    assert (run.usage.calls, run.usage.retries, run.usage.repairs) == (1, CALLS[takes] - 1, 0)


@pytest.mark.parametrize("said", NEVER)
def test_fast_agent_296_any_other_is_never_a_rating(drive: Any, takes: Takes, said: str) -> None:
    with ModelServer(said, takes=takes) as server:
        run = drive.start(rating(), model=model_at(server))
    (visit,) = run.visits
    assert (run.end, visit.outcome, "points" in run.state) == (lw.End("unclear", ok=False), "unreadable", False)
    assert visit.raw == said
    assert "asked again: " in visit.note
    assert (run.usage.calls, run.usage.repairs, len(server.requests)) == (1, 1, CALLS[takes] + 1)


# --- langgraph#6027, langchain#34098, langchain-aws#155: an answer that does not fit is an end, and not asked again ---


def is_valid_chat(body: Mapping[str, Any]) -> bool:
    """No empty message, no call without its answer, no two messages of an assistant in a row."""
    messages = body["messages"]
    roles = [message["role"] for message in messages]
    return (
        all(isinstance(message["content"], str) and message["content"] for message in messages)
        and not any("tool_calls" in message or message["role"] == "tool" for message in messages)
        and all(roles[place : place + 2] != ["assistant", "assistant"] for place in range(len(roles)))
        and roles[-1] == "user"
    )


@pytest.mark.parametrize("broken", ['{"score": ', "eleven", '{"score": 11}', ""])
def test_langgraph_6027_one_broken_answer_is_asked_for_again_with_the_reason(
    drive: Any, takes: Takes, broken: str
) -> None:
    with ModelServer([broken, {"score": 9}], takes=takes) as server:
        run = drive.start(rating(), model=model_at(server))
    assert (run.end, run.result) == (lw.End("rated"), 9)
    assert (run.usage.calls, run.usage.repairs) == (1, 1)
    assert "asked again: " in run.visits[0].note
    again = server.requests[-1].body
    assert is_valid_chat(again)
    messages: Any = again["messages"]
    assert messages[-2] == {"role": "assistant", "content": broken or "(nothing)"}
    assert messages[-1]["content"].startswith("That answer cannot be used: ")
    assert '"maximum": 10' in messages[-1]["content"]


@pytest.mark.parametrize("repairs", [0, 2])
def test_langchain_34098_how_often_is_said_by_the_reference_and_then_the_edge_is_taken(
    drive: Any, takes: Takes, repairs: int
) -> None:
    with ModelServer("banana", takes=takes) as server:
        run = drive.start(rating(), model=model_at(server, repairs=repairs))
    assert (run.end, run.visits[0].raw) == (lw.End("unclear", ok=False), "banana")
    assert (run.usage.calls, run.usage.repairs) == (1, repairs)
    assert len(server.requests) == CALLS[takes] + repairs


def test_langchain_aws_155_without_an_edge_the_run_is_suspended_and_asks_again(drive: Any, takes: Takes) -> None:
    plan = lw.PlanBuilder("rate", Rated, result="points")
    plan.node(lw.Judge("rate", prompt="Rate from 1 to 10: <{option}>", score=(1, 10), writes="points"))
    plan.edge("rate", "done", lw.End("rated"))
    with ModelServer(["banana", "banana", "7/10"], takes=takes) as server:
        run = drive.start(plan.loop(), model=model_at(server))
        assert (run.status, run.visits) == ("suspended", ())
        drive.resume(run)
    assert (run.end, run.result, run.visits[0].raw) == (lw.End("rated"), 7, "7/10")


# --- langgraph#6491, PR #6512: a value that does not fit is checkpointed, and the thread cannot be used any more ---


class Counted(lw.State):
    text: str = lw.input(default="oak")
    length: int


def test_langgraph_6491_a_text_for_a_number_is_never_written_and_the_run_goes_on_from_before(
    drive: Any, takes: Takes
) -> None:
    plan = lw.PlanBuilder("count", Counted, result="length")
    plan.node(lw.Think("count", prompt="How long is <{text}>?", output=int, writes="length"))
    plan.edge("count", "done", lw.End("counted"))
    with ModelServer(['{"value": "eight"}', "eight", '{"value": 3}'], takes=takes) as server:
        run = drive.start(plan.loop(), model=model_at(server))
        assert (run.status, "length" in run.state) == ("suspended", False)
        drive.resume(run)
    assert (run.end, run.result, run.visits[0].raw) == (lw.End("counted"), 3, None)


# --- the ladder: what is refused, remembered, told, and never mistaken ---


def twice() -> lw.Loop[Any]:
    plan = lw.PlanBuilder("rate", Rated, result="points")
    for name in ("first", "second"):
        plan.node(lw.Judge(name, prompt="Rate <{option}>", score=(1, 10), writes="points"))
    plan.edge("first", "done", "second").edge("second", "done", lw.End("rated"))
    return plan.loop()


def test_what_a_server_refuses_is_asked_once_and_counted_and_told(drive: Any, takes: Takes) -> None:
    with ModelServer({"score": 8}, takes=takes) as server:
        events = drive.follow(twice(), model=model_at(server))
    told = [event.reason for event in events if isinstance(event, lw.Retrying)]
    words = ["This response_format type is unavailable now", "test-model does not support tools"][: CALLS[takes] - 1]
    assert [reason.partition("status 400: ")[2] for reason in told] == words
    visits = [event.visit for event in events if isinstance(event, lw.VisitEnded)]
    assert [visit.usage.retries for visit in visits] == [CALLS[takes] - 1, 0]
    assert [visit.note for visit in visits] == [HOW[takes]] * 2
    assert len(server.requests) == CALLS[takes] + 1


@pytest.mark.parametrize("structured", ["json_schema", "tool_call", "text"])
def test_a_form_that_is_named_is_the_one_that_is_asked_for(drive: Any, structured: Any) -> None:
    with ModelServer([{"score": 8}]) as server:
        run = drive.start(rating(), model=model_at(server, structured=structured))
    assert (run.result, run.visits[0].note) == (8, "")
    body = server.requests[0].body
    assert ("response_format" in body, "tools" in body) == (structured == "json_schema", structured == "tool_call")


def test_a_form_that_is_named_and_refused_is_a_failure(drive: Any) -> None:
    with ModelServer([{"score": 8}], takes="text") as server:
        run = drive.start(rating(), model=model_at(server, structured="json_schema"))
    assert (run.status, len(server.requests)) == ("suspended", 1)
    assert "This response_format type is unavailable now" in run.reason


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "Incorrect API key; see response_format in the docs"),
        (400, "temperature: must be at most 2"),
        (404, "The model `test-model` does not exist"),
    ],
)
def test_any_other_refusal_is_what_it_is(drive: Any, status: int, words: str) -> None:
    with ModelServer(Trouble(status, body=json.dumps({"error": {"message": words}}))) as server:
        run = drive.start(rating(), model=model_at(server))
    assert (run.status, len(server.requests)) == ("suspended", 1)
    assert f"answered with status {status}: {words}" in run.reason


def test_a_server_that_ignores_the_schema_is_read_with_care(drive: Any) -> None:
    with ModelServer(['I would say:\n\n{"score": 8}']) as server:
        run = drive.start(rating(), model=model_at(server))
    assert (run.result, run.visits[0].note) == (8, "taken out of the text around it")


def test_a_call_that_stands_in_the_text_is_an_answer_to_a_forced_tool(drive: Any) -> None:
    text = '<tool_call>{"name": "answer", "arguments": {"score": 8}}</tool_call>'
    with ModelServer([Trouble(text=text)]) as server:
        run = drive.start(rating(), model=model_at(server, structured="tool_call"))
    assert (run.result, run.visits[0].note) == (8, "taken out of a call in the text")
    assert run.visits[0].raw == text


def test_a_server_that_checks_answers_itself_is_read_like_any_other(drive: Any) -> None:
    error = {"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": "eight"}
    with ModelServer([Trouble(400, body=json.dumps({"error": error})), {"score": 8}]) as server:
        run = drive.start(rating(), model=model_at(server))
    assert (run.result, run.usage.repairs, run.usage.retries) == (8, 1, 0)


def double(number: int) -> int:
    """Twice a number."""
    return 2 * number


@pytest.mark.parametrize("takes", ["all", "tools"])
def test_a_tool_loop_with_a_schema_keeps_working(drive: Any, takes: Takes) -> None:
    loop = lw.ToolLoop(prompt="Twice <{n}>?", tools=[double], output={"type": "integer"})
    replies: list[Reply] = [lw.ToolCall("double", {"number": 4}), Trouble(text='{"value": 8}')]
    with ModelServer(replies, takes=takes) as server:
        run = drive.start(loop, {"n": 4}, model=model_at(server))
    assert (run.result, run.usage.calls) == (8, 2)
    assert run.usage.retries == (0 if takes == "all" else 1)
    assert all("tools" in request.body for request in server.requests)


# --- any bytes at all ---

CONTENT = st.text(max_size=30) | st.sampled_from(
    ["8", '{"score": 8}', '{"score": 0.', "NaN", "[" * 3000, "\ud83d", "\x00"]
)
PLACES: Mapping[str, Callable[[Any], Any]] = {
    "content": lambda said: {"content": said},
    "arguments": lambda said: {"tool_calls": [{"id": "a", "function": {"name": "answer", "arguments": said}}]},
}


def in_body(said: Any, place: str) -> bytes:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": None, **PLACES[place](said)},
        "finish_reason": "stop",
    }
    return json.dumps({"choices": [choice]}).encode()


BODIES = (
    st.binary(max_size=60)
    | st.tuples(CONTENT, st.sampled_from([*PLACES])).map(lambda drawn: in_body(*drawn))
    | st.tuples(st.sampled_from([*PLACES]), st.integers(1, 80)).map(
        lambda drawn: in_body('{"score": 8}', drawn[0])[: drawn[1]]
    )
)


@pytest.fixture(scope="module")
def byte_server() -> Iterator[tuple[ModelServer, list[bytes]]]:
    bodies: list[bytes] = []
    with ModelServer(lambda body: Trouble(data=bodies[-1])) as server:
        yield server, bodies


@pytest.mark.parametrize("structured", ["json_schema", "tool_call", "text"])
def test_any_bytes_from_a_server_end_in_a_declared_outcome(
    byte_server: tuple[ModelServer, list[bytes]], structured: Any
) -> None:
    server, bodies = byte_server
    plan = lw.PlanBuilder("rate", Rated, result="points")
    plan.node(lw.Judge("rate", prompt="Rate from 1 to 10: <{option}>", score=(1, 10), writes="points"))
    plan.edge("rate", "done", lw.End("rated"))
    plan.edge("rate", "unreadable", lw.End("unclear")).edge("rate", "failed", lw.End("failed"))
    loop = plan.loop(model=model_at(server, structured=structured, retries=0))
    graph = loop.compile()

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(BODIES)
    def any_bytes(data: bytes) -> None:
        bodies[:] = [data]
        points = graph.invoke({"option": "oak"}).get("points", 0)
        assert points == 0 or (1 <= points <= 10 and b"8" in data) or str(points).encode() in data

    any_bytes()
