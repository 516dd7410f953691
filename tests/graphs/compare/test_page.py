"""The page: everything in one file that fetches nothing, and no name in it is markup."""

import re
from html.parser import HTMLParser
from typing import Any

from loopwright.graphs.compare.page import page_of
from loopwright.graphs.draw.theme import DARK, LIGHT
from loopwright.state.records import Usage


class Reading(HTMLParser):
    """Reads the tags and the texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_page_has_plot_tables_and_notes(results: Any) -> None:
    found = results({"a": [1.0] * 7, "b": [0.0] * 6 + [None]}, judging=Usage(calls=3), judgements=3)
    page = Reading(page_of(found, LIGHT))
    assert page.tags.count("svg") == 1
    assert page.tags.count("table") == 2
    for text in ("Comparison of a, b", "a is better", "Problems: 7.", "6 of 7"):
        assert text in page.texts
    assert found.notes[0] in page.texts
    assert "The judge, counted apart: 3 judgements, 3 calls." in page.texts


def test_names_are_never_markup(results: Any) -> None:
    name = "<script>alert(1)</script>"
    page = page_of(results({name: [1.0], "b & c": [None]}), DARK)
    read = Reading(page)
    assert "script" not in read.tags
    assert name in read.texts
    assert DARK.background in page


def test_a_page_fetches_nothing(results: Any) -> None:
    page = page_of(results({"a": [1.0], "b": [1.0]}), LIGHT)
    assert re.findall(r"https?://[^\"]+", page) == ["http://www.w3.org/2000/svg"]
    assert "default-src 'none'" in page


def test_one_contender_has_no_pairs(results: Any) -> None:
    assert Reading(page_of(results({"a": [1.0]}), LIGHT)).tags.count("table") == 1
