"""What a person in front is told while a loop works: the texts that are for them, and never a word of a judge."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any

import pytest

from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.events import (
    Event,
    Retrying,
    RunEnded,
    RunSuspended,
    RunWaiting,
    TextSaid,
    TextWithdrawn,
    VisitEnded,
)
from loopwright.nodes.functions import Act
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.model_server import ModelServer, Trouble
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"
SECRET = "hidden"
VERDICTS = [{"outcome": "revise", "reason": SECRET}, {"outcome": "pass", "reason": SECRET}]


def texts_of(events: list[Any]) -> dict[str, list[str]]:
    """All texts that were said and not withdrawn, by node: one for each visit."""
    said: dict[tuple[str, str], list[str]] = {}
    for event in events:
        if isinstance(event, TextSaid):
            said.setdefault((event.node, event.task), []).append(event.text)
        elif isinstance(event, TextWithdrawn):
            del said[event.node, event.task]
    texts: dict[str, list[str]] = {}
    for (node, _), parts in said.items():
        texts.setdefault(node, []).append("".join(parts))
    return texts


def revised(name: str = "essay") -> PlanBuilder:
    """Plan, write for the user, judge, again."""
    plan = PlanBuilder(name, [Channel("topic", input=True), Channel("notes"), Channel("draft")], result="draft")
    plan.node(Think("plan", prompt="Plan <{topic}>.", writes="notes"))
    plan.node(Think("write", prompt="Write: <{notes}>", writes="draft", audience="user"))
    plan.node(Judge("judge", prompt="Good? <{draft}>", outcomes=["pass", "revise"], writes="notes"))
    plan.edge("plan", "done", "write").edge("write", "done", "judge").edge("judge", "pass", End("good"))
    return plan.edge("judge", "revise", "write", at_most=2, bound="rounds", then=End("late", ok=False))


def in_a_fork() -> Loop[Any]:
    """The same for several topics at once."""
    plan = PlanBuilder("fork", [Channel("topics", input=True), Channel("drafts")], result="drafts")
    plan.each("each", over="topics", as_="topic", do=revised().build(), collect="drafts", at_most=3)
    return plan.edge("each", "done", End("good")).edge("each", "failed", End("bad", ok=False)).loop()


def nested() -> Loop[Any]:
    """The same as a node of another plan."""
    plan = PlanBuilder("outer", [Channel("topic", input=True), Channel("draft")], result="draft")
    plan.node(revised("inner").build(), writes="draft")
    return plan.edge("inner", "good", End("good")).edge("inner", "late", End("late", ok=False)).loop()


def facts_of(topic: str) -> str:
    return f"{SECRET} facts of {topic}"


def looking_up() -> Loop[Any]:
    """A judge chooses whether a function is called, again and again, before the answer is written."""
    plan = PlanBuilder("agent", [Channel("topic", input=True), Channel("found"), Channel("draft")], result="draft")
    plan.node(Judge("choose", prompt="What next? <{topic}>", outcomes=["look_up", "answer"]))
    plan.node(Act("look_up", facts_of, writes="found"))
    plan.node(Think("answer", prompt="Answer <{topic}>.", writes="draft", audience="user"))
    plan.edge("choose", "answer", "answer").edge("answer", "done", End("good"))
    plan.edge("choose", "look_up", "look_up")
    return plan.edge("look_up", "done", "choose", at_most=2, bound="calls", then="answer").loop()


def answers(call: ModelCall) -> Any:
    """Drafts for the user, and hidden words for all else."""
    if call.schema is None:
        return "One draft, whole." if call.node.endswith(("write", "answer")) else f"{SECRET} thoughts"
    schema: Any = call.schema
    return {"outcome": schema["properties"]["outcome"]["enum"][0], "reason": SECRET}


LOOPS = [
    (revised().loop(), {"topic": "a"}, {"write": ["One draft, whole."]}),
    (
        in_a_fork(),
        {"topics": ["a", "b"]},
        {"each[0]/write": ["One draft, whole."], "each[1]/write": ["One draft, whole."]},
    ),
    (nested(), {"topic": "a"}, {"inner/write": ["One draft, whole."]}),
    (looking_up(), {"topic": "a"}, {"answer": ["One draft, whole."]}),
]


@pytest.mark.parametrize("words", [True, False], ids=["in words", "whole"])
@pytest.mark.parametrize(("loop", "inputs", "texts"), LOOPS, ids=["plain", "fork", "nested", "tools"])
def test_a_judge_is_never_heard_by_a_user(
    drive: Any, loop: Loop[Any], inputs: dict[str, Any], texts: dict[str, list[str]], words: bool
) -> None:
    model = Speaking() if words else RecordingModel(answers)
    events = drive.follow(loop, inputs, model=model, audience="user")
    assert SECRET not in str([event.to_data() for event in events])
    assert {type(event) for event in events} == {TextSaid, RunEnded}
    assert texts_of(events) == texts
    assert sum(isinstance(event, TextSaid) for event in events) == len(texts) * (3 if words else 1)


class Speaking:
    """A model that answers in words, and may be told to pause at each."""

    label, retries = "speaking", 1

    def __init__(self) -> None:
        self.words = 0

    def ask(self, call: ModelCall) -> ModelReply:
        return ModelReply(answers(call))

    async def aask(self, call: ModelCall) -> ModelReply:
        return self.ask(call)

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        for word in ("One ", "draft, ", "whole."):
            self.words += 1
            yield word
        yield self.ask(call)

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        for part in self.stream(call):
            yield part


def test_what_is_said_is_what_is_kept(drive: Any, store: Store) -> None:
    script = {"plan": ["First  this,\nthen that. "], "write": ["A.", "\n B\tb  b.\n\n"], "judge": VERDICTS}
    events = drive.follow(revised().loop(), {"topic": "a"}, store=store, model=ScriptedModel(script), audience="debug")
    kept: dict[str, list[Any]] = {}
    (row,) = store.registry.all()
    for visit in store.registry.visits(row.id):
        if visit.node != "judge":
            kept.setdefault(visit.node, []).append(visit.reply)
    assert texts_of(events) == kept
    assert [event.text for event in events if isinstance(event, TextSaid)][:5] == [
        "First",
        "  this,",
        "\nthen",
        " that.",
        " ",
    ]
    order = [(event.type, getattr(event, "task", "")) for event in events]
    for index, event in enumerate(events):
        if isinstance(event, TextSaid):
            assert order.index(("visit_started", event.task)) < index < order.index(("visit_ended", event.task))


def test_the_record_is_the_same_whoever_listens(drive: Any) -> None:
    records = []
    for audience in (None, "user", "debug"):
        script = {"plan": ["First this."], "write": ["A.", "B b."], "judge": VERDICTS}
        with Store("memory:") as store:
            drive.follow(revised().loop(), {"topic": "a"}, store=store, model=ScriptedModel(script), audience=audience)
            (row,) = store.registry.all()
            visits = store.registry.visits(row.id)
        records.append([(each.node, each.outcome, each.reply, each.usage, each.model, each.note) for each in visits])
    assert len(records[0]) == 5
    assert records[0] == records[1] == records[2]


def test_without_an_audience_no_model_is_asked_for_parts(drive: Any) -> None:
    model = Speaking()
    events = drive.follow(revised().loop(), {"topic": "a"}, model=model)
    drive.start(revised().loop(), {"topic": "a"}, model=model)
    assert model.words == 0
    assert not any(isinstance(event, TextSaid) for event in events)


def test_a_user_hears_no_words_that_are_not_asked_for(drive: Any) -> None:
    model = Speaking()
    drive.follow(revised().loop(), {"topic": "a"}, model=model, audience="user")
    assert model.words == 3, "the plan is not for the user, and so it is not asked for in parts"


@pytest.mark.parametrize("review", ["never", "after_stop"])
def test_the_answering_role_speaks_to_the_user(drive: Any, review: Any) -> None:
    script = {"solver": ["Rot. Probe it."], "detractor": [SECRET], "master": [SECRET], "boss": [WORD]}
    events = drive.follow(RoleCycle(task="T", review=review), model=ScriptedModel(script), audience="user")
    assert texts_of(events) == {"solver": ["Rot. Probe it."]}
    assert type(events[-1]) is (RunEnded if review == "never" else RunWaiting)


def test_roles_can_be_given_another_audience(drive: Any) -> None:
    roles = {"solver": {"audience": "debug"}, "boss": {"audience": "user"}}
    script = ScriptedModel({"solver": [SECRET], "boss": [f"Well.\n{WORD}"]})
    events = drive.follow(RoleCycle(task="T", roles=roles), model=script, audience="user")
    assert texts_of(events) == {"boss": [f"Well.\n{WORD}"]}


def test_of_a_verdict_for_the_user_only_the_message_is_said(drive: Any) -> None:
    loop = RoleCycle(task="T", roles={"solver": {}, "boss": {}}, stop={"match": "verdict"}, answer="boss")
    script = ScriptedModel({"solver": [SECRET], "boss": [{"message": "Probe it.", "stop": True}]})
    events = drive.follow(loop, model=script, audience="user")
    assert texts_of(events) == {"boss": ["Probe it."]}
    assert "stop" not in [event.text for event in events if isinstance(event, TextSaid)]


def test_a_user_is_asked_what_a_person_is_asked(drive: Any, store: Store) -> None:
    plan = PlanBuilder("ask", [Channel("printed")])
    plan.node(Human("look", text="Send it?")).node(Wait("print", text="The printer reports.", writes="printed"))
    loop = plan.edge("look", "done", "print").edge("print", "done", End("sent")).loop()
    (waiting,) = drive.follow(loop, store=store, audience="user")
    assert [question.text for question in waiting.questions] == ["Send it?"]
    (row,) = store.registry.all()
    (waiting,) = drive.follow(open_run(store, row.id, loop=loop), "", audience="user")
    assert waiting == RunWaiting(row.id, ())


def test_a_call_that_breaks_off_takes_back_what_it_said(drive: Any) -> None:
    plan = PlanBuilder("letter", [Channel("draft")], result="draft")
    plan.node(Think("write", prompt="Write.", writes="draft", audience="user")).edge("write", "done", End("sent"))
    with ModelServer([Trouble(text="Dear Ada, thank you. Yours.", cut=True), "Dear Ada. Yours."]) as server:
        model = ModelRef("any", base_url=server.base_url, api_key_env="")
        events = drive.follow(plan.loop(), model=model, audience="debug")
    told = [event.text if isinstance(event, TextSaid) else type(event) for event in events[2:-1]]
    assert told == ["Dear", " Ada,", " thank", TextWithdrawn, Retrying, "Dear", " Ada.", " Yours.", VisitEnded]
    (ended,) = [event for event in events if isinstance(event, VisitEnded)]
    assert (ended.visit.reply, ended.visit.usage.tokens_out, ended.visit.usage.retries) == ("Dear Ada. Yours.", 3, 1)
    assert [request.body["stream"] for request in server.requests] == [True, True]


def test_a_call_that_fails_for_good_takes_back_what_it_said(drive: Any) -> None:
    plan = PlanBuilder("letter", [Channel("draft")], result="draft")
    plan.node(Think("write", prompt="Write.", writes="draft", audience="user")).edge("write", "done", End("sent"))
    with ModelServer(Trouble(text="Dear Ada, thank you. Yours.", cut=True)) as server:
        model = ModelRef("any", base_url=server.base_url, api_key_env="", retries=0)
        events = drive.follow(plan.loop(), model=model, audience="user")
    assert [type(event) for event in events] == [*[TextSaid] * 3, TextWithdrawn, RunSuspended]
    assert events[-1].reason == ""


class Endless(Speaking):
    """A model that goes on speaking until nobody listens, or for far too long."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = threading.Event()

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        try:
            yield from self._spoken()
            yield ModelReply("never so far")
        finally:
            self.closed.set()

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        try:
            for word in self._spoken():
                await asyncio.sleep(0)
                yield word
            yield ModelReply("never so far")
        finally:
            self.closed.set()

    def _spoken(self) -> Iterator[str]:
        for number in range(1_000_000):
            self.words = number
            threading.Event().wait(0.0005)
            yield f"{number} "


def letter() -> Loop[Any]:
    plan = PlanBuilder("letter", [Channel("draft")], result="draft")
    plan.node(Think("write", prompt="Write.", writes="draft", audience="user")).edge("write", "done", End("sent"))
    return plan.loop()


def test_leaving_in_the_middle_of_a_text_stops_it(store: Store) -> None:
    model = Endless()
    with letter().stream(store=store, model=model, audience="user") as stream:
        heard: list[Event] = [next(stream) for _ in range(5)]
    assert [event.text for event in heard if isinstance(event, TextSaid)] == ["0 ", "1 ", "2 ", "3 ", "4 "]
    assert model.closed.is_set()
    assert model.words < 100_000
    assert (stream.run.status, stream.run.visits) == ("interrupted", ())
    events = list(stream.run.stream(model=ScriptedModel({"write": ["Dear Ada."]}), audience="user"))
    assert texts_of(events) == {"write": ["Dear Ada."]}
    assert (stream.run.status, stream.run.result) == ("finished", "Dear Ada.")


async def test_leaving_in_the_middle_of_a_text_stops_it_with_awaited_calls(store: Store) -> None:
    model = Endless()
    async with letter().astream(store=store, model=model, audience="user") as stream:
        async for event in stream:
            if isinstance(event, TextSaid) and event.text == "4 ":
                break
    assert model.closed.is_set()
    assert stream.run.status == "interrupted"
    events = [event async for event in stream.run.astream(model=ScriptedModel({"write": ["Dear."]}), audience="user")]
    assert texts_of(events) == {"write": ["Dear."]}
    assert stream.run.result == "Dear."
