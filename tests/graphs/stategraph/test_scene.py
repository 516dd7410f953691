"""The scene: every edge once, and what is not seen as such, in every format."""

from collections import Counter
from collections.abc import Callable

import pytest

from loopwright.graphs.draw.formats import FORMATS, rendered
from loopwright.graphs.stategraph.reading import Choice, Reading
from loopwright.graphs.stategraph.scene import scene_of_reading

ReadingOf = Callable[..., Reading]


def test_all_kinds_of_edges(reading_of: ReadingOf) -> None:
    lost = (Choice("route", lost=("Pass.",)),)
    nodes = {"a": {"on_failure": "h"}, "h": {"handler": True, "choices": lost}, "f": {"deferred": True}}
    lines = ("start -> a", "a ? b + c | end", "b & c -> d", "d ?? f | b", "f -> d", "h")
    scene = scene_of_reading(reading_of(*lines, nodes=nodes, faults=(("d", "x"), ("y", "a"))))
    assert [arrow.title for arrow in scene.arrows] == [
        "start → a",
        "a [failed] → h",
        "a [b and c] → b",
        "a [b and c] → c",
        "a [end] → end",
        "b → d, together with c",
        "c → d, together with b",
        "d [f] → f",
        "d [b] → b",
        "d [route d] → anywhere: what it may answer cannot be seen",
        "f → d",
        "h [Pass.] → Pass., which is no node",
        "d → x: no edge between nodes",
        "y → a: no edge between nodes",
    ]
    kinds = {box.name: box.kind for box in scene.boxes}
    assert kinds | {"a": "node", "x": "not in the plan", "anywhere": "cannot be seen"} == kinds
    assert [box.note for box in scene.boxes if box.name == "f"] == ["runs last"]


def test_a_subgraph_is_closed_or_opened(reading_of: ReadingOf) -> None:
    inner = reading_of("start -> x", "x -> end")
    outer = reading_of("start -> a", "a -> end", nodes={"a": {"body": inner}})
    (closed,) = [box for box in scene_of_reading(outer).boxes if box.name == "a"]
    assert (closed.note, closed.bodies) == ("1 node inside", ())
    (opened,) = [box for box in scene_of_reading(outer, opened=True).boxes if box.name == "a"]
    assert [box.name for box in opened.bodies[0].scene.boxes] == ["start", "x", "end"]


@pytest.mark.parametrize("format", FORMATS)
def test_it_is_drawn_in_every_format(reading_of: ReadingOf, format: str) -> None:
    scene = scene_of_reading(reading_of("start -> a", "a ?? b", "b -> end", nodes={"a": {"paced": True}}))
    made = rendered(scene, format, legend=True)
    if isinstance(made, bytes):
        assert made.startswith(b"\x89PNG")
        assert made != rendered(scene, format)
    else:
        assert all(word in made for word in ("anywhere", "route a"))


def test_every_edge_of_a_long_chain_is_drawn_once(reading_of: ReadingOf) -> None:
    lines = [f"n{i} -> n{i + 1}" for i in range(299)]
    scene = scene_of_reading(reading_of("start -> n0", *lines, "n299 -> end"))
    drawn = Counter((scene.boxes[arrow.source].name, scene.boxes[arrow.target].name) for arrow in scene.arrows)
    assert (len(drawn), set(drawn.values())) == (301, {1})


def test_a_join_of_many_names_some_of_them(reading_of: ReadingOf) -> None:
    names = [f"n{number}" for number in range(9)]
    scene = scene_of_reading(reading_of("start -> " + " + ".join(names), f"{' & '.join(names)} -> z", "z -> end"))
    (arrow,) = [arrow for arrow in scene.arrows if arrow.title.startswith("n0 ")]
    assert arrow.title == "n0 → z, together with n1, n2, n3, n4, n5, n6, 2 more"
