"""Budgets, prices and rate limits through the real client, against a server on this machine."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.nodes.models import limiter as limits
from loopwright.testing.model_server import ModelServer, Trouble
from loopwright.testing.scripts import RecordingModel

PRICE = lw.Price(input=1_000_000, output=1_000_000)
FORM = """
kind: graph
budget: {calls: 2}
nodes:
  a: {type: think, prompt: First.}
  b: {type: think, prompt: Second.}
  c: {type: think, prompt: Third.}
edges: [a -> b, b -> c, c -> end done]
"""


def fan_out(**handled: lw.End) -> lw.Loop[Any]:
    channels = [lw.Channel("items", input=True), lw.Channel("notes")]
    plan = lw.PlanBuilder("fan out", channels, result="notes")
    rater = lw.PlanBuilder("rater", [lw.Channel("item", input=True), lw.Channel("note")], result="note")
    rater.node(lw.Think("write", prompt="<{item}>", writes="note")).edge("write", "done", lw.End("written"))
    for failure, end in handled.items():
        rater.edge("write", failure, end)
    plan.each("rate", over="items", as_="item", do=rater.build(), collect="notes", at_most=300)
    plan.edge("rate", "done", lw.End("rated"))
    if any(not end.ok for end in handled.values()):
        plan.edge("rate", "failed", lw.End("in part", ok=False))
    return plan.loop()


def ref(server: ModelServer, **fields: Any) -> lw.ModelRef:
    return lw.ModelRef("any", base_url=server.base_url, api_key_env="", **fields)


def items(count: int) -> dict[str, Any]:
    return {"items": [f"item {index}" for index in range(count)]}


def asked(server: ModelServer) -> list[str]:
    return [str(request.body["messages"][-1]["content"]) for request in server.requests]  # type: ignore[index,call-overload]


def test_a_budget_that_is_spent_in_the_middle_of_a_fan_out_loses_nothing(drive: Any, tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    with ModelServer("noted") as server:
        run = drive.start(fan_out(), items(50), store=store, model=ref(server), budget=lw.Budget(calls=20))
        assert (run.status, len(server.requests), run.usage.calls) == ("suspended", 20, 20)
        assert dict(run.row.short) == {"calls": 30}
        run = lw.open_run(store, run.id)
        drive.resume(run, budget={"calls": 10})
        assert (run.status, len(server.requests)) == ("suspended", 30)
        drive.resume(run, budget={"calls": 20})
        assert (run.status, run.result, run.budget) == ("finished", ["noted"] * 50, lw.Budget(calls=50))
    assert sorted(asked(server)) == sorted(items(50)["items"])  # nothing was paid twice


def test_many_branches_never_pass_a_budget(drive: Any) -> None:
    with ModelServer("noted") as server:
        run = drive.start(fan_out(), items(256), model=ref(server), budget=lw.Budget(calls=100))
    assert (run.status, len(server.requests), run.usage.attempts) == ("suspended", 100, 100)


def test_tokens_are_never_passed_and_the_server_is_told_where_to_cut(drive: Any) -> None:
    with ModelServer("noted") as server:
        model = ref(server, max_tokens=5)
        run = drive.start(fan_out(), items(40), model=model, budget=lw.Budget(tokens=700))
        assert {request.body["max_tokens"] for request in server.requests} == {5}
        assert run.usage.tokens_in + run.usage.tokens_out <= 700
        server.requests.clear()
        drive.start(fan_out(), items(1), model=ref(server), budget=lw.Budget(tokens=700))
    (request,) = server.requests
    cut = request.body["max_tokens"]
    assert isinstance(cut, int)
    assert 0 < cut < 700


def test_what_runs_cost(drive: Any) -> None:
    with ModelServer("one two three") as server:
        run = drive.start(fan_out(), items(3), model=ref(server, price=PRICE))
        free = drive.start(fan_out(), items(3), model=ref(server))
    tokens = run.usage.tokens_in + run.usage.tokens_out
    assert (run.usage.cost, run.usage.unpriced) == (tokens, 0)
    assert (free.usage.cost, free.usage.unpriced) == (0, 3)


def test_a_budget_of_cost(drive: Any) -> None:
    with ModelServer("noted") as server:
        run = drive.start(fan_out(), items(5), model=ref(server, price=PRICE, max_tokens=4), budget={"cost": 331})
        assert (run.status, run.usage.cost <= 331) == ("suspended", True)
        assert "over budget: cost: $" in run.reason
        before = len(server.requests)
        drive.resume(run, budget={"cost": run.row.short["cost"] + 2000})
        assert (run.status, len(server.requests)) == ("finished", 5)
        assert before < 5
        with pytest.raises(
            lw.RunError, match="a budget of cost needs the price of every model; nobody knows that of any"
        ):
            drive.start(fan_out(), items(5), model=ref(server), budget=lw.Budget(cost=1))
    assert len(server.requests) == 5


def test_a_budget_of_one_model(drive: Any) -> None:
    plan = lw.PlanBuilder("two", [lw.Channel("text")], result="text", models={"strong": lw.ModelRef("strong")})
    plan.node(lw.Think("strong", prompt="?", model="strong", writes="text")).edge("strong", "done", "weak")
    plan.node(lw.Think("weak", prompt="?", writes="text")).edge("weak", "done", "again")
    plan.node(lw.Think("again", prompt="?", model="strong", writes="text")).edge("again", "done", lw.End("done"))
    with ModelServer("noted") as server:
        strong = lw.ModelRef("strong", base_url=server.base_url, api_key_env="", budget=lw.Budget(calls=1))
        run = drive.start(plan.loop(), models={"strong": strong, "default": ref(server)})
        assert (run.status, len(server.requests)) == ("suspended", 2)
        assert "strong.calls: 1 of 1 spent" in run.reason
        drive.resume(run, budget={"strong.calls": 1})
    assert (run.status, run.spending) == ("finished", {"strong.calls": (2, 2)})


def test_over_budget_may_have_an_edge(drive: Any) -> None:
    with ModelServer("noted") as server:
        loop = fan_out(over_budget=lw.End("too dear", ok=False))
        run = drive.start(loop, items(5), model=ref(server), budget=lw.Budget(calls=3))
    assert (run.end, len(server.requests)) == (lw.End("in part", ok=False), 3)
    assert sorted(visit.outcome for visit in run.visits if visit.kind == "think") == ["done"] * 3 + ["over_budget"] * 2


def test_failed_attempts_count(drive: Any) -> None:
    with ModelServer(Trouble(status=503, retry_after="0")) as server:
        run = drive.start(fan_out(), items(1), model=ref(server, retries=1), budget=lw.Budget(calls=3))
        assert (run.status, run.usage, len(server.requests)) == ("suspended", lw.Usage(retries=1, failed=1), 2)
        drive.resume(run)
        assert len(server.requests) == 3
        assert "over budget: calls: 3 of 3 spent" in run.reason
        drive.resume(run)
    assert (len(server.requests), run.usage.attempts) == (3, 3)


def test_seconds_cap_what_a_call_may_take(drive: Any) -> None:
    with ModelServer(Trouble(hang=True)) as server:
        run = drive.start(fan_out(), items(1), model=ref(server), budget=lw.Budget(seconds=0.2))
    assert (run.status, len(server.requests)) == ("suspended", 1)
    assert "over budget: seconds: " in run.reason


def test_a_budget_remembers_after_a_kill(tmp_path: Path) -> None:
    form, store = tmp_path / "abc.yaml", f"sqlite:{tmp_path / 'runs.db'}"
    child: list[subprocess.Popen[bytes]] = []

    def reply(body: Any) -> Trouble | str:
        if body["messages"][-1]["content"] == "Second." and child[0].poll() is None:
            os.kill(child[0].pid, signal.SIGKILL)
            return Trouble(hang=True)
        return "said"

    with ModelServer(reply) as server:
        models = f'models: {{default: {{model: any, base_url: "{server.base_url}", api_key_env: ""}}}}\n'
        form.write_text(FORM + models)
        command = [sys.executable, "-m", "loopwright", "run", str(form), "--store", store, "--no-input"]
        child.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        child[0].wait()
        (run,) = lw.runs(store)
        assert (run.status, run.spending) == ("interrupted", {"calls": (1, 2)})
        run.resume()
        assert (run.status, [visit.node for visit in run.visits]) == ("suspended", ["a", "b"])
        assert "over budget: calls: 2 of 2 spent" in run.reason


def test_retry_after_holds_back_all_calls_of_the_model(drive: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[float] = []
    monkeypatch.setattr(limits.Limiter, "hold_back", lambda self, seconds: held.append(seconds))
    with ModelServer([Trouble(status=429, retry_after="0.01"), "noted"]) as server:
        run = drive.start(fan_out(), items(1), model=ref(server))
    assert (run.status, run.usage.retries, held) == ("finished", 1, [0.01])


def test_calls_at_the_same_time_are_limited_across_runs(drive: Any) -> None:
    at_work, most = set[int](), [0]

    def reply(body: Any) -> str:
        at_work.add(id(body))
        most[0] = max(most[0], len(at_work))
        time.sleep(0.002)  # so that calls meet, if they can
        at_work.discard(id(body))
        return "noted"

    with ModelServer(reply) as server:
        for _ in range(2):
            assert drive.start(fan_out(), items(24), model=ref(server, max_concurrency=2)).status == "finished"
    assert most[0] <= 2


def test_a_budget_of_a_batch_is_for_each_run(tmp_path: Path) -> None:
    model = RecordingModel(lambda call: "noted")
    batch = fan_out().start_all(
        [items(2), items(3)], store=f"sqlite:{tmp_path / 'r.db'}", model=model, budget={"calls": 2}
    )
    assert [run.status for run in batch] == ["finished", "suspended"]


def test_the_loops_own_budget(tmp_path: Path) -> None:
    (tmp_path / "abc.yaml").write_text(FORM)
    loop = lw.load(tmp_path / "abc.yaml")
    model = RecordingModel(lambda call: "said")
    assert (loop.budget, loop.start(model=model).status, len(model.calls)) == (lw.Budget(calls=2), "suspended", 2)
    assert loop.start(model=model, budget={"calls": 3}).status == "finished"
    cycle = lw.RoleCycle(task="?", budget={"calls": 1}, review="never")
    assert (cycle.budget, cycle.start(model=model).usage.calls) == (lw.Budget(calls=1), 1)
    assert lw.ToolLoop([len_of], budget=lw.Budget(calls=1)).budget == lw.Budget(calls=1)
    assert lw.PlanBuilder("p").node(lw.Think("a", prompt="?")).loop(budget=lw.Budget(calls=1)).budget == lw.Budget(
        calls=1
    )


def len_of(text: str) -> int:
    """How long a text is."""
    return len(text)
