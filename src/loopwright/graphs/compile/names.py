"""Names on the engine's side. A plan's names may hold anything; the engine forbids `|` and `:` in nodes."""

END_KEY = "lw:end"
"""The channel that says which end a run came to, and why: a run has ended when it is there."""

AT = "__lw_at"
"""In the engine's configuration: where in the plan around it a fork's body runs, as `rate[2]/`."""


def count_key(bound: str) -> str:
    """The channel that counts a bound."""
    return f"lw:count:{bound}"


def results_key(fork: str) -> str:
    """The channel that gathers a fork's results until they are joined."""
    return f"lw:results:{fork}"


_BODY, _JOIN = " body", " join"


def engine_name(node: str) -> str:
    """The engine's name of a node: its own, with what the engine forbids encoded, and never that of a body or a join.

    Example:
        >>> engine_name("write"), engine_name("Microphone:speak"), engine_name("rate body")
        ('write', 'Microphone%3Aspeak', 'rate%20body')
    """
    text = node.replace("%", "%25").replace("|", "%7C").replace(":", "%3A")
    for ending in (_BODY, _JOIN):
        if text.endswith(ending):
            text = f"{text.removesuffix(ending)}%20{ending[1:]}"
    return f"%{text}" if text.startswith("__") or not text else text


def body_name(engine_fork: str) -> str:
    """The engine's name of a fork's body."""
    return engine_fork + _BODY


def join_name(engine_fork: str) -> str:
    """The engine's name of a fork's join."""
    return engine_fork + _JOIN
