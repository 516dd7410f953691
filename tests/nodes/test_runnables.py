"""Runnables as the code of nodes: what they are given, and what is made of what they give."""

import asyncio
import operator
from typing import Annotated, Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from loopwright.errors import ContractError
from loopwright.nodes.runnables import Invoked, reads_of

PROMPT = ChatPromptTemplate.from_template("On {topic}, in {words} words.")


class Counted(TypedDict):
    topic: str
    length: int
    log: Annotated[list[str], operator.add]


def counting() -> Any:
    """A graph of LangGraph that counts letters."""
    graph = StateGraph(Counted)
    graph.add_node("count", lambda state: {"length": len(state["topic"]), "log": ["counted"]})
    graph.add_edge(START, "count")
    return graph.compile()


def talking() -> Any:
    """A graph of LangGraph with messages, as agents have them."""
    graph = StateGraph(MessagesState)
    calls = [{"id": "1", "name": "now", "args": {}}]
    said = [AIMessage("", tool_calls=calls), ToolMessage("noon", tool_call_id="1"), AIMessage("No.")]
    graph.add_node("talk", lambda state: {"messages": said})
    graph.add_edge(START, "talk")
    return graph.compile()


def chat(*replies: str) -> FakeListChatModel:
    return FakeListChatModel(responses=list(replies))


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def awaited(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def called(code: Invoked, awaited: bool, **reads: Any) -> Any:
    return asyncio.run(code.acall(**reads)) if awaited else code(**reads)


def test_a_chain_gets_a_mapping_and_a_message_is_its_text(awaited: bool) -> None:
    asked: list[Any] = []

    def keep(prompt: Any) -> Any:
        asked.append(prompt.to_string())
        return prompt

    look: RunnableLambda[Any, Any] = RunnableLambda(keep)
    assert called(Invoked(PROMPT | look | chat("Rot."), ["draft"]), awaited, topic="wood", words=3) == "Rot."
    assert asked == ["Human: On wood, in 3 words."]
    assert called(Invoked(PROMPT | chat("Rot.") | StrOutputParser(), ["draft"]), awaited, topic="a", words=1) == "Rot."


def test_data_of_a_parser_is_spread_over_what_is_written() -> None:
    chain = PROMPT | chat('{"draft": "Rot.", "points": 3}') | JsonOutputParser()
    assert Invoked(chain, ["draft", "points"])(topic="a", words=1) == {"draft": "Rot.", "points": 3}
    assert Invoked(chain, ["all"])(topic="a", words=1) == {"draft": "Rot.", "points": 3}


def test_of_a_graphs_state_what_is_written_is_taken(awaited: bool) -> None:
    assert called(Invoked(counting(), ["length"]), awaited, topic="wood") == {"length": 4}


def test_messages_are_a_chat_that_is_taken_back(awaited: bool) -> None:
    talk = Invoked(talking(), ["messages"])
    said = called(talk, awaited, messages=[{"role": "user", "content": "Late?"}])
    assert said == {
        "messages": [
            {"role": "user", "content": "Late?"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "name": "now", "args": {}}]},
            {"role": "tool", "content": "noon", "tool_call_id": "1"},
            {"role": "assistant", "content": "No."},
        ]
    }
    assert called(talk, awaited, **said)["messages"][:4] == said["messages"]


def test_what_takes_no_mapping_gets_the_one_value() -> None:
    assert Invoked(chat("Rot."), ["draft"])(topic="A risk?") == "Rot."
    upper: RunnableLambda[Any, Any] = RunnableLambda(lambda given: given["topic"].upper())
    assert Invoked(upper, ["draft"])(topic="wood") == "WOOD"


def test_an_interrupt_is_nothing_that_one_visit_can_wait_for() -> None:
    graph = StateGraph(Counted)
    graph.add_node("ask", lambda state: {"topic": interrupt("which?")})
    graph.add_edge(START, "ask")
    stopping: Any = graph.compile(checkpointer=InMemorySaver()).with_config(configurable={"thread_id": "1"})
    with pytest.raises(ContractError, match="the graph stopped at an interrupt"):
        Invoked(stopping, ["topic"])(topic="")


def test_what_a_runnable_takes() -> None:
    assert reads_of(PROMPT | chat("a"), "write") == ("topic", "words")
    assert reads_of(counting(), "count") == ("topic", "length", "log")
    with pytest.raises(TypeError, match="node 'up': its runnable does not say what it takes"):
        reads_of(RunnableLambda(str.upper), "up")


def test_the_same_runnable_is_the_same_code() -> None:
    chain = PROMPT | chat("a")
    assert Invoked(chain, ["a"]) == Invoked(chain, ["a"])
    assert len({Invoked(chain, ["a"]), Invoked(chain, ["a"]), Invoked(chain, ["b"])}) == 2


def test_a_duck_is_a_runnable() -> None:
    class Duck:
        def invoke(self, given: Any) -> Any:
            return {"said": given}

        async def ainvoke(self, given: Any) -> Any:
            return {"said": given}

    duck = Invoked(Duck(), ["said"])
    assert duck(topic="quack") == asyncio.run(duck.acall(topic="quack")) == {"said": {"topic": "quack"}}
