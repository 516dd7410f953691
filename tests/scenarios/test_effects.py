"""Effects on a real server that counts what it did, by processes that are killed with SIGKILL at each moment."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.run.handle import Run
from loopwright.loop.loop import Loop
from loopwright.testing import break_at_every_write

WORKER = Path(__file__).with_name("effect_worker.py")
MOMENTS = {
    "before it is started": ("nothing", 0),
    "after it is started": ("unknown", 0),
    "in the call": ("unknown", 1),
    "after the call": ("unknown", 1),
    "before it is finished": ("unknown", 1),
    "after it is finished": ("finished", 1),
    "after its visit": ("closed", 1),
}
"""When the process is killed, with what the ledger says then, and how many rows the server has."""

ways = pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])


class World(ThreadingHTTPServer):
    """A server that does what it is asked, and counts it in rows. A key that it has seen gets the row that there is."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.rows: list[tuple[str, str]] = []
        self.asked: list[tuple[str, str]] = []
        self.kills = False
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error here."""


class _Asked(BaseHTTPRequestHandler):
    server: World

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        world, key = self.server, self.headers["Key"]
        with world.lock:
            world.asked.append((self.path, key))
            keys = [row[1] for row in world.rows]
            if not key or key not in keys:
                world.rows.append((self.path, key))
            row = keys.index(key) if key in keys and key else len(world.rows) - 1
        if world.kills:
            world.kills = False
            os.kill(int(self.headers["Pid"]), signal.SIGKILL)
            return
        body = json.dumps({"row": row}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture(scope="module")
def worker() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as made:
        yield made
        assert made.stdin
        made.stdin.close()


class Case:
    """A store of its own, and the processes that work at its run."""

    def __init__(self, worker: subprocess.Popen[str], world: World, folder: Path, loop: str, awaited: bool) -> None:
        self._worker, self.world = worker, world
        self.store = f"sqlite:{folder / 'runs.db'}"
        self._order = {"loop": loop, "awaited": awaited, "store": self.store, "server": world.url}

    def killed(self, moment: str) -> None:
        self.world.kills = moment == "in the call"
        assert self._sent(kill=moment) == -signal.SIGKILL

    def go_on(self, **resume: Any) -> Run:
        assert self._sent(resume=resume) == 0
        return self.run()

    def run(self) -> Run:
        (run,) = lw.runs(self.store)
        return run

    def _sent(self, **more: Any) -> int:
        assert self._worker.stdin
        assert self._worker.stdout
        self._worker.stdin.write(json.dumps({**self._order, **more}) + "\n")
        self._worker.stdin.flush()
        return int(self._worker.stdout.readline())


def standing(run: Run) -> str:
    """What the ledger says of a run with one effect."""
    if not run.effects:
        return "nothing"
    (effect,) = run.effects
    return "unknown" if effect.is_unknown else effect.state if effect.is_open else "closed"


@ways
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_payment_is_not_made_twice(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, moment: str, awaited: bool
) -> None:
    """langgraph#8702, #8464, #7417; agent-framework#3938: after a kill, a payment was repeated."""
    case = Case(worker, world, tmp_path, "one apay" if awaited else "one pay", awaited)
    case.killed(moment)
    known, rows = MOMENTS[moment]
    assert (case.run().status, standing(case.run()), len(world.rows)) == ("interrupted", known, rows)
    run = case.go_on()
    if known == "unknown":
        assert (run.status, standing(run), len(world.rows)) == ("suspended", "unknown", rows)
        assert "nobody knows whether this effect has happened" in run.reason
        assert run.effects[0].key in run.reason
        assert len(case.go_on().effects) == 1  # asked again, it calls nothing
        assert len(world.rows) == rows
        decision = {"effect": "done", "reply": "0"} if rows else {"effect": "again"}
        run = case.go_on(**decision)
    assert (run.status, run.result, standing(run)) == ("finished", "row 0", "closed")
    assert world.rows == [("/pay/oak", "")]
    assert run.effects[0].key == run.visits[1].effect


@ways
@pytest.mark.parametrize("moment", MOMENTS)
def test_with_a_key_there_is_one_row(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, moment: str, awaited: bool
) -> None:
    """langgraph#8702, #8464, #7417; agent-framework#3938: with the same key, nobody has to decide."""
    case = Case(worker, world, tmp_path, "one order", awaited)
    case.killed(moment)
    run = case.go_on()
    (effect,) = run.effects
    assert (run.status, run.result) == ("finished", "row 0")
    assert world.rows == [("/order/oak", effect.key)]
    known, rows = MOMENTS[moment]
    assert len(world.asked) == (2 if known == "unknown" and rows else 1)
    assert effect.attempts == (2 if known == "unknown" else 1)


@ways
def test_killed_again_and_again(worker: subprocess.Popen[str], world: World, tmp_path: Path, awaited: bool) -> None:
    case = Case(worker, world, tmp_path, "one order", awaited)
    for moment in MOMENTS:
        case.killed(moment)
    run = case.go_on()
    assert (run.status, run.result, run.effects[0].attempts) == ("finished", "row 0", 5)
    assert world.rows == [("/order/oak", run.effects[0].key)]


@ways
def test_a_branch_that_was_cut_off_waits_for_a_decision(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, awaited: bool
) -> None:
    case = Case(worker, world, tmp_path, "fork pay", awaited)
    case.killed("in the call")
    run = case.go_on()
    unknown = [effect for effect in run.effects if effect.is_unknown]
    assert run.status == "suspended"
    assert 1 <= len(unknown) <= 3
    for effect in unknown:
        item = effect.arguments["item"]
        paid = (f"/pay/{item}", "") in world.rows
        run = case.go_on(key=effect.node, **({"effect": "done", "reply": item} if paid else {"effect": "again"}))
    assert run.status == "finished"
    assert Counter(path for path, _ in world.rows) == {"/pay/oak": 1, "/pay/larch": 1, "/pay/pine": 1}
    assert len({effect.key for effect in run.effects}) == 3


@ways
@pytest.mark.parametrize("tool", ["pay", "order"])
def test_a_tool_that_a_model_calls(
    worker: subprocess.Popen[str], world: World, tmp_path: Path, tool: str, awaited: bool
) -> None:
    case = Case(worker, world, tmp_path, f"tools {tool}", awaited)
    case.killed("in the call")
    run = case.go_on()
    if tool == "pay":
        assert (run.status, len(world.rows)) == ("suspended", 1)
        run = case.go_on(effect="done", reply="row 0")
        assert run.state["history"][1]["content"] == "row 0"
    assert (run.status, run.result, len(world.rows)) == ("finished", "Bought.", 1)


class Shop:
    """What effects did in this process, by the run that their key names."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.fails = 0

    def loop(self, care: Any = "once") -> Loop[Any]:
        """A payment for each item, then one for all of them."""

        def pay(item: str, idempotency_key: str) -> str:
            if self.fails:
                self.fails -= 1
                raise OSError("no connection")
            if care == "once" or idempotency_key not in self.rows:
                self.rows.append(idempotency_key)
            return f"paid {item}"

        def post(paid: list[str], idempotency_key: str) -> str:
            return pay(str(len(paid)), idempotency_key)

        items = lw.Channel("items", {"type": "array", "items": {"type": "string"}}, default=["oak", "larch"])
        plan = lw.PlanBuilder("shop", [items, lw.Channel("paid"), lw.Channel("sent")], result="sent")
        buy = lw.node(writes="paid", name="buy", version="1", effect=care)(pay)
        plan.each("all", over="items", as_="item", do=buy, collect="paid", at_most=2).edge("all", "done", "send")
        plan.node(lw.node(writes="sent", name="send", version="1", effect=care)(post))
        plan.edge("send", "done", lw.End("bought"))
        return plan.loop()

    def decide(self, effect: lw.Effect) -> dict[str, Any]:
        """Look whether it has happened."""
        if effect.key not in self.rows:
            return {"effect": "again"}
        what = effect.arguments.get("item", "2")
        return {"effect": "done", "reply": f"paid {what}"}


@ways
@pytest.mark.parametrize("care", ["once", "repeatable"])
def test_broken_at_every_write(care: str, awaited: bool) -> None:
    shop = Shop()
    decide = shop.decide if care == "once" else None
    broken = break_at_every_write(shop.loop(care), awaited=awaited, decide=decide)
    assert broken.breaks == 2 * broken.writes
    of_runs = Counter(key.partition("-")[0] for key in shop.rows)
    assert len(shop.rows) == len(set(shop.rows))
    assert set(of_runs.values()) == {3}


def test_a_broken_run_waits_where_nobody_decides() -> None:
    with pytest.raises(AssertionError, match='its status is "suspended", and not "finished"'):
        break_at_every_write(Shop().loop())


def test_what_failed_goes_on_from_there() -> None:
    """agent-framework#1695, #3758; llama_index#18019, #18267: resumed, a run did the first step again, or none."""
    called: list[tuple[str, str]] = []

    def step(number: int) -> Any:
        def act(idempotency_key: str) -> int:
            called.append((f"step {number}", idempotency_key))
            if number == 3 and len(called) == 3:
                raise OSError("no connection")
            return number

        return lw.node(writes="last", name=f"step {number}", version="1", effect="once")(act)

    plan = lw.PlanBuilder("steps", [lw.Channel("last")], result="last")
    for number in range(1, 6):
        plan.node(step(number))
        plan.edge(f"step {number}", "done", f"step {number + 1}" if number < 5 else lw.End("done"))
    run = plan.loop().start()
    assert (run.status, [effect.state for effect in run.effects]) == ("suspended", ["finished", "finished", "failed"])
    assert "no connection" in run.reason
    run.resume()
    assert (run.status, run.result) == ("finished", 5)
    assert [name for name, _ in called] == ["step 1", "step 2", "step 3", "step 3", "step 4", "step 5"]
    assert called[2][1] == called[3][1]
    assert len({key for _, key in called}) == 5
    assert [effect.attempts for effect in run.effects] == [1, 1, 2, 1, 1]


def test_a_runner_that_has_lost_its_run_starts_no_effect(tmp_path: Path) -> None:
    url, called = f"sqlite:{tmp_path / 'runs.db'}", []

    def lose(item: str) -> str:
        with lw.Store(url) as other:
            other.registry.claim(next(iter(other.registry.all())).id, take_over=True)
        return item

    def pay(item: str) -> str:
        called.append(item)
        return item

    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
    plan.node(lw.node(writes="item", name="look", version="1")(lose)).edge("look", "done", "pay")
    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    with lw.Store(url) as store, pytest.raises(lw.LeaseLost, match="was taken over"):
        plan.loop().start(store=store)
    assert called == []


def test_a_runner_that_loses_its_run_in_an_effect_leaves_it_unknown(tmp_path: Path) -> None:
    url, called = f"sqlite:{tmp_path / 'runs.db'}", []

    def pay(item: str) -> str:
        called.append(item)
        with lw.Store(url) as other:
            run = next(iter(other.registry.all())).id
            lw.open_run(other, run, loop=loop).resume(take_over=True)
        return item

    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    loop = plan.loop()
    with lw.Store(url) as store, pytest.raises(lw.LeaseLost, match="was taken over"):
        loop.start(store=store)
    (run,) = lw.runs(url)
    assert (run.status, called, run.effects[0].is_unknown) == ("suspended", ["oak"], True)
    assert lw.open_run(url, run.id, loop=loop).resume(effect="done", reply="oak").result == "oak"


def test_a_fork_has_effects_of_its_own() -> None:
    shop, store = Shop(), lw.Store("memory:")
    loop = shop.loop()
    run = loop.start(store=store)
    forked = run.fork(3).resume()
    assert forked.result == run.result
    assert [key.partition("-")[0] for key in shop.rows].count(forked.id) == 1
    assert [visit.effect for visit in forked.visits[:2]] == [visit.effect for visit in run.visits[:2]]
    assert forked.visits[-1].effect == forked.effects[0].key != run.visits[-1].effect


def test_each_round_has_a_key_of_its_own() -> None:
    keys: list[str] = []

    def pay(idempotency_key: str) -> str:
        keys.append(idempotency_key)
        return "again" if len(keys) < 3 else "enough"

    plan = lw.PlanBuilder("rounds", [lw.Channel("x", default=0)])
    plan.node(lw.node(outcomes=["again", "enough"], name="pay", version="1", effect="once")(pay))
    plan.edge("pay", "again", "pay", at_most=5, then=lw.End("bad", ok=False)).edge("pay", "enough", lw.End("good"))
    run = plan.loop().start()
    assert keys == [visit.effect for visit in run.visits] == [effect.key for effect in run.effects]
    assert len(set(keys)) == 3
    assert all(key.startswith(f"{run.id}-") and len(key) == len(run.id) + 33 for key in keys)


def test_a_failure_with_an_edge_leads_on() -> None:
    shop = Shop()
    shop.fails = 1
    plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")])

    def pay(item: str, idempotency_key: str) -> str:
        del item
        shop.rows.append(idempotency_key)
        if len(shop.rows) == 1:
            raise OSError("no connection")
        return "paid"

    plan.node(lw.node(writes="paid", name="pay", version="1", effect="once")(pay)).edge("pay", "done", lw.End("paid"))
    plan.edge("pay", "failed", "pay", at_most=1, then=lw.End("poor", ok=False))
    run = plan.loop().start()
    assert (run.end, [effect.state for effect in run.effects]) == (lw.End("paid"), ["failed", "finished"])
    assert len(set(shop.rows)) == 2  # the second visit is another one


def test_a_graph_on_its_own_has_no_effects() -> None:
    with pytest.raises(
        lw.RunError, match=r"the plan 'shop' has effects \(send, buy\), and a graph on its own has no ledger"
    ):
        Shop().loop().compile()


def test_a_plan_without_effects_pays_nothing(tmp_path: Path) -> None:
    said: dict[bool, list[str]] = {}
    for effect in (False, True):
        plan = lw.PlanBuilder("shop", [lw.Channel("item", default="oak"), lw.Channel("paid")], result="paid")
        plan.node(lw.node(writes="paid", name="a", version="1", effect="once" if effect else None)(lambda item: item))
        plan.edge("a", "done", lw.End("paid"))
        with lw.Store(f"sqlite:{tmp_path / f'{effect}.db'}") as store:
            said[effect] = []
            store.database.connection.set_trace_callback(said[effect].append)
            plan.loop().start(store=store)
    assert not [statement for statement in said[False] if "effects" in statement or "synchronous" in statement]
    flushed = [statement for statement in said[True] if "synchronous" in statement]
    assert flushed == ["PRAGMA synchronous=FULL", "PRAGMA synchronous=NORMAL"] * 2
