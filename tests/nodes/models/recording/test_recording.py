"""A recording: which line answers which question, and what is said where none does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.errors import NotRecorded, SourceError
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.recording.asked import asked_in
from loopwright.nodes.models.recording.file import Failure, Line
from loopwright.nodes.models.recording.recording import Recording, failure_of
from loopwright.nodes.models.recording.track import Track
from loopwright.nodes.models.reference import ModelRef

WRONG: Any = "reply"

Place = tuple[str, str, int, str, str]
"""A run, a node, a number, what was asked, and what was said."""


def asking(node: str, text: str) -> ModelCall:
    return ModelCall(node, [{"role": "user", "content": text}])


def written(path: Path, *places: Place, name: str = "default", model: str = "any") -> Path:
    recording = Recording(path)
    recording.open()
    for run, node, n, text, said in places:
        asked, parts = asked_in(asking(node, text))
        recording.write(Line(run, node, n, name, model, 3, 1, f"key of {text}", asked, ModelReply(said)), parts)
    return path


def replay(path: Path) -> Recording:
    recording = Recording(path, "replay")
    recording.open()
    return recording


def said(recording: Recording, track: Track, node: str, text: str) -> Any:
    call = asking(node, text)
    line = recording.next_line(track, call, *asked_in(call))
    assert isinstance(line.said, ModelReply)
    return line.said.content


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def test_the_same_question_gets_its_replies_in_order(calls: Path) -> None:
    written(calls, ("r", "a", 0, "?", "one"), ("r", "b", 0, "?", "other"), ("r", "a", 1, "?", "two"))
    recording, track = replay(calls), Track()
    assert [said(recording, track, node, "?") for node in ("a", "a", "b")] == ["one", "two", "other"]
    with pytest.raises(NotRecorded) as caught:
        said(recording, track, "a", "?")
    words = f"calls.jsonl has no answer more to this question of a; the last one stands at {calls}:4, and was given"
    assert str(caught.value) == words


def test_a_call_that_was_made_again_counts_as_the_later_one(calls: Path) -> None:
    written(calls, ("r", "a", 0, "?", "lost"), ("r", "a", 0, "?", "kept"), ("r", "a", 1, "kept?", "on"))
    recording, track = replay(calls), Track()
    assert [said(recording, track, "a", "?"), said(recording, track, "a", "kept?")] == ["kept", "on"]


def test_each_run_follows_a_run_of_its_own(calls: Path) -> None:
    """Two runs of the same task, side by side: what one said then is not mixed with what the other said."""
    places: list[Place] = []
    for run in ("r", "s"):
        places += [
            (run, "a", 0, "?", f"a {run}"),
            (run, "b", 0, "?", f"b {run}"),
            (run, "c", 0, f"{run}{run}", f"c {run}"),
        ]
    written(calls, *places)
    recording, first, second = replay(calls), Track(), Track()
    assert [said(recording, track, "a", "?") for track in (first, second)] == ["a r", "a s"]
    assert [said(recording, track, "b", "?") for track in (second, first)] == ["b s", "b r"]
    assert [said(recording, second, "c", "ss"), said(recording, first, "c", "rr")] == ["c s", "c r"]
    third = Track()
    assert said(recording, third, "a", "?") == "a r"


def test_a_run_goes_on_where_another_process_left_it(calls: Path) -> None:
    written(calls, *[(run, "a", n, "?", f"{run} {n}") for run in ("r", "s") for n in range(3)])
    track = Track()
    track.go_on("x", {"follows": "s"}, {"a": 2})
    assert said(replay(calls), track, "a", "?") == "s 2"


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.text(max_size=3)), max_size=12))
def test_a_replay_is_what_was_recorded(tmp_path_factory: Any, made: list[tuple[str, str, str]]) -> None:
    path = tmp_path_factory.mktemp("replay") / "calls.jsonl"
    counts = {"a": 0, "b": 0}
    places: list[Place] = []
    for node, text, reply in made:
        places.append(("r", node, counts[node], text, reply))
        counts[node] += 1
    written(path, *places)
    recording, track = replay(path), Track()
    assert [said(recording, track, node, text) for node, text, _ in made] == [reply for _, _, reply in made]


def test_a_question_that_was_never_asked_is_told_with_the_nearest(calls: Path) -> None:
    written(calls, ("r", "a", 0, "one\ntwo", "x"), ("r", "a", 1, "far", "y"), ("r", "b", 0, "far", "z"))
    recording = replay(calls)
    with pytest.raises(NotRecorded) as caught:
        said(recording, Track(), "a", "one\nthree")
    assert str(caught.value) == (
        f"calls.jsonl has no answer to this question of a; the nearest stands at {calls}:2, and message 0 differs in "
        "line 2: 'two' there, 'three' now"
    )
    with pytest.raises(
        NotRecorded, match="no answer for c: it holds no question of that node; it holds questions of: a, b"
    ):
        said(recording, Track(), "c", "far")


def test_a_question_that_is_not_found_takes_no_number(calls: Path) -> None:
    recording, track = replay(written(calls, ("r", "a", 0, "?", "one"))), Track()
    with pytest.raises(NotRecorded):
        said(recording, track, "a", "!")
    assert said(recording, track, "a", "?") == "one"


def test_a_torn_file_is_told_where_an_answer_is_missing(calls: Path) -> None:
    written(calls, ("r", "a", 0, "?", "one"), ("r", "a", 1, "?", "two"))
    calls.write_bytes(calls.read_bytes()[:-9])
    recording, track = replay(calls), Track()
    assert (recording.torn, said(recording, track, "a", "?")) == (3, "one")
    with pytest.raises(NotRecorded, match=r"calls\.jsonl \(line 3, the last, is not whole and was left out\) has no"):
        said(recording, track, "a", "?")


def test_labels_are_those_of_the_name(calls: Path) -> None:
    written(calls, ("r", "a", 0, "?", "x"), name="strong", model="big")
    written(calls, ("r", "b", 0, "?", "x"), name="default", model="small")
    recording = replay(calls)
    assert recording.labels_of("strong") == ("big", 3, 1)
    assert recording.labels_of("default") == ("small", 3, 1)
    assert recording.labels_of("new") == ("big, small", 3, 1)
    empty = written(calls.with_name("empty.jsonl"))
    assert replay(empty).labels_of("default") == ("no model", 0, 1)


def test_a_cache_knows_what_others_wrote_meanwhile(calls: Path) -> None:
    recording = Recording(calls, "cache")
    recording.open()
    assert recording.answer("key of ?") is None
    written(calls, ("r", "a", 0, "?", "theirs"))
    found = recording.answer("key of ?")
    assert found is not None
    assert found.content == "theirs"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: Recording(path, WRONG), "there is no mode 'reply'; a recording is for record, replay, cache"),
        (lambda path: Recording(path, "replay", model=ModelRef("m")), "a replay asks no model; leave model= out"),
    ],
)
def test_what_cannot_be_a_recording(calls: Path, make: Callable[[Path], Recording], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(calls)
    assert not calls.exists()


def test_nothing_is_touched_before_it_is_opened(calls: Path) -> None:
    Recording(calls)
    assert not calls.exists()
    with pytest.raises(SourceError, match="there is no such file"):
        replay(calls)
    assert not calls.exists()


def test_a_recording_goes_before_a_model_once(calls: Path) -> None:
    bare, full = Recording(calls), Recording(calls, model="m")
    assert bare.before("n").model == "n"
    assert bare.model is None
    assert full.before("n") is full
    assert bare.before(None) is bare
    assert Recording(calls, "replay").before("n").model is None


def test_it_is_known_to_a_store_by_its_place(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(calls.parent)
    data = Recording("calls.jsonl", "cache").to_data()
    assert data == {"path": str(calls), "mode": "cache"}
    assert Recording.from_data(data).to_data() == data


def test_a_file_that_is_gone_is_told_with_what_to_do(calls: Path) -> None:
    for mode, what in (("record", "recorded to"), ("replay", "replayed from")):
        with pytest.raises(SourceError, match=f"the file that this run is {what} is gone .*--{mode} FILE, or a model"):
            Recording.from_data({"path": str(calls), "mode": mode}).require_there()
    Recording(calls, "cache").require_there()


def test_a_failure_of_any_kind_is_written_in_words() -> None:
    assert failure_of(KeyError("x"), "mine") == Failure("mine: KeyError: 'x'")
    assert failure_of(ValueError(), "mine") == Failure("mine: ValueError")


def test_it_is_shown_with_its_file_and_what_is_behind_it() -> None:
    assert repr(Recording("a.jsonl", "replay")) == "Recording('a.jsonl', 'replay')"
    assert repr(Recording("a.jsonl", model="gpt-4o")) == "Recording('a.jsonl', 'record', model='gpt-4o')"
