"""What a notebook is given while a run runs: two outputs that change in place, and nothing that a sanitiser strips."""

from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import pytest

from loopwright.errors import DrawError
from loopwright.graphs.plan import End
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.events import Event, Retrying, TextSaid, TextWithdrawn, VisitEnded, VisitStarted
from loopwright.nodes.think import Judge, Think
from loopwright.notebook.pictures import TAIL, Pictures
from loopwright.notebook.words import words_at_rest
from loopwright.state.channels import Channel
from loopwright.state.records import Usage, Visit
from loopwright.testing.scripts import RecordingModel

SVG = "image/svg+xml"
PENDING = "#d97706"
"""The outline of a node that a run is at, in the light theme."""


@dataclass
class Notebook:
    """A notebook's outputs by their ids, and how often each was set; an hour lies between two events."""

    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    now: float = 0.0

    def publish(self, data: dict[str, str], *, transient: dict[str, str], update: bool) -> None:
        name = transient["display_id"]
        assert update == (name in self.outputs), "an output is made once, and changes from then on"
        self.outputs[name] = data
        self.counts[name] = self.counts.get(name, 0) + 1

    def later(self, seconds: float, call: Any) -> Any:
        raise AssertionError(f"nothing is drawn later where an hour lies between two events, and not {seconds} s")

    def clock(self) -> float:
        return self.now

    def note(self, pictures: Pictures, event: Event) -> None:
        self.now += 3600
        pictures.note(event)

    @property
    def picture(self) -> str:
        (name,) = [name for name in self.outputs if name.endswith("-picture")]
        return self.outputs[name][SVG]

    @property
    def words(self) -> list[str]:
        (name,) = [name for name in self.outputs if name.endswith("-words")]
        return self.outputs[name]["text/plain"].splitlines()


def essay() -> Loop[Any]:
    plan = PlanBuilder("essay", [Channel("draft"), Channel("notes")], result="draft")
    plan.node(Think("write", prompt="?", writes="draft"))
    plan.node(Judge("judge", prompt="<{draft}>", outcomes=["pass", "revise"], writes="notes"))
    plan.edge("write", "done", "judge").edge("judge", "pass", End("good"))
    plan.edge("judge", "revise", "write", at_most=2, bound="rounds", then=End("late", ok=False))
    return plan.loop()


def script() -> RecordingModel:
    verdicts = [{"outcome": "revise", "reason": "no"}, {"outcome": "pass", "reason": "yes"}]
    return RecordingModel({"write": ["A b", "C d"], "judge": verdicts})


def watching(**look: Any) -> tuple[Notebook, Pictures, Any]:
    notebook, stream = Notebook(), essay().stream(model=script())
    return notebook, Pictures(stream.run, notebook.publish, notebook.later, clock=notebook.clock, **look), stream


def visit(index: int, node: str, outcome: str, target: str) -> Visit:
    return Visit(index, node, "think", outcome, target, usage=Usage(calls=1))


def test_a_run_is_shown_before_it_begins() -> None:
    notebook, _, stream = watching()
    assert notebook.picture == essay().draw()
    assert notebook.words == [
        f"run {stream.run.id} of essay: begins",
        "0 of at most 6 visits, 0 of at most 6 model calls",
    ]


def test_what_happens_is_shown_in_place() -> None:
    notebook, pictures, stream = watching()
    assert PENDING not in notebook.picture
    told: list[tuple[Event, str]] = [
        (VisitStarted("write", "think", "t1", "m"), "write asks m"),
        (TextSaid("write", "t1", "Dear ", "debug"), "write asks m"),
        (VisitEnded(visit(0, "write", "done", "judge"), "t1"), "on to judge"),
        (VisitStarted("judge", "think", "t2"), "judge"),
    ]
    for event, doing in told:
        notebook.note(pictures, event)
        assert notebook.words[0] == f"run {stream.run.id} of essay: {doing}"
        assert PENDING in notebook.picture
    assert notebook.words[1] == "1 of at most 6 visits, 1 of at most 6 model calls"
    assert len(notebook.outputs) == 2


def test_what_is_said_is_shown_until_it_is_kept_or_withdrawn() -> None:
    notebook, pictures, _ = watching()
    notebook.note(pictures, VisitStarted("write", "think", "t1", "m"))
    for part in ("Dear", " Ada,\n", "yours"):
        notebook.note(pictures, TextSaid("write", "t1", part, "user"))
    assert notebook.words[2:] == ["write: Dear Ada,", "yours"]
    notebook.note(pictures, TextWithdrawn("write", "t1", "user"))
    notebook.note(pictures, Retrying("write", "t1", "429", 0.5))
    assert notebook.words[2:] == ["write asks again: 429"]
    notebook.note(pictures, TextSaid("write", "t1", "x" * 1000, "user"))
    assert notebook.words[3] == "write: " + "x" * TAIL
    notebook.note(pictures, VisitEnded(visit(0, "write", "done", "judge"), "t1"))
    assert len(notebook.words) == 2


def test_the_last_picture_is_that_of_the_run() -> None:
    notebook, pictures, stream = watching(theme="dark")
    for event in stream:
        notebook.note(pictures, event)
    pictures.finish()
    assert notebook.picture == stream.run.draw(theme="dark")
    assert notebook.words == words_at_rest(stream.run).splitlines()
    assert len(notebook.outputs) == 2


def test_what_stays_the_same_is_not_sent_again() -> None:
    notebook, pictures, _ = watching()
    for _ in range(5):
        notebook.note(pictures, VisitStarted("write", "think", "t1", "m"))
    assert sorted(notebook.counts.values()) == [2, 2]


def test_another_theme_is_refused_before_the_run_begins() -> None:
    notebook = Notebook()
    with essay().stream(model=script()) as stream, pytest.raises(DrawError, match="no theme 'pink'"):
        Pictures(stream.run, notebook.publish, notebook.later, theme="pink")  # type: ignore[arg-type]
    assert notebook.outputs == {}


KEPT = {
    "svg": {"width", "height", "viewBox", "font-family"},
    "g": {"transform"},
    "title": set[str](),
    "rect": {"x", "y", "width", "height", "rx"},
    "path": {"d"},
    "polygon": {"points"},
    "circle": {"cx", "cy", "r"},
    "ellipse": {"cx", "cy", "rx", "ry"},
    "line": {"x1", "y1", "x2", "y2"},
    "text": {"x", "y", "font-size", "font-weight", "text-anchor"},
}
PAINT = {"fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "stroke-opacity"}
"""What the strictest hosts keep of a picture: shapes and presentation attributes; no styles, ids, links or scripts."""

UNSEEN = ("data-box", "data-label", "data-arrow", "data-from", "data-to")
"""What a page's script finds its way by. Nothing of a picture is lost where it is taken out."""


def stripped(svg: str) -> str:
    """A picture without all that a strict sanitiser takes out of it."""
    root = ElementTree.fromstring(svg)
    for parent in root.iter():
        for child in [*parent]:
            if child.tag.rpartition("}")[2] not in KEPT:
                parent.remove(child)
        allowed = KEPT[parent.tag.rpartition("}")[2]] | PAINT
        for name, value in [*parent.attrib.items()]:
            if name not in (*allowed, *UNSEEN) or "url(" in value:
                del parent.attrib[name]
    return ElementTree.tostring(root, encoding="unicode")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_sanitiser_takes_nothing_out_of_any_picture(theme: str) -> None:
    notebook, pictures, stream = watching(theme=theme)
    seen = set()
    for event in stream:
        notebook.note(pictures, event)
        seen.add(notebook.picture)
    pictures.finish()
    seen.add(notebook.picture)
    assert len(seen) >= 6
    for svg in seen:
        assert stripped(svg) == ElementTree.tostring(ElementTree.fromstring(svg), encoding="unicode")
        background = ElementTree.fromstring(svg)[1]
        assert background.attrib["fill"] == ("#ffffff" if theme == "light" else "#14181f")
        assert background.attrib["width"] == ElementTree.fromstring(svg).attrib["width"]


def test_the_sanitiser_takes_out_what_hosts_do() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" id="a" style="x"><style>rect {}</style><defs/>'
        '<rect class="b" fill="url(#c)" x="1"/><g><script/></g></svg>'
    )
    assert stripped(svg).replace("ns0:", "") == '<svg xmlns:ns0="http://www.w3.org/2000/svg"><rect x="1" /><g /></svg>'
