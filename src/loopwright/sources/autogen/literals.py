"""AutoGen's shapes as Python code has them: read as data, nothing in the file is run."""

import ast
from collections.abc import Mapping

from loopwright.documents.document import Document, Path
from loopwright.errors import Fault, SourceError
from loopwright.sources.python_literals import Assigned, Instead, read_literals
from loopwright.state.values import Json

VARIABLES = ("chats", "chat_queue", "group_chat", "groupchat", "team", "graph")
"""The variables one of which holds the configuration; a file may also be the value alone."""

_ALONE = "chats"
_HINT = f"assign one of {', '.join(VARIABLES)}, or write nothing but the value"


def read_code(text: str) -> Document:
    """The configuration in a Python file. An agent that is a variable there is known by the variable's name.

    Args:
        text: The code.

    Raises:
        SourceError: It holds none, or several, or some of it is no literal. The faults have lines, and no file.

    Example:
        >>> document = read_code("chats = [\\n  {'sender': user, 'recipient': clerk, 'message': 'Hi.'}]")
        >>> document.data, document.line((0, "message"))
        ([{'sender': 'user', 'recipient': 'clerk', 'message': 'Hi.'}], 2)
    """
    read = _read(text)
    values = read.document.data
    found = [name for name in VARIABLES if isinstance(values, Mapping) and name in values]
    faults = list(read.faults)
    if len(found) > 1:
        faults.append(Fault(f"there are several configurations: {', '.join(found)}", hint="leave one in the file"))
    elif not found and not faults:
        faults.append(Fault("no configuration is assigned here", hint=_HINT, line=1))
    if faults:
        raise SourceError(read.document.located(faults))
    (name,) = found
    lines = {path[1:]: line for path, line in read.document.lines.items() if path[:1] == (name,)}
    return Document(values[name] if isinstance(values, Mapping) else None, lines)


def _read(text: str) -> Assigned:
    """The variables; a value that stands alone is put into one, on the lines that it is on."""
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return read_literals(text, VARIABLES, _AGENTS)
    return read_literals(f"{_ALONE} = ({text}\n)", VARIABLES, _AGENTS)


def _agent(path: Path, node: ast.expr) -> Json:
    """An agent: a variable's name, or a literal."""
    if isinstance(node, ast.Name):
        return node.id
    try:
        value: Json = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise SourceError(
            [Fault("an agent is a variable or a literal", path, "no code is run: give its name", line=node.lineno)]
        ) from None
    return value


_CHATS: tuple[Path, ...] = tuple((name, "*", side) for name in VARIABLES for side in ("sender", "recipient"))
_GROUPS: tuple[Path, ...] = tuple((name, "agents", "*") for name in VARIABLES)
_AGENTS: Instead = dict.fromkeys((*_CHATS, *_GROUPS), _agent)
