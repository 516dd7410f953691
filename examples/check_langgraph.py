"""A LangGraph graph that compiles and answers nothing, and its repair: python examples/check_langgraph.py

The same from the command line:

    loopwright check examples/check_langgraph.py:broken
    loopwright draw examples/check_langgraph.py:repaired
"""

import operator
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from loopwright import stategraph


class Research(TypedDict):
    question: str
    notes: Annotated[list[str], operator.add]
    answer: str


def web(state: Research) -> dict[str, Any]:
    return {"notes": [f"the web on {state['question']}"]}


def books(state: Research) -> dict[str, Any]:
    return {"notes": [f"books on {state['question']}"]}


def answer(state: Research) -> dict[str, Any]:
    return {"answer": "; ".join(state["notes"])}


def choose(state: Research) -> str:
    return "books" if "history" in state["question"] else "web"


def nodes() -> Any:
    graph: Any = StateGraph(Research)
    return graph.add_node(web).add_node(books).add_node(answer).add_edge("answer", END)


broken = nodes()
broken.add_conditional_edges(START, choose, ["web", "books"])
broken.add_edge(["web", "books"], "answer")  # waits for both, and only one of them runs

repaired = nodes()
repaired.add_conditional_edges(START, choose, ["web", "books"])
repaired.add_edge("web", "answer")
repaired.add_edge("books", "answer")

if __name__ == "__main__":
    question = {"question": "the history of rope"}
    print("LangGraph says of the broken one:", broken.compile().invoke(question).get("answer"))
    print(stategraph.check(broken))
    print("And of the repaired one:", repaired.compile().invoke(question)["answer"])
    print(stategraph.check(repaired))
