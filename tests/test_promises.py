"""What stands on the page of promises is held by tests that there are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/promises.md").read_text()
ROWS = re.findall(r"^\| (?!-|whatever)(.+?) \| (.+?) \| (.+?) \|$", PAGE, re.M)


def test_every_promise_is_found() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_a_promise_names_tests_that_there_are(row: tuple[str, str, str]) -> None:
    named = re.findall(r"`([^`]+)`", row[2])
    assert named
    for path in named:
        file = ROOT / path
        assert file.is_file(), f"{path} is promised and not there"
        assert re.search(r"^def test_", file.read_text(), re.M), f"{path} has no test"


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE))))
def test_every_path_on_the_page_is_there(path: str) -> None:
    assert (ROOT / path).is_file()
