"""Read: every way of making a graph becomes its reading, in the same order every time."""

import operator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from loopwright.graphs.stategraph.reading import Choice, Join, Option, Reading, ReadNode, Writes
from loopwright.sources.langgraph.read import is_graph, read_graph


class State(TypedDict):
    text: str
    notes: Annotated[list[str], operator.add]


class Text(TypedDict):
    text: str


class Notes(TypedDict):
    notes: Annotated[list[str], operator.add]


class Steps(State):
    left: RemainingSteps


def idle(state: State) -> dict[str, Any]:
    return {}


def builder(*names: str, schema: Any = State, **options: Any) -> Any:
    """A builder of idle nodes that the start leads to the first of."""
    made = StateGraph(schema, **options)
    for name in names:
        made.add_node(name, idle)
    return made.add_edge(START, names[0]) if names else made


def choice_of(reading: Reading, name: str) -> Choice:
    (choice,) = reading.nodes[name].choices
    return choice


def ways(choice: Choice) -> list[tuple[str, str, bool]]:
    return [(option.label, " ".join(option.targets), option.sure) for option in choice.options]


def test_what_is_a_graph() -> None:
    made = builder("a")
    values: list[Any] = [made, made.compile(), {}, RunnableLambda(idle)]
    assert [is_graph(value) for value in values] == [True, True, False, False]


def test_edges_and_joins_come_in_the_order_of_the_nodes() -> None:
    made = builder("a", "b", "c", "d")
    for source, target in (("c", END), ("b", "d"), ("a", "c"), ("a", "b"), (["d", "c"], "a"), (["b", "c"], END)):
        made.add_edge(source, target)
    reading = read_graph(made, "talk")
    assert (reading.name, reading.names, reading.nodes["a"].always) == ("talk", ("a", "b", "c", "d"), ("b", "c"))
    assert reading.joins == (Join(("d", "c"), "a"),)
    assert reading.nodes["c"].always == (END,)


def test_entry_and_finish_points_are_edges() -> None:
    made = StateGraph(State).add_node("a", idle).set_entry_point("a").set_finish_point("a")
    reading = read_graph(made)
    assert (reading.targets(START), reading.targets("a")) == (("a",), (END,))


def test_edges_to_nowhere_are_kept_apart() -> None:
    made = builder("a").add_edge("a", "b")
    made.edges.add(("c", "a"))
    reading = read_graph(made)
    assert (reading.faults, reading.nodes["a"].always) == ((("a", "b"), ("c", "a")), ())


def by_literal(state: State) -> Literal["b", "__end__"]:
    answer: Any = state["text"]
    return answer  # type: ignore[no-any-return]


def by_list(state: State) -> list[str]:
    return state["notes"]


def by_code(state: State) -> Any:
    return "b" if state["text"] else "nobody"


@pytest.mark.parametrize(
    ("router", "path_map", "expected", "open_", "lost"),
    [
        (by_code, None, [("b", "b", True)], False, ("nobody",)),
        (by_code, {"b": "b", "nobody": END}, [("b", "b", True), ("nobody", END, True)], False, ()),
        (by_code, {"b": "b", "c": "c"}, [("b", "b", True), ("c", "c", False)], False, ("nobody",)),
        (by_literal, None, [("b", "b", True), (END, END, True)], False, ()),
        (by_list, ["b", "c"], [("b", "b", False), ("c", "c", False)], False, ()),
        (by_list, None, [], True, ()),
        (RunnableLambda(by_code), None, [("b", "b", True)], False, ("nobody",)),
        (RunnablePassthrough(), {1: "b"}, [("1", "b", False)], False, ()),
    ],
)
def test_routers(router: Any, path_map: Any, expected: Any, open_: bool, lost: tuple[str, ...]) -> None:
    made = builder("a", "b", "c").add_conditional_edges("a", router, path_map)
    choice = choice_of(read_graph(made), "a")
    assert (ways(choice), choice.open, choice.lost) == (expected, open_, lost)


def test_a_path_map_to_nowhere_is_lost() -> None:
    made = builder("a").add_conditional_edges("a", by_list, {"x": "nobody"})
    assert choice_of(read_graph(made), "a").lost == ("nobody",)


def test_two_routers_of_one_node_and_one_of_the_start() -> None:
    made = builder("a", "b").add_conditional_edges("a", by_code, {"b": "b", "nobody": END})
    made.add_conditional_edges("a", by_literal).add_conditional_edges(START, by_literal)
    reading = read_graph(made)
    assert [choice.name for choice in reading.nodes["a"].choices] == ["by_code", "by_literal"]
    assert choice_of(reading, START).name == "by_literal"


def spread(state: State) -> list[Send]:
    return [Send("b", {"text": note}) for note in state["notes"]]


def test_sent_tasks() -> None:
    for path_map in (None, ["b"]):
        made = builder("a", "b").add_conditional_edges("a", spread, path_map)
        assert choice_of(read_graph(made), "a").options == (Option(("b",), "send", many=True, sent=True),)


def goes(state: State) -> Any:
    return Command(goto="b" if state["text"] else END)


def goes_anywhere(state: State) -> Any:
    return Command(goto=state["text"])


def goes_as_declared(state: State) -> dict[str, Any] | Command[Literal["b"]]:
    answer: dict[str, Any] = helped(state)
    return answer


def helped(state: State) -> Any:
    return Command(goto="b")


def goes_unknown(state: State) -> Command[Any]:
    return goes(state)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("node", "destinations", "expected", "open_"),
    [
        (goes, None, [("b", "b", True), ("end", END, True)], False),
        (goes, ("b", "c"), [("b", "b", True), ("end", END, True), ("", "c", False)], False),
        (goes_anywhere, None, [], True),
        (goes_anywhere, {"b": "onwards"}, [("onwards", "b", False)], False),
        (goes_as_declared, None, [("", "b", False)], False),
        (goes_unknown, None, [], True),
    ],
)
def test_commands(node: Any, destinations: Any, expected: Any, open_: bool) -> None:
    made = builder("b", "c").add_node("a", node, destinations=destinations)
    choice = choice_of(read_graph(made), "a")
    assert (ways(choice), choice.open, choice.command) == (expected, open_, True)


def test_a_node_without_commands_has_no_choice() -> None:
    assert read_graph(builder("a")).nodes["a"].choices == ()


def wrong_goto(state: State) -> Any:
    return Command(goto="nobody")


def test_a_command_to_nowhere_is_lost() -> None:
    assert choice_of(read_graph(builder("b").add_node("a", wrong_goto)), "a").lost == ("nobody",)


def leaves(state: State) -> Any:
    return Command(goto="after", graph=Command.PARENT)


def test_a_subgraph_that_leaves_by_itself() -> None:
    inner = builder("x").add_node("leave", leaves).add_edge("x", "leave").compile()
    outer = builder("after").add_node("inner", inner)
    reading = read_graph(outer)
    assert choice_of(reading, "inner").open
    declared = builder("after").add_node("inner", inner, destinations=("after",))
    assert ways(choice_of(read_graph(declared), "inner")) == [("", "after", False), ("", "", False)]


def test_a_subgraph_is_read_too() -> None:
    inner = builder("x", schema=Text).compile(name="inner talk")
    node = read_graph(builder("a").add_node("inner", inner)).nodes["inner"]
    assert node.body is not None
    assert (node.kind, node.body.name, node.body.names) == ("subgraph", "inner talk", ("x",))
    assert node.writes == Writes(frozenset(), frozenset({"text"}), known=True)


def test_the_state() -> None:
    reading = read_graph(builder("a", input_schema=Text))
    assert (sorted(reading.unreduced), sorted(reading.empty)) == (["text"], [])
    assert sorted(read_graph(builder("a", input_schema=Notes)).empty) == ["text"]


def shaped(state: State) -> Text:
    return helped(state)  # type: ignore[no-any-return]


def whole(state: State) -> State:
    return helped(state)  # type: ignore[no-any-return]


def test_what_nodes_write_and_read() -> None:
    made = builder("a").add_node("b", shaped).add_node("c", whole).add_node("d", lambda state: {"text": state["text"]})
    made.add_node("e", RunnableLambda(len))
    nodes = read_graph(made).nodes
    text = frozenset({"text"})
    assert [nodes[name].writes for name in "abcde"] == [
        Writes(known=True), Writes(text, text, True), Writes(), Writes(text, text, True), Writes()
    ]  # fmt: skip
    assert (nodes["d"].reads, nodes["a"].reads) == (text, frozenset())


def test_bounds_and_pauses() -> None:
    made = builder("a", "b")
    assert read_graph(made.compile().with_config(recursion_limit=25)).bounded == "recursion_limit 25"
    assert read_graph(made.compile()).bounded == ""
    assert read_graph(builder("a", schema=Steps)).bounded == "remaining steps"
    stopped = read_graph(made.compile(interrupt_before=["a"], interrupt_after=["b"]))
    assert [stopped.nodes[name].paced for name in "ab"] == [True, True]
    assert read_graph(made.compile(interrupt_before="*")).nodes["b"].paced


def test_deferred_nodes_and_handlers() -> None:
    made = StateGraph(State).add_node("a", idle, defer=True, error_handler=idle).add_edge(START, "a")
    nodes = read_graph(made).nodes
    assert (nodes["a"].deferred, nodes["a"].on_failure) == (True, "__error_handler__a")
    assert nodes["__error_handler__a"].handler


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "app.py"
    file.write_text("from x import idle\nb.add_node('a', idle)\n")
    monkeypatch.chdir(tmp_path)
    node = read_graph(builder("a"), file="app.py").nodes["a"]
    assert (node.file, node.line) == ("app.py", 2)
    monkeypatch.chdir(Path(__file__).parent)
    node = read_graph(builder("a")).nodes["a"]
    assert (node.file, node.line) == ("test_read.py", idle.__code__.co_firstlineno)


def test_nothing_of_a_graph_is_called() -> None:
    def explodes(*_: Any) -> Any:
        raise AssertionError("called")

    made: Any = StateGraph(State)
    made.add_node("a", explodes).add_node("b", RunnableLambda(explodes)).add_edge(START, "a")
    made.add_conditional_edges("a", explodes, {"x": "b"})
    assert read_graph(made.compile()).targets("a") == ("b",)


def test_reading_the_same_graph_twice_gives_the_same() -> None:
    def made() -> Any:
        return builder("a", "b").add_edge("a", "b").add_edge("b", END).add_conditional_edges("a", by_literal)

    assert read_graph(made()) == read_graph(made())
    assert isinstance(read_graph(made()).nodes["a"], ReadNode)
