"""A store that others can read: it holds what people and models wrote, and so its owner is told."""

import os
import shlex
import stat
import warnings
from contextlib import suppress
from pathlib import Path

_OTHERS = stat.S_IRGRP | stat.S_IROTH
_BESIDE = ("-wal", "-shm")
_PASS = stat.S_IXGRP | stat.S_IXOTH


class ExposedStore(UserWarning):
    """Others than its owner can read the file of a store. It says the line that ends that; nothing was changed."""


def warn_if_exposed(path: Path) -> None:
    """Warn where others than the owner can read a store's file and go through the folders that it is in.

    Its mode is left as it is: whoever made it so may have meant it, for a store that several people share. SQLite gives
    the files beside it, `-wal` and `-shm`, the same one when it makes them; where they stand already, they keep theirs
    when the store's is changed, and so they are looked at, too.

    Args:
        path: The file, from the root on.
    """
    files = (path, *(path.with_name(f"{path.name}{end}") for end in _BESIDE))
    exposed = next(filter(is_exposed, files), None) if os.name == "posix" else None
    if exposed:
        with suppress(OSError):  # one beside the store goes with its last user
            which = f"mode {stat.S_IMODE(exposed.stat().st_mode):03o} of {exposed.name}"
            mends = f"chmod 600 {shlex.quote(str(path))}*"
            words = f"store {path} can be read by others ({which}); where they should not, say {mends}"
            warnings.warn(ExposedStore(words), stacklevel=2)


def is_exposed(path: Path) -> bool:
    """Whether others than its owner can come to a file and read it; no, where nothing is said of it."""
    with suppress(OSError):
        return bool(path.stat().st_mode & _OTHERS) and all(each.stat().st_mode & _PASS for each in path.parents)
    return False
