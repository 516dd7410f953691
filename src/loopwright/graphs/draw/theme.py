"""Colours: a light and a dark theme. Every colour of a picture stands here."""

from dataclasses import dataclass
from typing import Literal

from loopwright.graphs.draw.scene import Arrow, Box, Shape

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture. `shapes` and `failed`, for an end that is no success, are a fill and an outline."""

    background: str
    text: str
    muted: str
    line: str
    failure: str
    taken: str
    pending: str
    badge_text: str
    label_text: str
    label_fill: str
    label_edge: str
    shapes: dict[Shape, tuple[str, str]]
    failed: tuple[str, str]

    def own(self, box: Box) -> tuple[str, str]:
        """The colours of a box where no run was: inside it, and of its outline."""
        return self.shapes[box.shape] if box.ok else self.failed

    def stroke(self, box: Box) -> str:
        """The colour of a box's outline."""
        if box.pending:
            return self.pending
        return self.taken if box.visits else self.own(box)[1]

    def arrow(self, arrow: Arrow) -> str:
        """The colour of an arrow."""
        if arrow.taken:
            return self.taken
        return self.failure if arrow.style in ("failure", "missing", "unseen") else self.line


LIGHT = Theme(
    background="#ffffff",
    text="#1f2937",
    muted="#6b7280",
    line="#64708a",
    failure="#b4534b",
    taken="#2e8b57",
    pending="#d97706",
    badge_text="#ffffff",
    label_text="#4b5563",
    label_fill="#ffffff",
    label_edge="#dfe3ea",
    shapes={
        "start": ("#f1f2f4", "#8a94a6"),
        "think": ("#edf3ff", "#6f92d8"),
        "judge": ("#fff6de", "#cfa23a"),
        "brain": ("#e3ecff", "#4f74c4"),
        "wait": ("#fdeefb", "#c27ab8"),
        "act": ("#ebf9f0", "#69a983"),
        "route": ("#f3f4f6", "#8a94a6"),
        "each": ("#f1efff", "#8d83cf"),
        "parallel": ("#f1efff", "#8d83cf"),
        "node": ("#eef4f8", "#7795ad"),
        "end": ("#e4f5ea", "#69a983"),
        "unknown": ("#ffffff", "#b4534b"),
        "unseen": ("#ffffff", "#b4534b"),
        "nowhere": ("#ffffff", "#b4534b"),
    },
    failed=("#fdeceb", "#cf7d76"),
)

DARK = Theme(
    background="#14181f",
    text="#e6e9ef",
    muted="#9aa4b5",
    line="#8b97ad",
    failure="#e08a82",
    taken="#4fbf84",
    pending="#f2a93b",
    badge_text="#0f1a14",
    label_text="#c3cad6",
    label_fill="#1b212b",
    label_edge="#364050",
    shapes={
        "start": ("#262c37", "#7d889b"),
        "think": ("#1d2a44", "#6d8fd6"),
        "judge": ("#3a3018", "#c79c3d"),
        "brain": ("#22365c", "#86a6ee"),
        "wait": ("#3a2138", "#bb78b2"),
        "act": ("#18352a", "#5fa37f"),
        "route": ("#262c37", "#7d889b"),
        "each": ("#2a2650", "#8f85d8"),
        "parallel": ("#2a2650", "#8f85d8"),
        "node": ("#1e2a36", "#7795ad"),
        "end": ("#1a3a2a", "#5fa37f"),
        "unknown": ("#14181f", "#e08a82"),
        "unseen": ("#14181f", "#e08a82"),
        "nowhere": ("#14181f", "#e08a82"),
    },
    failed=("#43211f", "#c97972"),
)

THEMES: dict[ThemeName, Theme] = {"light": LIGHT, "dark": DARK}
"""The themes by name."""
