"""Files: what is read as what, and files that cannot be read."""

import os
from pathlib import Path

import pytest

from loopwright.documents.files import files_in, is_file, read_file, read_text, write_file
from loopwright.errors import Fault, SourceError


def fault_of(path: str | Path) -> Fault:
    with pytest.raises(SourceError) as caught:
        read_file(path)
    (fault,) = caught.value.faults
    return fault


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_suffix_says_how_a_file_is_read() -> None:
    Path("a.json").write_text('{"a":\n\t"\\ud83d\\ude00"}')
    Path("a.yml").write_text("a: no\n")
    assert read_file("a.json").data == {"a": "\U0001f600"}
    assert read_file("a.yml").data == {"a": "no"}
    assert read_file(Path("a.json")).file == "a.json"


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    Path("a.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_file("a.yaml").data == {"a": 1}


def test_a_missing_file_names_what_stands_beside_it() -> None:
    for name in ("bridge.yaml", "essay.yml", "notes.txt"):
        Path(name).write_text("a: 1")
    assert fault_of("bridg.yaml") == Fault(
        "there is no such file", (), "did you mean 'bridge.yaml'? there are: bridge.yaml, essay.yml", "bridg.yaml"
    )
    assert str(fault_of("bridg.yaml")) == (
        "bridg.yaml: there is no such file (did you mean 'bridge.yaml'? there are: bridge.yaml, essay.yml)"
    )


def test_only_the_nearest_of_many_files_are_named() -> None:
    for number in range(30):
        Path(f"file{number}.yaml").write_text("a: 1")
    assert fault_of("file7.yml").hint.count(".yaml,") == 9
    assert "did you mean 'file7.yaml'?" in fault_of("file7.yml").hint


def test_a_missing_file_in_a_folder_without_any(folder: Path) -> None:
    assert fault_of(folder / "a.yaml").hint == f"no file in {folder} ends in .yaml or .yml or .json"
    assert fault_of("nowhere/a.yaml").hint == "there is no folder nowhere either"


def test_a_folder_is_no_file() -> None:
    Path("specs").mkdir()
    Path("specs/a.yaml").write_text("a: 1")
    assert fault_of("specs") == Fault("this is a folder, not a file", (), "there is only a.yaml", "specs")


def test_a_file_that_is_not_utf8() -> None:
    Path("a.yaml").write_bytes(b"a: 1\nb: \xe9t\xe9\n")
    assert fault_of("a.yaml") == Fault("not UTF-8 text", (), "save the file as UTF-8", "a.yaml", 2)


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file(text: str) -> None:
    Path("a.yaml").write_text(text)
    assert str(fault_of("a.yaml")) == "a.yaml:1: the file is empty"


def test_a_huge_file_is_not_read() -> None:
    Path("a.yaml").write_bytes(b"")
    os.truncate("a.yaml", 2_000_001)
    assert fault_of("a.yaml") == Fault("larger than 2 MB, which no such file is", (), "", "a.yaml")
    os.truncate("a.yaml", 2_000_000)
    assert fault_of("a.yaml").message == "broken YAML: the character '\\x00' may not stand in it"


def test_a_name_that_no_file_can_have() -> None:
    assert fault_of("a\0b.yaml").message == "cannot be read: embedded null byte"
    assert fault_of("a" * 300 + ".yaml").message == "cannot be read: File name too long"


def test_faults_inside_carry_the_name_as_it_was_given(folder: Path) -> None:
    file = folder / "a.yaml"
    file.write_text("a: 1\nb: [\n")
    assert (fault_of(file).file, fault_of(file).line) == (str(file), 3)
    assert fault_of("./a.yaml").file == "./a.yaml"


def test_a_text_is_written_in_the_place_of_another(tmp_path: Path) -> None:
    place = tmp_path / "a.yaml"
    for text in ("one", "zw\u00f6lf\n"):
        write_file(place, text)
        assert (read_text(place), [file.name for file in tmp_path.iterdir()]) == (text, ["a.yaml"])
    with pytest.raises(OSError, match=r"a\.yaml"):
        write_file(place / "b.yaml", "three")


def test_other_files_are_named_by_their_suffix(tmp_path: Path) -> None:
    (tmp_path / "cfg.py").write_text("x = 1")
    with pytest.raises(SourceError) as caught:
        read_text(tmp_path / "cgf.py", (".py",))
    (fault,) = caught.value.faults
    assert (fault.file, fault.hint) == (str(tmp_path / "cgf.py"), "did you mean 'cfg.py'? there is only cfg.py")


def test_whether_a_file_can_be_seen(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("a: b")
    seen = [is_file(tmp_path / name) for name in ("x.yaml", "y.yaml", ".", "x" * 300)]
    assert seen == [True, False, False, False]


def test_a_closed_folder_shows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.py").touch()
    assert files_in(tmp_path, "*.py") == [tmp_path / "x.py"]

    def closed(_: Path, pattern: str) -> list[Path]:
        raise PermissionError(13, "Permission denied", pattern)

    monkeypatch.setattr(Path, "glob", closed)
    assert files_in(tmp_path, "*.py") == []
