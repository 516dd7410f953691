"""For graphs that were made with LangGraph: check and draw them as they are. It loads LangGraph; `loopwright` does not.

Nothing of a graph is called: its nodes, edges and routers are looked at, and what their source says in so many words.
"""

from pathlib import Path
from typing import Any, Literal

from loopwright.graphs.draw.formats import format_of, rendered, write_made
from loopwright.graphs.stategraph.check import check_reading
from loopwright.graphs.stategraph.reading import Reading
from loopwright.graphs.stategraph.scene import scene_of_reading
from loopwright.graphs.verify.findings import Findings
from loopwright.sources.langgraph.read import is_graph, read_graph

__all__ = ["check", "draw", "read"]


def read(graph: Any, name: str = "", *, file: str = "", line: int = 0) -> Reading:
    """What can be read of a graph.

    Args:
        graph: A `StateGraph`, or what its `compile` gives.
        name: What it is called where it has no name of its own.
        file: The file in which it is made, for the lines of nodes that have no function there.
        line: The line of that file at which it stands.

    Raises:
        TypeError: It is neither.
    """
    if not is_graph(graph):
        raise TypeError(f"a StateGraph or a compiled one can be read; {type(graph).__name__} is neither")
    return read_graph(graph, name, file, line)


def check(graph: Any) -> Findings:
    """All that is wrong with a graph, and with the subgraphs in it.

    Args:
        graph: A `StateGraph`, or what its `compile` gives.

    Raises:
        TypeError: It is neither.

    Example:
        >>> from langgraph.graph import END, START, MessagesState, StateGraph
        >>> graph = StateGraph(MessagesState).add_node("ask", lambda state: {}).add_node("tell", lambda state: {})
        >>> check(graph.add_edge(START, "ask").add_edge("ask", END))
        error  unreachable-node  'tell' cannot be reached from START
                                 no edge leads here
                                 path: tell
        1 error
    """
    return check_reading(read(graph))


def draw(
    graph: Any,
    path: str | Path | None = None,
    *,
    format: str = "svg",
    theme: Literal["light", "dark"] = "light",
    opened: bool = False,
    legend: bool = False,
    scale: float = 2.0,
) -> str | bytes:
    """The picture of a graph: every edge once, offline; arguments as of `Loop.draw`.

    Returns:
        Text; bytes for `png`.

    Raises:
        TypeError: It is no graph.
        DrawError: There is no such format or theme, or the file cannot be written.
    """
    suffix = format if path is None else format_of(Path(path))
    scene = scene_of_reading(read(graph), opened=opened and suffix != "mmd")
    made = rendered(scene, suffix, theme=theme, legend=legend, scale=scale)
    if path is not None:
        write_made(Path(path), made)
    return made
