"""The file of a recording: written whole, by many at once; what is torn, foreign or full is told, and nothing lost."""

import json
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.errors import ModelError, SourceError
from loopwright.nodes.contract import ToolCall
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.models.recording.asked import asked_in
from loopwright.nodes.models.recording.file import Failure, Line, RecordingFile
from loopwright.state.records import Usage

JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def line(node: str = "solver", n: int = 0, said: Any = None, text: str = "A risk?") -> tuple[Line, dict[str, Any]]:
    asked, parts = asked_in(ModelCall(node, [{"role": "user", "content": text}]))
    reply = said or ModelReply("Rot.", Usage(calls=1, tokens_in=3))
    return Line("3f2a", node, n, "default", "any", 3, 1, "key", asked, reply), parts


def file_at(path: Path) -> RecordingFile:
    file = RecordingFile(path)
    file.begin()
    return file


def numbers(path: Path) -> list[int]:
    return [each.n for each in RecordingFile(path).read()]


@given(JSON, st.booleans(), st.lists(st.builds(ToolCall, st.text(), JSON, st.text()), max_size=2))
def test_a_reply_comes_back_as_it_was(content: Any, truncated: bool, calls: list[ToolCall]) -> None:
    made, _ = line(said=ModelReply(content, Usage(1, 2, 3, cost=0.5), truncated, tuple(calls)))
    assert Line.from_data(json.loads(json.dumps(made.to_data())), 0) == made


@pytest.mark.parametrize(
    "failure", [Failure("no"), Failure("503", True), Failure("429", True, 2.5), Failure("", True, 0)]
)
def test_a_failure_comes_back_as_it_was(failure: Failure) -> None:
    made, _ = line(said=failure)
    assert Line.from_data(json.loads(json.dumps(made.to_data())), 0).said == failure


def test_a_part_is_written_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    file = file_at(path)
    for n in range(3):
        file.append(*line(n=n, text="A long chat."))
    assert path.read_text().count("A long chat.") == 1
    assert path.stat().st_mode & 0o777 == 0o600
    again = RecordingFile(path)
    assert [each.number for each in again.read()] == [2, 3, 4]
    assert {part["content"] for part in again.parts.values() if isinstance(part, dict)} == {"A long chat."}


def test_what_others_write_meanwhile_is_read(tmp_path: Path) -> None:
    mine, theirs = file_at(tmp_path / "calls.jsonl"), file_at(tmp_path / "calls.jsonl")
    assert mine.read() == []
    theirs.append(*line(n=7))
    assert [each.n for each in mine.read()] == [7]
    assert mine.read() == []


def test_half_a_character_can_be_written(tmp_path: Path) -> None:
    file = file_at(tmp_path / "calls.jsonl")
    file.append(*line(said=ModelReply("cut \ud83d here")))
    file.append(*line(said=ModelReply("café")))
    assert [getattr(each.said, "content", None) for each in file.read()] == ["cut \ud83d here", "café"]
    assert "café" in (tmp_path / "calls.jsonl").read_text()


@pytest.mark.parametrize("cut", [1, 20, 100, 200])
def test_a_torn_line_is_told_and_dropped(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "calls.jsonl"
    file = file_at(path)
    file.append(*line(n=0))
    file.append(*line(n=1))
    path.write_bytes(path.read_bytes()[:-cut])
    reading = RecordingFile(path)
    whole = [each.n for each in reading.read()]
    expected = ([0, 1], 0) if cut == 1 else ([0], 3)
    assert (whole, reading.torn) == expected
    writing = file_at(path)
    assert writing.torn == expected[1]
    writing.append(*line(n=2))
    assert numbers(path) == [*expected[0], 2]


@given(st.data())
def test_wherever_the_file_is_torn_the_lines_before_are_there(tmp_path_factory: Any, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("torn") / "calls.jsonl"
    file = file_at(path)
    ends = [path.stat().st_size]
    for n in range(3):
        file.append(*line(n=n, text=f"{n} é"))
        ends.append(path.stat().st_size)
    length = data.draw(st.integers(0, ends[-1]))
    path.write_bytes(path.read_bytes()[:length])
    file_at(path).append(*line(n=9))
    kept = [n for n in range(3) if ends[n + 1] <= length + 1]
    assert numbers(path) == [*kept, 9]


def test_threads_and_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_file import file_at, line
file = file_at(Path({str(path)!r}))
for n in range(40):
    file.append(*line(sys.argv[1], n, text="x" * 3000))
"""
    others = [subprocess.Popen([sys.executable, "-c", program, f"process {place}"]) for place in range(2)]
    file = file_at(path)

    def write(node: str) -> None:
        for n in range(40):
            file.append(*line(node, n))

    threads = [threading.Thread(target=write, args=[f"thread {place}"]) for place in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait(60) for other in others] == [0, 0]
    found = RecordingFile(path).read()
    for node in ("process 0", "process 1", "thread 0", "thread 1", "thread 2"):
        assert [each.n for each in found if each.node == node] == list(range(40))


def test_a_process_that_is_killed_while_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_file import file_at, line
file, n = file_at(Path({str(path)!r})), 0
while True:
    file.append(*line("killed", n, text="x" * 100_000 + str(n)))
    n += 1
"""
    other = subprocess.Popen([sys.executable, "-c", program])
    while not path.exists() or path.stat().st_size < 2_000_000:
        assert other.poll() is None
    other.send_signal(signal.SIGKILL)
    other.wait(60)
    file_at(path).append(*line("mine", 0))
    found = RecordingFile(path).read()
    assert [each.n for each in found[:-1]] == list(range(len(found) - 1))
    assert found[-1].node == "mine"


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    file = file_at(path)
    file.append(*line(n=0))
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limits[1]))
    try:
        with pytest.raises(
            ModelError, match=r"calls\.jsonl cannot be written \(File too large\), so that the answer of"
        ):
            file.append(*line(n=1, text="another"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    file.append(*line(n=1, text="another"))
    assert numbers(path) == [0, 1]
    assert "another" in path.read_text()


def test_a_file_that_goes_in_the_middle(tmp_path: Path) -> None:
    file = file_at(tmp_path / "calls.jsonl")
    (tmp_path / "calls.jsonl").unlink()
    with pytest.raises(ModelError, match="cannot be written"):
        file.append(*line())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"solver: [Rot.]\n", "1: this is no recording of loopwright (it is left as it is; name another file)"),
        (b'{"a": 1}', "1: this is no recording of loopwright"),
        (b"\xff\xfe\x00", "1: this is no recording of loopwright"),
        (b'{"loopwright": "recording"}\n', "1: this is no recording of loopwright"),
        (
            b'{"loopwright": "recording", "version": 9}\n',
            "1: a recording of version 9, and this loopwright knows versions up to 1 (update loopwright)",
        ),
    ],
)
def test_what_is_no_recording_is_left_as_it_is(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(content)
    for deed in (RecordingFile.begin, RecordingFile.read):
        with pytest.raises(SourceError) as caught:
            deed(RecordingFile(path))
        assert str(caught.value).startswith(f"{path}:{words}")
    assert path.read_bytes() == content


def test_a_place_where_no_file_can_be(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="this is a folder, and no recording"):
        RecordingFile(tmp_path).begin()
    with pytest.raises(SourceError, match="this is a folder, and no recording"):
        RecordingFile(tmp_path).read()
    with pytest.raises(SourceError, match=f"there is no folder {tmp_path / 'no'}, and so no recording"):
        RecordingFile(tmp_path / "no" / "calls.jsonl").begin()
    with pytest.raises(SourceError, match="there is no such file, and so no recording"):
        RecordingFile(tmp_path / "calls.jsonl").read()
    with pytest.raises(SourceError, match="cannot be written: embedded null"):
        RecordingFile(tmp_path / "a\0b").begin()


def test_an_empty_file_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.touch()
    file_at(path).append(*line(n=4))
    assert numbers(path) == [4]


def test_all_broken_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    file = file_at(path)
    file.append(*line(n=0))
    data = line()[0].to_data()
    broken = ["no json", "{}", "[]", json.dumps({**data, "n": "0"}), json.dumps({**data, "usage": {"a": 1}}), "null"]
    odd: list[dict[str, Any]] = [
        {"usage": {"calls": "1"}},
        {"usage": {"calls": 1 << 80}},
        {"usage": {"cost": -1}},
        {"note": 5},
        {"messages": [5]},
        {"schema": {}},
        {"tool_calls": [{"name": 5}]},
        {"error": 5},
        {"error": "busy", "retry_after": "soon"},
    ]
    broken += ["[" * 100_000, *(json.dumps({**data, **fields}) for fields in odd)]
    with path.open("a") as text:
        text.write("".join(f"{each}\n" for each in [*broken, json.dumps(data)]))
    with pytest.raises(SourceError) as caught:
        RecordingFile(path).read()
    assert [fault.line for fault in caught.value.faults] == [*range(3, 3 + len(broken))]
    assert str(caught.value.faults[0]).startswith(f"{path}:3: this is no call of a recording (take the line out")


def test_a_reply_that_no_json_can_hold(tmp_path: Path) -> None:
    file = file_at(tmp_path / "calls.jsonl")
    odd: Any = object()
    with pytest.raises(ModelError, match="Object of type object is not JSON serializable"):
        file.append(*line(said=ModelReply(odd)))
    assert file.read() == []
