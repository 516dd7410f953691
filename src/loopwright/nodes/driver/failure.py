"""A failure outcome on its way to an edge, or to a suspension."""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.state.records import Usage
from loopwright.state.values import Json

NOTHING = Usage()
_PACKAGE = str(Path(__file__).parents[2])

BROKEN = ""
"""What stands for an outcome where a node broke its contract: no edge can handle that."""


@dataclass
class Failure(Exception):
    """What a visit failed with; fields as of `steps.Result` and `steps.Suspend`."""

    outcome: str
    reason: str
    model: str = ""
    usage: Usage = NOTHING
    note: str = ""
    raw: Json = None
    effect: str = ""
    short: Mapping[str, float] = field(default_factory=dict)
    asked: str = ""
    said: tuple[str, ...] = ()


def words_of_error(error: BaseException) -> str:
    """An exception in one line, with the line it came by of the code that this package called."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [index for index, frame in enumerate(frames) if frame.filename.startswith(_PACKAGE)]
    called = frames[ours[-1] + 1 :] if ours else frames
    place = f" (at {called[0].filename}:{called[0].lineno})" if called else ""
    said = f": {error}" if str(error) else ""
    return f"{type(error).__name__}{said}{place}"
