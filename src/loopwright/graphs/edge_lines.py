"""Edges as a graph file writes them: what messages show of the line that is to be written."""

import re

_BARE = re.compile(r"""(?:(?!->)[^\s\[\],"])+""")


def written(name: str) -> str:
    """A name as it stands in a line: in double quotes where it needs them.

    Example:
        >>> print(written("write"), written("first draft"))
        write "first draft"
    """
    return name if _BARE.fullmatch(name) else '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'


def edge_line(source: str, outcome: str, target: str) -> str:
    """The line of an edge to a node.

    Example:
        >>> edge_line("review", "revise", "write"), edge_line("write", "", "review")
        ('review [revise] -> write', 'write -> review')
    """
    on = f" [{written(outcome)}]" if outcome else ""
    return f"{written(source)}{on} -> {written(target)}"
