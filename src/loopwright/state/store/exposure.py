"""A store that others can read: it holds what people and models wrote, and so its owner is told."""

import os
import stat
import warnings
from contextlib import suppress
from pathlib import Path

_OTHERS = stat.S_IRGRP | stat.S_IROTH
_PASS = stat.S_IXGRP | stat.S_IXOTH


class ExposedStore(UserWarning):
    """Others than its owner can read the file of a store. It says the line that ends that; nothing was changed."""


def warn_if_exposed(path: Path) -> None:
    """Warn where others than the owner can read a store's file and go through the folders that it is in.

    Its mode is left as it is: whoever made it so may have meant it, for a store that several people share. SQLite gives
    the files beside it, `-wal` and `-shm`, the same one.

    Args:
        path: The file, from the root on.
    """
    if os.name == "posix" and is_exposed(path):
        mode = stat.S_IMODE(path.stat().st_mode)
        words = f"store {path} can be read by others (mode {mode:03o}); where they should not, say chmod 600 {path}"
        warnings.warn(ExposedStore(words), stacklevel=2)


def is_exposed(path: Path) -> bool:
    """Whether others than its owner can come to a file and read it; no, where nothing is said of it."""
    with suppress(OSError):
        return bool(path.stat().st_mode & _OTHERS) and all(each.stat().st_mode & _PASS for each in path.parents)
    return False
