"""SVG: a picture that survives strict sanitisers.

Only presentation attributes, no style sheets, no references, arrowheads as polygons, text as text: hosts that strip
everything else from an inline picture still show the whole of it.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from xml.sax.saxutils import escape

from loopwright.graphs.draw.labels import LINE, Label
from loopwright.graphs.draw.layout import HEADER, MARGIN, Picture, PlacedArrow, PlacedBody, PlacedBox, layout
from loopwright.graphs.draw.lettering import NAME_SIZE, SMALL_SIZE, shorten, text_width, visible
from loopwright.graphs.draw.outline import ROUND, SHEET, SLANT, STACKED, lines_of, size_of
from loopwright.graphs.draw.routes import HEAD, Point, head, toward
from loopwright.graphs.draw.scene import Scene, scene_of
from loopwright.graphs.draw.theme import THEMES, Theme, ThemeName
from loopwright.graphs.plan import Plan
from loopwright.state.records import Visit

FONT = "Helvetica, Arial, sans-serif"
CORNER = 7.0


def to_svg(
    plan: Plan,
    *,
    visits: Sequence[Visit] = (),
    at: Collection[str] = (),
    theme: ThemeName = "light",
    opened: bool = False,
) -> str:
    """A plan as an SVG picture, for notebooks; arguments as of `picture`.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> to_svg(plan).count("<polygon")
        2
    """
    return svg_of(scene_of(plan, visits, at, opened=opened), THEMES[theme])


def svg_of(scene: Scene, theme: Theme, margin: float = MARGIN) -> str:
    """A scene as an SVG picture; every arrow is one line with one head.

    Args:
        scene: The scene.
        theme: The colours.
        margin: Room around everything.
    """
    return markup(layout(scene, margin), scene.name, theme)


def markup(picture: Picture, name: str, theme: Theme, legend: Sequence[tuple[Picture, str]] = ()) -> str:
    """A picture that is laid out already, as SVG.

    Args:
        picture: Everything in its place.
        name: What the picture is called.
        theme: Its colours.
        legend: Samples with their meanings, which stand to the right of it.
    """
    samples = max((sample.width for sample, _ in legend), default=0.0)
    words = max((text_width(text, SMALL_SIZE) + 2 * MARGIN for _, text in legend), default=0.0)
    width = _number(picture.width + samples + words)
    height = _number(max(picture.height, sum(sample.height for sample, _ in legend)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}">',
        _title(name),
        f'<rect width="{width}" height="{height}" fill="{theme.background}"/>',
        *_picture(picture, theme),
        *_legend(legend, picture.width, samples, theme),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _legend(legend: Sequence[tuple[Picture, str]], left: float, room: float, theme: Theme) -> Iterator[str]:
    """Each sample in the middle of its column, and its meaning to the right of it."""
    top = 0.0
    for sample, words in legend:
        yield f'<g transform="translate({_pair((left + (room - sample.width) / 2, top))})">'
        yield from _picture(sample, theme)
        yield "</g>"
        x, y = left + room + MARGIN / 2, top + sample.height / 2
        yield _text(words, x, y, SMALL_SIZE, theme.muted, anchor="start")
        top += sample.height


def _picture(picture: Picture, theme: Theme) -> Iterator[str]:
    """Lines first, then boxes, then labels; a line that was taken lies over one that was not.

    Each says for programs, in an attribute that hosts may strip, what it is: boxes and arrows are told by their places.
    """
    for place, placed in sorted(enumerate(picture.arrows), key=lambda one: one[1].arrow.taken > 0):
        yield _arrow(placed, place, theme)
    for place, box in enumerate(picture.boxes):
        yield from _box(box, place, theme)
    for label in picture.labels:
        yield _label(label, theme)


def _arrow(placed: PlacedArrow, place: int, theme: Theme) -> str:
    arrow, colour = placed.arrow, theme.arrow(placed.arrow)
    told = f'data-arrow="{place}" data-from="{arrow.source}" data-to="{arrow.target}"'
    line = [*placed.points[:-1], toward(placed.points[-1], placed.points[-2], HEAD - 1)]
    dashes = ' stroke-dasharray="5 4"' if arrow.dashed else ' stroke-dasharray="1.5 3.5"' if arrow.dotted else ""
    corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in head(placed.points))
    return (
        f'<g {told}>{_title(arrow.title)}<path d="{_path(line)}" fill="none" stroke="{colour}" '
        f'stroke-width="{2.4 if arrow.taken else 1.4}"{dashes}/>'
        f'<polygon points="{corners}" fill="{colour}"/></g>'
    )


def _path(points: Sequence[Point]) -> str:
    """A line with rounded corners."""
    steps = [f"M{_pair(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        radius = min(CORNER, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        steps.append(f"L{_pair(toward(corner, before, radius))}")
        steps.append(f"Q{_pair(corner)} {_pair(toward(corner, after, radius))}")
    return " ".join([*steps, f"L{_pair(points[-1])}"])


def _box(placed: PlacedBox, place: int, theme: Theme) -> Iterator[str]:
    box = placed.box
    stroke = theme.stroke(box)
    paint = f'fill="{theme.own(box)[0]}" stroke="{stroke}" stroke-width="{2.4 if box.visits or box.pending else 1.4}"'
    dashes = ' stroke-dasharray="4 3"' if box.shape in ("unknown", "nowhere") else ""
    yield f'<g data-box="{place}">{_title(f"{box.name} ({box.kind})")}'
    if box.pending:
        yield _outline(placed, 4, f'fill="none" stroke="{stroke}" stroke-width="3" stroke-opacity="0.35"')
    front = _front(placed)
    for sheet in (2 * SHEET, SHEET) if box.shape in STACKED else ():
        behind = replace(front, x=front.x + sheet, y=front.y + sheet)
        yield _outline(behind, 0, f'fill="{theme.own(box)[0]}" stroke="{stroke}" stroke-width="1"')
    yield _outline(front, 0, paint + dashes)
    yield from _texts(front, theme)
    for body in placed.bodies:
        yield from _body(body, theme)
    if box.visits > 1:
        yield _badge(front, theme)
    yield "</g>"


def _front(placed: PlacedBox) -> PlacedBox:
    """The sheet in front, where there are several: the box is as large as all of them."""
    if placed.box.shape not in STACKED:
        return placed
    less = 2 * SHEET
    return replace(
        placed, x=placed.x - SHEET, y=placed.y - SHEET, width=placed.width - less, height=placed.height - less
    )


def _outline(placed: PlacedBox, grow: float, paint: str) -> str:
    """The shape of a box, larger by `grow` on every side."""
    shape, x, y = placed.box.shape, placed.x, placed.y
    wide, high = placed.width / 2 + grow, placed.height / 2 + grow
    if shape == "judge":
        flat = wide - SLANT
        corners = [(-wide, 0), (-flat, -high), (flat, -high), (wide, 0), (flat, high), (-flat, high)]
    elif shape == "route":
        corners = [(-wide, 0), (0, -high), (wide, 0), (0, high)]
    else:
        return _rectangle(placed, grow, paint)
    path = " L".join(_pair((x + dx, y + dy)) for dx, dy in corners)
    return f'<path d="M{path} Z" stroke-linejoin="round" {paint}/>'


def _rectangle(placed: PlacedBox, grow: float, paint: str) -> str:
    wide, high = placed.width + 2 * grow, placed.height + 2 * grow
    radius = ROUND[placed.box.shape] + grow if placed.box.shape in ROUND else high / 2
    x, y = placed.x - wide / 2, placed.y - high / 2
    return (
        f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(wide)}" height="{_number(high)}" '
        f'rx="{_number(radius)}" {paint}/>'
    )


def _texts(placed: PlacedBox, theme: Theme) -> Iterator[str]:
    """The lines of a box, around its middle; above the bodies where it is opened."""
    lines = lines_of(placed.box)
    room = size_of(placed.box)[1] if placed.bodies else placed.height
    y = placed.y - placed.height / 2 + (room - sum(line.height for line in lines)) / 2
    for line in lines:
        y += line.height
        colour = theme.text if line.size == NAME_SIZE else theme.muted
        yield _text(line.text, placed.x, y - line.height / 2, line.size, colour)


def _text(text: str, x: float, y: float, size: float, colour: str, weight: str = "", anchor: str = "middle") -> str:
    """A text around a point, or right of it. Its baseline is computed: hosts differ in what else they understand."""
    return (
        f'<text x="{_number(x)}" y="{_number(y + size * 0.35)}" font-size="{_number(size)}" '
        f'text-anchor="{anchor}" fill="{colour}"{weight}>{escape(text)}</text>'
    )


def _body(body: PlacedBody, theme: Theme) -> Iterator[str]:
    picture = body.picture
    if body.name:
        name = shorten(visible(body.name))
        yield _text(
            name, body.x + picture.width / 2, body.y - HEADER / 2, SMALL_SIZE, theme.muted, ' font-weight="bold"'
        )
    yield f'<g transform="translate({_pair((body.x, body.y))})">'
    yield from _picture(picture, theme)
    yield "</g>"


def _badge(placed: PlacedBox, theme: Theme) -> str:
    count = str(placed.box.visits)
    width = max(18.0, text_width(count, SMALL_SIZE) + 9)
    x, y = placed.badge
    field = (
        f'<rect x="{_number(x - width / 2)}" y="{_number(y - 9)}" width="{_number(width)}" height="18" rx="9" '
        f'fill="{theme.taken}" stroke="{theme.background}" stroke-width="1.5"/>'
    )
    return field + _text(count, x, y, SMALL_SIZE, theme.badge_text)


def _label(label: Label, theme: Theme) -> str:
    x, y = label.x - label.width / 2, label.y - label.height / 2
    field = (
        f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(label.width)}" height="{_number(label.height)}" '
        f'rx="4" fill="{theme.label_fill}" stroke="{theme.label_edge}"/>'
    )
    first = label.y - LINE * (len(label.lines) - 1) / 2
    texts = (
        _text(line, label.x, first + LINE * place, SMALL_SIZE, theme.label_text)
        for place, line in enumerate(label.lines)
    )
    return f'<g data-label="{label.arrow}">{field}{"".join(texts)}</g>'


def _title(text: str) -> str:
    """What a pointer that rests here is told."""
    return f"<title>{escape(visible(text))}</title>"


def _pair(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    """One decimal at most; never a minus zero."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
