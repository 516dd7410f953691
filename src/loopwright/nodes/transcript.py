"""The transcript of a role cycle: all that was said, once, and the summary that stands for the beginning of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from loopwright.nodes.contract import Message, View
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import JsonSchema

PERSON = "person"
"""The speaker of what a person wrote; no role can have this name."""

CONTINUE: Message = {"role": "user", "content": "Continue"}
"""What opens a new round when no person's text does. It is shown, and not stored."""

ENTRY: JsonSchema = as_object({"speaker": TEXT, "text": TEXT, "round": {"type": "integer"}})
"""JSON Schema of an item of the transcript."""

SUMMARY: JsonSchema = as_object({"text": TEXT, "covers": {"type": "integer"}})
"""JSON Schema of a summary."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the transcript: who said what in which round. A person's text has the round that it follows."""

    speaker: str
    text: str
    round: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands for the beginning of the transcript.

    Args:
        text: What was said there, in short.
        covers: How many entries that is, counted from the first one.

    Example:
        >>> for message in Summary("Wood rots.", 4).messages():
        ...     print(message["content"])
        (What was said before, summed up: 4 messages.)
        Wood rots.
    """

    text: str = ""
    covers: int = 0

    @property
    def note(self) -> str:
        """What the note of a visit says of it; "" where there is none."""
        return f"{self._count} summed up" if self.covers else ""

    def messages(self) -> Iterator[Message]:
        """The one message that has it; none where there is no summary."""
        if self.covers:
            yield {"role": "user", "content": f"(What was said before, summed up: {self._count}.)\n{self.text}"}

    @property
    def _count(self) -> str:
        return f"{self.covers} message{'s' * (self.covers > 1)}"


_ENTRIES = TypeAdapter(list[Entry])
_SUMMARY = TypeAdapter(Summary)


def transcript_of(view: View) -> Sequence[Entry]:
    """What was said, oldest first."""
    return _ENTRIES.validate_python(view["transcript"])


def summary_of(view: View) -> Summary:
    """The summary that there is; an empty one before the first."""
    return _SUMMARY.validate_python(view["summary"])


def continues(transcript: Sequence[Entry], index: int, first: str, after: str) -> bool:
    """Whether a round that is not the first, and that no person opened, begins at this place.

    Args:
        transcript: What was said.
        index: The place of an entry; one more than the last for what comes after.
        first: The role that begins a round.
        after: Who speaks after the last entry.

    Example:
        >>> continues([Entry("solver", "Wood.", 1)], 1, "solver", "solver")
        True
    """
    speaker = transcript[index].speaker if index < len(transcript) else after
    return index > 0 and speaker == first and transcript[index - 1].speaker != PERSON


def title_of(titles: Mapping[str, str], name: str) -> str:
    """The name of a speaker in prompts.

    Example:
        >>> title_of({"solver": "Solver"}, "solver"), title_of({}, "person")
        ('Solver', 'Person')
    """
    return "Person" if name == PERSON else titles.get(name, name)
