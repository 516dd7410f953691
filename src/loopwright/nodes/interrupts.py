"""Code that asks a person in LangGraph's own way, which reaches nobody here.

LangGraph's exception is known by its name, so that nothing of LangGraph is imported here.
"""

from loopwright.errors import ContractError


def require_no_interrupt(error: BaseException) -> None:
    """Refuse an exception that is a question of LangGraph's.

    Raises:
        ContractError: It is one.

    Example:
        >>> require_no_interrupt(ValueError("no question"))
    """
    if any(kind.__name__ == "GraphInterrupt" for kind in type(error).__mro__):
        raise ContractError(
            "interrupt() of LangGraph asks nobody from inside a node: ask with a node lw.Human,"
            " or name the tool in approve"
        ) from error
