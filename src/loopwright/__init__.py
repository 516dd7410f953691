"""loopwright: agent loops as explicit state graphs.

An agent loop written as a `while` hides its decisions. Here it is data: nodes with a closed set of outcomes and exactly
one edge for each of them. It is checked before a model is called, drawn, and run so that it can stop and go on.

This is the one door: everything public stands in `__all__`.
"""

from loopwright.errors import (
    AlreadyAnswered,
    ContractError,
    DamagedRun,
    DrawError,
    Fault,
    LeaseLost,
    LoopwrightError,
    ModelError,
    NotRecorded,
    NotWaiting,
    PlanError,
    RunBusy,
    RunError,
    ScriptEnded,
    SourceError,
    StoreError,
    UnknownRun,
    Unreadable,
    WrongAnswer,
)
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.compare.comparison import Comparison
from loopwright.graphs.compare.intervals import Interval
from loopwright.graphs.compare.standings import Pair, Standing
from loopwright.graphs.forms.role_cycle import RoleSettings
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import Bound, Branch, Edge, End, Fork, Plan, PlanNode, Way
from loopwright.graphs.run.batch import Batch
from loopwright.graphs.run.changed import Looked, migrate
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.moments import History, Moment
from loopwright.graphs.run.opening import open_batch, open_run, runs
from loopwright.graphs.run.serving import aserve, send, serve
from loopwright.graphs.run.speaking import speak
from loopwright.graphs.run.streams import AsyncStream, Stream
from loopwright.graphs.verify.findings import Finding, Findings
from loopwright.loop.action_map import ActionMap
from loopwright.loop.agents import InteractiveAgent, StaticAgent
from loopwright.loop.brains import MultiEval, SingleEval, TreeOfThought, ZeroShot
from loopwright.loop.compare import acompare, compare
from loopwright.loop.conversation import Conversation
from loopwright.loop.levels import Levels
from loopwright.loop.load import load
from loopwright.loop.loop import Loop
from loopwright.loop.pipeline import Pipeline
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.loop.society import Society
from loopwright.loop.think_loop import ThinkLoop
from loopwright.loop.tool_loop import ToolLoop
from loopwright.nodes.budget import Budget
from loopwright.nodes.code import CodeRef
from loopwright.nodes.contract import (
    Answer,
    AskModel,
    AskOutside,
    AskWorld,
    Contract,
    Message,
    Node,
    ToolCall,
    ToolSpec,
)
from loopwright.nodes.conversation.talk import Note, StopRule
from loopwright.nodes.effects import AskEffect, effect
from loopwright.nodes.emit import Emit
from loopwright.nodes.events import (
    Event,
    Held,
    Retrying,
    RunAwaited,
    RunEnded,
    RunStarted,
    RunSuspended,
    RunWaiting,
    TextSaid,
    TextWithdrawn,
    VisitEnded,
    VisitStarted,
)
from loopwright.nodes.functions import Act, Route, node
from loopwright.nodes.history import Window
from loopwright.nodes.inbox import AskInbox
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply, StreamingModel
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import RunnableModel
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.role import Rounds, Stop
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.nodes.world.entities import Change, World
from loopwright.state.channels import Channel, State, add, append, extend, input, merge
from loopwright.state.records import (
    Delivery,
    Effect,
    Extension,
    Grant,
    Outgoing,
    Question,
    Suspension,
    Usage,
    Visit,
)
from loopwright.state.store.exposure import ExposedStore
from loopwright.state.store.store import Store
from loopwright.version import __version__

__all__ = [
    # what users hold
    "Batch",
    "Loop",
    "MultiEval",
    "Conversation",
    "InteractiveAgent",
    "Levels",
    "Pipeline",
    "RoleCycle",
    "StaticAgent",
    "Run",
    "SingleEval",
    "Society",
    "Store",
    "Stream",
    "AsyncStream",
    "ToolLoop",
    "TreeOfThought",
    "ZeroShot",
    "load",
    "migrate",
    "open_batch",
    "open_run",
    "runs",
    "aserve",
    "send",
    "serve",
    "speak",
    # plans
    "Bound",
    "Branch",
    "Edge",
    "End",
    "Fork",
    "Plan",
    "PlanBuilder",
    "PlanNode",
    "Way",
    # state
    "Channel",
    "State",
    "add",
    "append",
    "extend",
    "input",
    "merge",
    # nodes
    "Act",
    "ActionMap",
    "Answer",
    "AskEffect",
    "AskInbox",
    "AskModel",
    "AskOutside",
    "AskWorld",
    "CodeRef",
    "Contract",
    "Emit",
    "Human",
    "Judge",
    "Message",
    "Node",
    "Outgoing",
    "Route",
    "Think",
    "ThinkLoop",
    "Wait",
    "effect",
    "node",
    # forms
    "RoleSettings",
    "Change",
    "Rounds",
    "Note",
    "Stop",
    "StopRule",
    "Window",
    "World",
    # models, and what they may take
    "Budget",
    "Price",
    "Model",
    "ModelCall",
    "ModelRef",
    "ModelReply",
    "Recording",
    "RunnableModel",
    "ScriptedModel",
    "StreamingModel",
    "ToolCall",
    "ToolSpec",
    # proofs
    "Certificate",
    "Finding",
    "Findings",
    # comparisons
    "Comparison",
    "Interval",
    "Pair",
    "Standing",
    "acompare",
    "compare",
    # records and events
    "Delivery",
    "Event",
    "Held",
    "Effect",
    "ExposedStore",
    "Extension",
    "Grant",
    "History",
    "Looked",
    "Migration",
    "Moment",
    "Question",
    "Suspension",
    "Retrying",
    "RunAwaited",
    "RunEnded",
    "RunStarted",
    "RunSuspended",
    "RunWaiting",
    "TextSaid",
    "TextWithdrawn",
    "Usage",
    "Visit",
    "VisitEnded",
    "VisitStarted",
    # errors
    "AlreadyAnswered",
    "ContractError",
    "DrawError",
    "Fault",
    "LeaseLost",
    "LoopwrightError",
    "ModelError",
    "NotRecorded",
    "NotWaiting",
    "PlanError",
    "RunBusy",
    "RunError",
    "ScriptEnded",
    "SourceError",
    "DamagedRun",
    "StoreError",
    "UnknownRun",
    "Unreadable",
    "WrongAnswer",
    "__version__",
]
