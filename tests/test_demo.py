"""The demonstration: the story is told to its end, by the real command, and can be told again."""

import re
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[1] / "examples" / "demo.py"

STORY = [
    "The model is scripted: ",
    "$ loopwright check bridge.yaml",
    "worst case: 4 rounds, 16 model calls, 20 visits",
    "$ loopwright draw bridge.yaml",
    "$ loopwright run bridge.yaml --script bridge.script.yaml",
    "Boss wishes to stop in round 2.",
    "[exit code 3]",
    "$ loopwright runs",
    "$ loopwright show ",
    '"use metric units"',
    "a person rejected the answer of round 2: use metric units",
    "Boss wishes to stop in round 3.",
    "ended as accepted: a person accepted the answer of round 3",
    "$ loopwright run essay.yaml --script slow.script.json",
    "  0  write ",
    "[killed, as by kill -9]",
    "  interrupted  ",
    " goes on, asks scripted (slow.script.json)",
    "  1  review ",
    "ended as finished: A cause and a number.",
    "visits 4 of at most 8, calls 4 of at most 8",
    "wrote path.svg",
    "The pictures: ",
]
"""What must be told, in this order."""


def test_the_story_is_told(tmp_path: Path) -> None:
    left = tmp_path / ".demo" / "left from before"
    left.mkdir(parents=True)
    made = subprocess.run(
        [sys.executable, "-W", "error", DEMO],
        cwd=tmp_path,
        env={"PATH": str(Path(sys.executable).parent), "HOME": str(tmp_path), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, ""), made.stdout
    place = 0
    for words in STORY:
        assert words in made.stdout[place:], f"{words!r} is not told, or too early"
        place = made.stdout.index(words, place) + len(words)
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", made.stdout)
    assert not left.exists()
    pictures = {name: (tmp_path / ".demo" / name).read_text() for name in ("bridge.svg", "path.svg")}
    assert all(picture.startswith("<svg") for picture in pictures.values())
    assert pictures["bridge.svg"] != pictures["path.svg"]
