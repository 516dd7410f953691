"""Text: a plan as a list for terminals, each node with its ways on."""

from collections.abc import Iterator

from loopwright.graphs.draw.lettering import TIMES, shorten, visible
from loopwright.graphs.draw.scene import Arrow, Box, Scene

_LONG = 60


def text_of(scene: Scene) -> str:
    """A scene as lines of text; every arrow is one line, and the bodies of opened forks stand below them.

    `✓` marks what a run visited, with the count where it is more than one, `▶` where it is now, and `⇢` the way that a
    used-up bound leads, or an outcome without an edge.

    Example:
        >>> from loopwright.graphs.builder import PlanBuilder
        >>> from loopwright.graphs.draw.scene import scene_of
        >>> from loopwright.graphs.plan import End
        >>> from loopwright.nodes.think import Judge, Think
        >>> builder = PlanBuilder("essay").node(Think("write", prompt="Write"))
        >>> builder = builder.node(Judge("review", prompt="Good?", outcomes=["pass", "revise"]))
        >>> builder = builder.edge("write", "done", "review").edge("review", "pass", End("finished"))
        >>> plan = builder.edge("review", "revise", "write", at_most=3, then=End("gave_up", ok=False)).build()
        >>> print(text_of(scene_of(plan)))
        essay
          start
          └─ → write
          write · think
          └─ → review
          review · judge
          ├─ pass → finished
          ├─ revise ≤ 3 → write
          └─ revise used up ⇢ gave_up
          finished · end
          gave_up · end, no success
        <BLANKLINE>
    """
    marked = any(box.visits or box.pending for box in scene.boxes)
    return "\n".join([_short(scene.name), *_lines(scene, marked)]) + "\n"


def _lines(scene: Scene, marked: bool) -> Iterator[str]:
    ways: list[list[Arrow]] = [[] for _ in scene.boxes]
    for arrow in scene.arrows:
        ways[arrow.source].append(arrow)
    indent = "    " if marked else "  "
    for box, leaving in zip(scene.boxes, ways, strict=True):
        if box.shape == "nowhere":
            continue
        yield f"{_mark(box) if marked else ' '} {_described(box)}"
        for arrow in leaving:
            branch = "└─" if arrow is leaving[-1] else "├─"
            head = "⇢" if arrow.dashed else "→"
            words = [branch, _label(arrow), head, _short(scene.boxes[arrow.target].name)]
            yield (
                indent + " ".join(word for word in words if word) + (f"  ✓{_times(arrow.taken)}" if arrow.taken else "")
            )
        for body in box.bodies:
            name = body.name or body.scene.name
            if [name] != [inner.name for inner in body.scene.boxes]:
                yield f"{indent}  {_short(name)}"
            yield from (f"{indent}  {line}" for line in _lines(body.scene, marked))


def _described(box: Box) -> str:
    kind = "" if box.shape == "start" else box.kind
    return " · ".join(part for part in (_short(box.name) + _times(box.visits), kind, _short(box.note)) if part)


def _mark(box: Box) -> str:
    if box.pending:
        return "  ▶"
    return "  ✓" if box.visits else "   "


def _times(count: int) -> str:
    return f" {TIMES}{count}" if count > 1 else ""


def _label(arrow: Arrow) -> str:
    return " ".join(_short(word) for word in arrow.words)


def _short(text: str) -> str:
    return shorten(visible(text), _LONG)
