"""The documents as a site: built without a warning, with every public name once, and with nothing from elsewhere."""

import re
import runpy
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from sphinx.util.inventory import InventoryFile

import loopwright
import loopwright.testing

DOCS = Path(__file__).parents[1] / "docs"
LOADED = {"src", "srcset", "poster", "data"}
OUTSIDE = re.compile(r"(?:https?:)?//")
IN_CSS = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


class Loaded(HTMLParser):
    """What a browser would load from elsewhere to show a page; where its links lead does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            loads = name in LOADED or (name == "href" and tag != "a")
            if loads and OUTSIDE.match(value or ""):
                self.found.append(value or "")
            if name == "style":
                self.found += IN_CSS.findall(value or "")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "style":
            self.found += IN_CSS.findall(data)


def loaded_by(file: Path) -> list[str]:
    """What a file of the site loads from elsewhere."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".css":
        return IN_CSS.findall(text)
    page = Loaded()
    page.feed(text)
    return page.found


@pytest.fixture(scope="module")
def conf() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "conf.py"))


def test_the_site_is_built_without_a_warning_and_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    built = subprocess.run([*command, str(DOCS), str(tmp_path)], capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")

    named = InventoryFile.loads((tmp_path / "objects.inv").read_bytes(), uri="").data
    told = {name for kind, items in named.items() if kind.startswith("py:") for name in items}
    doors = ("loopwright", loopwright), ("loopwright.testing", loopwright.testing)
    public = {f"{place}.{name}" for place, door in doors for name in door.__all__}
    assert public - told == set()
    assert {name for name in told if name.rpartition(".")[0] in ("loopwright", "loopwright.testing")} == public

    pages = {str(page.relative_to(DOCS).with_suffix(".html")) for page in DOCS.glob("**/*.md")}
    made = {str(page.relative_to(tmp_path)) for page in tmp_path.glob("**/*.html")}
    assert pages <= made
    files = [file for suffix in ("html", "css", "svg") for file in tmp_path.glob(f"**/*.{suffix}")]
    assert {str(file.relative_to(tmp_path)): found for file in files if (found := loaded_by(file))} == {}


def test_the_reference_has_the_groups_of_the_door(conf: dict[str, Any]) -> None:
    groups = dict(conf["groups_of_names"]())
    assert Counter(name for names in groups.values() for name in names) == Counter(loopwright.__all__)
    assert [*groups][:2] == ["what users hold", "plans"]
    assert groups["proofs"] == ["Certificate", "Finding", "Findings"]


def test_pages_that_the_first_page_does_not_name_have_their_place(conf: dict[str, Any]) -> None:
    index = "# Top\n\n## By task\n\n- [Runs](runs.md#stores)\n\n## To look up\n\n- [Runs](runs.md), [Words](words.md)\n"
    assert conf["tree"](index, ["new", "reference/new", "runs", "words"]) == (
        "```{toctree}\n:hidden:\n:caption: By task\n\nruns\nnew\n```\n\n"
        "```{toctree}\n:hidden:\n:caption: To look up\n\nwords\nreference/new\n```"
    )


def test_signatures_show_plain_types(conf: dict[str, Any]) -> None:
    signature = "(a: ~types.Annotated[str | None, Field(x=[1, 2])] = None, b: list[Annotated[int, Ge(ge=0)]] = ())"
    assert conf["plain_types"](signature) == "(a: str | None = None, b: list[int] = ())"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.html", '<a href="https://a.b/">a</a><img src="x.png"><link href="y.css">', []),
        ("a.html", '<script src="//a.b/x.js"></script>', ["//a.b/x.js"]),
        ("a.html", '<link rel="stylesheet" href="https://a.b/x.css">', ["https://a.b/x.css"]),
        ("a.html", "<style>p { background: url('https://a.b/x.png') }</style>", ["https://a.b/x.png"]),
        ("a.css", '@import "https://a.b/x.css"; p { background: url(data:x) }', ["https://a.b/x.css"]),
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(tmp_path: Path, name: str, text: str, found: list[str]) -> None:
    (tmp_path / name).write_text(text)
    assert loaded_by(tmp_path / name) == found
