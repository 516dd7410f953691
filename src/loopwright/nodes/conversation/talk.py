"""What everybody in a conversation knows of it: who is there, how it is stopped, and what was said.

All that was said stands once, in the transcript; the opening message is the task. What an agent is shown is made from
both: its own messages as the assistant's, all others as the user's.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Literal

from pydantic import TypeAdapter

from loopwright.nodes.contract import Message, View
from loopwright.nodes.prompts import as_text
from loopwright.nodes.stop import says_stop
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import JsonSchema

SAID: JsonSchema = as_object({"speaker": TEXT, "text": TEXT, "stops": {"type": "boolean"}})
"""JSON Schema of an item of the transcript."""

TALK_CHANNELS = ("task", "transcript")


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who said what, and whether that ends the conversation, unless a person goes on with it."""

    speaker: str
    text: str
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A message that wants no reply: it is there from the beginning, and nobody is asked for it.

    Args:
        text: What it says.
        sender: The agent that sent it, or "" for one from outside.
        to: The agents that have it; all, when left out.
    """

    text: str
    sender: str = ""
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StopRule:
    """What ends a conversation.

    Args:
        word: The word that an agent says.
        match: `word`, where a line of its message must be the word; `contains`, where it may stand anywhere; `verdict`,
            where agents answer with `{message, stop}` and no text can stop.
        by: The agents that may stop; all, when left out.
    """

    word: str = "TERMINATE"
    match: Literal["word", "contains", "verdict"] = "word"
    by: tuple[str, ...] = ()

    def is_said_in(self, text: str) -> bool:
        """Whether a text stops."""
        return self.match != "verdict" and says_stop(text, self.word, anywhere=self.match == "contains")

    def without_word(self, text: str) -> str:
        """A text without the stop word, as a summary has it.

        Example:
            >>> StopRule().without_word("The answer is 14.\\n\\nTERMINATE"), StopRule().without_word("**TERMINATE**")
            ('The answer is 14.', '')
        """
        if self.match == "contains":
            return text.replace(self.word.strip(), "").strip()
        lines = (line for line in text.splitlines() if not self.is_said_in(line))
        return "\n".join(lines).strip()


@dataclass(frozen=True)
class Talk:
    """A conversation as a whole.

    Args:
        agents: The names of all agents, in their order.
        most: The most messages, the opening one included.
        limit: Why there are not more, in words; "" for no other reason than the number.
        opens: The agent whose message the task is; "" where it comes from outside.
        notes: What was sent before, without a wish for a reply.
        labels: Whether what others said begins with their name.
        stop: What ends it before that; None for nothing.
        told: Whether some prompt says the stop word, or none has to.

    Example:
        >>> talk = Talk(agents=("ann", "bob"), most=4, opens="ann", labels=True)
        >>> said = [Said("bob", "Yes?"), Said("ann", "Well.")]
        >>> [message["role"] for message in talk.messages("ann", "Hi", said)]
        ['assistant', 'user', 'assistant']
        >>> [message["content"] for message in talk.messages("bob", "Hi", said)]
        ['ann: Hi', 'Yes?', 'ann: Well.']
    """

    _: KW_ONLY
    agents: tuple[str, ...]
    most: int
    limit: str = ""
    opens: str = ""
    notes: tuple[Note, ...] = ()
    labels: bool = False
    stop: StopRule | None = None
    told: bool = True

    def given_more(self, bound: str, more: int) -> "Talk":
        """The conversation where its own bound, `messages`, is raised by so much."""
        return replace(self, most=self.most + more) if bound == "messages" else self

    def may_stop(self, name: str) -> bool:
        """Whether an agent may end it."""
        return self.stop is not None and (not self.stop.by or name in self.stop.by)

    def over(self, count: int) -> str:
        """Why it is over after so many messages, the opening one included; "" where it is not."""
        if count < self.most:
            return ""
        if count > self.most:  # its plan was changed to one with fewer
            return f"{count} messages were sent, and there may be {self.most} now"
        return self.limit or f"{count} of at most {self.most} messages were sent"

    def messages(
        self, name: str, task: str, said: Sequence[Said], hears: Collection[str] = (), title: str = ""
    ) -> Iterator[Message]:
        """What was said, as an agent sees it, in the order of time.

        Args:
            name: The agent.
            task: The opening message.
            said: What was said after it.
            hears: The agents whose messages it sees beside its own; all, when left out.
            title: What comes before its own messages where they are told to somebody else; "" for the assistant's role.
        """
        for note in self.notes:
            if not note.to or name in note.to or name == note.sender:
                yield self._message(name, note.sender, note.text, title)
        yield self._message(name, self.opens, task, title)
        for each in said:
            if not hears or each.speaker in hears or each.speaker == name:
                yield self._message(name, each.speaker, each.text, title)

    def _message(self, name: str, speaker: str, text: str, title: str) -> Message:
        if speaker == name and not title:
            return {"role": "assistant", "content": text}
        label = title if speaker == name else speaker if self.labels or title else ""
        return {"role": "user", "content": f"{label}: {text}" if label else text}


@dataclass(frozen=True, slots=True)
class Tally:
    """How often each agent has replied, and who spoke last; the opening message is no reply."""

    last: str
    replies: Mapping[str, int] = field(default_factory=dict)


_SAID = TypeAdapter(list[Said])


def said_in(view: View) -> Sequence[Said]:
    """What was said after the opening message, oldest first."""
    return _SAID.validate_python(view["transcript"])


def task_in(view: View) -> str:
    """The opening message."""
    return as_text(view["task"])


def tally_of(talk: Talk, said: Sequence[Said]) -> Tally:
    """Who replied how often.

    Example:
        >>> tally_of(Talk(agents=("ann", "bob"), most=9, opens="ann"), [Said("bob", "Yes?")])
        Tally(last='bob', replies={'ann': 0, 'bob': 1})
    """
    replies = dict.fromkeys(talk.agents, 0)
    for each in said:
        replies[each.speaker] += 1
    return Tally(said[-1].speaker if said else talk.opens, replies)
