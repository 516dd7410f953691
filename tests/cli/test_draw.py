"""`draw`: a loop or a run, to standard output or to a file."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.graphs.draw.formats import picture
from loopwright.graphs.run.opening import open_run
from loopwright.loop.load import load

FORKS = """\
kind: graph
name: panel
nodes:
  voices:
    type: parallel
    bodies:
      sound: {type: think, prompt: "How does it sound?"}
      sense: {type: think, prompt: "What does it promise?"}
edges:
  - voices -> end heard
"""


@pytest.mark.parametrize("format", ["txt", "svg", "mmd", "html", "dot"])
def test_a_loop_is_drawn_to_standard_output(loopwright: Any, format: str) -> None:
    done = loopwright("draw", "essay.yaml", "--format", format)
    assert (done.code, done.out, done.err) == (0, picture(load("essay.yaml").plan, format), "")


def test_text_is_what_a_terminal_gets(loopwright: Any) -> None:
    assert loopwright("draw", "essay.yaml").out == picture(load("essay.yaml").plan, "txt")


def test_a_loop_is_drawn_to_a_file(loopwright: Any) -> None:
    done = loopwright("draw", "essay.yaml", "-o", "out.svg")
    assert (done.code, done.out, done.err) == (0, "wrote out.svg\n", "")
    assert Path("out.svg").read_text() == picture(load("essay.yaml").plan, "svg")


def test_a_run_is_drawn_with_its_path(loopwright: Any) -> None:
    loopwright("run", "bridge.yaml", "--script", "bridge.script.yaml")
    run = json.loads(loopwright("runs", "--json").out)["runs"][0]["id"]
    done = loopwright("draw", "--run", run)
    opened = open_run("sqlite:.loopwright/runs.db", run)
    assert done.out == picture(opened.plan, "txt", visits=opened.visits, at=["review_stop"])
    assert done.out != picture(opened.plan, "txt")


@pytest.mark.parametrize("format", ["svg", "html", "mmd", "dot"])
def test_the_colours_are_chosen(loopwright: Any, format: str) -> None:
    done = loopwright("draw", "essay.yaml", "--format", format, "--theme", "dark")
    assert done.out == picture(load("essay.yaml").plan, format, theme="dark")
    assert done.out != picture(load("essay.yaml").plan, format)


def test_forks_are_opened(loopwright: Any) -> None:
    Path("forks.yaml").write_text(FORKS)
    plan = load("forks.yaml").plan
    for words in (("--format", "txt"), ("-o", "out.svg")):
        assert loopwright("draw", "forks.yaml", "--opened", *words).code == 0
    assert loopwright("draw", "forks.yaml", "--opened").out == picture(plan, "txt", opened=True)
    assert Path("out.svg").read_text() == picture(plan, "svg", opened=True) != picture(plan, "svg")


def test_the_legend_stands_beside_the_picture(loopwright: Any) -> None:
    plan = load("essay.yaml").plan
    for words in (("--format", "svg"), ("-o", "out.svg")):
        assert loopwright("draw", "essay.yaml", "--legend", *words).code == 0
    assert Path("out.svg").read_text() == picture(plan, "svg", legend=True) != picture(plan, "svg")


def test_the_document_names_the_file_or_holds_the_picture(loopwright: Any) -> None:
    named = json.loads(loopwright("draw", "essay.yaml", "-o", "out.MMD", "--json").out)
    held = json.loads(loopwright("draw", "essay.yaml", "--json").out)
    assert named == {"name": "draft and review", "format": "mmd", "file": "out.MMD"}
    assert held == {"name": "draft and review", "format": "txt", "picture": picture(load("essay.yaml").plan, "txt")}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give a FILE to draw a loop, or --run RUN to draw a run, and one of them only"),
        (("essay.yaml", "--run", "x"), "give a FILE to draw a loop, or --run RUN to draw a run, and one of them only"),
        (
            ("essay.yaml", "--format", "gif"),
            "there is no picture format 'gif'; formats are svg, mmd, txt, html, dot, png",
        ),
        (
            ("essay.yaml", "-o", "x.svg", "--format", "mmd"),
            "x.svg is written as its suffix says; leave out --format mmd",
        ),
        (
            ("essay.yaml", "-o", "x.png", "--scale", "0"),
            "scale is 0.0; it is a number above 0: pixels for each pixel of the SVG",
        ),
    ],
)
def test_wrong_use(loopwright: Any, words: tuple[str, ...], message: str) -> None:
    done = loopwright("draw", *words)
    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")


def test_a_suffix_that_no_format_has_writes_nothing(loopwright: Any) -> None:
    done = loopwright("draw", "essay.yaml", "-o", "out.gif")
    assert (done.code, done.out, Path("out.gif").exists()) == (2, "", False)
    assert (
        done.err
        == "error: out.gif: no picture can be written as .gif; suffixes are .svg, .mmd, .txt, .html, .dot, .png\n"
    )


def test_a_png_has_the_scale_that_was_asked_for(loopwright: Any) -> None:
    assert loopwright("draw", "essay.yaml", "-o", "out.png", "--scale", "1").out == "wrote out.png\n"
    assert Path("out.png").read_bytes() == picture(load("essay.yaml").plan, "png", scale=1)


def test_a_langgraph_graph_is_drawn(loopwright: Any) -> None:
    Path("drawn_app.py").write_text(
        "from langgraph.graph import END, START, MessagesState, StateGraph\n"
        "graph = StateGraph(MessagesState).add_node('ask', lambda state: {})\n"
        "graph.add_edge(START, 'ask').add_edge('ask', END)\n"
    )
    done = loopwright("draw", "drawn_app.py:graph")
    assert (done.code, done.err) == (0, "")
    assert done.out == "graph\n  start\n  └─ → ask\n  ask · node\n  └─ → end\n  end · end\n"
    assert loopwright("draw", "drawn_app:graph", "-o", "graph.svg", "--opened").out == "wrote graph.svg\n"
    assert Path("graph.svg").read_text().startswith("<svg")
