"""What the documents show of the product is what the product makes now; `make pictures` renews it."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
SHOWN = re.compile(r"!\[(?P<words>[^\]]+)\]\((?:docs/)?pictures/(?P<name>[^)]+)\)")


@pytest.mark.parametrize("program", ["make.py", "reference.py"])
def test_what_is_made_is_as_the_product_makes_it_now(program: str) -> None:
    made: Callable[[], dict[Path, str]] = runpy.run_path(str(DOCS / program))["made"]
    stale = [file.name for file, text in made().items() if not file.exists() or file.read_text("utf-8") != text]
    assert stale == [], f"python docs/{program} writes them"


def test_every_picture_is_shown_and_every_shown_picture_is_made() -> None:
    make = runpy.run_path(str(DOCS / "make.py"))
    pages = [DOCS.parent / "README.md", *DOCS.glob("**/*.md")]
    shown = {found["name"] for page in pages for found in SHOWN.finditer(page.read_text(encoding="utf-8"))}
    assert shown == set(make["PICTURES"]) == {file.name for file in (DOCS / "pictures").iterdir()}
