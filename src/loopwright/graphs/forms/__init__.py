"""The forms: each file turns one kind of spec into a plan. Importing this package enters all of them in `FORMS`."""

from loopwright.graphs.forms.action_map import ActionMapSpec
from loopwright.graphs.forms.brain import BrainSpec
from loopwright.graphs.forms.conversation import ConversationSpec
from loopwright.graphs.forms.graph import GraphSpec
from loopwright.graphs.forms.levels import LevelsSpec
from loopwright.graphs.forms.pipeline import PipelineSpec
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.graphs.forms.society import SocietySpec
from loopwright.graphs.forms.think_loop import ThinkLoopSpec
from loopwright.graphs.forms.tool_loop import ToolLoopSpec

__all__ = [
    "ActionMapSpec",
    "BrainSpec",
    "ConversationSpec",
    "GraphSpec",
    "LevelsSpec",
    "PipelineSpec",
    "RoleCycleSpec",
    "SocietySpec",
    "ThinkLoopSpec",
    "ToolLoopSpec",
]
