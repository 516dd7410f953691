"""The command before its package is loaded: quiet when it is stopped, and then the command line as it is."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.version import __version__

START = "import sys; from loopwright_command import main; sys.exit(main())"


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START, "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_it_runs_the_command_line(tmp_path: Path) -> None:
    made = start(tmp_path)
    assert (made.returncode, made.stdout, made.stderr) == (0, f"loopwright {__version__}\n", "")


def test_ctrl_c_while_the_package_is_loaded_is_quiet(tmp_path: Path) -> None:
    package = tmp_path / "loopwright"
    package.mkdir()
    (package / "__init__.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    made = start(tmp_path)
    assert (made.returncode, made.stdout, made.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("chosen", ["SIG_IGN", "default_int_handler"])
def test_what_ctrl_c_did_before_it_does_again(tmp_path: Path, chosen: str) -> None:
    (tmp_path / "loopwright" / "cli").mkdir(parents=True)
    (tmp_path / "loopwright" / "__init__.py").touch()
    told = f"def main():\n    print(signal.getsignal(signal.SIGINT) is signal.{chosen})\n    return 0\n"
    (tmp_path / "loopwright" / "cli" / "main.py").write_text(f"import signal\n{told}")
    command = [sys.executable, "-c", f"import signal; signal.signal(signal.SIGINT, signal.{chosen}); {START}"]
    made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (made.returncode, made.stdout, made.stderr) == (0, "True\n", "")
