"""The budgets of runs: what may be spent, what is, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import NotWaiting, RunError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.graphs.run.budgets import (
    Accounts,
    Spending,
    accounts_of,
    fitting_budget,
    lacking,
    require_more,
    require_prices,
    terms_for,
)
from loopwright.graphs.run.models import as_data
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.budget import Budget
from loopwright.nodes.driver.ledger import Account
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.role import Rounds
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.records import Usage, Visit
from loopwright.state.store.runs import Rest, RunRow
from loopwright.state.store.store import Store
from loopwright.state.store.visits import insert_visit
from loopwright.testing.model_server import ModelServer
from loopwright.testing.scripts import RecordingModel

PRICE = Price(input=1, output=1)


def entered(store: Store, *visits: Visit, **fields: Any) -> RunRow:
    row = store.registry.enter(RunRow("", "plan", "f", **fields), {})
    with store.database.transaction() as connection:
        for index, visit in enumerate(visits):
            connection.execute(*insert_visit(row.id, index, "", visit))
    return store.registry.get(row.id)


def think(model: str, usage: Usage, started: float = 0, seconds: float = 0) -> Visit:
    return Visit(0, "a", "think", "done", model=model, usage=usage, started=started, seconds=seconds)


def test_what_is_given_goes_before_the_loops_own() -> None:
    assert fitting_budget(None, Budget(calls=1)) == Budget(calls=1)
    assert fitting_budget({"cost": 1}, Budget(calls=1)) == Budget(calls=1, cost=1)
    with pytest.raises(RunError, match="a budget has no 'cals'; did you mean 'calls'"):
        fitting_budget({"cals": 1}, None)


def test_a_run_without_a_budget_reads_nothing(store: Store) -> None:
    row = entered(store, models=as_data({"default": ModelRef("m")}))
    store.close()
    assert accounts_of(row, store.registry) == Accounts(None, {})


def test_what_is_on_record_is_spent(store: Store) -> None:
    refs = {"default": ModelRef("m"), "strong": ModelRef("s", budget=Budget(calls=5))}
    visits = [think("m", Usage(calls=1, tokens_in=3, cost=0.5)), think("s", Usage(calls=1, retries=1, tokens_out=4))]
    row = entered(store, *visits, models=as_data(refs), budget={"calls": 10, "tokens": 50, "cost": 2, "seconds": 9})
    store.registry.claim(row.id, budget={"calls": 2, "strong.calls": 3})
    store.registry.rest(row.id, Rest("suspended"), spent={"s": Usage(repeats=1)})
    assert accounts_of(store.registry.get(row.id), store.registry).spending == {
        "calls": Spending(4, 12),
        "tokens": Spending(7, 50),
        "cost": Spending(0.5, 2),
        "seconds": Spending(0, 9),
        "strong.calls": Spending(3, 8),
    }


def test_equal_references_share_an_account(store: Store) -> None:
    ref = ModelRef("s", budget=Budget(calls=5))
    row = entered(store, models=as_data({"a": ref, "b": ref, "c": ModelRef("s", budget=Budget(calls=6))}))
    accounts = accounts_of(row, store.registry)
    assert accounts.models["a"] is accounts.models["b"]
    assert list(accounts.spending) == ["a.calls", "c.calls"]


def test_time_at_work_is_what_the_visits_cover(store: Store) -> None:
    spans = [(0, 10), (5, 10), (6, 2), (100, 5), (100, 7), (14, 1)]
    row = entered(store, *(think("m", Usage(), start, length) for start, length in spans), budget={"seconds": 60})
    assert accounts_of(row, store.registry).spending == {"seconds": Spending(15 + 7, 60)}


def test_a_fork_pays_for_itself(store: Store) -> None:
    plan = PlanBuilder("p", [Channel("text")]).node(Think("write", prompt="?", writes="text"))
    loop = Loop(
        plan.edge("write", "done", "ask")
        .node(Human("ask", text="?", outcomes=["yes"]))
        .edge("ask", "yes", End("good"))
        .build()
    )
    run = loop.start(store=store, model=RecordingModel({"write": ["A", "B"]}), budget={"calls": 1})
    assert run.spending == {"calls": Spending(1, 1)}
    fork = run.fork(at=0)
    assert (fork.budget, fork.spending) == (Budget(calls=1), {"calls": Spending(0, 1)})


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ({"default": ModelRef("x", base_url="http://127.0.0.1:1/v1")}, "x (model 'default'), as in lw.ModelRef('x', "),
        ({"judge": RecordingModel(lambda call: "", label="own")}, ""),
    ],
)
def test_a_budget_of_cost_needs_prices(models: Any, words: str) -> None:
    for model in models.values():
        if isinstance(model, RecordingModel):
            model.price, words = None, "own (model 'judge'), as in lw.RunnableModel(chat, price="
    with pytest.raises(
        RunError, match="a budget of cost needs the price of every model; nobody knows that of"
    ) as caught:
        require_prices(Budget(cost=1), models)
    assert words in str(caught.value)
    require_prices(Budget(calls=1), models)
    require_prices(None, models)


def test_where_prices_are_known_there_may_be_a_budget_of_cost() -> None:
    free: Any = {"a": ScriptedModel({"default": ["x"]}), "b": ModelRef("x", price=PRICE, budget=Budget(cost=1))}
    require_prices(Budget(cost=1), free)
    with pytest.raises(RunError, match="nobody knows that of y"):
        require_prices(None, {"c": ModelRef("y", base_url="http://127.0.0.1:1/v1", budget=Budget(cost=1))})


def test_terms() -> None:
    ref = ModelRef("x", price=PRICE, max_tokens=9, timeout=5)
    terms = terms_for({"a": ref, "b": ScriptedModel({"default": ["x"]})})
    assert (terms["a"].price, terms["a"].max_tokens, terms["a"].can_be_told, terms["a"].timeout) == (PRICE, 9, True, 5)
    assert (terms["a"].ledger, terms["b"].ledger, terms["b"].limiter, terms["b"].can_be_told) == (
        None,
        None,
        None,
        False,
    )
    assert terms["a"].limiter is terms_for({"z": ref})["z"].limiter
    run, strong = Account(Budget(calls=1)), Account(Budget(calls=1), prefix="a.")
    terms = terms_for({"a": ref, "b": ref}, Accounts(run, {"a": strong}))
    assert terms["a"].ledger is terms["b"].ledger is not None
    assert ([*terms["a"].accounts], [*terms["b"].accounts]) == ([run, strong], [run])


def test_what_is_lacking_is_what_all_need_beyond_what_is_left() -> None:
    accounts = Accounts(
        Account(Budget(calls=3, cost=0.5, seconds=9), Usage(calls=3, cost=0.45)),
        {"a": Account(Budget(tokens=100), Usage(tokens_in=60), "a.")},
    )
    shorts: list[dict[str, float]] = [
        {"calls": 1},
        {"calls": 1},
        {"cost": 0.1234},
        {"a.tokens": 70},
        {"seconds": 60},
        {"seconds": 60},
    ]
    assert lacking(accounts, shorts) == {"calls": 2, "cost": 0.074, "seconds": 60, "a.tokens": 30}
    assert lacking(accounts, []) == {}


def test_calls_that_go_one_after_the_other_do_not_need_the_sum() -> None:
    spent = Usage(calls=2, tokens_in=50, tokens_out=12, cost=0.002)
    accounts = Accounts(Account(Budget(tokens=100, cost=0.01), spent), {})
    shorts: list[dict[str, float]] = [{"tokens": 647, "cost": 0.05}, {"tokens": 600}, {"tokens": 640}]
    assert lacking(accounts, shorts) == {"tokens": 647 + 2 * 31 - 38, "cost": 0.043}
    nothing_known = Accounts(Account(Budget(tokens=100)), {})
    assert lacking(nothing_known, shorts) == {"tokens": 547}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "more of a budget is a mapping from names to amounts, as {'calls': 20}; {} is none"),
        (
            Budget(calls=1),
            "Budget(calls=1) is a whole budget; of more of it say how much more, as in budget={'calls': 1}",
        ),
        ({"call": 2}, "run r has no budget 'call' (did you mean 'calls'? there are: calls, cost)"),
        ({"tokens": 2}, "run r has no budget 'tokens' (there are: calls, cost)"),
        ({"calls": 10**15}, f"of 'calls' run r can have 1,000,000,000,000,000 in all, and not {10**15} more"),
        ({"calls": 0}, "of 'calls' run r can be given 1 more or more, a whole number, and not 0"),
        (
            {"calls": 1.5, "cost": -1},
            "of 'calls' run r can be given 1 more or more, a whole number, and not 1.5; "
            "of 'cost' run r can be given more than nothing, a number, and not -1",
        ),
    ],
)
def test_what_no_run_can_be_given(more: Any, words: str) -> None:
    with pytest.raises(RunError) as caught:
        require_more("r", Accounts(Account(Budget(calls=1, cost=1)), {}), more)
    assert str(caught.value) == words


def test_an_answer_that_was_given_before_gets_no_budget(drive: Any, store: Store) -> None:
    ask = PlanBuilder("ask", [Channel("t")]).node(Human("ask", text="?", outcomes=["yes"])).edge("ask", "yes", "say")
    loop = Loop(ask.node(Think("say", prompt="?", writes="t")).edge("say", "done", End("good")).build())
    run = drive.start(loop, store=store, model=ScriptedModel({"say": [{"error": "down"}]}), budget={"calls": 1})
    (question,) = run.questions
    drive.resume(run, "yes", question=question.id)
    assert run.status == "suspended"
    with pytest.raises(NotWaiting, match="give more of a budget without it"):
        run.resume("yes", question=question.id, budget={"calls": 1})


def test_a_run_that_lacks_a_budget_says_what_it_needs_and_goes_on(drive: Any, store: Store) -> None:
    builder = PlanBuilder("fork", [Channel("items", input=True), Channel("marks")], result="marks")
    judge = Judge("grade", prompt="<{item}>", outcomes=["good", "bad"])
    builder.each("rate", over="items", as_="item", do=judge, collect="marks").edge("rate", "done", End("rated"))
    model = RecordingModel(lambda call: "good")
    run = drive.start(Loop(builder.build()), {"items": list("abcdef")}, store=store, model=model, budget={"calls": 2})
    assert (run.status, len(model.calls), dict(run.row.short)) == ("suspended", 2, {"calls": 4})
    assert run.reason == (
        "rate[2]/grade, rate[3]/grade, rate[4]/grade and 1 more: over budget: calls: 2 of 2 spent, and this call needs"
        " 1; resume it with --budget calls +4 (in Python, budget={'calls': 4})"
    )
    drive.resume(run, budget=dict(run.row.short))
    assert (run.status, len(model.calls), run.budget, dict(run.row.short)) == ("finished", 6, Budget(calls=6), {})
    assert run.usage == Usage(calls=6)
    with pytest.raises(NotWaiting, match="has ended"):
        run.resume(budget={"calls": 1})


def test_a_recording_before_a_model_does_not_hide_what_it_spent(tmp_path: Path) -> None:
    with ModelServer(["A", "B", "C"]) as server, Store(f"sqlite:{tmp_path / 'runs.db'}") as store:
        ref = ModelRef("m", base_url=server.base_url, api_key_env="", budget=Budget(calls=2))
        loop = RoleCycle(task="T", rounds=Rounds(max=3), roles={"solver": {}, "boss": {}}, review="never")
        run = loop.start(store=store, model=Recording(tmp_path / "calls.jsonl", "record", model=ref))
        assert (run.status, len(server.requests)) == ("suspended", 2)
        again = open_run(store, run.id).resume()
        assert (again.status, len(server.requests)) == ("suspended", 2)
        assert again.spending["default.calls"].spent == 2
