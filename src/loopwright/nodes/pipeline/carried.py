"""What a step of a pipeline is handed: results of steps before it, put together anew each time, in a fixed order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loopwright.nodes.contract import View
from loopwright.nodes.prompts import as_text


@dataclass(frozen=True, slots=True)
class Source:
    """Where a result stands.

    Args:
        channel: The channel that holds it.
        key: Its key in there, where steps that ran side by side share a channel; "" for the channel's own value.
        title: What it is called where there are several.
    """

    channel: str
    key: str = ""
    title: str = ""

    def text(self, view: View) -> str:
        """The result as a text; "" where there is none."""
        value: Any = view[self.channel]
        if self.key:
            value = value.get(self.key) if isinstance(value, Mapping) else None
        return "" if value is None else as_text(value).strip()


def carried(sources: Sequence[Source], view: View) -> str:
    """What is carried: one result as it is, several with their titles; empty ones add nothing.

    Args:
        sources: Where the results stand, in their order.
        view: The state.

    Example:
        >>> view = {"question": "2+2?", "plan": "Add.", "none": "", "both": {"a": "X0", "b": "Y0"}}
        >>> carried([Source("plan")], view)
        'Add.'
        >>> print(carried([Source("question", title="question"), Source("none"), Source("both", "b", "b")], view))
        question:
        2+2?
        <BLANKLINE>
        b:
        Y0
    """
    found = [(source.title, text) for source in sources if (text := source.text(view))]
    if len(found) == 1:
        return found[0][1]
    return "\n\n".join(f"{title}:\n{text}" for title, text in found)
