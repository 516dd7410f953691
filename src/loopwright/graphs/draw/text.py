"""Text: a plan as a list for terminals, each node with its ways on, and rails for the ways back."""

from collections.abc import Mapping

from loopwright.graphs.draw.lettering import TIMES, shorten, visible
from loopwright.graphs.draw.rails import railed
from loopwright.graphs.draw.scene import Arrow, Box, Scene

_LONG = 60

_ASCII: Mapping[int, str] = str.maketrans(
    {
        **dict(zip("─│├└┤┼╮╯◀✓▶", "-||`++.'<*>", strict=True)),
        "→": "->",
        "⇢": "~>",
        "↛": "-/>",
        "≤": "<=",
        TIMES: "x",
        "·": "-",
        "…": "...",
    }
)
"""What stands for the signs where an encoding has none of them."""


def text_of(scene: Scene, *, ascii: bool = False) -> str:
    """A scene as lines of text; every arrow is one line, and the bodies of opened forks stand below them.

    `✓` marks what a run visited, with the count where it is more than one, `▶` where it is now, and `⇢` the way that a
    used-up bound leads, or an outcome without an edge, `↛` a way that no visit takes. A way back has a rail on the
    right, to where it leads; a text that would be very wide has none.

    Args:
        scene: The scene.
        ascii: Whether its signs are of ASCII alone; names stay as they are.

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
          write · think ◀─────────╮
          └─ → review             │
          review · judge          │
          ├─ pass → finished      │
          ├─ revise ≤ 3 → write ──╯
          └─ revise used up ⇢ gave_up
          finished · end
          gave_up · end, no success
        <BLANKLINE>
    """
    marked = any(box.visits or box.pending for box in scene.boxes)
    rows: list[str] = [_short(scene.name)]
    backs: dict[int, list[int]] = {}
    _write(scene, marked, "", rows, backs)
    if ascii:
        rows = [row.translate(_ASCII) for row in rows]
    written = "\n".join(railed(rows, backs)) + "\n"
    return written.translate(_ASCII) if ascii else written


def _write(scene: Scene, marked: bool, margin: str, rows: list[str], backs: dict[int, list[int]]) -> None:
    """Add the rows of a scene, and for each that is led back to, the rows from which."""
    ways: list[list[Arrow]] = [[] for _ in scene.boxes]
    for arrow in scene.arrows:
        ways[arrow.source].append(arrow)
    indent = margin + ("    " if marked else "  ")
    heads: dict[int, int] = {}
    for place, (box, leaving) in enumerate(zip(scene.boxes, ways, strict=True)):
        if box.shape == "nowhere":
            continue
        heads[place] = len(rows)
        rows.append(f"{margin}{_mark(box) if marked else ' '} {_described(box)}")
        for arrow in leaving:
            if arrow.target in heads:
                backs.setdefault(heads[arrow.target], []).append(len(rows))
            branch = "└─" if arrow is leaving[-1] else "├─"
            head = "⇢" if arrow.dashed else "↛" if arrow.dotted else "→"
            words = [branch, _label(arrow), head, _short(scene.boxes[arrow.target].name)]
            taken = f"  ✓{_times(arrow.taken)}" if arrow.taken else ""
            rows.append(indent + " ".join(word for word in words if word) + taken)
        for body in box.bodies:
            name = body.name or body.scene.name
            if [name] != [inner.name for inner in body.scene.boxes]:
                rows.append(f"{indent}  {_short(name)}")
            _write(body.scene, marked, f"{indent}  ", rows, backs)


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
