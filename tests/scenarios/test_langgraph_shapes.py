"""Graphs of LangGraph that everybody knows, each bounded in its own way: nothing is told of their loops."""

import operator
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.managed import RemainingSteps
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from loopwright import stategraph

MODEL: Any = None
"""A model, which is never called here."""

SEARCH: Any = None


def say(state: MessagesState) -> dict[str, Any]:
    return {"messages": [MODEL.invoke(state["messages"])]}


def reflection() -> Any:
    def reflect(state: MessagesState) -> dict[str, Any]:
        turned = [HumanMessage(each.content) for each in state["messages"][1:]]
        critique = MODEL.invoke([SystemMessage("Be a strict teacher."), *turned])
        return {"messages": [HumanMessage(content=critique.content)]}

    def should_continue(state: MessagesState) -> str:
        return END if len(state["messages"]) > 6 else "reflect"

    graph = StateGraph(MessagesState).add_node("generate", say).add_node("reflect", reflect)
    graph.add_edge(START, "generate").add_edge("reflect", "generate")
    return graph.add_conditional_edges("generate", should_continue)


class Essay(TypedDict):
    task: str
    draft: str
    critique: str
    revision_number: int
    max_revisions: int


def essay_writer() -> Any:
    def generate(state: Essay) -> dict[str, Any]:
        reply = MODEL.invoke([SystemMessage("Write."), HumanMessage(f"{state['task']}\n\n{state['critique']}")])
        return {"draft": reply.content, "revision_number": state.get("revision_number", 1) + 1}

    def reflect(state: Essay) -> dict[str, Any]:
        return {"critique": MODEL.invoke([HumanMessage(state["draft"])]).content}

    def should_continue(state: Essay) -> str:
        return END if state["revision_number"] > state["max_revisions"] else "reflect"

    graph = StateGraph(Essay).add_node("generate", generate).add_node("reflect", reflect)
    graph.add_edge(START, "generate").add_edge("reflect", "generate")
    return graph.add_conditional_edges("generate", should_continue, {END: END, "reflect": "reflect"})


class Plan(TypedDict):
    input: str
    plan: list[str]
    past_steps: Annotated[list[tuple[str, str]], operator.add]
    response: str
    retries: int


def plan_and_execute() -> Any:
    def planner(state: Plan) -> dict[str, Any]:
        return {"plan": MODEL.invoke({"messages": [("user", state["input"])]}).steps, "retries": 0}

    def execute(state: Plan) -> dict[str, Any]:
        task = state["plan"][0]
        reply = MODEL.invoke({"messages": [("user", task)]})
        return {"past_steps": [(task, reply["messages"][-1].content)], "plan": state["plan"][1:]}

    def is_done(state: Plan) -> Literal["execute", "solve"]:
        return "execute" if state["plan"] else "solve"

    graph = StateGraph(Plan).add_node("planner", planner).add_node("execute", execute)
    graph.add_node("solve", lambda state: {"response": MODEL.invoke(state["past_steps"])})
    graph.add_edge(START, "planner").add_edge("planner", "execute").add_edge("solve", END)
    return graph.add_conditional_edges("execute", is_done)


def plan_with_retries() -> Any:
    """The counter of the tries is set back for each step; what is left of the plan bounds the loop around it."""

    def attempt(state: Plan) -> dict[str, Any]:
        return {"response": MODEL.invoke(state["plan"][0]).content, "retries": state["retries"] + 1}

    def judge(state: Plan) -> str:
        if "failed" in state["response"] and state["retries"] < 3:
            return "attempt"
        return "advance"

    def advance(state: Plan) -> dict[str, Any]:
        done, *rest = state["plan"]
        return {"plan": rest, "past_steps": [(done, state["response"])], "retries": 0}

    def more(state: Plan) -> str:
        if not state["plan"]:
            return END
        return "attempt"

    graph = StateGraph(Plan).add_node("attempt", attempt).add_node("advance", advance).add_edge(START, "attempt")
    graph.add_conditional_edges("attempt", judge, ["attempt", "advance"])
    return graph.add_conditional_edges("advance", more, ["attempt", END])


class Steps(MessagesState):
    remaining_steps: RemainingSteps


def react() -> Any:
    def agent(state: Steps) -> dict[str, Any]:
        reply = MODEL.bind_tools([]).invoke(state["messages"])
        if state["remaining_steps"] < 2 and reply.tool_calls:
            return {"messages": [AIMessage("I need more steps.")]}
        return {"messages": [reply]}

    def should_continue(state: Steps) -> str:
        last = state["messages"][-1]
        return "tools" if getattr(last, "tool_calls", None) else END

    graph = StateGraph(Steps).add_node("agent", agent).add_node("tools", ToolNode([]))
    graph.add_edge(START, "agent").add_edge("tools", "agent")
    return graph.add_conditional_edges("agent", should_continue, ["tools", END])


class Team(MessagesState):
    turns: int


def supervisor() -> Any:
    def lead(state: Team) -> Command[Literal["researcher", "coder", "__end__"]]:
        if state.get("turns", 0) >= 10:
            return Command(goto="__end__")
        answer: Any = MODEL.with_structured_output(dict).invoke(state["messages"])["next"]
        goto: Any = END if answer == "FINISH" else answer
        return Command(goto=goto, update={"turns": state.get("turns", 0) + 1})

    def worker(state: Team) -> Command[Literal["lead"]]:
        reply = MODEL.invoke(state)
        return Command(goto="lead", update={"messages": [HumanMessage(reply["messages"][-1].content, name="worker")]})

    graph = StateGraph(Team).add_node("lead", lead).add_node("researcher", worker).add_node("coder", worker)
    return graph.add_edge(START, "lead")


class Rag(TypedDict):
    question: str
    documents: list[str]
    generation: str
    transform_count: int
    loop_step: Annotated[int, operator.add]


def self_rag() -> Any:
    def retrieve(state: Rag) -> dict[str, Any]:
        return {"documents": SEARCH.invoke(state["question"])}

    def generate(state: Rag) -> dict[str, Any]:
        return {"generation": MODEL.invoke({"context": state["documents"]}), "loop_step": 1}

    def transform(state: Rag) -> dict[str, Any]:
        count = state.get("transform_count") or 0
        count += 1
        return {"question": MODEL.invoke(state["question"]), "transform_count": count}

    def grade(state: Rag) -> Literal["useful", "not useful", "not supported", "max retries"]:
        if state["transform_count"] >= 3 or state["loop_step"] > 3:
            return "max retries"
        if MODEL.invoke({"documents": state["documents"], "generation": state["generation"]}).score == "no":
            return "not supported"
        return "useful" if MODEL.invoke({"question": state["question"]}).score == "yes" else "not useful"

    graph = StateGraph(Rag).add_node("retrieve", retrieve).add_node("generate", generate)
    graph.add_node("transform", transform).add_edge(START, "retrieve").add_edge("retrieve", "generate")
    graph.add_edge("transform", "retrieve")
    ways: dict[Any, str] = {"useful": END, "not useful": "transform", "not supported": "generate", "max retries": END}
    return graph.add_conditional_edges("generate", grade, ways)


def corrective_rag() -> Any:
    """It looks up the web at most once: nothing turns."""

    def grade(state: Rag) -> dict[str, Any]:
        kept = [each for each in state["documents"] if MODEL.invoke({"document": each}).score == "yes"]
        return {"documents": kept}

    def decide(state: Rag) -> str:
        return "generate" if state["documents"] else "web"

    graph = StateGraph(Rag).add_node("retrieve", lambda state: {"documents": SEARCH.invoke(state["question"])})
    graph.add_node("grade", grade).add_node("web", lambda state: {"documents": SEARCH.invoke(state["question"])})
    graph.add_node("generate", lambda state: {"generation": MODEL.invoke(state)}).add_edge(START, "retrieve")
    graph.add_edge("retrieve", "grade").add_edge("web", "generate").add_edge("generate", END)
    return graph.add_conditional_edges("grade", decide, ["generate", "web"])


class Tree(TypedDict):
    input: str
    root: Any
    depth: int


def tree_search() -> Any:
    def expand(state: Tree) -> dict[str, Any]:
        root = state["root"]
        best = max(root.children, key=lambda child: child.value)
        best.children.extend(MODEL.batch([state["input"]] * 5))
        return {"root": root, "depth": state["depth"] + 1}

    def should_loop(state: Tree) -> Literal["expand", "__end__"]:
        root = state["root"]
        return "__end__" if root.is_solved or root.height > 5 else "expand"

    graph = StateGraph(Tree).add_node("start", lambda state: {"root": MODEL.invoke(state["input"])})
    graph.add_node("expand", expand).add_edge(START, "start")
    return graph.add_conditional_edges("start", should_loop).add_conditional_edges("expand", should_loop)


def interview() -> Any:
    """Storm: a writer asks an expert, for some turns that are counted in what was said."""

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(MODEL.invoke(state).content, name="writer")]}

    def answer(state: MessagesState, max_str_len: int = 15_000) -> dict[str, Any]:
        found = str(SEARCH.batch(MODEL.invoke(state).queries))[:max_str_len]
        return {"messages": [AIMessage(MODEL.invoke(found).content, name="expert")]}

    def route(state: MessagesState, name: str = "expert") -> str:
        messages = state["messages"]
        answers = len([each for each in messages if isinstance(each, AIMessage) and each.name == name])
        if answers >= 5:
            return END
        return END if str(messages[-2].content).endswith("Thank you!") else "ask"

    graph = StateGraph(MessagesState).add_node("ask", ask).add_node("answer", answer).add_edge(START, "ask")
    return graph.add_edge("ask", "answer").add_conditional_edges("answer", route, ["ask", END])


class Digest(TypedDict):
    contents: list[str]
    summaries: Annotated[list[str], operator.add]
    collapsed: list[str]
    rounds: int
    final: str


def map_reduce() -> Any:
    """Summaries of many texts are collapsed until they are short enough, or for three rounds."""

    def collapse(state: Digest) -> dict[str, Any]:
        pairs = zip(state["collapsed"][::2], state["collapsed"][1::2], strict=False)
        return {"collapsed": [MODEL.invoke(pair) for pair in pairs], "rounds": state["rounds"] + 1}

    def should_collapse(state: Digest) -> Literal["collapse", "finish"]:
        too_long = sum(map(len, state["collapsed"])) > 1000
        return "collapse" if too_long and state["rounds"] < 3 else "finish"

    graph = StateGraph(Digest).add_node("summarize", lambda state: {"summaries": [MODEL.invoke(state["contents"][0])]})
    graph.add_node("collect", lambda state: {"collapsed": state["summaries"], "rounds": 0})
    graph.add_node("collapse", collapse).add_node("finish", lambda state: {"final": MODEL.invoke(state["collapsed"])})
    graph.add_conditional_edges(START, lambda s: [Send("summarize", {"contents": [c]}) for c in s["contents"]])
    graph.add_edge("summarize", "collect").add_edge("finish", END)
    graph.add_conditional_edges("collect", should_collapse).add_conditional_edges("collapse", should_collapse)
    return graph


class Chat(MessagesState):
    summary: str


def chat_with_summary() -> Any:
    """It always comes back to the person."""

    def talk(state: Chat) -> dict[str, Any]:
        summary = state.get("summary", "")
        messages = [SystemMessage(f"Before: {summary}"), *state["messages"]] if summary else state["messages"]
        return {"messages": [MODEL.invoke(messages)]}

    def summarize(state: Chat) -> dict[str, Any]:
        reply = MODEL.invoke([*state["messages"], HumanMessage("Summarize.")])
        old: list[Any] = [RemoveMessage(id=str(each.id)) for each in state["messages"][:-2]]
        return {"summary": reply.content, "messages": old}

    def should_summarize(state: Chat) -> str:
        return "summarize" if len(state["messages"]) > 6 else "person"

    def person(state: Chat) -> dict[str, Any]:
        return {"messages": [HumanMessage(interrupt("?"))]}

    graph = StateGraph(Chat).add_node("talk", talk).add_node("summarize", summarize).add_node("person", person)
    graph.add_edge(START, "talk").add_edge("summarize", "person").add_edge("person", "talk")
    return graph.add_conditional_edges("talk", should_summarize, ["summarize", "person"])


class Code(TypedDict):
    error: str
    messages: list[Any]
    generation: Any
    iterations: int


def code_assistant() -> Any:
    """The state's values are taken into local names first."""

    def generate(state: Code) -> dict[str, Any]:
        messages, iterations = state["messages"], state["iterations"]
        solution = MODEL.invoke({"messages": messages})
        messages += [("assistant", f"{solution.prefix}\n{solution.code}")]
        iterations = iterations + 1
        return {"generation": solution, "messages": messages, "iterations": iterations}

    def check(state: Code) -> dict[str, Any]:
        messages, solution, iterations = state["messages"], state["generation"], state["iterations"]
        try:
            SEARCH.run(solution.code)
        except ValueError as error:
            return {"messages": [*messages, ("user", str(error))], "iterations": iterations, "error": "yes"}
        return {"messages": messages, "iterations": iterations, "error": "no"}

    def decide(state: Code) -> str:
        error = state["error"]
        iterations = state["iterations"]
        return END if error == "no" or iterations == 3 else "generate"

    graph = StateGraph(Code).add_node("generate", generate).add_node("check", check).add_edge(START, "generate")
    return graph.add_edge("generate", "check").add_conditional_edges("check", decide, ["generate", END])


SHAPES = [
    reflection, essay_writer, plan_and_execute, plan_with_retries, react, supervisor, self_rag, corrective_rag,
    tree_search, interview, map_reduce, chat_with_summary, code_assistant,
]  # fmt: skip


@pytest.mark.parametrize("make", SHAPES, ids=lambda make: make.__name__)
def test_nothing_is_told_of_its_loops(make: Callable[[], Any]) -> None:
    found = stategraph.check(make().compile())
    assert [each for each in found if each.code == "unbounded-loop" or each.severity == "error"] == []
