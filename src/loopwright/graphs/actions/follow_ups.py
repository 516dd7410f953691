"""What has to follow on an action: every line of follow-ups that can really be pending, computed before a run.

Follow-ups are a queue. They are armed only when nothing is pending: while a queue is worked through, the follow-ups of
its own steps do not count, but for those of the last one. So each line of pending actions is the end of a list that the
map has, and there are no more of them than the map has entries.
"""

from collections.abc import Mapping, Sequence

from loopwright.nodes.actions.names import DEFAULT

Queue = tuple[str, ...]


def armed(action: str, tail: Queue, following: Mapping[str, Sequence[str]]) -> Queue:
    """What is pending when an action has been done.

    Args:
        action: The action.
        tail: What was pending behind it.
        following: The follow-ups of each action of the map; those of `default` are for all others.

    Example:
        >>> armed("x", (), {"x": ["a", "b"], "a": ["c"]}), armed("a", ("b",), {"x": ["a", "b"], "a": ["c"]})
        (('a', 'b'), ('b',))
    """
    return tail or tuple(following.get(action, following.get(DEFAULT, ())))


def queues(following: Mapping[str, Sequence[str]]) -> tuple[Queue, ...]:
    """Every line of follow-ups that can be pending, each once, in the order in which they are come to.

    Example:
        >>> queues({"x": ["a", "b"], "a": ["c"], "b": ["d"], "d": []})
        (('a', 'b'), ('b',), ('d',), ('c',))
    """
    found: dict[Queue, None] = {}
    for action in following:
        queue = armed(action, (), following)
        while queue and queue not in found:
            found[queue] = None
            queue = armed(queue[0], queue[1:], following)
    return tuple(found)


def name_of(queue: Queue) -> str:
    """The name of the step in which a line of follow-ups is pending.

    Example:
        >>> name_of(("a", "b"))
        'then a, then b'
    """
    return ", ".join(f"then {action}" for action in queue)
