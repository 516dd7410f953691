"""Edges as a graph file has them: a line of text, or a mapping of its parts."""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.edge_text import EXAMPLE, Target, parse_edge, parse_target
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import Refused


def _target(value: object) -> object:
    if isinstance(value, Target):
        return value
    if isinstance(value, str):
        return parse_target(value)
    raise Refused("a target is a text", "a node, `end NAME` or `fail NAME`")


TargetField = Annotated[Target, BeforeValidator(_target, json_schema_input_type=str)]


class EdgeEntry(BaseModel):
    """Where an outcome leads; in a file a line of text, or a mapping of these.

    Args:
        source: In the file `from`: the node that is left.
        outcome: In the file `on`: its outcome; may be left out where there is only one.
        to: A node, `end NAME` for a success, `fail NAME` for an end that is none.
        at_most: How often it may be taken in one entry of its loop.
        bound: The bound's name; an edge with this alone shares the count of another edge.
        then: Where to go when the bound is used up.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    source: Name = Field(alias="from")
    outcome: Name = Field("", alias="on")
    to: TargetField
    at_most: int | None = Field(None, ge=0, strict=True)
    bound: Name = ""
    then: TargetField | None = None

    @model_validator(mode="after")
    def _bound_is_whole(self) -> Self:
        if self.at_most is not None and self.then is None:
            raise Refused("`at most` needs `then`: where to go when it is used up", f"as in: {EXAMPLE}")
        if self.at_most is None and self.then is not None:
            raise Refused("`then` needs `at most`: after how many times", f"as in: {EXAMPLE}")
        return self


def _edge(value: object) -> object:
    if isinstance(value, EdgeEntry | Mapping):
        return value
    if not isinstance(value, str):
        raise Refused("an edge is a text or a mapping", f"as in: {EXAMPLE}")
    parts = parse_edge(value)
    fields = {
        "on": parts.outcome,
        "at_most": parts.at_most,
        "bound": parts.bound,
        "then": parts.then,
    }
    return {
        "from": parts.source,
        "to": parts.to,
        **{key: part for key, part in fields.items() if part not in (None, "")},
    }


GraphEdge = Annotated[
    EdgeEntry, BeforeValidator(_edge, json_schema_input_type=Annotated[str, Field(pattern="->")] | EdgeEntry)
]
"""The annotation of one edge of a graph file."""
