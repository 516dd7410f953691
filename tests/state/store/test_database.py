"""Opening a store: what is made, what is refused, and in which words."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from loopwright.errors import StoreError
from loopwright.state.store.database import APPLICATION_ID, VERSION, open_database, path_of
from loopwright.state.store.store import Store


def fault(url: str, **options: Any) -> str:
    with pytest.raises(StoreError) as caught:
        open_database(url, **options)
    return str(caught.value)


def test_a_new_file_is_made_with_its_folders_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "runs.db"
    open_database(f"sqlite:{path}").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    connection = sqlite3.connect(path)
    pragmas = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")]
    assert pragmas == [(APPLICATION_ID,), (VERSION,)]
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_what_was_made_is_opened_again(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    open_database(url).close()
    open_database(url, create=False).close()


@pytest.mark.parametrize(
    "url",
    ["", "runs.db", "sqlite:", "postgres://host/x", "sqlite", "sqlite://runs.db", "sqlite:///", 5, None, Path("x")],
)
def test_a_url_that_is_none(url: Any) -> None:
    assert fault(url) == f"{url!r} is not a store; a store is memory: or sqlite:PATH, as in sqlite:.loopwright/runs.db"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:a/runs.db", "a/runs.db"),
        ("sqlite:/a/runs.db", "/a/runs.db"),
        ("sqlite:///a/runs.db", "a/runs.db"),
        ("sqlite:////a/runs.db", "/a/runs.db"),
    ],
)
def test_slashes_are_understood_as_elsewhere(url: str, path: str) -> None:
    assert path_of(url) == Path(path)


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    opened = open_database("sqlite:///runs.db")
    monkeypatch.chdir("/")
    with opened.transaction() as connection:
        connection.execute("DELETE FROM runs")
    assert (tmp_path / "runs.db").exists()
    opened.close()


@pytest.mark.parametrize("replaced", [True, False])
def test_a_file_that_is_gone_is_noticed(tmp_path: Path, replaced: bool) -> None:
    path = tmp_path / "runs.db"
    opened = open_database(f"sqlite:{path}")
    path.rename(tmp_path / "old.db")
    if replaced:
        path.write_bytes(b"")
    words = (
        f"store sqlite:{path}: the file was deleted or replaced while it was open, so nothing more is kept;"
        " put it back and resume the run, or start anew"
    )
    with pytest.raises(StoreError) as caught, opened.transaction():
        pass
    assert str(caught.value) == words
    (tmp_path / "old.db").replace(path)
    with opened.transaction() as connection:
        connection.execute("DELETE FROM runs")
    opened.close()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'runs.db'}"
    assert fault(url, create=False) == f"store {url}: there is no such file, so no run was started there yet"
    assert list(tmp_path.iterdir()) == []


def test_a_folder(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path}"
    assert fault(url) == f"store {url}: this is a folder; name a file in it, as in sqlite:{tmp_path / 'runs.db'}"


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / ('x' * 300)}"
    with pytest.raises(StoreError, match="it cannot be looked at: File name too long"):
        open_database(url)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    url = f"sqlite:{tmp_path / 'file' / 'runs.db'}"
    assert fault(url) == f"store {url}: it cannot be made: {os.strerror(17)}"


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but some text that is long enough to have a header" * 9)
    words = "this file is not a database; give another --store, or move the file away (file is not a database)"
    assert fault(f"sqlite:{path}") == f"store sqlite:{path}: {words}"
    assert path.read_text().startswith("not a database")


def test_another_programs_database(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE things (id)")
    connection.commit()
    before = connection.execute("SELECT name FROM sqlite_master").fetchall()
    words = "this is another program's database; give another --store"
    assert fault(f"sqlite:{path}") == f"store sqlite:{path}: {words}"
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == before
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()


def test_a_newer_version(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    opened = open_database(f"sqlite:{path}")
    opened.connection.execute(f"PRAGMA user_version={VERSION + 1}")
    opened.close()
    words = f"it was written by a newer loopwright (version {VERSION + 1}, this one reads {VERSION}); upgrade"
    assert fault(f"sqlite:{path}") == f"store sqlite:{path}: {words}"


def test_an_older_version(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    opened = open_database(f"sqlite:{path}")
    opened.connection.execute(f"PRAGMA user_version={VERSION - 1}")
    opened.close()
    older = f"it was written by an older loopwright (version {VERSION - 1}, this one reads {VERSION})"
    assert fault(f"sqlite:{path}") == f"store sqlite:{path}: {older}; give another --store"


@pytest.fixture
def readonly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files cannot be written, as on a medium that is mounted so."""
    monkeypatch.setattr(os, "access", lambda place, mode: False)


@pytest.mark.parametrize("used", [True, False], ids=["while it is written", "at rest"])
@pytest.mark.usefixtures("readonly")
def test_a_file_is_opened_to_look(tmp_path: Path, used: bool) -> None:
    url = f"sqlite:{tmp_path / 'a b?.db'}"
    with pytest.raises(StoreError, match="there is nothing in it yet, and it cannot be written"):
        open_database(url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "access", lambda place, mode: True)
        writer = open_database(url)
    with writer.transaction() as written:
        written.execute("INSERT INTO answers VALUES ('r', 'q', '{}', '1')")
    if not used:
        writer.close()
    opened = open_database(url)
    assert opened.connection.execute("SELECT run FROM answers").fetchall() == [("r",)]
    words = "it can only be read; check the permissions of the file and its folder"
    with pytest.raises(StoreError, match=words), opened.transaction() as connection:
        connection.execute("DELETE FROM runs")
    opened.close()
    writer.close()


def test_a_file_that_can_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.db"
    open_database(f"sqlite:{path}").close()
    connect = partial(sqlite3.connect, f"file:{path}?mode=ro", uri=True)
    monkeypatch.setattr(sqlite3, "connect", lambda _, **options: connect(**options))
    words = (
        "it can only be read; check the permissions of the file and its folder (attempt to write a readonly database)"
    )
    opened = open_database(f"sqlite:{path}")
    with pytest.raises(StoreError) as caught, opened.transaction() as connection:
        connection.execute("DELETE FROM runs")
    assert str(caught.value) == f"store sqlite:{path}: {words}"
    opened.close()


def test_a_transaction_is_kept_whole_or_not_at_all() -> None:
    opened = open_database("memory:")

    def work() -> None:
        with opened.transaction() as connection:
            connection.execute("CREATE TABLE things (id)")
            connection.execute("SELECT * FROM absent")

    with pytest.raises(StoreError, match="no such table: absent"):
        work()
    assert opened.connection.execute("SELECT name FROM sqlite_master WHERE name = 'things'").fetchall() == []
    opened.close()


def test_many_threads_share_one_connection() -> None:
    with Store("memory:") as store:
        store.database.connection.execute("CREATE TABLE sums (n INTEGER)")
        store.database.connection.execute("INSERT INTO sums VALUES (0)")
        store.database.connection.commit()

        def work() -> None:
            for _ in range(20):
                with store.database.transaction() as connection:
                    connection.execute("UPDATE sums SET n = n + 1")

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.database.connection.execute("SELECT n FROM sums").fetchall() == [(160,)]


def test_a_closed_store_says_so() -> None:
    store = Store("memory:")
    store.close()
    with pytest.raises(StoreError, match="Cannot operate on a closed database"):
        list(store.registry.all())


TOGETHER = """
import os, sys, time
from loopwright.state.store.database import open_database
for place in range(25):
    begin, children = time.monotonic() + 0.005, []
    for _ in range(3):
        children.append(os.fork())
        if not children[-1]:
            while time.monotonic() < begin:
                pass
            open_database(f"sqlite:{sys.argv[1]}/{place}.db").close()
            os._exit(0)
    if any(os.waitpid(child, 0)[1] for child in children):
        os._exit(1)
"""


def test_processes_that_make_one_file_at_once(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", TOGETHER, tmp_path], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
