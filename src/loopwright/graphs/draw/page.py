"""The page: one HTML file with the picture and its legend. It asks for nothing else, from anywhere."""

from collections.abc import Iterator
from html import escape

from loopwright.graphs.draw.layout import Picture, PlacedArrow
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.draw.scene import Arrow, Box, Scene, Style
from loopwright.graphs.draw.svg import FONT, markup, svg_of
from loopwright.graphs.draw.theme import Theme

_SHAPES = {
    "start": "where a run begins",
    "think": "one question to a model",
    "judge": "a model's verdict: one of several outcomes",
    "wait": "waits for someone outside",
    "act": "acts on the world",
    "route": "decides from the state alone",
    "each": "runs its body for each item, side by side",
    "parallel": "runs several bodies side by side",
    "unknown": "a name that the plan does not have",
    "nowhere": "what an outcome without an edge leads to",
}
_STYLES = {
    "plain": "an outcome, and where it leads; ≤ n: at most n times in one entry of its loop",
    "failure": "where a failure leads",
    "used_up": "where it leads instead when the bound is used up",
    "missing": "an outcome without an edge",
}


def page_of(scene: Scene, theme: Theme) -> str:
    """A scene as one HTML page that can be sent to anybody.

    Args:
        scene: The scene.
        theme: The colours.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.graphs.draw.scene import scene_of
        >>> from loopwright.graphs.draw.theme import LIGHT
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> "<h1>greet</h1>" in page_of(scene_of(plan), LIGHT)
        True
    """
    legend = "\n".join(f"<dt>{picture}</dt><dd>{escape(words)}</dd>" for picture, words in _legend(scene, theme))
    return _PAGE.format(
        name=escape(visible(scene.name)),
        font=FONT,
        background=theme.background,
        text=theme.text,
        muted=theme.muted,
        picture=svg_of(scene, theme),
        legend=legend,
    )


def _legend(scene: Scene, theme: Theme) -> Iterator[tuple[str, str]]:
    """A sample and its meaning for everything that occurs."""
    boxes = [box for part in scene.walk() for box in part.boxes]
    arrows = [arrow for part in scene.walk() for arrow in part.arrows]
    shapes = {box.shape for box in boxes}
    for shape, words in _SHAPES.items():
        if shape in shapes:
            yield _sample(next(Box(shape, box.shape) for box in boxes if box.shape == shape), theme), words
    for ok, words in ((True, "an end that is a success"), (False, "an end that is no success")):
        if any(box.shape == "end" and box.ok == ok for box in boxes):
            yield _sample(Box("end", "end", ok=ok), theme), words
    styles = {arrow.style: arrow.style for arrow in arrows}
    for style, words in _STYLES.items():
        if style in styles:
            yield _line(style, 0, theme), words
    if any(arrow.taken for arrow in arrows):
        yield _line("plain", 1, theme), "taken by the run"
        yield _sample(Box("2 visits", "think", visits=2), theme), "visited by the run, and how often"
    if any(box.pending for box in boxes):
        yield _sample(Box("here", "wait", pending=True), theme), "where the run is now"


def _sample(box: Box, theme: Theme) -> str:
    return svg_of(Scene(box.name, (box,), ()), theme, 12)


def _line(style: Style, taken: int, theme: Theme) -> str:
    arrow = PlacedArrow(Arrow(0, 0, "", style, "", taken), ((2.0, 16.0), (70.0, 16.0)))
    return markup(Picture((), (arrow,), (), 72.0, 32.0), style, theme)


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{name}</title>
<style>
body {{ margin: 2rem; background: {background}; color: {text}; font: 15px/1.5 {font}; }}
h1 {{ font-size: 1.3rem; font-weight: 600; overflow-wrap: anywhere; }}
main {{ display: flex; flex-wrap: wrap; gap: 2rem; align-items: flex-start; }}
figure {{ margin: 0; overflow-x: auto; max-width: 100%; }}
dl {{ display: grid; grid-template-columns: auto 1fr; gap: 0.1rem 1rem; align-items: center; }}
dl {{ max-width: 32rem; margin: 0; }}
dt {{ justify-self: center; line-height: 0; }}
dd {{ margin: 0; color: {muted}; }}
</style>
</head>
<body>
<h1>{name}</h1>
<main>
<figure>
{picture}</figure>
<dl>
{legend}
</dl>
</main>
</body>
</html>
"""
