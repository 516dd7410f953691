"""Commands as a user who may not write what others own: root may write everything, so root becomes nobody.

All is imported before that, by a run in memory and a picture, since nobody may not read every place that Python is
installed at.
"""

import contextlib
import io
import json
import os
import sys

from loopwright.cli.main import main

NOBODY = 65534


def said(words: list[str]) -> tuple[int, str]:
    """The exit code of a command, and all that it says."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        code = main(words)
    return code, text.getvalue()


def obey(start: list[str], commands: list[list[str]]) -> None:
    """Make a run in memory and a picture, and then obey as nobody."""
    said([*start, "--store", "memory:"])
    said(["draw", start[1]])
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    sys.stdout.write(json.dumps([said(words) for words in commands]))


if __name__ == "__main__":
    obey(*json.load(sys.stdin))
