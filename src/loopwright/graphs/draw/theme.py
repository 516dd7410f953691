"""Colours: a light and a dark theme. Every colour of a picture stands here."""

from dataclasses import dataclass
from typing import Literal

from loopwright.graphs.draw.scene import Arrow, Box, Shape

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture. `fills` and `edges` are by shape; a failed end has its own pair."""

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
    fills: dict[Shape, str]
    strokes: dict[Shape, str]
    failed_fill: str
    failed_stroke: str

    def fill(self, box: Box) -> str:
        """The colour inside a box."""
        return self.fills[box.shape] if box.ok else self.failed_fill

    def stroke(self, box: Box) -> str:
        """The colour of a box's outline."""
        if box.pending:
            return self.pending
        return self.taken if box.visits else self.own_stroke(box)

    def own_stroke(self, box: Box) -> str:
        """The colour of a box's outline where no run was."""
        return self.strokes[box.shape] if box.ok else self.failed_stroke

    def arrow(self, arrow: Arrow) -> str:
        """The colour of an arrow."""
        if arrow.taken:
            return self.taken
        return self.failure if arrow.style == "failure" else self.line


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
    fills={
        "start": "#f1f2f4",
        "think": "#edf3ff",
        "judge": "#fff6de",
        "wait": "#fdeefb",
        "act": "#ebf9f0",
        "route": "#f3f4f6",
        "each": "#f1efff",
        "parallel": "#f1efff",
        "end": "#e4f5ea",
        "unknown": "#ffffff",
    },
    strokes={
        "start": "#8a94a6",
        "think": "#6f92d8",
        "judge": "#cfa23a",
        "wait": "#c27ab8",
        "act": "#69a983",
        "route": "#8a94a6",
        "each": "#8d83cf",
        "parallel": "#8d83cf",
        "end": "#69a983",
        "unknown": "#b4534b",
    },
    failed_fill="#fdeceb",
    failed_stroke="#cf7d76",
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
    fills={
        "start": "#262c37",
        "think": "#1d2a44",
        "judge": "#3a3018",
        "wait": "#3a2138",
        "act": "#18352a",
        "route": "#262c37",
        "each": "#2a2650",
        "parallel": "#2a2650",
        "end": "#1a3a2a",
        "unknown": "#14181f",
    },
    strokes={
        "start": "#7d889b",
        "think": "#6d8fd6",
        "judge": "#c79c3d",
        "wait": "#bb78b2",
        "act": "#5fa37f",
        "route": "#7d889b",
        "each": "#8f85d8",
        "parallel": "#8f85d8",
        "end": "#5fa37f",
        "unknown": "#e08a82",
    },
    failed_fill="#43211f",
    failed_stroke="#c97972",
)

THEMES: dict[ThemeName, Theme] = {"light": LIGHT, "dark": DARK}
"""The themes by name."""
