"""Edges as a file has them; `test_edge_text.py` has what their texts mean."""

import pytest
from pydantic import TypeAdapter, ValidationError

from loopwright.graphs.forms.edge_entries import GraphEdge

EDGE: TypeAdapter[object] = TypeAdapter(GraphEdge)


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        ("write -> review, at most 3", "`at most` needs `then`: where to go when it is used up"),
        ("write -> review, then end x", "`then` needs `at most`: after how many times"),
        (["write", "review"], "an edge is a text or a mapping"),
        ({"from": "write", "to": ["review"]}, "a target is a text"),
    ],
)
def test_an_edge_that_is_not_whole(edge: object, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        EDGE.validate_python(edge)
    (error,) = caught.value.errors()
    assert str(error["ctx"]["error"]) == message
