"""Every example runs, offline, and every example spec is without findings."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import loopwright
from loopwright.cli.main import main

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAMS = sorted(file for file in EXAMPLES.glob("*.py") if file.name != "demo.py")  # tests/test_demo.py runs it
SPECS = [file for file in sorted(EXAMPLES.glob("*.yaml")) if re.search("^kind:", file.read_text(), re.MULTILINE)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_an_example_runs(program: Path, tmp_path: Path) -> None:
    here = shutil.copytree(EXAMPLES, tmp_path / "examples")
    made = subprocess.run(
        [sys.executable, "-W", "error", here / program.name],
        cwd=tmp_path,
        env={"PATH": str(Path(sys.executable).parent), "HOME": str(tmp_path), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, ""), made.stdout


WAITING = ("bridge", "shop", "panelist", "roundtable", "blackboard")
INPUTS = {"microphone": ("-i", "action=Microphone:agent_speaks_into_microphone", "-i", "aim=greet the listeners")}


@pytest.mark.parametrize(
    "spec",
    [
        "card",
        "essay",
        "bridge",
        "shop",
        "brain",
        "microphone",
        "panelist",
        "roundtable",
        "blackboard",
        "talk",
        "pipeline",
    ],
)
def test_an_example_spec_runs_with_its_script(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    monkeypatch.syspath_prepend(tmp_path / "examples")
    code = main(["run", f"{spec}.yaml", "--script", f"{spec}.script.yaml", "--no-input", *INPUTS.get(spec, ())])
    assert (code, capsys.readouterr().err) == (3 if spec in WAITING else 0, "")


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_an_example_spec_has_no_findings(spec: Path) -> None:
    assert list(loopwright.load(spec).check()) == []
