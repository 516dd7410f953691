"""A world as a file has it: the world itself, its objects, their classes with actions, and rules."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    JsonValue,
    PlainSerializer,
    StrictBool,
    ValidationInfo,
)

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.forms.code_entries import Call, named_call
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import Refused
from loopwright.graphs.forms.type_field import TypeField
from loopwright.hints import did_you_mean
from loopwright.nodes.code import UNVERSIONED, code_ref, place_of
from loopwright.nodes.world.actions import WORLD_CLASS, Action, HeardBy, Needs
from loopwright.nodes.world.objects import CLASSES, FIXED
from loopwright.state.schema import as_object
from loopwright.state.values import Json, JsonObject

SIGNED = ("event_type", "sender_id", "tick", "hops", "created_at", "target_id")
"""Fields of an event that the world fills; no action has arguments of these names."""


class LiveFunction:
    """A function that was given in Python.

    Args:
        function: The function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.text = place_of(function) or getattr(function, "__qualname__", type(function).__name__)

    @property
    def found(self) -> tuple[str, Any]:
        """Its name in a plan, and the function."""
        return self.text, self.function


def _function(value: object, info: ValidationInfo) -> object:
    if isinstance(value, LiveFunction):
        return value
    return LiveFunction(value) if callable(value) and not isinstance(value, Call) else named_call(value, info)


def _written(function: LiveFunction | Call) -> str:
    if isinstance(function, LiveFunction):
        raise Refused(f"{function.text} is live, and no file can hold it", "name it, as in rules.py:quiet")
    return function.text


FunctionField = Annotated[
    InstanceOf[LiveFunction] | InstanceOf[Call],
    BeforeValidator(_function, json_schema_input_type=Annotated[str, Field(pattern=".:.")]),
    PlainSerializer(_written, return_type=str),
]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)


class WorldEntry(_Entry):
    """The world.

    Args:
        id: How its events are signed.
        name: What it is called.
        description: What it is; each agent is shown it.
        places: Its places: their names, or each with what it is. Who and what is in one place is near each other.
    """

    id: Name = "world"
    name: str = ""
    description: str = ""
    places: dict[Name, str] | tuple[Name, ...] = ()

    @property
    def described(self) -> dict[str, str]:
        """The places, each with what it is."""
        return dict(self.places) if isinstance(self.places, Mapping) else dict.fromkeys(self.places, "")


class WorldActionEntry(_Entry):
    """An action of the objects of a class.

    Args:
        description: What it does, in words for those who choose it.
        args: Its arguments: a mapping of fields to types, or JSON Schema of an object. The world adds the target.
        needs: Whether who does it has to be `near` the object, or has it `held`.
        heard_by: Who hears of it: those who are `near`, `all`, the `target` alone, or `nobody`.
        does: A function of the world and the event: it gives an `lw.Change`, a text that says why it cannot be done, or
            nothing. Where it is left out, the action is told, and changes nothing.
        by_user: Whether it is for whoever speaks from outside, and not for agents.
    """

    description: str = ""
    args: TypeField | None = None
    needs: Needs = "near"
    heard_by: HeardBy = "near"
    does: FunctionField | None = None
    by_user: StrictBool = False

    def made(self, does: str) -> Action:
        """The action.

        Args:
            does: The name of its function.
        """
        args = self.args if self.args is not None else as_object({})
        return Action(self.description, args, self.needs, self.heard_by, does, self.by_user)


class ClassEntry(_Entry):
    """A class of objects.

    Args:
        description: What such an object is, where it does not say so itself.
        fixed: Whether it cannot be taken or given.
        actions: What can be done with it, by the type of the event.
    """

    description: str = ""
    fixed: StrictBool = False
    actions: dict[Name, WorldActionEntry] = Field(default_factory=dict)


class ObjectEntry(_Entry):
    """An object.

    Args:
        of_class: In the file `class`: its class. `Microphone` and `Blackboard` are there already.
        name: What it is called.
        description: What it is.
        held_by: The agent that holds it when the world begins.
        location: The place where it lies; the first one when left out.
        state: What is so of it when the world begins, as its class has it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe, populate_by_name=True)

    of_class: str = Field("", alias="class")
    name: str = ""
    description: str = ""
    held_by: str = ""
    location: str = ""
    state: dict[str, JsonValue] = Field(default_factory=dict)


def faults_of_world(
    world: WorldEntry,
    classes: Mapping[str, ClassEntry],
    objects: Mapping[str, ObjectEntry],
    agents: Mapping[str, str],
) -> Iterator[Fault]:
    """What is wrong across a world's entries.

    Args:
        world: The world.
        classes: The classes of its own.
        objects: The objects.
        agents: The place of each agent.
    """
    known = {*CLASSES, *classes}
    for name, entry in classes.items():
        if name in (WORLD_CLASS, "Self") or ":" in name or "/" in name:
            hint = "World and Self are taken, and : and / stand for other things"
            yield Fault(f"no class of objects can be named {name!r}", ("classes", name), hint)
        yield from _faults_of_actions(name, entry)
    places = world.described
    for id, location in agents.items():
        yield from _faults_of_id(id, ("agents", id), {world.id})
        yield from _faults_of_place(location, ("agents", id, "location"), places)
    for id, thing in objects.items():
        path: Path = ("objects", id)
        yield from _faults_of_id(id, path, {world.id, *agents})
        yield from _faults_of_place(thing.location, (*path, "location"), places)
        if thing.of_class and thing.of_class not in known:
            yield Fault(f"there is no class {thing.of_class!r}", (*path, "class"), did_you_mean(thing.of_class, known))
        if thing.held_by and thing.held_by not in agents:
            yield Fault(f"there is no agent {thing.held_by!r}", (*path, "held_by"), did_you_mean(thing.held_by, agents))
        if thing.held_by and thing.location:
            yield Fault("what is held is where its holder is", (*path, "location"), "leave it out, or held_by")
        if thing.held_by and _fixed(thing.of_class, classes):
            yield Fault(f"a {thing.of_class} cannot be held", (*path, "held_by"), "leave it out")


def _faults_of_actions(name: str, entry: ClassEntry) -> Iterator[Fault]:
    for event, action in entry.actions.items():
        path: Path = ("classes", name, "actions", event)
        if ":" in event or "/" in event:
            yield Fault(f"no action can be named {event!r}", path, "it is the type of its event, without a class")
        if action.args is not None and action.args.get("type") != "object":
            yield Fault("the arguments of an action are an object", (*path, "args"), "as in args: {message: str}")
        properties: Any = (action.args or {}).get("properties", {})
        for field in SIGNED:
            if field in properties:
                yield Fault(f"the world fills {field!r} itself", (*path, "args", field), "give it another name")
        found = action.does.found if action.does else None
        if isinstance(found, Refused):
            yield Fault(str(found), (*path, "does"), found.hint)
        elif found and not callable(found[1]):
            yield Fault(f"{found[0]} is no function", (*path, "does"))


def faults_of_rules(rules: tuple[Any, ...]) -> Iterator[Fault]:
    """Rules that are no functions, or are not there."""
    for index, rule in enumerate(rules):
        found = rule.found
        if isinstance(found, Refused):
            yield Fault(str(found), ("rules", index), found.hint)
        elif not callable(found[1]):
            yield Fault(f"{found[0]} is no function", ("rules", index))


def _faults_of_id(id: str, path: Path, taken: set[str]) -> Iterator[Fault]:
    if id in taken or id == "user":
        yield Fault(f"the id {id!r} is taken", path, "give it another one")
    if any(sign in id for sign in ("/", "]", "<{")):
        yield Fault(f"nothing can be called {id!r}", path, "take other signs than / ] and <{")


def _faults_of_place(location: str, path: Path, places: Mapping[str, str]) -> Iterator[Fault]:
    if location and location not in places:
        hint = did_you_mean(location, places) if places else "world.places names the places"
        yield Fault(f"there is no place {location!r}", path, hint)


def _fixed(of_class: str, classes: Mapping[str, ClassEntry]) -> bool:
    return classes[of_class].fixed if of_class in classes else of_class in FIXED


class WorldFunctions:
    """The functions of a world's own, by their names, with one version for all of them.

    Args:
        classes: The classes.
        rules: The rules.
    """

    def __init__(self, classes: Mapping[str, ClassEntry], rules: tuple[Any, ...]) -> None:
        self.rules = [self._name(rule) for rule in rules]
        self.does = {
            (name, event): self._name(action.does)
            for name, entry in classes.items()
            for event, action in entry.actions.items()
            if action.does is not None
        }
        given = [
            *rules,
            *(action.does for entry in classes.values() for action in entry.actions.values() if action.does),
        ]
        self.by_name = {self._name(each): each.found[1] for each in given}

    @property
    def version(self) -> str:
        """A hash of their sources; `unversioned` where one of them has none."""
        versions = [code_ref(function, name).version for name, function in sorted(self.by_name.items())]
        if UNVERSIONED in versions:
            return UNVERSIONED
        return hashlib.sha256("\n".join(versions).encode()).hexdigest()[:12]

    def _name(self, function: Any) -> str:
        return str(function.found[0])


def classes_data(classes: Mapping[str, ClassEntry], functions: WorldFunctions) -> JsonObject:
    """All classes with their actions, as the setting has them."""
    made: dict[str, Json] = {
        name: {event: action.data for event, action in actions.items()} for name, actions in CLASSES.items()
    }
    for name, entry in classes.items():
        made[name] = {
            event: action.made(functions.does.get((name, event), "")).data for event, action in entry.actions.items()
        }
    return made


def objects_data(
    objects: Mapping[str, ObjectEntry], classes: Mapping[str, ClassEntry], first_place: str
) -> tuple[JsonObject, JsonObject]:
    """The objects as the setting has them, and as they are when the world begins."""
    said: dict[str, Json] = {}
    now: dict[str, Json] = {}
    for id, thing in objects.items():
        description = thing.description or (classes[thing.of_class].description if thing.of_class in classes else "")
        said[id] = {
            "class": thing.of_class,
            "name": thing.name,
            "description": description,
            "fixed": _fixed(thing.of_class, classes),
        }
        now[id] = {"held_by": thing.held_by, "location": thing.location or first_place, "state": dict(thing.state)}
    return said, now
