"""What was answered, in its parts."""

from loopwright.errors import ContractError
from loopwright.state.values import Json, JsonObject


def parts_of(reply: Json, *needed: str) -> JsonObject:
    """The parts of an object that was answered.

    Raises:
        ContractError: It is no object, or one that is needed is not there.

    Example:
        >>> parts_of({"outcome": "pass"}, "outcome")["outcome"]
        'pass'
    """
    if not isinstance(reply, dict) or not reply.keys() >= set(needed):
        parts = f" with {' and '.join(map(repr, needed))}" if needed else ""
        raise ContractError(f"the answer {reply!r} is no object{parts}")
    return reply
