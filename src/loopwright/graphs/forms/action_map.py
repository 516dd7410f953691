"""The form `action_map`: which brains carry out an action, and which actions have to follow it.

The action-brain map is that of GenWorlds (2023); both shapes that it had there are taken as they are.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.actions.action_map import CHOOSE, MapSettings
from loopwright.graphs.actions.chains import BEGIN, SEND
from loopwright.graphs.actions.follow_ups import name_of, queues
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.action_entries import (
    ActionField,
    BrainField,
    brain_made,
    faults_of_actions,
    faults_of_brains,
)
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import BuiltSpec
from loopwright.nodes.actions.names import DEFAULT
from loopwright.nodes.models.reference import ModelRef

Actions = Annotated[dict[Name, ActionField], Field(min_length=1)]


class ActionMapSpec(BuiltSpec):
    """An action-brain map by itself: it carries out one action, and all that has to follow.

    Its inputs are the `action`, the `aim`, and what its brains name. Its result is the list of the events that it made.

    Args:
        name: The plan's name.
        brains: The brains by name: `type: zero_shot`, `single_eval`, `multi_eval` or `tree_of_thought`; `act` for a
            function; `plan` for a whole plan. In Python also functions, nodes, plans and loops as they are.
        actions: The actions by name, each with its `brains` and `next_actions`, or a list of brains alone. `default` is
            for all that are not named.
        retries: How often an action that has to follow is tried again when it comes to nothing.
        sender: Who sends the events, as they say in `sender_id`; the plan's name when left out.
        models: Model references by name.

    Example:
        >>> brains = {"fill": {"type": "zero_shot", "role": "event_filler"}}
        >>> spec = ActionMapSpec(brains=brains, actions={"speak": {"brains": ["fill"], "next_actions": ["give"]},
        ...     "give": ["fill"]})
        >>> [edge.way.target for edge in spec.plan().edges if edge.source == "speak/send"]
        ['then give/begin', 'nothing']
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    kind: Literal["action_map"] = "action_map"
    brains: dict[Name, BrainField] = Field(default_factory=dict)
    actions: Actions
    retries: int = Field(3, ge=0, strict=True)
    sender: str = ""
    models: Mapping[Name, ModelRef] = Field(default_factory=dict)

    def make(self) -> PlanBuilder | list[Fault]:
        """The plan with its code, or why there is none."""
        faults = [*faults_of_brains(self.brains, brain_made), *faults_of_actions(self.actions, self.brains)]
        if faults:
            return faults
        name = self.name or self.kind
        return MapSettings(
            name,
            {key: entry.made for key, entry in self.actions.items()},
            {key: brain_made(entry, key) for key, entry in self.brains.items()},
            retries=self.retries,
            sender=self.sender or name,
            models=self.models,
        ).builder()

    def path_of(self, place: Path) -> Path:
        """The action of a step, the brain of a node, and the follow-ups of an edge."""
        return place_in_map(self.actions, place)


def place_in_map(actions: Mapping[str, ActionField], place: Path) -> Path:
    """Where a part of the plan of a map stands in its document.

    Args:
        actions: The actions of the map.
        place: The part, as a finding names its place.

    Example:
        >>> from loopwright.graphs.forms.action_entries import ActionEntry
        >>> place_in_map({"a": ActionEntry(brains=("think",))}, ("nodes", "a/think/decide", "prompt"))
        ('brains', 'think', 'prompt')
    """
    steps = {name: name for name in actions}
    steps |= {name_of(queue): queue[0] for queue in queues({name: actions[name].next_actions for name in actions})}
    match place:
        case (("nodes" | "edges" | "bounds") as what, str(name), *field):
            step, _, inner = name.partition("/")
            action = steps.get(step.removesuffix(" again"), "")
            brain = inner.partition("/")[0]
            if what == "bounds":
                return ("retries",)
            follows = step not in actions and inner == BEGIN
            if (follows or (what == "edges" and inner == SEND)) and action in actions:
                return ("actions", action, "next_actions")
            if action and brain and "/" in inner:
                entry = actions.get(action) or actions.get(DEFAULT)
                again = entry is not None and brain not in entry.brains  # it stands there twice, with a number
                return ("brains", brain.rpartition(" ")[0] if again else brain, *field)
            return ("actions", action) if action in actions else ("actions",) if step == CHOOSE else ()
    return ()
