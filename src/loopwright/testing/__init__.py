"""What tests of loops need: models that record, assertions on paths, a real model server, and what breaks and kills."""

from loopwright.testing.breaking import BreakingStore, Breaks, break_at_every_write
from loopwright.testing.killing import Kills, kill_at_random
from loopwright.testing.model_server import ModelServer, Recorded, Trouble
from loopwright.testing.scripts import RecordingModel, assert_path, path_of

__all__ = [
    "BreakingStore",
    "Breaks",
    "Kills",
    "ModelServer",
    "Recorded",
    "RecordingModel",
    "Trouble",
    "assert_path",
    "break_at_every_write",
    "kill_at_random",
    "path_of",
]
