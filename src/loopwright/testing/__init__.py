"""What tests of loops need: models that record, assertions on paths, and a real model server on loopback."""

from loopwright.testing.model_server import ModelServer, Recorded, Trouble
from loopwright.testing.scripts import RecordingModel, assert_path, path_of

__all__ = ["ModelServer", "Recorded", "RecordingModel", "Trouble", "assert_path", "path_of"]
