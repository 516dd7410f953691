"""The registry: who runs which run, and what is known of it."""

import os
from collections.abc import Callable
from dataclasses import replace

import psutil
import pytest

from loopwright.errors import AlreadyAnswered, NotWaiting, RunBusy, StoreError, UnknownRun
from loopwright.graphs.plan import End
from loopwright.graphs.run.opening import open_run
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.records import Answered, Question, Usage, Visit
from loopwright.state.store.holder import Holder, this_process
from loopwright.state.store.registry import AT_ONCE, Registry
from loopwright.state.store.runs import NEWEST, Rest, RunRow
from loopwright.state.store.store import Store
from loopwright.state.store.visits import insert_visit
from loopwright.state.values import Json
from loopwright.testing.scripts import RecordingModel


def enter(registry: Registry, id: str = "", batch: str = "") -> RunRow:
    new = RunRow(id, "plan", "f", {"task": "T"}, {"default": {"live": "m"}}, batch)
    row = registry.enter(new, {"format": 1})
    registry.claim(row.id)
    return registry.get(row.id)


def held_by(store: Store, run: str, holder: str) -> None:
    store.database.connection.execute("UPDATE runs SET holder = ? WHERE id = ?", (holder, run))
    store.database.connection.commit()


def as_json(holder: Holder) -> str:
    return f'{{"host": "{holder.host}", "boot": {holder.boot}, "pid": {holder.pid}, "started": {holder.started}}}'


def test_a_new_run_is_held_by_this_process(store: Store) -> None:
    row = enter(store.registry)
    assert (row.status, row.holder, row.batch, row.inputs) == ("running", this_process(), row.id, {"task": "T"})
    assert len(row.id) == 8
    assert store.registry.get(row.id) == row
    assert enter(store.registry, batch="b").batch == "b"


def test_who_is_stopped_while_the_rest_is_written_leaves_it(store: Store) -> None:
    row = enter(store.registry)
    store.registry.rest(row.id, Rest("finished", "done", True), token=row.token)
    store.registry.interrupt(row.id, token=row.token)
    assert (store.registry.get(row.id).status, store.registry.get(row.id).end) == ("finished", "done")


def test_an_id_that_is_taken(store: Store) -> None:
    enter(store.registry, "one")
    with pytest.raises(RunBusy, match="there is a run 'one' already"):
        enter(store.registry, "one")


def test_runs_by_id_and_prefix(store: Store) -> None:
    for id in ("abc1", "abd2", "abc", "x%_"):
        enter(store.registry, id)
    assert [store.registry.get(prefix).id for prefix in ("abc1", "abd", "abc", "x%")] == ["abc1", "abd2", "abc", "x%_"]
    with pytest.raises(UnknownRun) as caught:
        store.registry.get("ab")
    assert str(caught.value) == "'ab' could be abc, abc1, abd2: give more of the id"
    for wildcard in ("%", "_", "a_c"):
        with pytest.raises(UnknownRun, match=f"^there is no run '{wildcard}' in store memory:; the latest runs are: "):
            store.registry.get(wildcard)


def test_no_runs(store: Store) -> None:
    with pytest.raises(UnknownRun) as caught:
        store.registry.get("abc")
    assert str(caught.value) == "there is no run 'abc' in store memory:; the latest runs are: none"
    assert list(store.registry.all()) == []


def test_a_held_run_is_busy_and_its_holder_is_named(store: Store) -> None:
    row = enter(store.registry)
    with pytest.raises(RunBusy) as caught:
        store.registry.claim(row.id)
    holder = f"process {os.getpid()} on {this_process().host}"
    assert str(caught.value) == (
        f"run {row.id} is being run by {holder}; wait for it, stop it there, or, if it is frozen, take it over with"
        " take_over=True (on the command line, resume --take-over)"
    )


def test_a_dead_holder_is_taken_over_at_once(store: Store) -> None:
    row = enter(store.registry)
    here = this_process()
    gone = [
        replace(here, pid=_free_pid()),
        replace(here, started=here.started - 100),
        replace(here, boot=here.boot - 10),
    ]
    for holder in gone:
        held_by(store, row.id, as_json(holder))
        assert store.registry.get(row.id).status == "interrupted"
        store.registry.claim(row.id)
        assert store.registry.get(row.id).holder == here


def _free_pid() -> int:
    return next(pid for pid in range(4_000_000, 1, -1) if not psutil.pid_exists(pid))


def test_a_holder_on_another_host_may_be_alive(store: Store) -> None:
    row = enter(store.registry)
    held_by(store, row.id, as_json(replace(this_process(), host="elsewhere (Linux)", pid=1)))
    assert store.registry.get(row.id).status == "running"
    with pytest.raises(RunBusy, match="process 1 on elsewhere"):
        store.registry.claim(row.id)


def test_how_a_run_rests(store: Store) -> None:
    row = enter(store.registry)
    question = Question("q1", "approve", "Publish?", {"type": "string"}, shorthand={"": "x"})
    store.registry.rest(
        row.id, Rest("waiting", questions=(question,), at=("approve",)), models={"default": {"live": "other"}}
    )
    rested = store.registry.get(row.id)
    assert (rested.status, rested.holder, rested.questions, rested.at) == ("waiting", None, (question,), ("approve",))
    assert (rested.end, rested.ok) == ("", None)
    assert rested.models == {"default": {"live": "other"}}
    with pytest.raises(NotWaiting, match="the question q2 is not open"):
        store.registry.claim(row.id, answered=Answered(replace(question, id="q2"), "x"))
    store.registry.claim(row.id, answered=Answered(question, "x"))
    store.registry.interrupt(row.id)
    assert (store.registry.get(row.id).status, store.registry.get(row.id).questions) == ("interrupted", (question,))
    again = Usage(tokens_in=7, repeats=1)
    spent = {"m": again}
    store.registry.rest(row.id, Rest("finished", "good", True, "because", {"a": [1]}), spent=spent)
    ended = store.registry.get(row.id)
    assert (ended.status, ended.end, ended.ok, ended.reason, store.registry.result(row.id)) == (
        "finished",
        "good",
        True,
        "because",
        {"a": [1]},
    )
    assert (ended.questions, ended.at, ended.models) == ((), (), {"default": {"live": "other"}})
    assert (ended.spent, store.registry.usage(row.id)) == (spent, again)


@pytest.mark.parametrize("result", [None, False, 0, "", "null", [], {}, {"a": [1.5, "x"]}])
def test_a_result_is_the_same_again(store: Store, result: Json) -> None:
    row = enter(store.registry)
    assert store.registry.result(row.id) is None
    store.registry.rest(row.id, Rest("finished", "good", True, "", result))
    found = store.registry.result(row.id)
    assert (found, type(found)) == (result, type(result))


def test_a_damaged_result_is_told(store: Store) -> None:
    row = enter(store.registry)
    store.database.connection.execute("UPDATE runs SET result = '{'")
    with pytest.raises(StoreError, match=f"the result of run {row.id} cannot be read"):
        store.registry.result(row.id)


def test_an_answer_that_comes_again(store: Store) -> None:
    row = enter(store.registry)
    question = Question("q1", "approve", "Publish?", {"type": "string"})
    given, other = Answered(question, "x"), Answered(question, "y")
    store.registry.rest(row.id, Rest("waiting", questions=(question,), at=("approve",)))
    assert store.registry.answers(row.id) == ()
    claimed = store.registry.claim(row.id, answered=given)
    assert claimed is not None
    assert claimed.status == "waiting"
    assert store.registry.claim(row.id, answered=given) is None
    store.registry.interrupt(row.id)
    with pytest.raises(AlreadyAnswered) as caught:
        store.registry.claim(row.id, answered=other)
    assert str(caught.value) == f'run {row.id}: question q1 of approve was answered with "x"'
    assert store.registry.get(row.id).status == "interrupted"
    assert store.registry.claim(row.id, answered=given) is not None
    store.registry.rest(row.id, Rest("finished", "good", True))
    assert store.registry.claim(row.id, answered=given) is None
    assert store.registry.answers(row.id, "q") == (given,)
    assert (store.registry.answers(row.id, "p"), store.registry.answers("other")) == ((), ())


DAMAGE = [
    ("questions", "[{}]", "questions.0.id: Field required"),
    ("questions", "5", "questions: Input should be a valid tuple"),
    ("holder", "garbage", "holder: Expecting value: line 1 column 1 (char 0)"),
    ("holder", '{"pid": 1}', "holder.host: Field required"),
    ("models", "[]", "models: Input should be a valid dictionary"),
    ("inputs", 5, "inputs: Input should be a valid dictionary"),
    ("spent", "{}}", "spent: Extra data: line 1 column 3 (char 2)"),
]


@pytest.mark.parametrize(("column", "value", "fault"), DAMAGE)
def test_a_damaged_run_hides_no_other(store: Store, column: str, value: object, fault: str) -> None:
    rows = [enter(store.registry) for _ in range(3)]
    bad = rows.pop(1).id
    with store.database.transaction() as connection:
        connection.execute(f"UPDATE runs SET {column} = ? WHERE id = ?", (value, bad))
    assert [row.id for row in store.registry.all()] == [row.id for row in reversed(rows)]
    assert store.registry.damaged() == (bad,)
    with pytest.raises(StoreError) as caught:
        store.registry.get(bad)
    assert str(caught.value) == f"store memory:: what is written of run {bad} cannot be read: {fault}"


def test_a_damaged_visit_names_its_run(store: Store) -> None:
    store.database.connection.execute(*insert_visit("r", 0, "c", Visit(0, "a", "act", "done")))
    store.database.connection.execute("UPDATE visits SET reply = 'x'")
    with pytest.raises(StoreError, match=r"^store memory:: a visit of run r cannot be read: Expecting value"):
        store.registry.visits("r")


@pytest.mark.parametrize("id", ["\ud800", "abc\udcff"])
def test_an_id_that_is_no_text(store: Store, id: str) -> None:
    with pytest.raises(StoreError, match="is no text that can be kept or found"):
        store.registry.get(id)


def test_all_runs_the_newest_first(store: Store) -> None:
    ids = [enter(store.registry).id for _ in range(3)]
    assert [row.id for row in store.registry.all()] == ids[::-1]


def statements(store: Store, read: Callable[[], object]) -> list[str]:
    """What is asked of the file to read it."""
    asked: list[str] = []
    store.database.connection.set_trace_callback(asked.append)
    read()
    store.database.connection.set_trace_callback(None)
    return asked


def test_runs_are_read_some_at_a_time_and_never_their_plans(store: Store) -> None:
    ids = [row.id for row in store.registry.enter_all([RunRow("", "plan", "f")] * (2 * AT_ONCE + 1), {"format": 1})]
    asked = statements(store, lambda: next(store.registry.all()))
    assert [statement.count(id) for statement in asked for id in (ids[-1], ids[0])] == [0, 0, 1, 0]
    asked = statements(store, lambda: list(store.registry.all()))
    assert len(asked) == 1 + 3
    assert not any("plan" in statement for statement in asked)
    assert [row.id for row in store.registry.all()] == ids[::-1]


def test_the_newest_runs_are_found_without_reading_all(store: Store) -> None:
    (steps,) = store.database.connection.execute(f"EXPLAIN QUERY PLAN SELECT id FROM runs {NEWEST}").fetchall()
    assert steps[-1] == "SCAN runs USING COVERING INDEX runs_by_age"


def test_opening_a_run_reads_no_visit(store: Store) -> None:
    builder = PlanBuilder("one", [Channel("text")], result="text").node(Think("write", prompt="?", writes="text"))
    loop = builder.edge("write", "done", End("good")).loop(model=RecordingModel({"write": ["A"]}))
    run = loop.start(store=store).id
    asked = statements(store, lambda: (open_run(store, run), store.registry.get(run)))
    assert [statement for statement in asked if "FROM runs" not in statement] == []


def test_the_plan_of_a_run(store: Store) -> None:
    row = enter(store.registry)
    assert store.registry.plan(row.id) == {"format": 1}
    with pytest.raises(UnknownRun, match="there is no run 'zzz'"):
        store.registry.plan("zzz")


def test_visits_and_what_they_took(store: Store) -> None:
    visits = [
        Visit(0, "a", "think", "done", "b", "why", {"x": [None]}, "m", Usage(1, 2, 3, 4, 5, 6), 1.5, 0.25, "c0"),
        Visit(1, "b", "act", "done", "end", usage=Usage(1, 1, 1, 1, 1, 1)),
    ]
    assert store.registry.usage("r") == Usage()
    for visit in visits:
        store.database.connection.execute(*insert_visit("r", visit.index, visit.checkpoint, visit))
    assert store.registry.visits("r") == tuple(visits)
    assert store.registry.visits("r", start=1) == (visits[1],)
    assert store.registry.count_visits("r") == 2
    assert (store.registry.last_visit("r"), store.registry.last_visit("other")) == (visits[1], None)
    assert store.registry.usage("r") == Usage(2, 3, 4, 5, 6, 7)
    assert store.registry.visits("other") == ()


@pytest.mark.parametrize("asked", ["garbage", "{}", "5"])
def test_a_damaged_answer_names_its_run(store: Store, asked: str) -> None:
    row = enter(store.registry)
    question = Question("q1", "approve", "Publish?")
    store.registry.rest(row.id, Rest("waiting", questions=(question,)))
    store.registry.claim(row.id, answered=Answered(question, "x"))
    with store.database.transaction() as connection:
        connection.execute("UPDATE answers SET asked = ?", (asked,))
    words = f"store memory:: an answer to run {row.id} cannot be read: "
    with pytest.raises(StoreError, match=words):
        store.registry.answers(row.id)
    with pytest.raises(StoreError, match=words):
        store.registry.claim(row.id, answered=Answered(question, "x"))


def test_runs_are_entered_together_and_in_order(store: Store) -> None:
    rows = [RunRow("", "plan", "f", {"n": number}, batch="b7") for number in range(20)]
    entered = store.registry.enter_all(rows, {"format": 1})
    assert [row.inputs["n"] for row in entered] == list(range(20))
    assert store.registry.batch("b7") == entered
    assert list(store.registry.all()) == [*reversed(entered)]
    assert {(row.status, row.is_begun) for row in entered} == {("interrupted", False)}
    store.registry.claim(entered[3].id)
    store.registry.interrupt(entered[3].id)
    assert [row.is_begun for row in store.registry.batch("b7")].index(True) == 3


def test_runs_are_entered_all_or_none(store: Store) -> None:
    enter(store.registry, "taken")
    rows = [RunRow(id, "plan", "f", batch="b") for id in ("one", "taken")]
    with pytest.raises(RunBusy):
        store.registry.enter_all(rows, {"format": 1})
    assert [row.id for row in store.registry.all()] == ["taken"]


def test_batches_by_id_and_prefix(store: Store) -> None:
    for batch in ("abc1", "abd2", "abc", "abc1"):
        enter(store.registry, batch=batch)
    sizes = {prefix: len(store.registry.batch(prefix)) for prefix in ("abc1", "abd", "abc")}
    assert sizes == {"abc1": 2, "abd": 1, "abc": 1}
    for prefix, message in (
        ("ab", "'ab' could be abc, abc1, abd2: give more of the batch's id"),
        ("x", "there is no batch 'x' in store memory:; `loopwright runs` lists them"),
        ("", "there is no batch '' in store memory:; `loopwright runs` lists them"),
    ):
        with pytest.raises(UnknownRun) as caught:
            store.registry.batch(prefix)
        assert str(caught.value) == message


def test_a_damaged_run_of_a_batch_is_told(store: Store) -> None:
    row = enter(store.registry, batch="b")
    held_by(store, row.id, "garbage")
    with pytest.raises(StoreError, match="what is written of a run of batch b cannot be read"):
        store.registry.batch("b")


def test_a_run_that_was_given_a_changed_plan_meanwhile_is_not_claimed(store: Store) -> None:
    run = store.registry.enter(RunRow("", "p", "now"), {}).id
    with pytest.raises(RunBusy, match="has been given a changed plan in the meantime; open it again"):
        store.registry.claim(run, plan="before")
    assert store.registry.get(run).status == "interrupted"
    assert store.registry.claim(run, plan="now") is not None
