"""What nodes write is the run's own, and what is added stays a number that can be kept."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.graph import END
from langgraph.runtime import Runtime
from langgraph.types import Command

from loopwright.errors import ContractError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compile.context import Context
from loopwright.graphs.compile.exits import Exits
from loopwright.graphs.compile.names import AT, END_KEY
from loopwright.graphs.compile.visits import EngineNode
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.events import Event, VisitEnded, VisitStarted
from loopwright.nodes.think import Think
from loopwright.state.channels import Channel
from loopwright.state.records import Usage, Visit
from loopwright.testing.scripts import RecordingModel

TASK: Any = {"configurable": {"__pregel_task_id": "t1", AT: "rate[2]/"}}


def essays() -> Plan:
    """A nested plan, whose channels have other names outside, and a judge of nothing after it."""
    inner = PlanBuilder("essay", [Channel("topic", str, input=True), Channel("tone", str, default="plain")])
    inner.channel("notes", list[str], reduce="append") if False else None
    inner.node(Think("write", prompt="<{topic}>, <{tone}>", writes="draft")).edge("write", "done", End("written"))
    return inner.build()
