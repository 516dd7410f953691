"""The SVG: valid, the same for the same plan, and made of what sanitisers leave."""

import re
import xml.etree.ElementTree as ET

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.svg import to_svg
from loopwright.graphs.draw.theme import DARK, LIGHT
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge
from loopwright.state.records import Visit

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "g", "title", "rect", "path", "polygon", "text"}


def shown(svg: str) -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")]


def titles(svg: str) -> list[str]:
    return [title.text or "" for title in ET.fromstring(svg).iter(f"{SVG}title")]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_only_what_survives_sanitisers_is_used(role_cycle: Plan, forked: Plan, visits: list[Visit], theme: str) -> None:
    for plan in (role_cycle, forked):
        svg = to_svg(plan, visits=visits, at=["review"], theme="dark" if theme == "dark" else "light", opened=True)
        root = ET.fromstring(svg)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ALLOWED
        names = {name for element in root.iter() for name in element.attrib}
        assert names.isdisjoint({"style", "class", "id", "href", "marker-end", "filter", "clip-path", "onclick"})
        assert not re.search(r"url\(|<style|<defs|<!|xlink", svg)


@pytest.mark.parametrize(("theme", "colour"), [("light", LIGHT.background), ("dark", DARK.background)])
def test_the_background_is_a_rectangle_over_everything(role_cycle: Plan, theme: str, colour: str) -> None:
    root = ET.fromstring(to_svg(role_cycle, theme="dark" if theme == "dark" else "light"))
    first = root.find(f"{SVG}rect")
    assert first is not None
    assert first.attrib == {"width": root.get("width"), "height": root.get("height"), "fill": colour}


def test_the_same_plan_gives_the_same_bytes(role_cycle: Plan) -> None:
    assert to_svg(role_cycle) == to_svg(Plan.from_data(role_cycle.to_data()))


def test_arrows_boxes_and_labels_of_the_role_cycle(role_cycle: Plan) -> None:
    svg = to_svg(role_cycle)
    assert svg.count("<polygon") == 1 + 9
    assert svg.count("stroke-dasharray") == 2
    assert sorted(shown(svg)) == sorted(
        [
            *("start", "solver", "detractor", "master", "boss", "review", "max_rounds", "accepted"),
            *("continue (rounds ≤ 3)", "rounds used up", "stop", "accept"),
            *("reject, continue (rounds ≤ 3)", "rounds used up"),
        ]
    )
    assert "max_rounds (end, no success)" in titles(svg)


def test_titles_say_the_type_of_a_node(role_cycle: Plan) -> None:
    assert {"solver (think)", "boss (judge)", "review (human)"} <= set(titles(to_svg(role_cycle)))


def test_a_path_is_green_with_counts_and_what_waits_is_amber(role_cycle: Plan, visits: list[Visit]) -> None:
    svg = to_svg(role_cycle, visits=visits, at=["review"])
    assert shown(svg).count("2") == 4
    assert svg.count("<polygon") - len(re.findall(rf'<polygon [^>]*"{LIGHT.taken}"', svg)) == 10 - 6
    assert svg.count(f'stroke="{LIGHT.pending}"') == 2
    assert LIGHT.taken not in to_svg(role_cycle)


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert('x')</script>",
        'say "no" & go',
        "two\nlines\x00\x1b[31m",
        "\u202eevil \u05e9\u05dc\u05d5\u05dd",
        "x" * 300,
        "]]> <!-- ",
        "\ud800 half a pair",
        "",
    ],
)
def test_hostile_names_stay_text(name: str) -> None:
    plan = PlanBuilder(name).node(Judge(name, prompt="x", outcomes=[name, "b"])).edge(name, name, End("over")).build()
    svg = to_svg(plan)
    svg.encode()
    elements = {element.tag.removeprefix(SVG) for element in ET.fromstring(svg).iter()}
    assert elements <= ALLOWED
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e\ud800-\udfff]", svg)


def test_a_very_long_name_is_whole_in_its_title() -> None:
    name = "a" * 150 + "b" * 150
    svg = to_svg(PlanBuilder("long").node(Judge(name, prompt="x", outcomes=["a", "b"])).build())
    assert f"{name} (judge)" in titles(svg)
    assert shown(svg) == ["start", f"{'a' * 18}…{'b' * 17}", "nowhere", "a, b"]


def test_an_outcome_without_an_edge_is_a_dashed_line_to_nowhere() -> None:
    builder = PlanBuilder("gap").node(Judge("judge", prompt="x", outcomes=["on", "off"]))
    svg = to_svg(builder.edge("judge", "on", End("over")).build())
    assert svg.count("stroke-dasharray") == 2
    assert {"judge [off] → nowhere: an edge is missing", "nowhere (an edge is missing)"} <= set(titles(svg))


def test_opened_forks_show_their_bodies(forked: Plan) -> None:
    closed, opened = shown(to_svg(forked)), shown(to_svg(forked, opened=True))
    assert "rater" not in closed
    assert {"rater", "again", "redo ≤ 2", "redo used up", "pessimist"} <= set(opened)
    assert to_svg(forked, opened=True).count("<polygon") == 4 + 5
