"""Make what the documents show of the product: `python docs/make.py` writes what has changed.

The pictures are of files that the pages show, and of runs of them.
"""

import contextlib
import io
import re
import runpy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loopwright as lw
from loopwright.graphs.compare.comparison import Comparison
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.layout import Picture
from loopwright.graphs.draw.legend import SHAPES, legend_of
from loopwright.graphs.draw.scene import Arrow, Box, Scene, Shape, Style
from loopwright.graphs.draw.svg import markup
from loopwright.graphs.draw.theme import LIGHT

DOCS = Path(__file__).parent
BRIDGE = DOCS.parent / "examples" / "bridge.yaml"

FILE = re.compile(r"^```yaml (?:broken )?(?P<name>\S+\.yaml)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python(?: \S+\.py)?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(page: str, folder: Path) -> Path:
    """A folder with all YAML files that a page shows."""
    for found in FILE.finditer((DOCS / page).read_text(encoding="utf-8")):
        (folder / found["name"]).write_text(found["text"], encoding="utf-8")
    return folder


def plan(page: str, file: str, *, opened: bool = True) -> str:
    """The picture of a file, with the bodies of its forks inside them."""
    with TemporaryDirectory() as folder:
        return picture(lw.load(shown(page, Path(folder)) / file).plan, opened=opened)


def path(page: str, name: str, answers: Sequence[str] = (), **inputs: str) -> str:
    """The picture of a run of the file NAME.yaml with the script NAME.script.yaml, with the path that it took.

    An answer that is the name of a script is no answer: the run is suspended, and goes on with that script.
    """
    with TemporaryDirectory() as folder:
        here = shown(page, Path(folder))
        model = lw.ScriptedModel(here / f"{name}.script.yaml")
        run = lw.load(here / f"{name}.yaml").start(inputs, model=model)
        for answer in answers:
            if answer.endswith(".script.yaml"):
                run.resume(model=lw.ScriptedModel(here / answer))
            else:
                run.resume(answer)
        return run.draw()


def built(page: str, *, opened: bool = False) -> str:
    """The picture of the first `loop` that the Python blocks of a page build."""
    session: dict[str, Any] = {"__name__": "session"}
    blocks = PYTHON.finditer((DOCS / page).read_text(encoding="utf-8"))
    with contextlib.redirect_stdout(io.StringIO()):
        while "loop" not in session:
            exec(next(blocks)["text"], session)
    return picture(session["loop"].plan, opened=opened)


def compared(page: str) -> str:
    """The plot of the first comparison that a page makes. Its times are left out: they are never the same."""
    session: dict[str, Any] = {"__name__": "session"}
    blocks = PYTHON.finditer((DOCS / page).read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        while "found" not in session:
            exec(next(blocks)["text"], session)
    results = session["found"].results
    timeless = tuple(replace(trial, seconds=0.0) for trial in results.trials)
    return Comparison(replace(results, trials=timeless)).draw()


def shapes() -> str:
    """The whole legend: every shape by the types of nodes that have it, every line, and what a run adds."""
    types: dict[Shape, tuple[str, ...]] = {
        "think": ("think", "role"),
        "judge": ("judge", "role"),
        "brain": ("multi_eval n=3",),
        "wait": ("human", "wait", "review"),
    }
    drawn = [shape for shape in SHAPES if shape not in ("node", "unknown", "unseen", "nowhere")]
    boxes = [Box("", shape, word, pending=True) for shape in drawn for word in types.get(shape, (shape,))]
    boxes += [Box("", "route", "enter"), Box("", "end"), Box("", "end", ok=False)]
    styles: tuple[Style, ...] = ("plain", "failure", "used_up", "idle")
    arrows = tuple(Arrow(0, 0, (), style, "", taken=1) for style in styles)
    scene = Scene("how to read a picture", tuple(boxes), arrows)
    return markup(Picture((), (), (), 0.0, 0.0), scene.name, LIGHT, [*legend_of(scene)])


def three_hundred() -> str:
    """The picture of three hundred nodes: fifty sections, each written, checked and approved."""
    session = runpy.run_path(str(DOCS.parent / "benchmarks" / "draw.py"))
    made: lw.Plan = session["sections"](300)
    return picture(made)


PICTURES: dict[str, Callable[[], str]] = {
    "three-hundred.svg": three_hundred,
    "action-map.svg": partial(built, "action-map.md"),
    "think-loop.svg": partial(plan, "action-map.md", "panelist.yaml", opened=False),
    "brain.svg": partial(plan, "brains.md", "title.yaml", opened=False),
    "brain-opened.svg": partial(built, "brains.md", opened=True),
    "compare.svg": partial(compared, "compare.md"),
    "society.svg": partial(plan, "society.md", "talk.yaml", opened=False),
    "essay.svg": partial(plan, "graphs.md", "essay.yaml"),
    "fallback.svg": partial(plan, "graphs.md", "fallback.yaml"),
    "fallback-path.svg": partial(path, "graphs.md", "fallback", question="Why?"),
    "forks.svg": partial(plan, "graphs.md", "forks.yaml"),
    "letter-path.svg": partial(path, "runs.md", "letter", ["thank her", "send"], to="Ada"),
    "nested.svg": partial(plan, "graphs.md", "nested.yaml"),
    "nested-bounds.svg": partial(plan, "checks.md", "nested.yaml"),
    "orders.svg": partial(built, "python.md"),
    "reply.svg": partial(plan, "tutorial.md", "reply.yaml"),
    "reply-path.svg": partial(
        path, "tutorial.md", "reply", ["say when", "more.script.yaml", "send"], mail="Where is my money?"
    ),
    "shapes.svg": shapes,
    "tools.svg": partial(built, "tools.md", opened=True),
    "conversation.svg": partial(plan, "conversation.md", "talk.yaml"),
    "levels.svg": partial(plan, "levels.md", "muse.yaml"),
    "pipeline.svg": partial(plan, "agents.md", "pipeline.yaml"),
    "role-cycle.svg": lambda: picture(lw.load(BRIDGE).plan),
    "role-cycle-path.svg": partial(path, "role-cycle.md", "bridge", ["name a limit", "accept"]),
}
"""The pictures by the names of their files."""


def made() -> dict[Path, str]:
    """Every file that is made here, with its text."""
    return {DOCS / "pictures" / name: draw() for name, draw in PICTURES.items()}


def main() -> None:
    """Write every file that is not as it is made now."""
    for file, text in made().items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
