"""Who can read a store's file, and what its owner is told."""

import json
import os
import stat
import warnings
from pathlib import Path

import pytest

from loopwright.cli.main import main
from loopwright.state.store.exposure import ExposedStore, is_exposed
from loopwright.state.store.store import Store


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that all can go through; those of tests are their owner's only."""
    seen = Path.stat
    opened = tmp_path.parents

    def stat_of(self: Path, **options: bool) -> os.stat_result:
        found = seen(self, **options)
        return os.stat_result((found.st_mode | 0o011, *found[1:])) if self in opened else found

    monkeypatch.setattr(Path, "stat", stat_of)
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("mode", "folder", "exposed"),
    [(0o600, 0o755, False), (0o644, 0o755, True), (0o640, 0o710, True), (0o644, 0o700, False), (0o622, 0o755, False)],
)
def test_who_can_read(place: Path, mode: int, folder: int, exposed: bool) -> None:
    (place / "runs.db").touch()
    (place / "runs.db").chmod(mode)
    place.chmod(folder)
    assert is_exposed(place / "runs.db") is exposed
    assert not is_exposed(place / "none.db")


def test_a_new_store_is_its_owners_with_all_its_files_whatever_the_umask(place: Path) -> None:
    before = os.umask(0)
    try:
        with Store("sqlite:runs.db") as store, warnings.catch_warnings():
            warnings.simplefilter("error")
            store.send("rings")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in place.glob("runs.db*")}
    finally:
        os.umask(before)
    assert modes == {"runs.db": 0o600, "runs.db-shm": 0o600, "runs.db-wal": 0o600}


def test_an_owner_is_told_and_nothing_is_changed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store("sqlite:runs.db").close()
    Path("runs.db").chmod(0o644)
    words = (
        f"store {place / 'runs.db'} can be read by others (mode 644 of runs.db); where they should not, say chmod 600 "
    )
    with pytest.warns(ExposedStore) as told:
        Store("sqlite:runs.db").close()
    assert [str(each.message) for each in told] == [f"{words}{place / 'runs.db'}*"]
    assert main(["runs", "--store", "sqlite:runs.db", "--json"]) == 0
    said = capsys.readouterr()
    assert (json.loads(said.out)["runs"], said.err) == ([], f"note: {words}{place / 'runs.db'}*\n")
    assert stat.S_IMODE(Path("runs.db").stat().st_mode) == 0o644


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_a_file_beside_it_that_kept_its_mode_is_told(place: Path, end: str) -> None:
    with Store("sqlite:my runs.db") as store:
        store.send("rings")
        Path(f"my runs.db{end}").chmod(0o644)
        with pytest.warns(ExposedStore) as told:
            Store("sqlite:my runs.db").close()
    mends = f"(mode 644 of my runs.db{end}); where they should not, say chmod 600 '{place / 'my runs.db'}'*"
    assert [str(each.message) for each in told] == [f"store {place / 'my runs.db'} can be read by others {mends}"]
