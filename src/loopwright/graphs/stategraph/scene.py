"""The scene of a LangGraph graph: every edge once, those of choices with the answer, and what is not seen as such."""

from collections.abc import Iterator, Mapping

from loopwright.graphs.draw.scene import Arrow, Body, Box, Scene, Shape, Style
from loopwright.graphs.stategraph.reading import END, MANY_SHOWN, START, Choice, Reading, shown

ANYWHERE = "anywhere"
"""What the box is called that an answer leads to of which nothing is known."""


def scene_of_reading(reading: Reading, *, opened: bool = False) -> Scene:
    """The scene of a graph; subgraphs are drawn as nodes, or opened.

    Args:
        reading: The graph.
        opened: Whether subgraphs are drawn inside their nodes.

    Example:
        >>> from loopwright.graphs.stategraph.reading import ReadNode
        >>> nodes = [ReadNode(START, ("a",)), ReadNode("a", (END,))]
        >>> [arrow.title for arrow in scene_of_reading(Reading("short", {node.name: node for node in nodes})).arrows]
        ['start → a', 'a → end']
    """
    boxes = [Box("start", "start"), *(_box(reading, name, opened) for name in reading.names)]
    places = {name: place for place, name in enumerate([START, *reading.names])}
    arrows: list[Arrow] = []
    if any(END in reading.targets(name) for name in reading.nodes):
        places[END] = len(boxes)
        boxes.append(Box("end", "end"))
    for name in dict.fromkeys(name for edge in reading.faults for name in edge if name not in places):
        places[name] = len(boxes)
        boxes.append(Box(shown(name), "end" if name == END else "unknown"))
    for name in reading.nodes:
        arrows += _edges(reading, name, places)
        for choice in reading.nodes[name].choices:
            arrows += _choices(name, choice, places)
            if choice.open:
                title = f"{shown(name)} [{choice.name}] → {ANYWHERE}: what it may answer cannot be seen"
                arrows.append(Arrow(places[name], len(boxes), (choice.name,), "unseen", title))
                boxes.append(Box(ANYWHERE, "unseen"))
            for answer in choice.lost:
                title = f"{shown(name)} [{answer}] → {answer}, which is no node"
                arrows.append(Arrow(places[name], len(boxes), (answer,), "unseen", title))
                boxes.append(Box(answer, "unknown"))
    for source, target in reading.faults:
        title = f"{shown(source)} → {shown(target)}: no edge between nodes"
        arrows.append(Arrow(places[source], places[target], (), "unseen", title))
    return Scene(reading.name, tuple(boxes), tuple(arrows))


def _box(reading: Reading, name: str, opened: bool) -> Box:
    node = reading.nodes[name]
    shape: Shape = "wait" if node.paced else "node"
    note = "runs last" if node.deferred else ""
    if node.body is None:
        return Box(name, shape, "waits for someone" if node.paced else "node", note)
    count = len(node.body.names)
    bodies = (Body("", scene_of_reading(node.body, opened=True)),) if opened else ()
    return Box(name, shape, "subgraph", note or f"{count} {'node' if count == 1 else 'nodes'} inside", bodies=bodies)


def _edges(reading: Reading, name: str, places: Mapping[str, int]) -> Iterator[Arrow]:
    """The edges that no choice is made for: plain ones, those of joins, that of a failure."""
    for target in reading.nodes[name].always:
        style: Style = "start" if name == START else "plain"
        yield Arrow(places[name], places[target], (), style, f"{shown(name)} → {shown(target)}")
    for join in reading.joined.get(name, ()):
        others = [other for other in join.sources if other != name]
        if len(others) > MANY_SHOWN:
            others = [*others[:MANY_SHOWN], f"{len(others) - MANY_SHOWN} more"]
        words = tuple(f"{word}," for word in others[:-1]) + tuple(others[-1:])
        title = f"{name} → {shown(join.target)}, together with {', '.join(others)}"
        yield Arrow(places[name], places[join.target], ("with", *words) if words else (), "plain", title)
    if reading.nodes[name].on_failure:
        target = reading.nodes[name].on_failure
        yield Arrow(places[name], places[target], ("failed",), "failure", f"{name} [failed] → {target}")


def _choices(name: str, choice: Choice, places: Mapping[str, int]) -> Iterator[Arrow]:
    """One arrow for each target of a choice, with the answers that lead there."""
    answers: dict[str, dict[str, None]] = {}
    for option in choice.options:
        for target in option.targets:
            answers.setdefault(target, {})[option.label or choice.name] = None
    for target, words in answers.items():
        listed = (*(f"{word}," for word in list(words)[:-1]), *list(words)[-1:])
        title = f"{shown(name)} [{', '.join(words)}] → {shown(target)}"
        yield Arrow(places[name], places[target], listed, "plain", title)
