"""The benchmarks run, with few rounds; what they measure is for `make bench` on a quiet machine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SMALL = {
    "draw.py": ["--nodes", "3", "6"],
    "fan_out.py": ["--branches", "3", "--pairs", "1"],
    "many_runs.py": ["--runs", "3", "--pairs", "1"],
    "model_call.py": ["--calls", "3", "--history", "1", "3"],
    "intervals.py": ["--rounds", "3", "--problems", "5"],
    "overhead.py": ["--rounds", "3", "--pairs", "1"],
    "society.py": ["--agents", "3", "--events", "12", "--asleep", "0.2"],
    "promises.py": ["--rounds", "3", "--events", "1", "20", "--waiting", "2"],
    "scale.py": ["--visits", "10", "20", "--rounds", "1", "--branches", "3", "--runs", "3"],
}


def test_every_benchmark_is_here() -> None:
    assert {file.name for file in BENCHMARKS.glob("*.py")} == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_runs(name: str) -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / name, *SMALL[name], "--json"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)
