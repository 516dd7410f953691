"""Changed plans: what users of other engines reported, and what must happen here. Each test names its report."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.main import main
from loopwright.errors import NotWaiting, RunBusy, RunError
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End
from loopwright.graphs.run.changed import migrate
from loopwright.graphs.run.opening import open_run
from loopwright.loop.load import load
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel

RENAMED = Migration(nodes={"approve": "sign"}, channels={"draft": "text"}, bounds={"rounds": "tries"})


def letters(
    node: str = "approve", channel: str = "draft", bound: str = "rounds", *, text: str = "Send?", **more: Any
) -> Loop[Any]:
    """A draft is written, and a person sends it or has it written again."""
    channels = [Channel("to", input=True), Channel(channel), Channel("notes", list[str], reduce="append")]
    plan = PlanBuilder("letters", channels, result=channel)
    plan.node(Think("write", prompt="To <{to}>. <{notes}>", writes=channel)).edge("write", "done", node)
    words = more.get("outcomes", ["send", "again"])
    plan.node(Human(node, text=f"{text} <{{{channel}}}>", outcomes=words, on_text="again", writes="notes"))
    plan.edge(node, "send", End(more.get("end", "sent"))).edge(
        node, "again", "write", at_most=more.get("at_most", 2), bound=bound, then=End("given_up", ok=False)
    )
    for word in words[2:]:
        plan.edge(node, word, End(word, ok=False))
    return plan.loop()


def writer(call: Any) -> str:
    return f"{call.node}: {call.messages[-1]['content']}"


def letter(store: Store) -> Any:
    """A letter that waits for a person; its script is in the store."""
    return letters().start({"to": "Ada"}, store=store, model=ScriptedModel({"default": ["One.", "Two.", "Three."]}))


FIFTY = [{"to": f"person {number}"} for number in range(50)]


def fifty(store: Store) -> list[Any]:
    """Fifty letters that wait for a person, each after it was written once more."""
    entered = letters().start_all(FIFTY, store=store, model=RecordingModel(writer))
    return [run.resume("shorter") for run in entered]


# --- langgraphjs#536, #2608, docs#445, #3843, PostHog#36090: a node or a key is renamed, and approvals are lost ---


def test_langgraphjs_536_without_a_migration_a_renamed_node_refuses_and_no_approval_is_lost(store: Store) -> None:
    runs = fifty(store)
    for run in runs[:3]:
        for allowed in (False, True):
            with pytest.raises(RunError) as caught:
                open_run(store, run.id, loop=letters("sign"), changed_plan=allowed)
            said = "it waits at node 'approve', which is gone: declare what it is called now (nodes: approve to sign?)"
            assert said in str(caught.value)
    assert [run.status for run in runs] == ["waiting"] * 50
    model = RecordingModel(writer)
    assert open_run(store, runs[0].id, models={"default": model}).resume("send").end == End("sent")


def test_langgraphjs_2608_fifty_threads_that_wait_are_listed_and_after_the_migration_all_resume(
    drive: Any, store: Store
) -> None:
    runs, now = fifty(store), letters("sign", "text", "tries")
    asked = {run.id: run.questions[0] for run in runs}
    listed = list(migrate(store, now, RENAMED, dry_run=True))
    assert [(each.group, each.goes_on, each.done) for each in listed] == [("needs migration", True, False)] * 50
    assert {run.status for run in runs} == {"waiting"}
    assert all(run.questions == (asked[run.id],) for run in runs)
    moved = list(migrate(store, now, RENAMED))
    assert [(each.done, each.reasons) for each in moved] == [
        (True, ("node 'approve' is 'sign' now", "channel 'draft' is 'text' now", "bound 'rounds' is 'tries' now"))
    ] * 50
    model = RecordingModel(writer)
    for before in runs:
        run = open_run(store, before.id, loop=now, models={"default": model})
        assert (run.status, run.questions[0].node, run.questions[0].text) == ("waiting", "sign", asked[run.id].text)
        drive.resume(run, "send", question=asked[run.id].id)
        assert (run.end, run.result) == (End("sent"), asked[run.id].text.removeprefix("Send? "))
        assert [visit.node for visit in run.visits] == ["write", "approve", "write", "sign"]
    assert model.calls == []


def test_docs_445_a_renamed_key_keeps_its_value_and_counts_go_on(store: Store) -> None:
    (run, *_) = fifty(store)
    now = letters("sign", "text", "tries")
    (_,) = [each for each in migrate(store, now, RENAMED) if each.run == run.id]
    model = RecordingModel(writer)
    run = open_run(store, run.id, loop=now, models={"default": model})
    assert run.state == {"to": "person 0", "text": "write: To person 0. - shorter", "notes": ["shorter"]}
    assert run.resume("shorter still").resume("still").end == End("given_up", ok=False)
    assert run.reason.startswith("bound 'tries' used up: led back to 'write' 2 of 2 times")
    assert len(model.calls) == 1


def test_docs_3843_a_key_that_is_gone_is_not_dropped_in_silence(store: Store) -> None:
    run = letter(store)
    now = letters(channel="text")
    with pytest.raises(RunError) as caught:
        open_run(store, run.id, loop=now, changed_plan=True)
    assert "it holds something in channel 'draft', which is gone (channels: draft to text?)" in str(caught.value)
    dropped = Migration(channels={"draft": None})
    with pytest.raises(RunError, match="node 'approve' may read channel 'text' before anything is written to it"):
        open_run(store, run.id, loop=now, changed_plan=dropped)
    given = Migration(channels={"draft": None}, defaults={"text": "Dear Ada."})
    run = open_run(store, run.id, loop=now, changed_plan=given)
    assert (run.questions[0].text, run.questions[0].formerly) == ("Send? Dear Ada.", ())
    assert run.resume("send").result == "Dear Ada."


def test_posthog_36090_by_the_command_fifty_are_listed_and_led_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = """
        kind: graph
        name: letters
        channels: {to: {type: str, input: true}, draft: str}
        nodes:
          write: {type: think, prompt: "To <{to}>", writes: draft}
          approve: {type: human, text: "Send? <{draft}>", outcomes: [send, drop]}
        edges: [write -> approve, "approve [send] -> end sent", "approve [drop] -> fail dropped"]
        result: draft
    """
    Path("letters.yaml").write_text(text)
    with Store("sqlite:runs.db") as store:
        load("letters.yaml").start_all(FIFTY, store=store, model=RecordingModel(writer))
    Path("letters.yaml").write_text(text.replace("approve", "sign").replace("draft", "text"))
    words = ["migrate", "letters.yaml", "--store", "sqlite:runs.db"]
    assert main([*words, "--dry-run"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("needs migration: 50 runs\n")
    assert "50 runs are left with the plan of before" in said
    renames = ["--rename", "node:approve=sign", "--rename", "channel:draft=text"]
    assert main([*words, *renames, "--dry-run"]) == 0
    assert "Without --dry-run 50 runs would get the plan of now." in capsys.readouterr().out
    assert main([*words, *renames]) == 0
    assert "50 runs got the plan of now." in capsys.readouterr().out
    with Store("sqlite:runs.db") as store:
        model = RecordingModel(writer)
        runs = [open_run(store, row.id, models={"default": model}) for row in store.registry.all()]
        assert [run.resume("send").result for run in runs] == [f"write: To person {49 - place}" for place in range(50)]


# --- langgraph 1.2.24, seen by running it: a node is renamed while its interrupt is pending, and it is lost ---


def test_a_node_that_is_renamed_while_interrupted_asks_on_under_its_former_id(drive: Any, store: Store) -> None:
    run = letter(store)
    (before,) = run.questions
    now = letters("sign")
    led = open_run(store, run.id, loop=now, changed_plan=Migration(nodes={"approve": "sign"}))
    (question,) = led.questions
    assert (question.node, question.text, question.formerly) == ("sign", before.text, (before.id,))
    with pytest.raises(RunBusy, match="has been given a changed plan in the meantime; open it again"):
        drive.resume(run, "send")
    assert led.status == "waiting"
    drive.resume(led, "send", question=before.id)
    assert drive.resume(led, "send", question=before.id).end == End("sent")  # the same answer gets its result


def test_a_question_that_is_asked_in_other_words_is_another_one(store: Store) -> None:
    run = letter(store)
    (before,) = run.questions
    led = open_run(store, run.id, loop=letters(text="Burn it?"), changed_plan=True)
    assert led.questions[0].text == "Burn it? One."
    with pytest.raises(NotWaiting, match=f"no question '{before.id}' is open; open is .*Burn it"):
        led.resume("send", question=before.id)
    assert led.resume("send").end == End("sent")


def test_a_question_whose_answers_are_not_taken_any_more_breaks(store: Store) -> None:
    run = letter(store)
    plan = PlanBuilder("letters", [Channel("to", input=True), Channel("draft"), Channel("notes", reduce="append")])
    plan.node(Think("write", prompt="To <{to}>. <{notes}>", writes="draft")).edge("write", "done", "approve")
    plan.node(Human("approve", text="Send? <{draft}>", outcomes=["send", "stop"]))
    plan.edge("approve", "send", End("sent")).edge("approve", "stop", End("stopped"))
    with pytest.raises(RunError, match="node 'approve' no longer takes all answers that its open question does"):
        open_run(store, run.id, loop=plan.loop(), changed_plan=True)
    assert open_run(store, run.id).resume("again").status == "waiting"
    wider = letters(outcomes=["send", "again", "later"], at_most=5, end="posted")
    assert open_run(store, run.id, loop=wider, changed_plan=True).resume("later").end == End("later", ok=False)


# --- TradingAgents#1089, agent-framework#3782: a changed config, or inner workflow, resumes the wrong graph ---


def desk(threshold: str = "7", *, steps: int = 1) -> Loop[Any]:
    """An inner plan inside an outer one: research, and a judge of it."""
    inner = PlanBuilder("research", [Channel("topic", input=True), Channel("report")], result="report")
    for step in range(steps):
        inner.node(Think(f"read {step}", prompt="<{topic}>", writes="report"))
        inner.edge(f"read {step}", "done", f"read {step + 1}" if step + 1 < steps else End("read"))
    outer = PlanBuilder("desk", [Channel("topic", input=True)])
    outer.node(inner.build()).edge("research", "read", "judge")
    outer.node(Judge("judge", prompt=f"At least {threshold} of 10?", outcomes=["buy", "wait"]))
    return outer.edge("judge", "buy", End("bought")).edge("judge", "wait", End("waited")).loop()


def broken(call: Any) -> Any:
    return {"outcome": "banana"} if call.schema else "report"


def test_tradingagents_1089_a_changed_threshold_is_told_before_the_run_goes_on(store: Store) -> None:
    run = desk().start({"topic": "T"}, store=store, model=RecordingModel(broken))
    assert (run.status, run.row.at) == ("suspended", ("judge",))
    now = desk("9")
    assert now.plan.fingerprint != run.plan.fingerprint
    with pytest.raises(RunError, match=r"node 'judge' differs in its prompt\. It can go on with the plan of now"):
        open_run(store, run.id, loop=now)
    model = RecordingModel(lambda call: {"outcome": "buy"})
    led = open_run(store, run.id, loop=now, models={"default": model}, changed_plan=True).resume()
    assert (led.end, model.asked) == (End("bought"), ["judge"])
    assert str(model.calls[0].messages[-1]["content"]).startswith("At least 9 of 10?")


def test_agent_framework_3782_a_changed_inner_plan_is_told_and_the_run_goes_on_where_it_stands(store: Store) -> None:
    run = desk().start({"topic": "T"}, store=store, model=RecordingModel(broken))
    now = desk(steps=2)
    assert now.plan.fingerprint != run.plan.fingerprint
    with pytest.raises(RunError) as caught:
        open_run(store, run.id, loop=now)
    assert "node 'research/read 1' is new" in str(caught.value)
    assert "research/read 0 [done] leads to 'research/read 1', and led to 'judge'" in str(caught.value)
    model = RecordingModel(lambda call: {"outcome": "wait"})
    led = open_run(store, run.id, loop=now, models={"default": model}, changed_plan=True).resume()
    assert (led.end, [visit.node for visit in led.visits]) == (End("waited"), ["research/read 0", "judge"])
