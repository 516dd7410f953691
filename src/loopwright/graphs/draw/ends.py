"""Ends: one that many nodes lead to stands beside each of them, so that no line crosses the whole picture for it."""

from collections import Counter
from dataclasses import replace

from loopwright.graphs.draw.scene import Box, Scene

MANY = 8
"""An end that so many nodes lead to, or fewer, is drawn once."""

MANY_FAILING = 4
"""The same of an end that is no success: ways to it are exceptions, and come from everywhere."""


def spread(scene: Scene) -> Scene:
    """The scene with a busy end once for every node that leads to it; the arrows are the same, each to its own one.

    Args:
        scene: The scene; it stays as it is where no end is busy.

    Example:
        >>> from loopwright.graphs.draw.scene import Arrow, Box
        >>> boxes = (*(Box(f"n{number}", "think") for number in range(9)), Box("over", "end"))
        >>> arrows = tuple(Arrow(number, 9, (), "plain", "") for number in range(9))
        >>> [arrow.target for arrow in spread(Scene("busy", boxes, arrows)).arrows]
        [9, 10, 11, 12, 13, 14, 15, 16, 17]
    """
    pairs = dict.fromkeys((arrow.source, arrow.target) for arrow in scene.arrows)
    leading = Counter(target for _, target in pairs)
    busy = {place for place, count in leading.items() if _busy(scene.boxes[place], count)}
    if not busy:
        return scene
    taken: Counter[tuple[int, int]] = Counter()
    for arrow in scene.arrows:
        taken[arrow.source, arrow.target] += arrow.taken
    boxes = list(scene.boxes)
    free = set(busy)
    own: dict[tuple[int, int], int] = {}
    for source, target in pairs:
        if target not in busy:
            continue
        copy = replace(scene.boxes[target], visits=min(1, taken[source, target]))
        if target in free:
            free.remove(target)
            own[source, target], boxes[target] = target, copy
        else:
            own[source, target] = len(boxes)
            boxes.append(copy)
    arrows = (replace(arrow, target=own.get((arrow.source, arrow.target), arrow.target)) for arrow in scene.arrows)
    return replace(scene, boxes=tuple(boxes), arrows=tuple(arrows))


def _busy(box: Box, count: int) -> bool:
    return box.shape == "end" and count > (MANY if box.ok else MANY_FAILING)
