"""Every format has every edge exactly once, and files are written whole or not at all."""

import os
import re
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

from loopwright.errors import DrawError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw import raster
from loopwright.graphs.draw.formats import FORMATS, picture, write_picture
from loopwright.graphs.draw.raster import raster as raster_of
from loopwright.graphs.plan import End, Fork, Plan
from loopwright.nodes.think import Judge, Think
from loopwright.state.channels import Channel

OUTCOMES = ("a", "b", "c")
KINDS = ("data-box", "data-label", "data-arrow")
SVG = "{http://www.w3.org/2000/svg}"

Edge = tuple[str, str, str]
"""Where it leads from, what is written on it, and where it leads to."""


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Small plans of any shape: loops, parallel edges, edges that are missing, and bounds."""
    count = draw(st.integers(1, 5))
    names = [f"n{number}" for number in range(count)]
    targets: st.SearchStrategy[str | End] = st.sampled_from([*names, End("good"), End("bad", ok=False)])
    builder = PlanBuilder("random")
    for name in names:
        builder.node(Judge(name, prompt="x", outcomes=list(OUTCOMES)))
        for outcome in draw(st.sets(st.sampled_from(OUTCOMES))):
            if draw(st.booleans()):
                builder.edge(name, outcome, draw(targets), at_most=draw(st.integers(1, 9)), then=draw(targets))
            else:
                builder.edge(name, outcome, draw(targets))
    return builder.build()


def expected(plan: Plan, opened: bool = False) -> Counter[Edge]:
    """Every edge that must be seen: the way in, one for every outcome, one for every used-up bound, and the gaps."""
    found: Counter[Edge] = Counter([("start", "", plan.start)])
    for move in plan.moves:
        only = [*plan.nodes[move.source].contract.outcomes] == ["done"]
        word = "" if only and not move.used_up else move.outcome
        found[move.source, f"{word} used up" if move.used_up else word, move.way.target] += 1
    for name, placed in plan.nodes.items():
        gaps = [outcome for outcome in placed.contract.outcomes if (name, outcome) not in plan.routes]
        found += Counter((name, outcome, "nowhere") for outcome in gaps)
        if opened and isinstance(placed.node, Fork):
            for branch in placed.node.branches.values():
                found += expected(branch.plan, opened) if len(branch.plan.nodes) > 1 else Counter()
    return found


def edges(source: str, label: str, target: str) -> list[Edge]:
    """The edges of one line of a picture: one for each outcome that is written on it."""
    outcomes = re.sub(r" ?(\(\S+ ≤ \d+\)|≤ \d+)$", "", label)
    return [(source, outcome, target) for outcome in outcomes.split(", ")]


def in_svg(text: str) -> Counter[Edge]:
    """What is drawn: a line, a head, and a label; boxes by what they say of themselves."""
    found: Counter[Edge] = Counter()
    for part in ElementTree.fromstring(text).iter():
        boxes, labels, arrows = ({one.get(kind, ""): one for one in part if kind in one.attrib} for kind in KINDS)
        names = {place: box.findtext(f"{SVG}title", "").rpartition(" (")[0] for place, box in boxes.items()}
        for place, arrow in arrows.items():
            assert [child.tag for child in arrow] == [f"{SVG}title", f"{SVG}path", f"{SVG}polygon"]
            label = " ".join(line.text or "" for line in labels[place].iter(f"{SVG}text")) if place in labels else ""
            found.update(edges(names[arrow.get("data-from", "")], label, names[arrow.get("data-to", "")]))
    return found


def in_html(text: str) -> Counter[Edge]:
    return in_svg(text.partition("<figure>")[2].partition("</figure>")[0])


def in_mmd(text: str) -> Counter[Edge]:
    plain = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), text)
    names = dict(re.findall(r'^ +(n\d+)[(\[{/>]+"(.*?)(?:<br>.*?)?"', plain, re.MULTILINE))
    lines = re.findall(r'^ +(n\d+) -(?:->|\.->)(?:\|"(.*)"\|)? (n\d+)$', plain, re.MULTILINE)
    return Counter(edge for source, label, target in lines for edge in edges(names[source], label, names[target]))


def in_txt(text: str) -> Counter[Edge]:
    found: Counter[Edge] = Counter()
    names: dict[int, str] = {}
    for row in text.splitlines()[1:]:
        way = re.fullmatch(r"( *)[├└]─ (?:(.*) )?[→⇢] (\S+(?: \d+)?)[ ─-╿]*", row)
        if way:
            found.update(edges(names[len(way[1])], way[2] or "", way[3]))
        else:
            names[len(row) - len(row.lstrip())] = re.split(" ·| ◀|  ", row.strip())[0]
    return found


def in_dot(text: str) -> Counter[Edge]:
    names = dict(re.findall(r'^ +(n[\d_]+) \[label="(.*?)(?:\\n.*?)?"', text, re.MULTILINE))
    lines = re.findall(r'^ +(n[\d_]+) -> (n[\d_]+) \[(?:label="(.*?)")?', text, re.MULTILINE)
    return Counter(edge for source, target, label in lines for edge in edges(names[source], label, names[target]))


@pytest.fixture(scope="module")
def drawn() -> Iterator[Callable[..., dict[str, Counter[Edge]]]]:
    """The edges of a plan's pictures by format, read from what was drawn; of a PNG, from what became its pixels."""
    readers = {"svg": in_svg, "html": in_html, "mmd": in_mmd, "txt": in_txt, "dot": in_dot}
    given: list[str] = []

    def watched(svg: str, scale: float) -> bytes:
        given.append(svg)
        return raster_of(svg, scale)

    def draw(plan: Plan, **look: Any) -> dict[str, Counter[Edge]]:
        found = {format: reader(str(picture(plan, format, **look))) for format, reader in readers.items()}
        assert picture(plan, "png", scale=0.2, **look).startswith(b"\x89PNG")
        return {**found, "png": in_svg(given.pop())}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster, "raster", watched)
        yield draw


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plan=plans())
def test_every_move_and_every_gap_is_drawn_exactly_once_in_every_format(plan: Plan, drawn: Any) -> None:
    assert drawn(plan) == dict.fromkeys(FORMATS, expected(plan))


def large() -> Plan:
    """300 nodes: ways back, two ways from a node to itself, three side by side to the next, and forks of both kinds."""
    body = PlanBuilder("rating", [Channel("option", input=True)]).node(Think("rater", prompt="<{option}>"))
    body.node(Judge("sure", prompt="x", outcomes=["ok", "redo"])).edge("rater", "done", "sure")
    body.edge("sure", "ok", End("rated")).edge("sure", "redo", "rater", at_most=2, then=End("unrated", ok=False))
    builder = PlanBuilder("large", [Channel("options", input=True), Channel("scores")])
    names = [f"n{number}" for number in range(300)]
    for number, name in enumerate(names):
        on: str | End = names[number + 1] if number < 299 else End("finished")
        if number % 30 == 10:
            builder.each(name, over="options", as_="option", do=body.build(), collect="scores", at_most=3)
            builder.edge(name, "done", on).edge(name, "failed", names[number - 5])
        elif number % 30 == 20:
            builder.parallel(name, {"one": Think("one", prompt="x"), "two": body.build()}).edge(name, "done", on)
        else:
            builder.node(Judge(name, prompt="x", outcomes=["on", "also", "again", "more", "back"]))
            builder.edge(name, "on", on).edge(name, "also", on, at_most=2, then=on)
            builder.edge(name, "again", name, at_most=3, then=name).edge(name, "more", name, at_most=1, then=on)
            builder.edge(name, "back", names[number - number % 7], at_most=2, then=End("over", ok=False))
    return builder.build()


@pytest.mark.parametrize("opened", [False, True])
def test_300_nodes_are_drawn_in_every_format_without_any_network(
    opened: bool, drawn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    plan = large()
    found = drawn(plan, opened=opened)
    assert found.pop("mmd") == expected(plan)
    assert found == dict.fromkeys([format for format in FORMATS if format != "mmd"], expected(plan, opened))


def test_a_plan_where_everything_leads_to_everything_is_drawn_in_time() -> None:
    builder = PlanBuilder("dense")
    names = [f"n{number}" for number in range(60)]
    for name in names:
        builder.node(Judge(name, prompt="x", outcomes=names))
        for target in names:
            builder.edge(name, target, target if target != name else End("over"))
    plan = builder.build()
    assert in_svg(picture(plan)) == expected(plan)


def test_an_unknown_format_names_those_that_exist(role_cycle: Plan) -> None:
    with pytest.raises(DrawError, match=r"^there is no theme 'blue'; themes are light, dark$"):
        picture(role_cycle, theme="blue")  # type: ignore[call-overload]
    with pytest.raises(
        DrawError, match=r"^there is no picture format 'gif'; formats are svg, mmd, txt, html, dot, png$"
    ):
        picture(role_cycle, "gif")


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_gets_the_format_of_its_suffix(role_cycle: Plan, tmp_path: Path, format: str) -> None:
    path = tmp_path / f"plan.{format.upper()}"
    made = write_picture(role_cycle, path)
    assert made == picture(role_cycle, format)
    assert path.read_bytes() == (made.encode() if isinstance(made, str) else made)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan.gif", "plan.gif: no picture can be written as .gif; suffixes are .svg, .mmd, .txt, .html, .dot, .png"),
        ("plan", "plan: a picture's file needs a suffix; suffixes are .svg, .mmd, .txt, .html, .dot, .png"),
        ("nowhere/plan.svg", "nowhere/plan.svg: cannot be written: No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_written(role_cycle: Plan, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(DrawError) as caught:
        write_picture(role_cycle, tmp_path / name)
    assert str(caught.value) == f"{tmp_path}{os.sep}{message}"
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(role_cycle: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.svg"
    path.write_text("before")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DrawError, match="cannot be written: No space left on device"):
        write_picture(role_cycle, path)
    assert path.read_text() == "before"
    assert [found.name for found in tmp_path.iterdir()] == ["plan.svg"]


def test_a_notebook_shows_a_picture_and_not_its_text(role_cycle: Plan) -> None:
    formatter: Any = DisplayFormatter()
    shown = formatter.format
    svg, png = picture(role_cycle), picture(role_cycle, "png")
    assert shown(svg)[0] == {"image/svg+xml": str(svg), "text/plain": "<picture>"}
    assert shown(png)[0] == {"image/png": bytes(png), "text/plain": "<picture>"}
    assert shown(picture(role_cycle, "txt"))[0].keys() == {"text/plain"}
