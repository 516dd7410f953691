"""Recordings through whole runs: with a real server, over processes, and before everything that can be a model."""

import json
import resource
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel

import loopwright as lw
from loopwright.state.values import JsonObject
from loopwright.testing import ModelServer, Trouble

WORD = "Fluggaenkoechiebolsen"
TWO: dict[str, Any] = {"roles": {"solver": {}, "boss": {}}}


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


@pytest.fixture
def unkeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def essay(models: dict[str, lw.ModelRef] | None = None) -> lw.Loop[Any]:
    """Several options, rated side by side by another model, and one more that judges."""
    plan = lw.PlanBuilder(
        "essay",
        [lw.Channel("options", default=["oak", "ash", "oak"]), lw.Channel("ratings"), lw.Channel("notes")],
        models=models or {},
    )
    rater = lw.Judge("rater", prompt="Rate <{option}>", score=(1, 10), writes="rating", model="strong")
    plan.each("rate", over="options", as_="option", do=rater, collect="ratings", at_most=3).edge("rate", "done", "look")
    plan.node(lw.Judge("look", prompt="Well? <{ratings}>", outcomes=["good", "again"], writes="notes"))
    plan.edge("look", "good", lw.End("good"))
    plan.edge("look", "again", "rate", at_most=3, then=lw.End("bad", ok=False))
    return plan.loop()


def trace(run: lw.Run[Any]) -> list[Any]:
    """All of a run but its times and the labels of its models; branches in the order of their names."""
    visits = [
        (visit.node, visit.outcome, visit.reason, str(visit.reply), visit.note, visit.usage) for visit in run.visits
    ]
    return [sorted(visits, key=str), run.status, run.end, run.result, run.usage]


def test_a_run_with_troubles_is_replayed_without_key_or_network(
    drive: Any, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    looks = iter([{"outcome": "again"}, Trouble(status=503, retry_after="0"), "never", {"outcome": "good"}])

    def reply(body: JsonObject) -> Any:
        messages: Any = body["messages"]
        if messages[0]["content"].startswith("Rate"):
            return {"score": len(server.requests)}
        return next(looks)

    with ModelServer(reply) as server:
        models = {"strong": lw.ModelRef("big", base_url=server.base_url)}
        given = lw.ModelRef("small", base_url=server.base_url)
        run = drive.start(essay(models), model=lw.Recording(calls), models={"default": given})
    monkeypatch.delenv("OPENAI_API_KEY")
    assert (run.end.name, run.usage.calls, run.usage.retries, run.usage.repairs) == ("good", 8, 1, 1)
    again = drive.start(essay(models), model=lw.Recording(calls, "replay"))
    assert trace(again) == trace(run)
    assert {visit.model for visit in again.visits if visit.model} == {
        "big (replayed from calls.jsonl)",
        "small (replayed from calls.jsonl)",
    }


def test_a_file_holds_no_key_even_where_a_server_quotes_it(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    refused = json.dumps({"error": {"message": "Incorrect API key provided: sk-0123456789"}})
    with ModelServer([Trouble(status=401, body=refused)]) as server:
        ref = lw.ModelRef("any", base_url=server.base_url)
        run = lw.RoleCycle(task="A risk?", **TWO).start(model=lw.Recording(calls, model=ref))
    assert "Incorrect API key provided: ***" in calls.read_text()
    assert "sk-0123456789" not in calls.read_text()
    again = lw.RoleCycle(task="A risk?", **TWO).start(model=lw.Recording(calls, "replay"))
    assert (again.status, again.reason) == (run.status, run.reason)


def test_a_suspension_is_replayed_and_goes_on_as_it_did(calls: Path, tmp_path: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", **TWO)
    script = lw.ScriptedModel({"solver": [{"error": "no connection"}, "Rot."], "boss": [WORD]})
    store = f"sqlite:{tmp_path / 'runs.db'}"
    run = loop.start(store=store, model=lw.Recording(calls, model=script))
    assert (run.status, lw.open_run(store, run.id).resume().status) == ("suspended", "finished")
    again = loop.start(store=store, model=lw.Recording(calls, "replay"))
    assert (again.status, again.reason) == ("suspended", "solver: no connection")
    later = lw.open_run(store, again.id).resume()
    assert (later.result, later.usage) == ("Rot.", run.usage)
    assert [visit.model for visit in later.visits] == ["scripted (replayed from calls.jsonl)"] * 2


def test_a_run_that_waits_is_recorded_and_replayed_over_processes(calls: Path, tmp_path: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", review="each_round", **TWO)
    script = lw.ScriptedModel({"solver": ["Rot.", "Rot again."], "boss": ["Go on."], "repeat": "last"})
    store = f"sqlite:{tmp_path / 'runs.db'}"
    runs = []
    for recording in (lw.Recording(calls, model=script), lw.Recording(calls, "replay")):
        run = loop.start(store=store, model=recording)
        lw.open_run(store, run.id).resume("say where")
        runs.append(lw.open_run(store, run.id).resume("accept"))
    assert trace(runs[0]) == trace(runs[1])
    assert len(calls.read_text().splitlines()) == 1 + 4


def test_a_file_that_is_gone_is_told_and_the_run_is_as_it_was(calls: Path, tmp_path: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", review="each_round", **TWO)
    script = lw.ScriptedModel({"default": ["Rot."], "repeat": "last"})
    store = f"sqlite:{tmp_path / 'runs.db'}"
    recorded = loop.start(store=store, model=lw.Recording(calls, model=script))
    replayed = loop.start(store=store, model=lw.Recording(calls, "replay"))
    kept = calls.read_bytes()
    calls.unlink()
    for run, what in ((recorded, "recorded to"), (replayed, "replayed from")):
        with pytest.raises(lw.SourceError, match=f"the file that this run is {what} is gone"):
            lw.open_run(store, run.id).resume("accept")
        assert lw.open_run(store, run.id).status == "waiting"
    assert not calls.exists()
    calls.write_bytes(kept)
    assert lw.open_run(store, replayed.id).resume("accept").status == "finished"
    assert lw.open_run(store, recorded.id).resume("accept", model=script).status == "finished"


def test_an_unknown_question_takes_no_edge_for_failures(calls: Path) -> None:
    def loop(prompt: str) -> lw.Loop[Any]:
        plan = lw.PlanBuilder("ask", [lw.Channel("said")])
        plan.node(lw.Think("ask", prompt=prompt, writes="said")).edge("ask", "done", lw.End("good"))
        return plan.edge("ask", "failed", lw.End("no model", ok=False)).loop()

    loop("One\nTwo").start(model=lw.Recording(calls, model=lw.ScriptedModel({"ask": ["x"]})))
    run = loop("One\n2").start(model=lw.Recording(calls, "replay"))
    assert run.status == "suspended"
    assert run.reason == (
        f"ask: calls.jsonl has no answer to this question of ask; the nearest stands at {calls}:2, and message 0"
        " differs in line 2: 'Two' there, '2' now"
    )


def test_runs_of_a_batch_have_their_own_replies_also_where_they_ask_the_same(calls: Path) -> None:
    loop = lw.RoleCycle(tasks=["Same?", "Same?", "Other?"], **TWO)
    count = iter(range(100))

    class Counting:
        label, retries = "counting", 0

        def ask(self, call: lw.ModelCall) -> lw.ModelReply:
            return lw.ModelReply(f"{next(count)}" if len(call.messages) < 4 else f"{next(count)}\n{WORD}")

        async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
            return self.ask(call)

    def texts(batch: Sequence[lw.Run[Any]]) -> list[list[Any]]:
        return [[visit.reply for visit in run.visits] for run in batch]

    first = loop.start_all(model=lw.Recording(calls, model=Counting()))
    again = loop.start_all(model=lw.Recording(calls, "replay"))
    assert texts(again) == texts(first)
    assert len({text for run in texts(first) for text in run}) == 12


def test_a_batch_gives_each_run_its_own_script(calls: Path) -> None:
    loop = lw.RoleCycle(tasks=["One?", "Two?"], **TWO)
    script = lw.ScriptedModel({"solver": ["Rot."], "boss": [WORD]})
    for recording in (lw.Recording(calls, model=script), lw.Recording(calls, "cache", model=script)):
        assert [run.result for run in loop.start_all(model=recording)] == ["Rot.", "Rot."]
    assert [run.usage for run in loop.start_all(model=lw.Recording(calls, "cache", model=script))] == [
        lw.Usage(cached=2)
    ] * 2


def test_a_recording_stands_before_the_models_of_the_loop_and_of_the_plan(calls: Path) -> None:
    script = lw.ScriptedModel({"solver": ["Rot."], "boss": [WORD]}, label="own")
    run = lw.RoleCycle(task="A risk?", model=script, **TWO).start(model=lw.Recording(calls))
    assert [visit.model for visit in run.visits] == ["scripted (own) (recorded in calls.jsonl)"] * 2
    with ModelServer(["Rot.", WORD]) as server:
        ref = lw.ModelRef("any", base_url=server.base_url, api_key_env="")
        lw.RoleCycle(task="A risk?", models={"default": ref}, **TWO).start(model=lw.Recording(calls))
        assert len(server.requests) == 2
    with pytest.raises(lw.RunError, match="no model is given for 'default'"):
        lw.RoleCycle(task="A risk?", **TWO).start(model=lw.Recording(calls))


def test_a_model_that_no_store_can_keep_is_given_again_and_still_recorded(calls: Path, tmp_path: Path) -> None:
    store, loop = f"sqlite:{tmp_path / 'runs.db'}", lw.RoleCycle(task="A risk?", review="each_round", **TWO)
    chat = FakeListChatModel(responses=["Rot.", "Go on."])
    run = loop.start(store=store, model=lw.Recording(calls, model=chat))
    with pytest.raises(lw.RunError, match="no model is given for 'default'"):
        lw.open_run(store, run.id).resume("more")
    lw.open_run(store, run.id, models={"default": chat}).resume("more")
    assert len(calls.read_text().splitlines()) == 1 + 4
    assert {visit.model for visit in run.visits if visit.model} == {"FakeListChatModel (recorded in calls.jsonl)"}
    again = loop.start(store=store, model=lw.Recording(calls, "replay")).resume("more")
    assert [visit.reply for visit in again.visits] == [visit.reply for visit in run.visits]


def test_another_model_that_is_given_ends_the_recording(calls: Path, tmp_path: Path) -> None:
    store, loop = f"sqlite:{tmp_path / 'runs.db'}", lw.RoleCycle(task="A risk?", review="each_round", **TWO)
    script = lw.ScriptedModel({"default": ["Rot."], "repeat": "last"})
    run = loop.start(store=store, model=lw.Recording(calls, model=script))
    lw.open_run(store, run.id).resume("more", model=script)
    assert len(calls.read_text().splitlines()) == 1 + 2
    lw.open_run(store, run.id).resume("more", model=lw.Recording(calls))
    lines = [json.loads(line) for line in calls.read_text().splitlines()[1:]]
    assert [line["run"].removeprefix(run.id) for line in lines] == ["", "", " from visit 5", " from visit 5"]


def test_texts_are_streamed_in_a_replay_as_they_were(drive: Any, calls: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", **TWO)
    script = lw.ScriptedModel({"solver": ["Rot at the bearings."], "boss": [WORD]})
    told = [
        [
            (event.node, event.text)
            for event in drive.follow(loop, model=model, audience="debug")
            if isinstance(event, lw.TextSaid)
        ]
        for model in (lw.Recording(calls, model=script), lw.Recording(calls, "replay"))
    ]
    assert told[0] == told[1]
    assert told[0][:2] == [("solver", "Rot"), ("solver", " at")]


def test_a_compiled_graph_is_recorded_and_replayed(calls: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", **TWO)
    script = lw.ScriptedModel({"solver": ["Rot."], "boss": [WORD]})
    said = [
        loop.compile(model=recording).invoke({"task": "A risk?"})["answer"]
        for recording in (lw.Recording(calls, model=script), lw.Recording(calls, "replay"))
    ]
    assert said == ["Rot.", "Rot."]


def test_a_fork_of_a_replay_goes_on_from_there(calls: Path, tmp_path: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", rounds=lw.Rounds(min=3), **TWO)
    script = lw.ScriptedModel({"solver": ["One.", "Two.", "Three."], "boss": ["On.", "On.", WORD]})
    store = f"sqlite:{tmp_path / 'runs.db'}"
    loop.start(store=store, model=lw.Recording(calls, model=script))
    run = loop.start(store=store, model=lw.Recording(calls, "replay"))
    for at in range(6):
        assert run.fork(at).resume().result == "Three."


@pytest.fixture
def full_disk(calls: Path) -> Iterator[Any]:
    """What makes files no longer than the recording is now, and what takes that back."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill(*, full: bool) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (calls.stat().st_size + 1 if full else limits[0], limits[1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_disk_that_is_full_suspends_the_run_and_nothing_is_lost(calls: Path, full_disk: Any) -> None:
    class Filling:
        label, retries = "filling", 3

        def ask(self, call: lw.ModelCall) -> lw.ModelReply:
            full_disk(full=call.node == "boss" and calls.read_text().count("\n") == 2)
            return lw.ModelReply("Rot." if call.node == "solver" else WORD)

        async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
            return self.ask(call)

    loop = lw.RoleCycle(task="A risk?", **TWO)
    run = loop.start(model=lw.Recording(calls, model=Filling()))
    assert run.status == "suspended"
    assert run.reason.startswith(f"boss: {calls} cannot be written (File too large), so that the answer of filling")
    full_disk(full=False)
    calls.write_text(calls.read_text() + '{"torn": ')
    assert run.resume(model=lw.Recording(calls, model=lw.ScriptedModel({"boss": [WORD]}))).status == "finished"
    assert loop.start(model=lw.Recording(calls, "replay")).result == "Rot."


@pytest.mark.usefixtures("unkeyed")
def test_a_cache_that_has_all_answers_needs_no_key(calls: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", **TWO)
    with ModelServer(["Rot.", WORD]) as server:
        for key in ("", "OPENAI_API_KEY"):
            ref = lw.ModelRef("any", base_url=server.base_url, api_key_env=key)
            run = loop.start(model=lw.Recording(calls, "cache", model=ref))
            assert run.result == "Rot."
        assert len(server.requests) == 2
    assert run.usage == lw.Usage(cached=2)


def test_a_recording_that_is_given_later_leaves_the_models_of_the_run(calls: Path) -> None:
    loop = lw.RoleCycle(task="A risk?", review="each_round", **TWO)
    chat = FakeListChatModel(responses=["Rot.", "Go on."])
    run = loop.start(model=chat).resume("more", model=lw.Recording(calls))
    assert len(calls.read_text().splitlines()) == 1 + 2
    other = calls.with_name("other.jsonl")
    run.resume("more", model=lw.Recording(other))
    assert [len(path.read_text().splitlines()) for path in (calls, other)] == [3, 3]
    assert run.visits[-2].model == "FakeListChatModel (recorded in other.jsonl)"
