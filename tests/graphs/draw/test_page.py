"""The HTML page stands alone and asks no network."""

import base64
import hashlib
import re
from functools import partial
from html.parser import HTMLParser

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.draw.svg import to_svg
from loopwright.graphs.draw.theme import DARK
from loopwright.graphs.plan import Plan
from loopwright.nodes.think import Think
from loopwright.state.records import Visit

page_of = partial(picture, format="html")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.attributes |= {name for name, _ in attrs}


def tags(page: str) -> Tags:
    found = Tags()
    found.feed(page)
    return found


def meanings(page: str) -> list[str]:
    return re.findall(r"<dd>(.*?)</dd>", page)


def test_the_page_holds_the_picture_and_asks_for_nothing(role_cycle: Plan, visits: list[Visit]) -> None:
    page = page_of(role_cycle, visits=visits, at=["review"])
    found = tags(page)
    assert to_svg(role_cycle, visits=visits, at=["review"]) in page
    assert not {"link", "img", "iframe", "object"} & set(found.opened)
    assert not {"src", "href", "onclick", "style"} & found.attributes
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}


def test_the_legend_tells_what_occurs_and_nothing_else(role_cycle: Plan, visits: list[Visit]) -> None:
    plain = meanings(page_of(role_cycle))
    assert plain == [
        "where a run begins",
        "one question to a model",
        "a model&#x27;s verdict: one of several outcomes",
        "waits for someone outside",
        "an end that is a success",
        "an end that is no success",
        "outcomes, and where they lead; ≤ n: at most n times, together, in one entry of its loop",
        "where it leads instead when the bound is used up",
    ]
    assert meanings(page_of(role_cycle, visits=visits, at=["review"]))[len(plain) :] == [
        "taken by the run",
        "visited by the run, and how often",
        "where the run is now",
    ]


def test_the_legend_of_an_opened_fork_tells_of_its_bodies(forked: Plan) -> None:
    verdict = "a model&#x27;s verdict: one of several outcomes"
    assert verdict not in meanings(page_of(forked))
    assert verdict in meanings(page_of(forked, opened=True))


def test_the_legend_tells_of_a_missing_edge() -> None:
    assert meanings(page_of(PlanBuilder("gap").node(Think("write", prompt="x")).build())) == [
        "where a run begins",
        "one question to a model",
        "what an outcome without an edge leads to",
        "an outcome without an edge",
    ]


def test_the_dark_page_is_dark(role_cycle: Plan) -> None:
    assert f"background: {DARK.background}" in page_of(role_cycle, theme="dark")


def test_a_hostile_name_stays_text() -> None:
    page = page_of(PlanBuilder("</title><script>{x}").node(Think("<img src=x>", prompt="x")).build())
    found = tags(page)
    assert found.opened.count("script") == 1
    assert "img" not in found.opened
    assert "<h1>&lt;/title&gt;&lt;script&gt;{x}</h1>" in page


def test_a_browser_runs_the_script_of_the_page_and_no_other(role_cycle: Plan) -> None:
    page = page_of(role_cycle)
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert [found.count("fetch(") + found.count("http") for found in script] == [0]
    allowed = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert re.findall(r"script-src ([^;\"]*)\"", page) == [f"'sha256-{allowed}'"]


def test_what_the_script_looks_for_is_in_the_page(role_cycle: Plan) -> None:
    page = page_of(role_cycle)
    script = page.partition("<script>")[2]
    wanted = set(re.findall(r'getElementById\("(\w+)"\)', script))
    assert wanted == {"find", "ways", "names"} == set(re.findall(r' id="(\w+)"', page))
    assert set(re.findall(r'data-do="(\w+)"', page)) == set(re.findall(r'wanted === "(\w+)"', script))
    assert set(re.findall(r"dataset\.(\w+)", script)) - {"do"} == {"box", "arrow", "label", "from", "to"}


@pytest.mark.parametrize("kind", ["box", "arrow", "label"])
def test_everything_that_can_be_shown_says_what_it_is(role_cycle: Plan, kind: str) -> None:
    scene = scene_of(role_cycle)
    count = {"box": len(scene.boxes), "arrow": len(scene.arrows), "label": sum(bool(a.label) for a in scene.arrows)}
    figure = page_of(role_cycle).partition("<figure>")[2].partition("</figure>")[0]
    assert len(set(re.findall(rf'data-{kind}="(\d+)"', figure))) == count[kind]
