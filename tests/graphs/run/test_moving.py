"""Leading a run on: from wherever it stands, whole or not at all."""

import json
from dataclasses import asdict
from typing import Any

import pytest

from loopwright.errors import RunError, StoreError
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End
from loopwright.graphs.run.changed import migrate
from loopwright.graphs.run.moving import Mover
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.events import VisitEnded
from loopwright.nodes.functions import Act
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import Channel
from loopwright.state.records import Answered
from loopwright.state.store.archive import Archive
from loopwright.state.store.inbox import Mark
from loopwright.state.store.migrations import read_migrations
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel


def letter(
    write: str = "write", look: str = "look", channel: str = "draft", *, prompt: str = "To <{to}>."
) -> Loop[Any]:
    channels = [Channel("to", input=True), Channel(channel), Channel("notes", list[str], reduce="append")]
    plan = PlanBuilder("letter", channels, result=channel)
    plan.node(Think(write, prompt=f"{prompt} <{{notes}}>", writes=channel)).edge(write, "done", look)
    plan.node(Human(look, text=f"Send? <{{{channel}}}>", outcomes=["send", "again"], on_text="again", writes="notes"))
    plan.edge(look, "send", End("sent"))
    return plan.edge(look, "again", write, at_most=3, bound="rounds", then=End("late", ok=False)).loop()


RENAMED = Migration(nodes={"write": "compose", "look": "sign"}, channels={"draft": "text"})
NOW = ("compose", "sign", "text")
SCRIPT: Any = {"write": ["One.", "Two.", "Three."]}


def started(store: Store, **options: Any) -> Any:
    return letter().start({"to": "Ada"}, store=store, model=ScriptedModel(SCRIPT), **options)


def led(store: Store, run: Any, loop: Loop[Any] | None = None, declared: Migration | bool = RENAMED) -> Any:
    return open_run(store, run.id, loop=loop or letter(*NOW), changed_plan=declared)


def test_a_run_that_waits_goes_on_with_all_that_it_was(drive: Any, store: Store) -> None:
    run = started(store).resume("shorter")
    visits, usage, moments = run.visits, run.usage, [moment.to_data() for moment in run.history]
    now = led(store, run)
    assert (now.visits, now.usage, now.row.at) == (visits, usage, ("sign",))
    assert [moment.to_data() for moment in now.history] == moments
    drive.resume(now, "shorter still")
    assert (now.state["text"], now.state["notes"]) == ("Three.", ["shorter", "shorter still"])
    assert drive.resume(now, "send").result == "Three."
    places = [(moment.visit.node, moment.written) for moment in now.history][2:]
    assert places == [
        ("write", {"draft": "Two."}),
        ("sign", {"notes": "shorter still"}),
        ("compose", {"text": "Three."}),
        ("sign", {}),
    ]
    assert now.history[2].after == {"to": "Ada", "draft": "Two.", "notes": ["shorter"]}
    assert now.history[3].before == {"to": "Ada", "text": "Two.", "notes": ["shorter"]}
    assert "compose" in now.draw()


def test_forks_of_a_run_that_was_led_on_stand_in_the_plan_of_then(store: Store) -> None:
    run = led(store, started(store).resume("shorter"))
    run.resume("send")
    earlier, there, later = run.fork(2), run.fork(3), run.fork(0)
    assert (list(earlier.plan.nodes), list(there.plan.nodes)) == (["write", "look"], ["compose", "sign"])
    assert later.plan == earlier.plan
    script = {"write": ["Four."]}
    assert earlier.resume(model=ScriptedModel(script)).resume("send").result == "Four."
    assert there.resume().resume("send").result == "Two."
    assert [moment.visit.node for moment in there.history] == ["write", "look", "write", "sign"]
    assert there.history[0].asked == run.history[0].asked
    again = led(store, run.fork(1))
    assert again.resume().resume("send").result == "One."


def test_a_run_is_led_on_twice(store: Store) -> None:
    run = led(store, started(store))
    (first,) = run.questions
    back = Migration(nodes={"compose": "write", "sign": "look"}, channels={"text": "draft"})
    run = led(store, run, letter(prompt="For <{to}>."), back)
    (second,) = run.questions
    assert second.formerly == (*first.formerly, first.id)
    assert run.resume("no", question=first.formerly[0][:8]).state["draft"] == "Two."
    assert [moment.before for moment in run.history] == [
        {"to": "Ada", "notes": []},
        {"to": "Ada", "draft": "One.", "notes": []},
        {"to": "Ada", "draft": "One.", "notes": ["no"]},
    ]
    with store.database.reading() as connection:
        assert [former.visits for former in read_migrations(connection, run.id)] == [1, 1]


def test_a_run_that_is_not_begun_begins_with_the_plan_of_now(store: Store) -> None:
    (run,) = letter().enter_all([{"to": "Ada"}], store=store, model=ScriptedModel(SCRIPT))
    now = letter(*NOW)
    assert led(store, run, now).resume().questions[0].node == "sign"
    other = PlanBuilder("letter", [Channel("name", input=True), Channel("tone", input=True)])
    other.node(Human("look", text="<{name}>, <{tone}>")).edge("look", "done", End("done"))
    (run,) = letter().enter_all([{"to": "Ada"}], store=store, model=ScriptedModel(SCRIPT))
    with pytest.raises(RunError) as caught:
        led(store, run, other.loop(), True)
    assert "it holds something in input 'to', which is gone (channels: to to name or tone?)" in str(caught.value)
    assert "it has no input 'tone': declare a default" in str(caught.value)
    declared = Migration(channels={"to": "name"}, defaults={"tone": "plain"})
    run = led(store, run, other.loop(), declared)
    assert (run.resume().questions[0].text, run.row.inputs) == ("Ada, plain", {"name": "Ada", "tone": "plain"})


def test_a_run_that_was_killed_before_it_took_its_inputs_begins_again(store: Store) -> None:
    run = started(store)
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM checkpoints WHERE checkpoint_id > (SELECT min(checkpoint_id) FROM checkpoints)")
        connection.execute("DELETE FROM writes")
        connection.execute("DELETE FROM visits")
        connection.execute("UPDATE runs SET status = 'interrupted', questions = '[]', at = '[]'")
    now = led(store, run).resume(model=ScriptedModel({"compose": ["Four."]}))
    assert (now.questions[0].text, len(now.visits)) == ("Send? Four.", 1)


def test_an_answer_that_is_kept_and_not_taken_goes_with_its_question(drive: Any, store: Store) -> None:
    run = started(store)
    (question,) = run.questions
    answer: Any = {"action": "again", "text": "shorter"}
    store.registry.claim(run.id, answered=Answered(question, answer))
    store.registry.interrupt(run.id)
    now = led(store, run)
    assert now.status == "interrupted"
    drive.resume(now)
    assert (now.state["notes"], now.questions[0].text) == (["shorter"], "Send? Two.")
    assert drive.resume(now, answer, question=question.id).state["notes"] == ["shorter"]


def test_an_answer_that_was_taken_is_not_given_to_the_next_question(drive: Any, store: Store) -> None:
    run = started(store)
    first = json.dumps([asdict(question) for question in run.questions])
    run.resume("shorter")
    with store.database.transaction() as connection:  # as where it was killed before it was noted how it rests
        connection.execute("UPDATE runs SET status = 'interrupted', questions = ?", (first,))
    now = drive.resume(led(store, run))
    assert (now.status, now.questions[0].text, now.state["notes"]) == ("waiting", "Send? Two.", ["shorter"])
    assert [visit.node for visit in now.visits] == ["write", "look", "write"]


def test_what_would_not_stand_where_it_should_is_left(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = started(store)
    before = list(store.database.connection.iterdump())
    made = Mover._checkpoint

    def nowhere(mover: Mover, latest: Any, at: Any) -> Any:
        return {**made(mover, latest, at), "channel_values": {}, "updated_channels": []}

    monkeypatch.setattr(Mover, "_checkpoint", nowhere)
    for dry_run in (True, False):
        (looked,) = migrate(store, letter(*NOW), RENAMED, dry_run=dry_run)
        words = f"store memory:: run {run.id} would not stand at 'sign'; it is left as it is"
        assert (looked.group, looked.done, looked.reasons) == ("unreadable", False, (words,))
    assert list(store.database.connection.iterdump()) == before
    monkeypatch.undo()
    assert run.resume("send").end == End("sent")


def test_an_answer_that_is_kept_is_not_one_to_other_words(store: Store) -> None:
    run = started(store)
    store.registry.claim(run.id, answered=Answered(run.questions[0], {"action": "send"}))
    store.registry.interrupt(run.id)
    plan = PlanBuilder("letter", [Channel("to", input=True), Channel("draft"), Channel("notes", reduce="append")])
    plan.node(Think("write", prompt="?", writes="draft")).edge("write", "done", "look")
    plan.node(Human("look", text="Burn it?", outcomes=["send", "again"], on_text="again", writes="notes"))
    plan.edge("look", "send", End("sent")).edge("look", "again", End("kept"))
    with pytest.raises(RunError, match="asks in other words now, and an answer to its old ones is kept"):
        led(store, run, plan.loop(), True)
    assert open_run(store, run.id).resume().end == End("sent")


def test_a_run_that_was_left_between_two_steps_goes_on_behind_the_visit_that_is_done(store: Store) -> None:
    stream = letter().stream({"to": "Ada"}, store=store, model=ScriptedModel(SCRIPT))
    for event in stream:
        if isinstance(event, VisitEnded):
            break
    stream.close()
    run = stream.run
    assert run is not None
    assert (run.status, len(run.visits)) == ("interrupted", 1)
    now = led(store, run).resume()
    assert (now.questions[0].text, [visit.node for visit in now.visits]) == ("Send? One.", ["write"])
    assert now.history[0].before == {"to": "Ada", "notes": []}


def test_a_run_that_has_come_to_its_end_and_was_killed_has_ended(store: Store) -> None:
    run = started(store).resume("send")
    with store.database.transaction() as connection:
        connection.execute("UPDATE runs SET status = 'interrupted', \"end\" = '', ok = 'null'")
    plan = PlanBuilder("letter", [Channel("to", input=True), Channel("text")], result="text")
    plan.node(Think("write", prompt="?", writes="text")).edge("write", "done", End("posted"))
    dropped: Any = {"draft": "text", "notes": None}
    with pytest.raises(RunError, match=r"it has come to the end 'sent', which is gone: declare what it is called now"):
        led(store, run, plan.loop(), Migration(channels=dropped))
    now = led(store, run, plan.loop(), Migration(channels=dropped, ends={"sent": "posted"}))
    assert (now.resume().end, now.result) == (End("posted"), "One.")


def reviews(
    name: str = "rate", *, prompt: str = "Sum: <{grades}>", text: str = "Grade <{item}>", items: str = "items"
) -> Loop[Any]:
    """A person grades each item, and a model sums up."""
    body = PlanBuilder("body", [Channel("item", input=True), Channel("grade")], result="grade")
    body.node(Human("grade", text=text, writes="grade")).edge("grade", "done", End("graded"))
    plan = PlanBuilder("reviews", [Channel(items, default=["a", "b"]), Channel("grades"), Channel("sum")], result="sum")
    plan.each(name, over=items, as_="item", do=body.build(), collect="grades", at_most=4).edge(name, "done", "sum")
    return plan.node(Think("sum", prompt=prompt, writes="sum")).edge("sum", "done", End("done")).loop()


def graded(store: Store) -> Any:
    run = reviews().start(store=store, model=ScriptedModel({"sum": ["Good."]}))
    return run.resume("well", question=run.questions[0].id)


def test_a_run_in_the_middle_of_a_fork_goes_on_where_the_fork_is_as_it_was(store: Store) -> None:
    run = graded(store)
    asked = run.questions
    now = led(store, run, reviews(prompt="In all: <{grades}>"), True)
    assert (now.questions, now.status) == (asked, "waiting")
    model = RecordingModel(lambda call: call.messages[-1]["content"])
    assert now.resume("ill", model=model).result == "In all: - well\n- ill"
    assert [moment.visit.node for moment in now.history] == ["rate[0]/grade", "rate[1]/grade", "rate", "sum"]


@pytest.mark.parametrize(
    ("change", "declared", "words"),
    [
        ({"text": "Mark <{item}>"}, True, "in the middle of the fork 'rate', which has changed"),
        ({"name": "mark"}, Migration(nodes={"rate": "mark"}), "in the middle of the fork 'rate', which has changed"),
        ({"items": "parts"}, True, "in the middle of the fork 'rate', which has changed"),
    ],
)
def test_a_fork_that_has_changed_breaks_a_run_in_the_middle_of_it(
    store: Store, change: Any, declared: Any, words: str
) -> None:
    run = graded(store)
    with pytest.raises(RunError, match=words):
        led(store, run, reviews(**change), declared)
    assert open_run(store, run.id).resume("ill").result == "Good."


def test_a_default_cannot_be_given_in_the_middle_of_a_fork(store: Store) -> None:
    run = graded(store)
    now = reviews(prompt="<{grades}>")
    with pytest.raises(RunError, match="what it holds cannot be moved while branches are on their way"):
        led(store, run, now, Migration(defaults={"sum": "None yet."}))


def test_a_run_before_a_fork_and_one_before_its_join(store: Store) -> None:
    run = graded(store).resume("ill")
    before, joining = run.fork(0), run.fork(2)
    (looked,) = [each for each in migrate(store, reviews(text="Mark <{item}>")) if each.run == before.id]
    assert (looked.group, looked.done) == ("safe", True)
    assert open_run(store, before.id).resume().questions[0].text == "Mark a"
    with pytest.raises(RunError, match="in the middle of the fork 'rate', which has changed"):
        led(store, joining, reviews(text="Mark <{item}>"), True)
    assert led(store, joining, reviews(prompt="<{grades}>"), True).resume().result == "Good."


def test_a_suspended_run_asks_by_the_plan_of_now_and_code_of_now(store: Store) -> None:
    def speak(version: str, node: str) -> Loop[Any]:
        plan = PlanBuilder("voice", [Channel("said")], result="said")
        plan.node(Act(node, broken if version == "1" else whole, writes="said", version=version))
        return plan.edge(node, "done", End("said")).loop()

    run = speak("1", "speak").start(store=store)
    assert (run.status, run.row.at) == ("suspended", ("speak",))
    now = led(store, run, speak("2", "say"), Migration(nodes={"speak": "say"}))
    assert (now.status, now.row.at, now.resume().result) == ("suspended", ("say",), "Hello")


def broken() -> str:
    raise ValueError("hoarse")


def whole() -> str:
    return "Hello"


def test_more_of_a_bound_goes_with_its_name(store: Store) -> None:
    def loop(bound: str) -> Loop[Any]:
        plan = PlanBuilder("ask").node(Human("look", text="Good?", outcomes=["yes", "no"]))
        plan.edge("look", "yes", End("good"))
        return plan.edge("look", "no", "look", at_most=1, bound=bound, then=End("bad", ok=False)).loop()

    run = loop("rounds").start(store=store).resume("no").resume("no", bounds={"rounds": 2})
    with pytest.raises(RunError, match="it was given more of bound 'rounds', which is gone"):
        led(store, run, loop("tries"), True)
    now = led(store, run, loop("tries"), Migration(bounds={"rounds": "tries"}))
    assert [(each.bound, each.more) for each in now.extensions] == [("tries", 2)]
    assert now.resume("no").resume("no").end == End("bad", ok=False)
    assert len(now.visits) == 4


def test_what_cannot_be_placed_is_left(store: Store) -> None:
    run = started(store)
    saver = Archive(store.database)
    latest = saver.get_tuple({"configurable": {"thread_id": run.id, "checkpoint_ns": ""}})
    assert latest
    values = {name: value for name, value in latest.checkpoint["channel_values"].items() if "branch" not in name}
    saver.put(latest.config, {**latest.checkpoint, "channel_values": values}, latest.metadata, {})
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM writes")
    (looked,) = migrate(store, letter(*NOW), RENAMED)
    assert (looked.group, looked.reasons) == (
        "unreadable",
        (f"store memory:: it cannot be told where run {run.id} stands",),
    )
    assert open_run(store, run.id).plan == letter().plan
    with store.database.transaction() as connection:
        connection.execute("UPDATE runs SET plan = json_set(plan, '$.format', 99)")
    with pytest.raises(StoreError, match=r"the plan of run .* cannot be read"):
        led(store, run)


def test_what_a_run_waits_for_goes_with_it(store: Store) -> None:
    def napping(nap: str, mail: str) -> Loop[Any]:
        plan = PlanBuilder("napping", [Channel("got")], result="got")
        plan.node(Wait(nap, source="timer", after=60)).node(Wait(mail, event="mail", writes="got"))
        return plan.edge(nap, "done", mail).edge(mail, "done", End("awake")).loop()

    run = napping("nap", "mail").start(store=store)
    asked = run.questions[0]
    now = led(store, run, napping("sleep", "post"), Migration(nodes={"nap": "sleep", "mail": "post"}))
    moved = now.questions[0]
    assert (moved.node, moved.due, moved.formerly) == ("sleep", asked.due, (asked.id,))
    assert store.inbox.ready(now.row, asked.due) == Answered(moved, asked.due)
    now.resume("")
    store.send("mail", "hello")
    later = led(store, now, napping("sleep", "letters"), Migration(nodes={"post": "letters"}))
    assert store.inbox.awake(Mark(), 0.0) == {run.id}
    assert later.resume().result == "hello"
