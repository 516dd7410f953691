"""The legend: a sample and its meaning for everything that occurs in a scene, and for nothing else."""

from collections.abc import Collection, Iterator, Mapping

from loopwright.graphs.draw.layout import Picture, PlacedArrow, layout
from loopwright.graphs.draw.scene import Arrow, Box, Scene, Shape, Style

SHAPES: Mapping[Shape, str] = {
    "start": "where a run begins",
    "think": "one question to a model",
    "judge": "a model's verdict: one of several outcomes",
    "brain": "thinks by a technique: one or several questions, drawn as one",
    "wait": "waits for someone outside",
    "act": "acts on the world",
    "route": "decides from the state alone",
    "each": "runs its body for each item, side by side",
    "parallel": "runs several bodies side by side",
    "node": "a node of a LangGraph graph",
    "unknown": "a name that the plan does not have",
    "unseen": "where an answer leads of which nothing is known",
    "nowhere": "what an outcome without an edge leads to",
}
"""What the shapes of boxes mean."""

_STYLES: Mapping[Style, str] = {
    "plain": "outcomes, and where they lead; ≤ n: at most n times, together, in one entry of its loop",
    "failure": "where a failure leads",
    "used_up": "where it leads instead when the bound is used up",
    "idle": "an edge that no visit takes",
    "missing": "an outcome without an edge",
    "unseen": "leads where nothing is known of, or to no node",
}


def legend_of(scene: Scene) -> Iterator[tuple[Picture, str]]:
    """The samples of a scene, each with its meaning.

    Args:
        scene: The scene; what its opened forks hold is told of too.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.graphs.draw.scene import scene_of
        >>> from loopwright.nodes.think import Think
        >>> [words for _, words in legend_of(scene_of(one_node_plan(Think("greet", prompt="Hello"))))][:2]
        ['where a run begins', 'one question to a model']
    """
    boxes = [box for part in scene.walk() for box in part.boxes]
    arrows = [arrow for part in scene.walk() for arrow in part.arrows]
    for shape, words in SHAPES.items():
        found = [box for box in boxes if box.shape == shape]
        if found:
            types = dict.fromkeys(box.type or box.shape for box in found)
            yield _sample(Box(", ".join(types), shape)), _entering(words, types)
    for ok, words in ((True, "an end that is a success"), (False, "an end that is no success")):
        if any(box.shape == "end" and box.ok == ok for box in boxes):
            yield _sample(Box("end", "end", ok=ok)), words
    styles = {arrow.style for arrow in arrows}
    for style, words in _STYLES.items():
        if style in styles:
            yield _line(style, 0), words
    if any(arrow.taken for arrow in arrows):
        yield _line("plain", 1), "taken by the run"
        yield _sample(Box("2 visits", "think", visits=2)), "visited by the run, and how often"
    if any(box.pending for box in boxes):
        yield _sample(Box("here", "wait", pending=True)), "where the run is now"


def _entering(words: str, types: Collection[str]) -> str:
    """What a shape means, where nested plans are entered by it, too."""
    if "enter" not in types:
        return words
    return f"{words}; enter: a nested plan begins" if len(types) > 1 else "a nested plan begins"


def _sample(box: Box) -> Picture:
    return layout(Scene(box.name, (box,), ()), 12)


def _line(style: Style, taken: int) -> Picture:
    arrow = PlacedArrow(Arrow(0, 0, (), style, "", taken), ((2.0, 16.0), (70.0, 16.0)))
    return Picture((), (arrow,), (), 72.0, 32.0)
