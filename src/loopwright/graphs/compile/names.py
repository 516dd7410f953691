"""Names on the engine's side. A plan's names may hold anything; the engine forbids `|` and `:` in nodes."""

from loopwright.graphs.plan import Plan

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


def engine_name(plan: Plan, node: str) -> str:
    """The engine's name of a node: its own, with what the engine forbids encoded, and never that of a channel.

    Example:
        >>> from loopwright.graphs.builder import PlanBuilder
        >>> from loopwright.state.channels import Channel
        >>> plan = PlanBuilder("names", [Channel("draft")]).build()
        >>> engine_name(plan, "Microphone:speak"), engine_name(plan, "draft")
        ('Microphone%3Aspeak', 'draft()')
    """
    text = node.replace("%", "%25").replace("|", "%7C").replace(":", "%3A")
    if text in plan.channels:
        return f"{text}()"
    return f"%{text}" if text.startswith("__") or not text else text


def body_name(engine_fork: str) -> str:
    """The engine's name of a fork's body."""
    return f"{engine_fork} body"


def join_name(engine_fork: str) -> str:
    """The engine's name of a fork's join."""
    return f"{engine_fork} join"
