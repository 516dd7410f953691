"""Going on: the lines are what a shell and Python read, and a loop is named where the plan calls functions."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.cli.exits import WrongUse
from loopwright.cli.going_on import STORE_VARIABLE, GoingOn, resume_line, store_words
from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.functions import Act
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.database import DEFAULT_STORE


def test_a_replay_that_missed_is_led_on_by_a_model(loopwright: Any) -> None:
    loopwright("run", "essay.yaml", "--script", "essay.script.yaml", "--record", "calls.jsonl")
    Path("essay.yaml").write_text(Path("essay.yaml").read_text().replace("Write", "Compose"))
    said = loopwright("run", "essay.yaml", "--replay", "calls.jsonl").out
    head, line = said.splitlines()[-2:]
    assert head == "The recording will not have it next time either. Record it again, or ask a model:"
    assert re.fullmatch("  loopwright resume [0-9a-f]{8} --model MODEL", line)


@given(
    store=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(
        lambda s: s != DEFAULT_STORE
    )
)
def test_the_line_that_resumes_is_what_a_shell_reads(store: str) -> None:
    line = resume_line("3f2a", store, question="0123456789", answered=True)
    expected = ["loopwright", "resume", "3f2a", "...", "--question", "01234567", "--store", store]
    assert shlex.split(line) == expected


@pytest.mark.parametrize(
    ("named", "store", "words"),
    [
        (None, DEFAULT_STORE, ""),
        (None, "sqlite:b.db", " --store sqlite:b.db"),
        ("sqlite:b.db", "sqlite:b.db", ""),
        ("sqlite:b.db", DEFAULT_STORE, f" --store {DEFAULT_STORE}"),
    ],
)
def test_a_store_is_named_where_a_command_would_not_find_it(
    monkeypatch: pytest.MonkeyPatch, named: Any, store: str, words: str
) -> None:
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    if named:
        monkeypatch.setenv(STORE_VARIABLE, named)
    assert store_words(store) == words
    assert resume_line("3f2a", store) == f"loopwright resume 3f2a{words}"


def shout(text: str) -> str:
    return text.upper()


@pytest.fixture
def calling(place: Path) -> Run:
    builder = PlanBuilder("voice", [Channel("text", input=True), Channel("said")], result="said")
    builder.node(Human("ask", text="?")).edge("ask", "done", "speak")
    builder.node(Act("speak", shout, writes="said")).edge("speak", "done", End("said"))
    return builder.loop().start({"text": "Hello"}, store=f"sqlite:{place}/voice.db")


def test_a_run_with_functions_is_resumed_in_python(calling: Run) -> None:
    command = f'  loopwright resume {calling.id} "..." --loop FILE --store {calling.store.url}'
    lines = f'{command}\n  open_run("{calling.store.url}", "{calling.id}", loop=loop).resume("...")'
    with pytest.raises(WrongUse) as caught:
        GoingOn().require_loop_of(calling)
    assert str(caught.value) == (
        f"run {calling.id} calls functions ({shout.__module__}:shout), and a store says only their names; give the loop"
        f" that it was started from, as a file or in Python:\n{lines}"
    )
    said = GoingOn().of(calling, "Answer it", answered=True)
    assert said == f"\nAnswer it with the loop that it was started from, as a file or in Python:\n{lines}"


def test_a_batch_with_functions_is_resumed_with_its_loop(place: Path) -> None:
    builder = PlanBuilder("voice", [Channel("text", input=True), Channel("said")], result="said")
    builder.node(Act("speak", shout, writes="said")).edge("speak", "done", End("said"))
    made = builder.loop().enter_all([{"text": "a"}, {"text": "b"}], store=f"sqlite:{place}/voice.db")
    command = f"  loopwright resume --batch {made.id} --loop FILE --store {made.store.url}"
    lines = f'{command}\n  open_batch("{made.store.url}", "{made.id}", loop=loop).resume()'
    with pytest.raises(WrongUse) as caught:
        GoingOn().require_loop_of_batch(made)
    assert str(caught.value) == (
        f"the runs of batch {made.id} call functions ({shout.__module__}:shout), and a store says only their names;"
        f" give the loop that they were started from:\n{lines}"
    )
    assert GoingOn().of_batch(made) == f"\nGo on with one of:\n{lines}"
    assert GoingOn("voice.yaml").of_batch(made) == f"\nGo on with:\n{command.replace('FILE', 'voice.yaml')}"
