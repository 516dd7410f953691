"""The past of a run: the state at every visit, and runs that are forked from it."""

from itertools import pairwise
from typing import Any

import pytest

from loopwright.errors import RunError
from loopwright.graphs.plan import End
from loopwright.graphs.run.batch import enter
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.brains import TreeOfThought
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.driver.visit import MOST_LETTERS
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store
from loopwright.testing.scripts import RecordingModel


def rated() -> Loop[Any]:
    """Options that are rated side by side, one visit each; bodies of two visits; a person; and code."""
    body = PlanBuilder("body", [Channel("option", str, input=True), Channel("plus", str)], result="plus")
    body.node(Think("for", prompt="For <{option}>", writes="plus")).edge("for", "done", "against")
    body.node(Think("against", prompt="Against <{option}>: <{plus}>", writes="plus"))
    body.edge("against", "done", End("weighed"))
    channels = [Channel("options", list[str], input=True), Channel("ratings"), Channel("views"), Channel("wish", str)]
    sums = [
        Channel("log", list[str], reduce="append"),
        Channel("sum", int, reduce="add"),
        Channel("seen", reduce="merge"),
    ]
    builder = PlanBuilder("rated", [*channels, *sums])
    builder.node(Think("write", prompt="Begin: <{log}>", writes="log")).edge("write", "done", "rate")
    rater = Judge("rater", prompt="Rate <{option}>", score=(1, 10))
    builder.each("rate", over="options", as_="option", do=rater, collect="ratings", at_most=9)
    builder.edge("rate", "done", "weigh")
    builder.each("weigh", over="options", as_="option", do=body.build(), collect="views", at_most=9)
    builder.edge("weigh", "done", "look")
    builder.node(Human("look", text="Well? <{ratings}>", outcomes=["go", "again"], on_text="again", writes="wish"))
    builder.edge("look", "again", "write", at_most=2, bound="rounds", then=End("tired", ok=False))
    count = Act("count", lambda ratings: {"sum": 2, "seen": {"n": 1}}, writes=["sum", "seen"], version="1")
    builder.edge("look", "go", "count").node(count).edge("count", "done", "choose")
    choose = Route("choose", lambda sum: ("far", {"log": f"sum {sum}"}), outcomes=["far"], writes="log", version="1")
    return builder.node(choose).edge("choose", "far", End("done")).loop()


def model() -> RecordingModel:
    return RecordingModel(lambda call: {"score": 5} if call.node.endswith("rater") else f"{call.node}!")


def test_what_branches_are_suspended_by_is_told_until_they_go_on(store: Store) -> None:
    run = rated().start(OPTIONS, store=store, model=RecordingModel(lambda call: f"{call.node}?"))
    told = [
        (each.node, each.model, each.asked, each.said) for each in open_run(store, run.id, loop=rated()).suspensions
    ]
    assert told == [
        (f"rate[{place}]/rater", run.suspensions[0].model, f"Rate {tree}", (f"rate[{place}]/rater?",) * 2)
        for place, tree in enumerate(("oak", "ash"))
    ]
    run.resume(model=model())
    assert (run.status, run.suspensions) == ("waiting", ())


def test_what_was_said_is_kept_to_a_length_and_before_a_failure_too(store: Store) -> None:
    builder = PlanBuilder("grading", [Channel("mark")])
    builder.node(Judge("grade", prompt="Good?", outcomes=["yes", "no"], writes="mark"))
    loop = builder.edge("grade", "yes", End("good")).edge("grade", "no", End("bad")).loop()
    long = "x" * (MOST_LETTERS + 1)
    run = loop.start(store=store, model=ScriptedModel({"grade": [{"outcome": "so so"}, long]}))
    (told,) = run.suspensions
    assert (told.asked, told.said) == ("Good?", ('{"outcome": "so so"}', "x" * (MOST_LETTERS - 1) + "…"))
    run = loop.start(store=store, model=ScriptedModel({"grade": ["?", {"error": "401"}]}))
    (told,) = run.suspensions
    assert (told.reason, told.asked, told.said) == ("401", "Good?", ("?",))


OPTIONS = {"options": ["oak", "ash"]}


@pytest.fixture
def run(store: Store) -> Run:
    started = rated().start(OPTIONS, store=store, model=model())
    return started.resume("shorter").resume("go")


def test_every_moment_has_what_was_there(run: Run, store: Store) -> None:
    opened = open_run(store, run.id)  # without its code
    told = [(moment.visit.node, moment.before, moment.written) for moment in opened.history]
    assert told[0] == ("write", OPTIONS | {"log": [], "sum": 0, "seen": {}}, {"log": "write!"})
    by_node = {node: (before, written) for node, before, written in told}
    assert by_node["rate[1]/rater"] == ({"option": "ash"}, {"rater": 5})
    assert by_node["rate"][1] == {"ratings": [5, 5]}
    assert by_node["weigh[0]/for"] == ({"option": "oak"}, {"plus": "weigh[0]/for!"})
    assert by_node["weigh[0]/against"][0] == {"option": "oak", "plus": "weigh[0]/for!"}
    assert by_node["count"][1] == {"sum": 2, "seen": {"n": 1}}
    assert by_node["choose"][1] == {"log": "sum 2"}
    assert opened.history[-1].after == opened.state == run.state
    assert (opened.state["sum"], opened.state["log"]) == (2, ["write!", "write!", "sum 2"])


def test_each_state_leads_to_the_next(run: Run) -> None:
    outside = [moment for moment in run.history if "/" not in moment.visit.node]
    for moment, following in pairwise(outside):
        assert moment.after == following.before
        changed = {name for name, value in moment.after.items() if value != moment.before.get(name)}
        assert changed <= moment.written.keys()


def test_questions_are_made_again_as_they_were_asked(store: Store) -> None:
    asking = model()
    run = rated().start(OPTIONS, store=store, model=asking).resume("shorter")
    asked: Any = [moment.asked for moment in run.history if moment.visit.kind == "think"]
    said = [list(each.messages) for each in asked]
    assert sorted(map(str, said)) == sorted(str(list(call.messages)) for call in asking.calls)
    person: Any = next(moment.asked for moment in run.history if moment.visit.node == "look")
    assert person.text == store.registry.answers(run.id)[0].question.text


def test_the_past_of_a_brain_in_a_plan_has_what_it_began_with() -> None:
    plan = PlanBuilder("titles", [Channel("topic", str, input=True), Channel("title", str)], result="title")
    plan.node(TreeOfThought(prompt="<{topic}>", n=1, depth=2), name="think", writes="title")
    plan.edge("think", "done", End("thought"))
    asking = RecordingModel(
        {"expand": [{"options": ["a"]}, {"options": ["b"]}], "judge": [{"rating": 5}, {"rating": 5}]}
    )
    run = plan.loop().start({"topic": "bridges"}, model=asking)
    asked: Any = [moment.asked for moment in run.history if moment.visit.model]
    assert [list(each.messages) for each in asked] == [list(call.messages) for call in asking.calls]
    first = run.history[0]
    assert (first.visit.node, first.before["path"]) == ("think/expand 1[0]/expand", [])


def test_a_sequence_of_moments(run: Run) -> None:
    history = run.history
    assert len(history) == len(run.visits)
    assert history[-1].visit == run.visits[-1] == history[len(history) - 1].visit
    assert [moment.visit for moment in history[1:3]] == list(run.visits[1:3])
    for wrong in (99, len(history), -len(history) - 1):
        with pytest.raises(IndexError, match=f"there is no visit {wrong}; there are {len(history)}, counted from 0"):
            history[wrong]


def test_a_run_is_forked_with_another_state(run: Run) -> None:
    at = next(visit.index for visit in run.visits if visit.node == "look") + 1
    asking = model()
    fork = run.fork(at, set={"log": ["a", "b"], "options": ["elm"], "wish": "w"})
    assert (fork.status, fork.state["log"], fork.state["options"]) == ("interrupted", ["a", "b"], ["elm"])
    fork.resume(model=asking)
    assert (fork.status, fork.state["log"]) == ("waiting", ["a", "b", "write!"])
    assert [call.node for call in asking.calls] == ["write", "rate[0]/rater", "weigh[0]/for", "weigh[0]/against"]
    assert asking.calls[0].messages[-1]["content"] == "Begin: - a\n- b"
    fork.resume("go")
    assert (fork.end, fork.state["log"]) == (End("done"), ["a", "b", "write!", "sum 2"])
    assert fork.history[0].before == run.history[0].before
    assert fork.history[at].before["log"] == ["a", "b"]


def test_a_run_that_waits_is_forked_where_it_rests(store: Store) -> None:
    run = rated().start(OPTIONS, store=store, model=model())
    fork = run.fork(len(run.visits)).resume(model=model())
    assert (fork.status, fork.questions[0].text) == ("waiting", run.questions[0].text)
    assert fork.resume("go").end == End("done")
    assert run.status == "waiting"


def test_a_fork_before_a_join_joins_again(run: Run) -> None:
    join = next(visit.index for visit in run.visits if visit.node == "rate")
    asking = model()
    fork = run.fork(join).resume(model=asking)
    assert fork.state["ratings"] == run.history[join].after["ratings"]
    assert asking.calls[0].node.startswith("weigh")


def test_between_branches_no_run_can_stand(run: Run) -> None:
    nodes = [visit.node for visit in run.visits]
    first, join = next(place for place, node in enumerate(nodes) if node.startswith("weigh[")), nodes.index("weigh")
    for at in range(first + 1, join):
        with pytest.raises(RunError) as caught:
            run.fork(at)
        assert str(caught.value) == (
            f"run {run.id} cannot be forked at {at}, between the branches of 'weigh', which run side by side; give"
            f" {first}, before all of them, or {join}, before its branches are joined"
        )
    asking = model()
    fork = run.fork(first, set={"options": ["elm"]}).resume(model=asking)
    assert [call.node for call in asking.calls] == ["weigh[0]/for", "weigh[0]/against"]
    assert fork.status == "waiting"


@pytest.mark.parametrize(
    ("at", "changes", "words"),
    [
        (99, {}, "cannot be forked at 99; it has {count} visits: give 0 to {last}"),
        (-1, {}, "cannot be forked at -1"),
        (True, {}, "cannot be forked at True"),
        ("2", {}, "cannot be forked at '2'"),
        (0, {"logs": []}, r"there is no channel 'logs'; did you mean 'log'\? there are: log, options, ratings, seen, "),
        (0, {"log": "x", "sum": "y"}, "'log' does not fit: .*; 'sum' does not fit: "),
    ],
)
def test_what_does_not_fit_changes_nothing(run: Run, at: Any, changes: Any, words: str) -> None:
    count = len(run.visits)
    with pytest.raises(RunError, match=words.format(count=count, last=count - 1)):
        run.fork(at, set=changes)
    assert len(list(run.store.registry.all())) == 1


def test_a_run_that_was_not_begun_has_nothing_to_fork(store: Store) -> None:
    run = enter(rated().program, [{"options": ["oak"]}], store, {"default": model()})[0]
    with pytest.raises(RunError, match=f"^run {run.id} has made no visit yet; resume it, there is nothing to fork$"):
        run.fork(0)


def test_a_run_that_has_ended_is_forked_before_its_end(run: Run) -> None:
    count = len(run.visits)
    with pytest.raises(RunError, match=f"is finished after its {count} visits; it can be forked at 0 to {count - 1}"):
        run.fork(count)


@pytest.mark.parametrize("at", range(4))
def test_a_script_goes_on_where_the_fork_stands(store: Store, at: int) -> None:
    builder = PlanBuilder("row", [Channel("log", list[str], reduce="append")])
    builder.node(Think("write", prompt="?", writes="log")).edge("write", "done", "look")
    builder.node(Human("look", text="?", outcomes=["on", "off"])).edge("look", "off", End("off"))
    builder.edge("look", "on", "write", at_most=3, bound="rounds", then=End("end"))
    run = builder.loop().start(store=store, model=ScriptedModel({"write": ["A", "B", "C", "D"]}))
    run.resume("on").resume("on")
    fork = open_run(store, run.fork(at).id)
    while fork.resume("on" if fork.status == "waiting" else None).end is None:
        pass
    assert fork.state["log"] == ["A", "B", "C", "D"]


@pytest.mark.parametrize("named_by", ["", "id"])
def test_what_a_branch_of_one_visit_was_sent_is_found_by_its_name(named_by: str) -> None:
    builder = PlanBuilder("greetings", [Channel("all", default=[{"id": "ada"}, {"id": "bob"}]), Channel("said")])
    greet = Think("greet", prompt="Greet <{who}>")
    builder.each("greet", over="all", as_="who", do=greet, collect="said", named_by=named_by, at_most=2)
    run = builder.edge("greet", "done", End("done")).loop().start(model=RecordingModel(lambda call: "hello"))
    found = {moment.visit.node: moment.before for moment in run.history if "]" in moment.visit.node}
    second = "greet[id=bob]/greet" if named_by else "greet[1]/greet"
    assert found[second]["who"] == {"id": "bob"}
