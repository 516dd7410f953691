"""What the documents show of the product is what the product makes now; `python docs/make.py` renews it."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
SHOWN = re.compile(r"!\[(?P<words>[^\]]+)\]\((?:docs/)?pictures/(?P<name>[^)]+)\)")


@pytest.fixture(scope="module")
def make() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "make.py"))


def test_what_is_made_is_as_the_product_makes_it_now(make: dict[str, Any]) -> None:
    made: Callable[[], dict[Path, str]] = make["made"]
    stale = [file.name for file, text in made().items() if file.read_text(encoding="utf-8") != text]
    assert stale == [], "python docs/make.py writes them"


def test_every_picture_is_shown_and_every_shown_picture_is_made(make: dict[str, Any]) -> None:
    pages = [DOCS.parent / "README.md", *DOCS.glob("*.md")]
    shown = {found["name"] for page in pages for found in SHOWN.finditer(page.read_text(encoding="utf-8"))}
    assert shown == set(make["PICTURES"]) == {file.name for file in (DOCS / "pictures").iterdir()}


def test_the_list_of_findings_has_one_place(make: dict[str, Any]) -> None:
    page = (DOCS / "checks.md").read_text(encoding="utf-8")
    assert len(make["FINDINGS"].findall(page)) == 1
