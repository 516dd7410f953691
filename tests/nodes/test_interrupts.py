"""Code that asks a person in LangGraph's own way."""

from typing import Any

import pytest
from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

from loopwright.errors import ContractError
from loopwright.graphs.plan import End
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.tool_loop import ToolLoop
from loopwright.nodes.functions import Act
from loopwright.nodes.interrupts import require_no_interrupt
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.channels import Channel


def test_a_question_of_langgraphs_is_refused() -> None:
    require_no_interrupt(KeyError("none"))
    with pytest.raises(ContractError, match=r"ask with a node lw\.Human, or name the tool in approve"):
        require_no_interrupt(GraphInterrupt(()))


def ask_someone() -> Any:
    """Ask a person."""
    return interrupt("who?")


def test_a_function_and_a_tool_that_ask_so_suspend_the_run_and_say_what_to_do() -> None:
    plan = PlanBuilder("ask", [Channel("name", str)], result="name")
    plan.node(Act("ask", ask_someone, writes="name")).edge("ask", "done", End("asked")).edge(
        "ask", "failed", End("not")
    )
    tools = ToolLoop([ask_someone])
    model = ScriptedModel({"ask": [{"tool": "ask_someone", "args": {}}]})
    for run in (plan.loop().start(), tools.start({"task": "?"}, model=model)):
        assert run.status == "suspended"
        assert "interrupt() of LangGraph asks nobody from inside a node" in run.reason
