"""What the findings mean that only LangGraph graphs have, each with a wrong and a right example.

The tests run every example: `graph` is a `StateGraph` with `topic` and `answer` in its state, and `node` does nothing.
"""

from loopwright.graphs.verify.findings import Code

_ASK = 'graph.add_node("ask", node).add_node("tell", node)\ngraph.add_edge(START, "ask").add_edge("ask", "tell")'
_FORK = (
    'graph.add_node("web", node).add_node("books", node).add_node("index", node).add_node("answer", node)\n'
    'graph.add_edge(START, "web").add_edge(START, "books").add_edge("books", "index").add_edge("answer", END)\n'
)
_CHOICE = (
    'graph.add_node("web", node).add_node("books", node).add_node("answer", node).add_edge("answer", END)\n'
    'graph.add_conditional_edges(START, lambda state: "web" if state["topic"] else "books", ["web", "books"])\n'
)
_WRITERS = (
    'graph.add_node("web", lambda state: {"answer": "a"}).add_node("books", lambda state: {"answer": "b"})\n'
    'graph.add_edge(START, "web").add_edge("books", END)\n'
)
_WIDE = (
    "    graph.add_node(name, node).add_node(name * 2, node).add_edge(START, name).add_edge(name * 2, END)\n"
    '    graph.add_conditional_edges(name, lambda state: state["topic"], [name * 2, END])'
)

OF_LANGGRAPH: dict[Code, tuple[str, str, str]] = {
    "dead-end": (
        "In LangGraph: a run ends at this node because nothing comes after it, and no edge says that it is meant. "
        "LangGraph takes a forgotten edge for an end.",
        _ASK,
        f'{_ASK}.add_edge("tell", END)',
    ),
    "double-run": (
        "In LangGraph: ways that run side by side and have different lengths come to a node one after the other, "
        "and it runs once for each, with everything after it.",
        f'{_FORK}graph.add_edge("web", "answer").add_edge("index", "answer")',
        f'{_FORK}graph.add_edge(["web", "index"], "answer")',
    ),
    "dropped-join": (
        "In LangGraph: an edge that waits for several nodes waits for one that a router has passed by. The run ends "
        "as a success, without the node behind the join and without all that follows it.",
        f'{_CHOICE}graph.add_edge(["web", "books"], "answer")',
        f'{_CHOICE}graph.add_edge("web", "answer").add_edge("books", "answer")',
    ),
    "open-router": (
        "In LangGraph: it cannot be seen what a router answers, or where a command goes. An answer that is no node, "
        "as Pass. instead of pass, ends the run as a success.",
        f'{_ASK}\ngraph.add_conditional_edges("tell", lambda state: state["answer"])',
        f'{_ASK}\ngraph.add_conditional_edges("tell", lambda state: state["answer"], {{"pass": END}})',
    ),
    "parallel-writers": (
        "In LangGraph: nodes that run in the same step write the same key, and it has no reducer that says what "
        "two writes come to. LangGraph refuses that in the middle of the run. Give it a reducer, or let one follow the "
        "other.",
        f'{_WRITERS}graph.add_edge(START, "books").add_edge("web", END)',
        f'{_WRITERS}graph.add_edge("web", "books")',
    ),
    "partly-explored": (
        "In LangGraph: so much can run side by side that not every combination was played. What was found is so; "
        "more may be wrong.",
        f'for name in "abcdefghijklmnop":\n{_WIDE}',
        f'for name in "abc":\n{_WIDE}',
    ),
}
"""The meaning, what is wrong and what is right, by code."""
