"""The benchmarks run, with few rounds; what they measure is for `make bench` on a quiet machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SMALL = {
    "draw.py": ["--nodes", "3", "6"],
    "model_call.py": ["--calls", "3", "--history", "1", "3"],
