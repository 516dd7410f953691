"""The ways out of nodes: whatever the counts, the engine is sent where the plan leads, and told the same counts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compile.exits import Exits
from loopwright.graphs.compile.names import END_KEY, count_key, engine_name
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.transitions import Transitions
from loopwright.loop.plan_builder import PlanBuilder as LoopBuilder
from loopwright.nodes.functions import Act, Route
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel


def books() -> Plan:
    """A nested plan with channels of its own, in a loop of books; its node has a name that the engine forbids."""
    pages = PlanBuilder("pages", [Channel("notes", list[str], reduce="append"), Channel("last", int, default=0)])
    pages.node(Judge("turn:page", prompt="?", outcomes=["bad", "next"], writes="last")).edge(
        "turn:page", "next", End("read")
    )
    pages.edge("turn:page", "bad", "turn:page", at_most=2, bound="tries", then=End("torn", ok=False))
    builder = PlanBuilder("books", [Channel("title")]).node(Think("open", prompt="?", writes="title"))
    builder.node(pages.build()).edge("open", "done", "pages").edge("pages", "read", "look").edge(
        "pages", "torn", "look"
    )
    builder.node(Judge("look", prompt="?", outcomes=["more", "enough"])).edge("look", "enough", End("read"))
    return builder.edge("look", "more", "open", at_most=1, bound="books", then=End("many", ok=False)).build()


PLAN = books()
COUNTS = st.fixed_dictionaries({}, optional={count_key(name): st.integers(0, 3) for name in PLAN.bounds})


@given(st.sampled_from(sorted(PLAN.routes)), COUNTS)
def test_the_engine_is_sent_where_the_plan_leads(route: tuple[str, str], state: dict[str, int]) -> None:
    step = Transitions(PLAN).take(*route, lambda bound: state.get(count_key(bound), 0))
    target, command = Exits(PLAN).leave(*route, "", {"title": "T"}, state)
    assert target == step.target
    assert command.goto == (END if target in PLAN.ends else engine_name(target))
    written: Any = command.update
    assert {key: written[key] for key in written if key.startswith("lw:count:")} == {
        count_key(bound): count for bound, count in step.counts.items()
    }
    assert (END_KEY in written) is (target in PLAN.ends)
    assert written["title"] == "T"


def test_what_is_entered_is_as_it_was_before_the_first_write() -> None:
    target, command = Exits(PLAN).leave("open", "done", "", {}, {"pages/notes": ["old"], "pages/last": 3})
    update: Any = command.update
    assert target.startswith("pages")
    assert update["pages/last"] == 0
    assert update["pages/notes"].value == []


@pytest.mark.parametrize(
    ("route", "reason", "books", "end"),
    [
        (("look", "enough"), "", 0, {"end": "read", "reason": "look answered 'enough'"}),
        (("look", "enough"), "all is read", 0, {"end": "read", "reason": "all is read"}),
        (("look", "more"), "", 1, {"end": "many", "reason": "bound 'books' used up: led back to 'open' 1 of 1 times"}),
        (
            ("look", "more"),
            "one is not enough",
            5,
            {"end": "many", "reason": "bound 'books' used up: led back to 'open' 1 of 1 times; one is not enough"},
        ),
    ],
)
def test_an_end_says_why(route: tuple[str, str], reason: str, books: int, end: dict[str, str]) -> None:
    target, command = Exits(PLAN).leave(*route, reason, {}, {count_key("books"): books})
    assert (target, command.goto, command.update) == (end["end"], END, {END_KEY: end})


def test_a_thread_that_has_ended_begins_afresh_with_new_inputs() -> None:
    channels = [
        Channel("task", str, input=True),
        Channel("notes", list[str], reduce="append"),
        Channel("sum", int, reduce="add"),
        Channel("found", dict[str, int], reduce="merge"),
        Channel("last", str, default="none"),
        Channel("only_a", str),
    ]
    plan = LoopBuilder("turns", channels)

    def write(task: str, notes: list[str], sum: int, last: str) -> dict[str, Any]:
        return {"notes": f"{task} after {len(notes)}, {sum}, {last}", "sum": 1, "found": {task: 1}, "last": task} | (
            {"only_a": task} if task == "a" else {}
        )

    plan.node(Act("write", write, writes=["notes", "sum", "found", "last"], may_write="only_a"))
    plan.node(Route("again", lambda sum: "yes", outcomes=["yes", "no"]))
    plan.edge("write", "done", "again").edge("again", "no", End("no"))
    plan.edge("again", "yes", "write", at_most=1, bound="rounds", then=End("read"))
    graph, thread = plan.loop().compile(InMemorySaver()), {"configurable": {"thread_id": "1"}}
    for task in ("a", "b"):
        state = graph.invoke({"task": task}, thread)
        assert {name: state[name] for name in ("notes", "sum", "found", "last")} == {
            "notes": [f"{task} after 0, 0, none", f"{task} after 1, 1, {task}"],
            "sum": 2,
            "found": {task: 1},
            "last": task,
        }
        assert state.get("only_a") == ("a" if task == "a" else None)
        assert state[END_KEY]["end"] == "read"


def test_a_thread_whose_plan_begins_with_a_fork_begins_afresh_too() -> None:
    channels = [Channel("items", list[str], input=True), Channel("all", list[str], reduce="extend")]
    plan = LoopBuilder("turns", channels)
    shout = Act("shout", lambda item: item.upper(), writes="said")
    body = PlanBuilder("body", [Channel("item", str, input=True), Channel("said", str)], result="said")
    body.node(shout).edge("shout", "done", End("said"))
    plan.each("each", over="items", as_="item", at_most=2, do=body, collect="all")
    plan.edge("each", "done", "again")
    plan.node(Route("again", lambda all: "yes", outcomes=["yes", "no"])).edge("again", "no", End("no"))
    plan.edge("again", "yes", "each", at_most=1, bound="rounds", then=End("read"))
    graph, thread = plan.loop().compile(InMemorySaver()), {"configurable": {"thread_id": "1"}}
    assert [graph.invoke({"items": [item]}, thread)["all"] for item in "ab"] == [["A", "A"], ["B", "B"]]
