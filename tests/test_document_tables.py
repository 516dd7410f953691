"""Tables in the documents name exactly what there is."""

import dataclasses
import re
from pathlib import Path
from typing import get_args

import pytest

import loopwright as lw
from loopwright.cli import exits
from loopwright.graphs.brains.settings import PLACEHOLDERS as TEMPLATES
from loopwright.graphs.brains.settings import TECHNIQUES
from loopwright.graphs.forms.level_entries import CRITERIA_PLACEHOLDERS as OF_CRITERIA
from loopwright.graphs.forms.role_cycle import ACCEPTED, MAX_ROUNDS, STOPPED
from loopwright.graphs.forms.spec import FORMS
from loopwright.graphs.thinking.settings import KNOWN as OF_AGENTS
from loopwright.nodes.actions.names import PLACEHOLDERS as OF_ACTIONS
from loopwright.nodes.brains.roles import ROLES
from loopwright.nodes.conversation.speaker import PLACEHOLDERS as OF_CONVERSATION
from loopwright.nodes.levels.stage import PLACEHOLDERS as OF_LEVELS
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.pipeline.process import PLACEHOLDERS as OF_PIPELINE
from loopwright.nodes.role import PLACEHOLDERS
from loopwright.state.channels import REDUCERS
from loopwright.state.records import Status

ROOT = Path(__file__).parents[1]
VERIFY = ROOT / "src/loopwright/graphs/verify"
STATEGRAPH = ROOT / "src/loopwright/graphs/stategraph"
EVENTS = [name for name, value in vars(lw).items() if isinstance(value, type) and issubclass(value, lw.Event)]
EXITS = sorted({str(value) for value in vars(exits).values() if isinstance(value, int)}, key=int)


def rows(page: str, head: str) -> list[list[str]]:
    """The rows of the table whose first column is called so, without backticks."""
    table = re.search(rf"^\| {re.escape(head)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", (ROOT / "docs" / page).read_text(), re.M)
    assert table, f"{page} has no table {head!r}"
    return [[cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in table[1].splitlines()]


@pytest.mark.parametrize("page", ["role-cycle.md", "reference/placeholders.md"])
def test_the_placeholders_of_a_role_cycle(page: str) -> None:
    assert rows(page, "placeholder") == [[f"<{{{name}}}>", words] for name, words in PLACEHOLDERS.items()]


def test_the_placeholders_of_a_conversation_and_of_a_pipeline() -> None:
    for form, own in (("conversation", OF_CONVERSATION), ("pipeline", OF_PIPELINE)):
        there_are = [[f"<{{{name}}}>", words] for name, words in own.items()]
        assert rows("reference/placeholders.md", f"placeholder of a {form}") == there_are


def test_the_placeholders_of_levels() -> None:
    for head, own in (("levels", OF_LEVELS), ("criteria", OF_CRITERIA)):
        there_are = [[f"<{{{name}}}>", words] for name, words in own.items()]
        assert rows("reference/placeholders.md", f"placeholder of {head}") == there_are


def test_the_placeholders_of_a_brain() -> None:
    there_are = [[key, f"<{{{name}}}>", words] for key, own in TEMPLATES.items() for name, words in own.items()]
    assert rows("reference/placeholders.md", "template") == there_are


def test_the_placeholders_of_an_action_and_of_an_agent() -> None:
    page = "reference/placeholders.md"
    assert rows(page, "of an action") == [[f"<{{{name}}}>", words] for name, words in OF_ACTIONS.items()]
    assert [row[0] for row in rows(page, "of an agent")] == [f"<{{{name}}}>" for name in OF_AGENTS]


def test_every_kind_of_file_has_its_placeholders() -> None:
    page = (ROOT / "docs/reference/placeholders.md").read_text()
    assert re.findall(r"^## (\w+)$", page, re.M) == sorted(FORMS)


def test_the_readme_has_every_form_with_its_class() -> None:
    page = (ROOT / "README.md").read_text()
    table = page[page.index("| `kind` |") : page.index("## The LangGraph graph")]
    assert sorted(re.findall(r"^\| `(?!kind)(\w+)` \| \w", table, re.M)) == sorted(FORMS)
    assert all(hasattr(lw, name) for name in re.findall(r"`lw\.(\w+)`", table))


def test_the_glossary_is_in_order_and_has_each_word_once() -> None:
    words = [row[0] for row in rows("glossary.md", "word")]
    assert words == sorted(set(words))


@pytest.mark.parametrize(
    ("page", "head", "there_are"),
    [
        ("role-cycle.md", "end", [end.name for end in (STOPPED, ACCEPTED, MAX_ROUNDS)]),
        ("brains.md", "technique", list(TECHNIQUES)),
        ("brains.md", "role", [name for name in ROLES if name]),
        ("graphs.md", "reducer", list(REDUCERS)),
        ("runs.md", "status", list(get_args(Status))),
        ("runs.md", "event", [name for name in EVENTS if name != "Event"]),
        ("runs.md", "code", EXITS),
        ("models.md", "field", [field.name for field in dataclasses.fields(ModelRef)]),
    ],
)
def test_a_table_has_all_there_are(page: str, head: str, there_are: list[str]) -> None:
    assert sorted(row[0] for row in rows(page, head)) == sorted(there_are)


def test_findings_of_langgraph_graphs_are_known() -> None:
    table = {row[0]: row[1] for row in rows("check-langgraph.md", "finding")}
    sources = "".join(file.read_text() for file in STATEGRAPH.glob("*.py"))
    named = {code: word for word, code in re.findall(r'\b(error|_found|warning|make)\((?:[^()"]*)"([\w-]+)"', sources)}
    assert {code: {"warning": "warning"}.get(word, "error") for code, word in named.items()} == table


def test_the_warnings_are_named() -> None:
    sources = "".join(file.read_text() for file in VERIFY.glob("*.py"))
    found = set(re.findall(r'warning\(\s*"([\w-]+)"', sources))
    said = re.search(
        r"Warnings, which keep nothing from running, are(.*?)\.", (ROOT / "docs/checks.md").read_text(), re.S
    )
    assert said
    assert found == set(re.findall("`([^`]+)`", said[1]))
