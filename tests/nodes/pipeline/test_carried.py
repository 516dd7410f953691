"""What a step is handed."""

from typing import Any

import pytest

from loopwright.nodes.pipeline.carried import Source, carried

VIEW: Any = {"question": "q", "one": "x", "none": " ", "both": {"a": "X0"}, "data": {"n": 1}}


@pytest.mark.parametrize(
    ("sources", "text"),
    [
        ([], ""),
        ([Source("none"), Source("both", "b")], ""),
        ([Source("one", title="one")], "x"),
        ([Source("data", title="data")], '{"n": 1}'),
        ([Source("one", title="one"), Source("none"), Source("both", "a", "a")], "one:\nx\n\na:\nX0"),
    ],
)
def test_empty_ones_add_nothing_and_one_stands_alone(sources: list[Source], text: str) -> None:
    assert carried(sources, VIEW) == text
