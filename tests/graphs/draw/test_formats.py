"""Every format has every edge exactly once, and files are written whole or not at all."""

import os
import re
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.errors import DrawError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.formats import FORMATS, picture, write_picture
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge

OUTCOMES = ("a", "b", "c")


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


def arrows_in(text: str, format: str) -> int:
    if format in ("svg", "html"):
        figure = text.partition("<figure>")[2].partition("</figure>")[0] if format == "html" else text
        return figure.count("<polygon")
    pattern = r"^\s+n\d+ (?:-->|-\.->)" if format == "mmd" else r"^\s+[├└]─ "
    return len(re.findall(pattern, text, re.MULTILINE))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plan=plans())
def test_every_move_and_every_gap_is_told_exactly_once_in_every_format(plan: Plan) -> None:
    scene = scene_of(plan)
    names = [box.name for box in scene.boxes]
    gaps = [(name, outcome) for name in plan.nodes for outcome in OUTCOMES if (name, outcome) not in plan.routes]
    told = [
        (names[arrow.source], word.rstrip(","), names[arrow.target])
        for arrow in scene.arrows
        for word in arrow.words
        if not word.startswith(("(", "≤"))
    ]
    moves = [
        (move.source, f"{move.outcome} used up" if move.used_up else move.outcome, move.way.target)
        for move in plan.moves
    ]
    assert sorted(told) == sorted([*moves, *((*gap, "nowhere") for gap in gaps)])
    assert {format: arrows_in(picture(plan, format), format) for format in FORMATS} == dict.fromkeys(
        FORMATS, len(scene.arrows)
    )


def long_plan(count: int) -> Plan:
    builder = PlanBuilder("long")
    for number in range(count):
        builder.node(Judge(f"step {number}", prompt="x", outcomes=["on", "back"]))
        builder.edge(f"step {number}", "on", f"step {number + 1}" if number + 1 < count else End("finished"))
        back, over = f"step {max(0, number - number % 7)}", End("over", ok=False)
        builder.edge(f"step {number}", "back", back, at_most=2, then=over if number % 50 == 0 else f"step {number}")
    return builder.build()


@pytest.mark.parametrize(("count", "seconds"), [(5, 2.0), (30, 5.0), (300, 10.0), (1000, 20.0)])
def test_plans_of_any_size_are_drawn_without_any_network(
    count: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    plan = long_plan(count)
    for format in ("svg", "mmd", "txt"):
        assert arrows_in(picture(plan, format), format) == 3 * count + 1


def test_a_plan_where_everything_leads_to_everything_is_drawn_in_time() -> None:
    builder = PlanBuilder("dense")
    names = [f"n{number}" for number in range(60)]
    for name in names:
        builder.node(Judge(name, prompt="x", outcomes=names))
        for target in names:
            builder.edge(name, target, target if target != name else End("over"))
    assert arrows_in(picture(builder.build()), "svg") == 3601


def test_an_unknown_format_names_those_that_exist(role_cycle: Plan) -> None:
    with pytest.raises(DrawError, match=r"^there is no theme 'blue'; themes are light, dark$"):
        picture(role_cycle, theme="blue")  # type: ignore[arg-type]
    with pytest.raises(DrawError, match=r"^there is no picture format 'png'; formats are svg, mmd, txt, html$"):
        picture(role_cycle, "png")


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_gets_the_format_of_its_suffix(role_cycle: Plan, tmp_path: Path, format: str) -> None:
    path = tmp_path / f"plan.{format.upper()}"
    assert write_picture(role_cycle, path) == picture(role_cycle, format) == path.read_text(encoding="utf-8")
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan.png", "plan.png: no picture can be written as .png; suffixes are .svg, .mmd, .txt, .html"),
        ("plan.dot", "plan.dot: no picture can be written as .dot; suffixes are .svg, .mmd, .txt, .html"),
        ("plan", "plan: a picture's file needs a suffix; suffixes are .svg, .mmd, .txt, .html"),
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
