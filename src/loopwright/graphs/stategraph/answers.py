"""Answers: what routers and commands say leads to a node, and what may be said can be seen."""

from collections.abc import Iterator

import networkx as nx

from loopwright.graphs.stategraph.reading import START, Choice, Reading, shown
from loopwright.graphs.verify.findings import Finding, error, warning
from loopwright.hints import did_you_mean


def lost(reading: Reading) -> Iterator[Finding]:
    """Answers that stand in the code of a router or a node, and that no edge handles."""
    for name, choice in _choices(reading):
        for answer in choice.lost:
            who = f"{name!r} goes to" if choice.command else f"the router {choice.name!r} of {name!r} answers"
            if choice.mapped:
                what, known = "its path map has no such answer: the run fails there", [o.label for o in choice.options]
            else:
                what, known = "no node has this name: the run ends there, as if all were well", list(reading.names)
            hint = did_you_mean(answer, known)
            yield error("unknown-target", f"{who} {answer!r}, and {what}", hint, (name,), [*_path(reading, name), "?"])


def open_choices(reading: Reading) -> Iterator[Finding]:
    """Routers and commands that may say what cannot be seen: an answer that is no node would end the run silently."""
    for name, choice in _choices(reading):
        if not choice.open:
            continue
        if choice.command:
            message = f"{name!r} goes where its code does not show, and no destinations are declared"
            hint = (
                "an unknown goto ends the run as a success; annotate it -> Command[Literal[...]], or give destinations="
            )
        else:
            message = f"the router {choice.name!r} of {name!r} may answer anything: it has no path map"
            hint = (
                "an answer that is no node ends the run as a success; give a path map, or annotate it -> Literal[...]"
            )
        yield warning("open-router", message, hint, (name,), [*_path(reading, name), "?"])


def _choices(reading: Reading) -> Iterator[tuple[str, Choice]]:
    for name, node in reading.nodes.items():
        for choice in node.choices:
            yield shown(name), choice


def _path(reading: Reading, name: str) -> list[str]:
    """A way to a node, or the node alone where there is none that can be seen."""
    source = START if name == shown(START) else name
    if source not in reading.reached:
        return [name]
    return [shown(step) for step in nx.shortest_path(reading.graph, START, source)]
