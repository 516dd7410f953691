"""What every form's spec is: a pydantic model that can become a plan."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from loopwright.documents.document import Path
from loopwright.errors import Fault, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.plan import Plan
from loopwright.nodes.budget import Budget
from loopwright.state.values import JsonObject

FORMS: dict[str, type["Spec"]] = {}
"""The spec class of every form, by its `kind` word. A form adds itself when its file is imported."""


class Around(Protocol):
    """What a spec may ask of the file that it stands in. It is pydantic's context; a spec made in Python has none."""

    def function(self, call: str) -> tuple[str, Any]:
        """The name that a plan gives to a function that the file names, and the function.

        Raises:
            Refused: There is none.
        """

    def spec(self, file: str) -> "Spec":
        """The spec of a file that is named by its path from here; an `UnreadSpec` where that has faults."""


class Refused(ValueError):
    """What a validator of a spec raises: what is wrong, and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


def under(path: Path, faults: Iterable[Fault]) -> list[Fault]:
    """The faults of a part of a document, with their paths in the whole of it; those of another file as they are.

    Example:
        >>> under(("nodes", "a"), [Fault("it is empty", ("prompt",))])[0].key
        'nodes.a.prompt'
    """
    return [fault if fault.file else replace(fault, path=(*path, *fault.path)) for fault in faults]


class Spec(BaseModel):
    """A form's description: what a YAML file holds, and what the form's class takes in Python.

    A subclass has a field `kind: Literal["role_cycle"] = "role_cycle"`, and is found by that word.

    Args:
        name: The plan's name.
        budget: What a run may spend: `calls`, `tokens`, `cost` in US dollars, and `seconds` at work.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    name: str = ""
    budget: Budget | None = None

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Enter the form by its kind."""
        super().__pydantic_init_subclass__(**kwargs)
        if "kind" in cls.model_fields:
            FORMS[cls.model_fields["kind"].default] = cls

    def faults(self) -> list[Fault]:
        """What is wrong across fields: all of it, each with its path in the document."""
        return []

    def plan(self) -> Plan:
        """The plan. It is only asked for when there are no faults."""
        raise TypeError(f"{type(self).__name__} makes no plan")

    def path_of(self, place: Path) -> Path:
        """Where a part of the plan, as a finding names its place, stands in the document; () where that is not told."""
        del place
        return ()

    def code(self) -> Mapping[str, Any]:
        """Live code that the plan names, by the names of its references; none, for most forms."""
        return {}

    def runs(self) -> list[JsonObject]:
        """The inputs of each run that this spec asks for by itself; one without inputs, for most forms."""
        return [{}]


class UnreadSpec(Spec):
    """What stands in the place of another file's spec that has faults, so that all faults are told at once."""

    found: tuple[Fault, ...]

    def faults(self) -> list[Fault]:
        """The faults of that file."""
        return list(self.found)


class BuiltSpec(Spec):
    """A spec whose plan a builder makes of settings; what is wrong with those is found by making it."""

    @abstractmethod
    def make(self) -> PlanBuilder | list[Fault]:
        """The builder, or why there is none."""

    def faults(self) -> list[Fault]:
        """What is wrong across the fields."""
        return self._made if isinstance(self._made, list) else []

    def plan(self) -> Plan:
        """The builder's plan."""
        return self._builder.build()

    def code(self) -> Mapping[str, Any]:
        """The live code that the plan names."""
        return self._builder.code

    @property
    def _builder(self) -> PlanBuilder:
        if isinstance(self._made, list):
            raise SourceError(self._made)
        return self._made

    @cached_property
    def _made(self) -> PlanBuilder | list[Fault]:
        return self.make()
