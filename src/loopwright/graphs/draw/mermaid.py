"""Mermaid: a plan as flowchart text, for pages that draw it themselves."""

import re
from collections.abc import Collection, Iterator, Sequence

from loopwright.graphs.draw.lettering import TIMES, shorten, visible
from loopwright.graphs.draw.scene import Box, Scene, Shape, scene_of
from loopwright.graphs.draw.theme import LIGHT
from loopwright.graphs.plan import Plan
from loopwright.state.records import Visit

_LONG = 60

_BRACKETS: dict[Shape, tuple[str, str]] = {
    "start": ("([", "])"),
    "think": ("(", ")"),
    "judge": ("{{", "}}"),
    "wait": ("[/", "/]"),
    "act": ("[", "]"),
    "route": ("{", "}"),
    "each": ("[[", "]]"),
    "parallel": ("[[", "]]"),
    "end": ("([", "])"),
    "unknown": (">", "]"),
}

_MARKUP = re.compile(r"""["#<>&|`*~\\$;%(){}\[\]]|(?<![^\W_])_|_(?![^\W_])|^\d+(?=[.)])|^[-+]""")
"""What Mermaid, or the Markdown inside its labels, would read as more than a letter."""


def to_mermaid(plan: Plan, *, visits: Sequence[Visit] = (), at: Collection[str] = ()) -> str:
    """A plan as a Mermaid flowchart; every move is one line.

    Args:
        plan: The plan.
        visits: The visits of a run: their path is emphasised.
        at: The nodes that a run waits or stopped at.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> print("\\n".join(to_mermaid(plan).splitlines()[:6]))
        flowchart TD
            n0(["start"])
            n1("greet")
            n2(["done"])
            n0 --> n1
            n1 --> n2
    """
    scene = scene_of(plan, visits, at)
    lines = ["flowchart TD", *(f"    {line}" for line in _lines(scene))]
    return "\n".join(lines) + "\n"


def _lines(scene: Scene) -> Iterator[str]:
    for place, box in enumerate(scene.boxes):
        opening, closing = _BRACKETS[box.shape]
        yield f'n{place}{opening}"{_words(box)}"{closing}'
    for arrow in scene.arrows:
        line = "-.->" if arrow.style == "used_up" else "-->"
        label = f'|"{_escaped(arrow.label)}"|' if arrow.label else ""
        yield f"n{arrow.source} {line}{label} n{arrow.target}"
    yield from _classes(scene)
    taken = [str(place) for place, arrow in enumerate(scene.arrows) if arrow.taken]
    if taken:
        yield f"linkStyle {','.join(taken)} stroke:{LIGHT.taken},stroke-width:3px"


def _words(box: Box) -> str:
    """A box's name, what runs inside it, and how often it was visited."""
    count = f" {TIMES}{box.visits}" if box.visits > 1 else ""
    note = f"<br>{_escaped(box.note)}" if box.note else ""
    return _escaped(box.name) + count + note


def _escaped(text: str) -> str:
    """The text, as Mermaid shows it letter for letter."""
    return (
        _MARKUP.sub(lambda found: "".join(f"#{ord(char)};" for char in found.group()), shorten(visible(text), _LONG))
        or " "
    )


def _classes(scene: Scene) -> Iterator[str]:
    """One class for each look that occurs."""
    members: dict[str, list[str]] = {}
    looks: dict[str, str] = {}
    for place, box in enumerate(scene.boxes):
        kind = str(box.shape) if box.ok else "failure"
        members.setdefault(kind, []).append(f"n{place}")
        looks[kind] = f"fill:{LIGHT.fill(box)},stroke:{LIGHT.own_stroke(box)},color:{LIGHT.text}"
    for name, colour, wanted in (
        ("visited", LIGHT.taken, [box.visits > 0 for box in scene.boxes]),
        ("pending", LIGHT.pending, [box.pending for box in scene.boxes]),
    ):
        if any(wanted):
            members[name] = [f"n{place}" for place, is_so in enumerate(wanted) if is_so]
            looks[name] = f"stroke:{colour},stroke-width:3px"
    for name, look in looks.items():
        yield f"classDef {name}Node {look}"
        yield f"class {','.join(members[name])} {name}Node"
