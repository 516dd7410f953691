"""An action-brain map as a file or a dictionary has it: the actions, and the brains that they name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, InstanceOf, PlainSerializer

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.actions.action_map import MapAction
from loopwright.graphs.actions.chains import RESERVED, MapBrain, map_brain
from loopwright.graphs.builder import Body, HasPlan, PlanBuilder
from loopwright.graphs.forms.brain_entries import BodyBrainEntry
from loopwright.graphs.forms.code_entries import ActEntry
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.nested_entries import BodyPlanEntry
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import Refused, under
from loopwright.graphs.forms.type_field import TypeField
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.actions.names import COMMAND, DEFAULT, OUTPUTS
from loopwright.nodes.brains.roles import LAST_FAILURE
from loopwright.nodes.contract import Node
from loopwright.nodes.functions import Act
from loopwright.nodes.models.runnable import Runnable
from loopwright.nodes.prompts import placeholders

SHOWN = (COMMAND, OUTPUTS, LAST_FAILURE)
"""The sections of a brain that does not say what it sees, beside those that its prompt names."""


class ActionEntry(BaseModel):
    """An action of a map.

    Args:
        brains: The brains that carry it out, one after the other. Each is shown the aim and what those before it said;
            the last one answers with the arguments of the action's event.
        next_actions: The actions that have to follow, in this order.
        event: The arguments of its event: a mapping of fields to types, or JSON Schema of an object; any if left out.
        description: What it does, in words for those who choose it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    brains: tuple[Name, ...] = ()
    next_actions: tuple[Name, ...] = ()
    event: TypeField | None = None
    description: str = ""

    @property
    def made(self) -> MapAction:
        """The action as plans are made of it."""
        words = {"description": self.description} if self.description else {}
        args = {"args": self.event} if self.event is not None else {}
        return MapAction(self.brains, self.next_actions, {**args, **words})


def _entry(value: object) -> object:
    """The shorter shape of an entry: the list of its brains."""
    return {"brains": value} if isinstance(value, list | tuple) else value


ActionField = Annotated[ActionEntry, BeforeValidator(_entry, json_schema_input_type=ActionEntry | tuple[Name, ...])]


class Live:
    """A brain that was given in Python: a function, a node, a plan or a loop.

    Args:
        body: What was given.
    """

    def __init__(self, body: Any) -> None:
        self.body = body

    def made(self, name: str) -> MapBrain:
        """The brain.

        Raises:
            TypeError: It is none of these.
            ValueError: It has no answer.
        """
        body = self.body
        if isinstance(body, Node | Plan | PlanBuilder | HasPlan):
            return map_brain(body, once=_writes_once(body))
        if isinstance(body, type) or not (callable(body) or isinstance(body, Runnable)):
            raise TypeError(f"{body!r:.100} is no brain: give a function, a node, a plan, a loop or a brain's fields")
        return map_brain(Act(name, body, writes=name))


def _writes_once(body: Body) -> bool:
    """Whether it is one of the four techniques, whose plans write their answer once."""
    return bool(getattr(body, "technique", ""))


def _live(value: object) -> object:
    return value if isinstance(value, Mapping | BaseModel | Live) else Live(value)


def _unsaved(live: Live) -> str:
    raise Refused(f"{live.body!r:.100} is live, and no file can hold it", "name it, as in {type: act, call: mine.py:f}")


_Written = Annotated[BodyBrainEntry | ActEntry | BodyPlanEntry, Field(discriminator="type")]
BrainField = Annotated[
    _Written | Annotated[InstanceOf[Live], PlainSerializer(_unsaved, return_type=str)],
    BeforeValidator(_live, json_schema_input_type=_Written),
]


def brain_made(
    entry: Any, name: str, sections: Sequence[str] = (), last: Sequence[str] = SHOWN, **more: Any
) -> MapBrain:
    """The brain of an entry.

    Args:
        entry: The entry, as of `BrainField`.
        name: Its name.
        sections: What it is shown first, where it does not say what it sees.
        last: What it is shown after that.
        more: What it takes of a form, where it does not say it itself.

    Raises:
        SourceError: There is no such brain; all faults at once.
        TypeError: What was given is no brain.
        ValueError: It has no answer.
    """
    if isinstance(entry, Live):
        return entry.made(name)
    if not isinstance(entry, BodyBrainEntry):
        return map_brain(entry.body(name))
    given = {key: value for key, value in more.items() if key not in entry.model_fields_set}
    if not entry.prompt and not entry.role:
        given.setdefault("role", "execution")
    if entry.sees is None:
        named = {*placeholders(entry.prompt), *placeholders(entry.system or given.get("system", ""))}
        given["sees"] = tuple(each for each in dict.fromkeys((*sections, *last)) if each not in named)
    return map_brain(entry.builder(name, **given), once=True)


def faults_of_brains(brains: Mapping[str, Any], make: Callable[[Any, str], MapBrain]) -> Iterator[Fault]:
    """What is wrong inside each brain, with its path.

    Args:
        brains: The entries by name.
        make: Makes a brain of an entry.
    """
    for name, entry in brains.items():
        path: Path = ("brains", name)
        if name in RESERVED or "/" in name:
            hint = f"taken are: {', '.join(RESERVED)}, and whatever has a / in it"
            yield Fault(f"no brain of a map can be named {name!r}", path, hint)
        inside = [] if isinstance(entry, Live) else under(path, entry.faults())
        yield from inside
        if inside:
            continue
        try:
            make(entry, name)
        except (TypeError, ValueError) as error:
            yield Fault(str(error), path)


def faults_of_actions(actions: Mapping[str, ActionEntry], brains: Mapping[str, Any]) -> Iterator[Fault]:
    """Brains that are not there, entries without any, and follow-ups that no entry is for.

    Args:
        actions: The actions by name.
        brains: The brains by name.
    """
    known = [name for name in actions if name != DEFAULT]
    for name, entry in actions.items():
        path: Path = ("actions", name)
        if "/" in name:
            yield Fault(f"no action can be named {name!r}", path, "take another sign than / ")
        if not entry.brains:
            yield Fault(f"the action {name!r} has no brains", (*path, "brains"), "nothing would come of it; name one")
        for index, brain in enumerate(entry.brains):
            if brain not in brains:
                hint = did_you_mean(brain, brains)
                yield Fault(f"there is no brain {brain!r}", (*path, "brains", index), hint)
        if entry.event is not None and entry.event.get("type") != "object":
            hint = "as in event: {message: str}"
            yield Fault("the arguments of an event are an object", (*path, "event"), hint)
        for index, action in enumerate(entry.next_actions):
            place = (*path, "next_actions", index)
            if action == DEFAULT:
                yield Fault("default is no action, but the entry for those that are not named", place)
            elif action not in actions and DEFAULT not in actions:
                hint = did_you_mean(action, known)
                yield Fault(f"there is no action {action!r}, and no default for it", place, hint)
