"""The story of a run in a minute: checked, drawn, stopped for a person, resumed, killed and resumed. Needs no key.

Everything is done by the command `loopwright`, each time in a process of its own. What it makes is left in `.demo`.
"""

import json
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PLACE = Path(".demo")
FILES = ("bridge.yaml", "bridge.script.yaml", "essay.yaml")

INTRODUCTION = f"""\
loopwright, a demonstration.

The model is scripted: what it says was written down beforehand, in {HERE.name}/bridge.script.yaml, and nothing leaves
this machine. With a real model, say --model instead of --script, and set the key that it needs:

  OPENAI_API_KEY=... loopwright run bridge.yaml --model gpt-4o-mini
"""

SLOW = {
    "write": [
        "A wooden bridge dies of water, not of age.",
        "A wooden bridge dies of water: above 20 % moisture it rots.",
    ],
    "review": [
        {"delay": 3, "reply": {"outcome": "revise", "reason": "Say how much water."}},
        {"outcome": "pass", "reason": "A cause and a number."},
    ],
}
"""A script in which one call takes three seconds: long enough to be killed in."""


def tell(text: str) -> None:
    """Say what comes next."""
    print(f"\n{text}\n", flush=True)


def command(words: str) -> list[str]:
    """Show a command as one would type it, and make it one for this Python."""
    print(f"$ {words}", flush=True)
    return [sys.executable, "-m", *shlex.split(words)]


def do(words: str, expected: int = 0) -> None:
    """Run a command in a process of its own; nobody sits at its terminal."""
    code = subprocess.run(command(words), cwd=PLACE, stdin=subprocess.DEVNULL, check=False).returncode
    if code != expected:
        sys.exit(f"the demonstration went wrong: exit code {code}, not {expected}")
    print(f"[exit code {code}]\n" if code else "", flush=True)


def newest_run() -> str:
    """The id of the run that was started last."""
    listed = [sys.executable, "-m", "loopwright", "runs", "--json"]
    runs = json.loads(subprocess.run(listed, cwd=PLACE, capture_output=True, check=True).stdout)["runs"]
    return str(runs[0]["id"])


def kill_in_a_call(words: str) -> None:
    """Run a command, and kill its process when the first visit is done and the second call is under way."""
    with subprocess.Popen(
        command(words), cwd=PLACE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            print(line, end="", flush=True)
            if line.startswith("  0  "):
                break
        time.sleep(0.5)
        run.kill()
    print("[killed, as by kill -9]\n", flush=True)


def main() -> None:
    """Tell the story."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    for name in FILES:
        shutil.copy(HERE / name, PLACE)
    (PLACE / "slow.script.json").write_text(json.dumps(SLOW, indent=2))

    tell(INTRODUCTION)
    tell("1. Four roles discuss a bridge. Before any model is asked, the loop is checked, and its worst case is known.")
    do("loopwright check bridge.yaml")
    tell("2. The loop is a graph, with every way on in it.")
    do("loopwright draw bridge.yaml")
    do("loopwright draw bridge.yaml -o bridge.svg")
    tell("3. It runs until the boss wishes to stop. Then a person is asked. Nobody is here, so the run waits on disk.")
    do("loopwright run bridge.yaml --script bridge.script.yaml", expected=3)
    tell("4. That process has ended. The run has not.")
    do("loopwright runs")
    bridge = newest_run()
    do(f"loopwright show {bridge}")
    tell("5. A new process answers for the person. The text goes to all roles, and the run goes on where it was.")
    do(f'loopwright resume {bridge} "use metric units"', expected=3)
    do(f"loopwright resume {bridge} accept")
    tell("6. Another loop, with a slow model. Its process is killed while a call is under way.")
    kill_in_a_call("loopwright run essay.yaml --script slow.script.json")
    do("loopwright runs")
    essay = newest_run()
    tell("7. The first visit was on disk, so only the call that was cut off is made again.")
    do(f"loopwright resume {essay}")
    tell("8. The path that a run took can be seen in its picture.")
    do(f"loopwright draw --run {bridge} -o path.svg")
    tell(f"The pictures: {PLACE / 'bridge.svg'} and, with the path that was taken, {PLACE / 'path.svg'}.")


if __name__ == "__main__":
    main()
