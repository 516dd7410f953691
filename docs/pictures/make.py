"""Draw the pictures of the documents with the product: `python docs/pictures/make.py` writes those that have changed.

What is drawn stands in the documents themselves: each picture is of a file that a page shows, or of a run of it.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import loopwright as lw
from loopwright.graphs.draw.formats import picture

HERE = Path(__file__).parent
DOCS, EXAMPLES = HERE.parent, HERE.parents[1] / "examples"
FILE = re.compile(r"^```yaml (?:broken )?(?P<name>\S+\.yaml)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(page: str, folder: Path) -> Path:
    """A folder with all YAML files that a page shows."""
    for found in FILE.finditer((DOCS / page).read_text(encoding="utf-8")):
        (folder / found["name"]).write_text(found["text"], encoding="utf-8")
    return folder


def plan(page: str, file: str) -> str:
    """The picture of a file, the bodies of its forks inside it."""
    with TemporaryDirectory() as folder:
        return picture(lw.load(shown(page, Path(folder)) / file).plan, opened=True)


def path(page: str, file: str, script: str, answers: Sequence[str] = (), **inputs: str) -> str:
    """The picture of a run of a file, with the path that it took."""
    with TemporaryDirectory() as folder:
        here = shown(page, Path(folder))
        run = lw.load(here / file).start(inputs, model=lw.ScriptedModel(here / script))
        for answer in answers:
            run.resume(answer)
        return run.draw()


PICTURES: dict[str, Callable[[], str]] = {
    "role-cycle.svg": lambda: picture(lw.load(EXAMPLES / "bridge.yaml").plan),
    "role-cycle-path.svg": partial(path, "role-cycle.md", "bridge.yaml", "bridge.script.yaml", ["name a limit", "accept"]),
    "essay.svg": partial(plan, "graphs.md", "essay.yaml"),
    "forks.svg": partial(plan, "graphs.md", "forks.yaml"),
    "nested.svg": partial(plan, "graphs.md", "nested.yaml"),
    "fallback.svg": partial(plan, "graphs.md", "fallback.yaml"),
}
"""The pictures by the names of their files."""


def main() -> None:
    """Write every picture that is not as it is drawn now."""
    for name, draw in PICTURES.items():
        file, text = HERE / name, draw()
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
