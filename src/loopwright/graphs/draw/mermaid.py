"""Mermaid: a plan as flowchart text, for pages that draw it themselves."""

import re
from collections.abc import Iterator

from loopwright.graphs.draw.lettering import TIMES, shorten, visible
from loopwright.graphs.draw.scene import Box, Scene, Shape
from loopwright.graphs.draw.theme import Theme

_LONG = 60

_BRACKETS: dict[Shape, tuple[str, str]] = {
    "start": ("([", "])"),
    "think": ("(", ")"),
    "judge": ("{{", "}}"),
    "brain": ("[[", "]]"),
    "wait": ("[/", "/]"),
    "act": ("[", "]"),
    "route": ("{", "}"),
    "each": ("[[", "]]"),
    "parallel": ("[[", "]]"),
    "node": ("(", ")"),
    "end": ("([", "])"),
    "unknown": (">", "]"),
    "unseen": (">", "]"),
    "nowhere": (">", "]"),
}

_MARKUP = re.compile(r"""["#<>&|`*~\\$;%(){}\[\]]|(?<![^\W_])_|_(?![^\W_])|^\d+(?=[.)])|^[-+]""")
"""What Mermaid, or the Markdown inside its labels, would read as more than a letter."""


def mermaid_of(scene: Scene, theme: Theme) -> str:
    """A scene as a Mermaid flowchart; every arrow is one line.

    Args:
        scene: The scene; forks are shown closed. A way that no visit takes ends in a cross.
        theme: The colours.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.graphs.draw.scene import scene_of
        >>> from loopwright.graphs.draw.theme import LIGHT
        >>> from loopwright.nodes.think import Think
        >>> scene = scene_of(one_node_plan(Think("greet", prompt="Hello")))
        >>> print("\\n".join(mermaid_of(scene, LIGHT).splitlines()[:6]))
        flowchart TD
            n0(["start"])
            n1("greet")
            n2(["done"])
            n0 --> n1
            n1 --> n2
    """
    lines = ["flowchart TD", *(f"    {line}" for line in _lines(scene, theme))]
    return "\n".join(lines) + "\n"


def _lines(scene: Scene, theme: Theme) -> Iterator[str]:
    for place, box in enumerate(scene.boxes):
        opening, closing = _BRACKETS[box.shape]
        yield f'n{place}{opening}"{_words(box)}"{closing}'
    for arrow in scene.arrows:
        line = "-.->" if arrow.dashed else "-.-x" if arrow.dotted else "-->"
        label = f'|"{" ".join(map(_escaped, arrow.words))}"|' if arrow.label else ""
        yield f"n{arrow.source} {line}{label} n{arrow.target}"
    yield from _classes(scene, theme)
    taken = [str(place) for place, arrow in enumerate(scene.arrows) if arrow.taken]
    if taken:
        yield f"linkStyle {','.join(taken)} stroke:{theme.taken},stroke-width:3px"


def _words(box: Box) -> str:
    """A box's name, what runs inside it, and how often it was visited."""
    count = f" {TIMES}{box.visits}" if box.visits > 1 else ""
    note = f"<br>{_escaped(box.below)}" if box.below else ""
    return _escaped(box.name) + count + note


def _escaped(text: str) -> str:
    """The text, as Mermaid shows it letter for letter."""
    return (
        _MARKUP.sub(lambda found: "".join(f"#{ord(char)};" for char in found.group()), shorten(visible(text), _LONG))
        or " "
    )


def _classes(scene: Scene, theme: Theme) -> Iterator[str]:
    """One class for each look that occurs."""
    members: dict[str, list[str]] = {}
    looks: dict[str, str] = {}
    for place, box in enumerate(scene.boxes):
        kind = str(box.shape) if box.ok else "failure"
        members.setdefault(kind, []).append(f"n{place}")
        fill, stroke = theme.own(box)
        looks[kind] = f"fill:{fill},stroke:{stroke},color:{theme.text}"
    for name, colour, wanted in (
        ("visited", theme.taken, [box.visits > 0 for box in scene.boxes]),
        ("pending", theme.pending, [box.pending for box in scene.boxes]),
    ):
        if any(wanted):
            members[name] = [f"n{place}" for place, is_so in enumerate(wanted) if is_so]
            looks[name] = f"stroke:{colour},stroke-width:3px"
    for name, look in looks.items():
        yield f"classDef {name}Node {look}"
        yield f"class {','.join(members[name])} {name}Node"
