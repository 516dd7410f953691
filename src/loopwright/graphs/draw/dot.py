"""Dot: a plan as Graphviz text, for papers and for whoever lays it out anew."""

from collections.abc import Iterator, Mapping

from loopwright.graphs.draw.lettering import TIMES, shorten, visible
from loopwright.graphs.draw.scene import Arrow, Box, Scene
from loopwright.graphs.draw.theme import Theme

_LONG = 60

_SHAPES: Mapping[str, str] = {
    "start": 'box, style="rounded,filled"',
    "think": 'box, style="rounded,filled"',
    "judge": "hexagon",
    "brain": 'box, style="rounded,filled", peripheries=2',
    "wait": "parallelogram",
    "route": "diamond",
    "each": "box3d",
    "parallel": "box3d",
    "end": "oval",
    "unknown": 'box, style="dashed,filled"',
    "nowhere": 'box, style="dashed,filled"',
}
"""Graphviz's shapes by ours; any other is a box."""


def dot_of(scene: Scene, theme: Theme) -> str:
    """A scene as Graphviz text; every arrow is one line, and an opened fork is a cluster around its bodies.

    Args:
        scene: The scene.
        theme: The colours.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.graphs.draw.scene import scene_of
        >>> from loopwright.graphs.draw.theme import LIGHT
        >>> from loopwright.nodes.think import Think
        >>> text = dot_of(scene_of(one_node_plan(Think("greet", prompt="Hello"))), LIGHT)
        >>> [line for line in text.splitlines() if "->" in line]
        ['  n0 -> n1 [tooltip="start → greet"];', '  n1 -> n2 [tooltip="greet [done] → done"];']
    """
    head = [
        f"graph [bgcolor={_quoted(theme.background)}, rankdir=TB, compound=true, fontname=Helvetica];",
        f"node [style=filled, fontname=Helvetica, fontsize=12, fontcolor={_quoted(theme.text)}];",
        f"edge [color={_quoted(theme.line)}, fontname=Helvetica, fontsize=10, fontcolor={_quoted(theme.label_text)}];",
    ]
    lines = [*head, *_lines(scene, theme, "n")]
    return "\n".join([f"digraph {_quoted(scene.name)} {{", *(f"  {line}" for line in lines), "}\n"])


def _lines(scene: Scene, theme: Theme, prefix: str) -> Iterator[str]:
    for place, box in enumerate(scene.boxes):
        if not box.bodies:
            yield _node(box, f"{prefix}{place}", theme)
            continue
        yield f"subgraph cluster_{prefix}{place} {{"
        yield f"  color={_quoted(theme.stroke(box))};"
        yield f"  {_node(box, f'{prefix}{place}', theme)}"
        for number, body in enumerate(box.bodies):
            inner = f"{prefix}{place}_{number}_"
            yield f"  subgraph cluster_{inner} {{"
            yield f"    label={_quoted(body.name or body.scene.name)}; color={_quoted(theme.label_edge)};"
            yield f"    fontcolor={_quoted(theme.muted)};"
            yield from (f"    {line}" for line in _lines(body.scene, theme, inner))
            yield "  }"
        yield "}"
    for arrow in scene.arrows:
        yield f"{prefix}{arrow.source} -> {prefix}{arrow.target} [{', '.join(_look(arrow, theme))}];"


def _node(box: Box, name: str, theme: Theme) -> str:
    count = f" {TIMES}{box.visits}" if box.visits > 1 else ""
    label = "\\n".join([_escaped(box.name) + count, *([_escaped(box.below)] if box.below else [])])
    width = ", penwidth=2.4" if box.visits or box.pending else ""
    paint = f"fillcolor={_quoted(theme.own(box)[0])}, color={_quoted(theme.stroke(box))}{width}"
    return f'{name} [label="{label}", shape={_SHAPES.get(box.shape, "box")}, {paint}, tooltip={_quoted(box.kind)}];'


def _look(arrow: Arrow, theme: Theme) -> Iterator[str]:
    if arrow.label:
        yield f'label="{_escaped(arrow.label)}"'
    if theme.arrow(arrow) != theme.line:
        yield f"color={_quoted(theme.arrow(arrow))}"
    if arrow.dashed or arrow.dotted:
        yield f"style={'dashed' if arrow.dashed else 'dotted'}"
    if arrow.taken:
        yield "penwidth=2.4"
    yield f"tooltip={_quoted(arrow.title)}"


def _quoted(text: str) -> str:
    return f'"{_escaped(text, None)}"'


def _escaped(text: str, most: int | None = _LONG) -> str:
    """The text, as Graphviz shows it letter for letter: it reads backslashes and the names of characters."""
    shown = visible(text) if most is None else shorten(visible(text), most)
    return shown.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
