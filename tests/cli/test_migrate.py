"""`migrate`: what is told of a store's runs, what is declared, and what is done."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.run.opening import open_run
from loopwright.state.store.store import Store

STORE = "sqlite:.loopwright/runs.db"
LETTER = """
kind: graph
name: letter
channels: {draft: {type: str, default: Dear Ada.}, wish: {type: str, default: none}}
nodes:
  look: {type: human, text: "Send? <{draft}>", outcomes: [send, again], on_text: again, writes: wish}
edges:
  - look [send] -> end sent
  - look [again] -> look, at most 3 wishes, then fail not_sent
result: draft
"""


@pytest.fixture
def file(place: Path, loopwright: Any) -> Path:
    """A letter, of which one run waits before its first answer and one after it."""
    path = place / "letter.yaml"
    path.write_text(LETTER)
    for _ in range(2):
        assert loopwright("run", "letter.yaml", "--no-input").code == 3
    with Store(STORE) as store:
        open_run(store, next(store.registry.all()).id).resume("shorter")
    return path


def ids() -> list[str]:
    with Store(STORE) as store:
        return [row.id for row in store.registry.all()]


def test_what_is_safe_is_told_and_done(loopwright: Any, file: Path) -> None:
    file.write_text(LETTER.replace("Send?", "Post?"))
    later, first = ids()
    done = loopwright("migrate", "letter.yaml", "--dry-run")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "safe: 2 runs",
        f"  {later}, {first}",
        "    node 'look' differs in its text",
        "",
        "Nothing was written. Without --dry-run 2 runs would get the plan of now.",
    ]
    done = loopwright("migrate", "letter.yaml")
    assert (done.code, done.out.splitlines()[-1]) == (0, "2 runs got the plan of now.")
    assert open_run(STORE, later).questions[0].text == "Post? Dear Ada."
    done = loopwright("migrate", "letter.yaml")
    assert done.out.splitlines() == [
        "of this plan already: 2 runs",
        f"  {later}, {first}",
        "",
        "0 runs got the plan of now.",
    ]


def test_what_is_not_declared_is_left_with_the_words_for_it(loopwright: Any, file: Path) -> None:
    file.write_text(
        LETTER.replace("look", "sign")
        .replace("wishes", "tries")
        .replace("wish:", "hint:")
        .replace("writes: wish", "writes: hint")
    )
    done = loopwright("migrate", "letter.yaml")
    assert done.code == 1
    assert done.out.splitlines()[0] == "needs migration: 2 runs"
    assert "declare what it is called now (nodes: look to sign?)" in done.out
    assert "bound 'wishes' has counted 1, and is gone (bounds: wishes to tries?)" in done.out
    assert done.out.splitlines()[-1] == "2 runs are left with the plan of before."
    renames = ("node:look=sign", "bound:wishes=tries", "channel:wish=")
    words = [word for rename in renames for word in ("--rename", rename)]
    done = loopwright("migrate", "letter.yaml", *words, "--default", "hint=be brief")
    assert (done.code, done.out.splitlines()[-1]) == (0, "2 runs got the plan of now.")
    later = open_run(STORE, ids()[0])
    assert later.state == {"hint": "be brief"}
    assert loopwright("resume", later.id, "send").code == 0


def test_a_file_declares_all_and_the_document_tells_all(loopwright: Any, file: Path, place: Path) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml")
    file.write_text(LETTER.replace("look", "sign"))
    (place / "renamed.yaml").write_text("nodes: {look: sign}\n")
    done = loopwright("migrate", "letter.yaml", "--declared", "renamed.yaml", "--json")
    document = json.loads(done.out)
    assert (done.code, document["counts"], document["others"], document["dry_run"]) == (
        0,
        {"needs migration": 2},
        {"draft and review": 1},
        False,
    )
    assert [(each["run"], each["goes_on"], each["done"]) for each in document["runs"]] == [
        (run, True, True) for run in ids()[1:]
    ]
    assert document["runs"][0]["reasons"] == ["node 'look' is 'sign' now"]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--rename", "look=sign"), "--rename look=sign: write it as PART:OLD=NEW, as node:look=approve"),
        (("--rename", "nod:look=sign"), "--rename nod:look=sign: there is no part 'nod' (did you mean 'node'?"),
        (("--rename", "node:look="), "--rename node:look=: only what a channel or a bound holds can be dropped"),
        (("--rename", "node:see=lok"), "node 'see' is to be 'lok', which is not there (did you mean 'look'?"),
        (("--default", "drft=x"), "--default drft=x: there is no channel 'drft' (did you mean 'draft'?"),
        (("--declared", "wrong.yaml"), "wrong.yaml:2: edges: there is no 'edges' in a migration"),
    ],
)
def test_what_is_declared_wrongly_is_wrong_use(
    loopwright: Any, file: Path, place: Path, words: tuple[str, ...], fault: str
) -> None:
    (place / "wrong.yaml").write_text("nodes: {look: look}\nedges: {}\n")
    done = loopwright("migrate", file.name, *words)
    assert (done.code, done.out) == (2, "")
    assert fault in done.err


def test_plans_that_were_called_otherwise(loopwright: Any, file: Path) -> None:
    file.write_text(LETTER.replace("name: letter", "name: post"))
    done = loopwright("migrate", "letter.yaml")
    assert (done.code, done.out.splitlines()) == (
        0,
        ["of other plans: letter (2)", "no run was started from a plan called 'post'; --name says what it was called"],
    )
    assert (
        loopwright("migrate", "letter.yaml", "--name", "letter").out.splitlines()[-1] == "2 runs got the plan of now."
    )


def test_a_run_goes_on_with_a_changed_plan_where_that_is_said(loopwright: Any, file: Path) -> None:
    file.write_text(LETTER.replace("Send?", "Post?"))
    run = ids()[0]
    done = loopwright("resume", run, "send", "--loop", "letter.yaml")
    assert done.code == 2
    assert "It can go on with the plan of now: changed_plan=True (on the command line, --changed-plan)." in done.err
    assert "--changed-plan is for the plan of --loop" in loopwright("resume", run, "send", "--changed-plan").err
    assert loopwright("resume", run, "send", "--loop", "letter.yaml", "--changed-plan").code == 0
