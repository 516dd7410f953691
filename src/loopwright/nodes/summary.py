"""The node that sums up what a role cycle no longer sends, on the way back to the first role."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from loopwright.nodes.contract import Answer, Ask, AskModel, Contract, Message, Node, View
from loopwright.nodes.history import Window
from loopwright.nodes.prompts import as_text
from loopwright.nodes.role import Rounds
from loopwright.nodes.transcript import (
    CONTINUE,
    SUMMARY,
    Entry,
    Summary,
    continues,
    summary_of,
    title_of,
    transcript_of,
)
from loopwright.state.values import Json, JsonSchema

_PROMPT = """\
Some people work on a task. Sum up what they said, for themselves: they go on with your summary in the place of it.
Keep what was decided and why, what was found wrong, numbers and names, and what is still open.
Leave out courtesies and what was overtaken. Write at most 200 words, and nothing but the summary."""


@dataclass(frozen=True)
class Summarise(Node, type="summarise"):
    """Sum up the beginning of a transcript, where what comes after the last summary is more than the bound.

    The new summary is of the earlier one and of what comes next, so much that the rest takes half of the bound: the
    next one is not due at once. Where all is within the bound, or no round comes after, nobody is asked.

    Args:
        name: The node's name.
        history: The bound.
        first: The role that speaks next, and begins a round.
        titles: The names that the roles have in prompts, where they differ.
        model: The name of a model reference.
        rounds: The fewest and the most rounds.

    Its outcome is `done`.

    Example:
        >>> node = Summarise("summarise", history=Window(last=2), first="solver")
        >>> said = [{"speaker": "solver", "text": f"Idea {place}.", "round": place} for place in (1, 2, 3)]
        >>> view = {"task": "Bridge?", "transcript": said, "summary": {"text": "", "covers": 0}}
        >>> node.answer(view, "Two ideas.").update
        {'summary': {'text': 'Two ideas.', 'covers': 2}}
        >>> node.ask({**view, "transcript": said[:1]}) is None
        True
    """

    name: str
    _: KW_ONLY
    history: Window
    first: str
    titles: Mapping[str, str] = field(default_factory=dict)
    model: str = "default"
    rounds: Rounds = field(default_factory=Rounds)

    @property
    def contract(self) -> Contract:
        """Reads what was said, writes the summary where there is a new one."""
        return Contract("think", ("task", "transcript", "summary"), ("summary",), ("done",), may_write=("summary",))

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def value_type(self) -> JsonSchema:
        """A summary."""
        return SUMMARY

    def given_more(self, bound: str, more: int) -> "Node":
        """It has to know which round is the last one."""
        return replace(self, rounds=self.rounds.given_more(bound, more))

    def ask(self, view: View) -> Ask | None:
        """The task, the earlier summary, and what is left out from now on; nothing where that is nothing."""
        transcript, summary = transcript_of(view), summary_of(view)
        covers = self._covers(transcript, summary)
        if covers == summary.covers:
            return None
        parts = [
            _PROMPT,
            f"The task:\n{as_text(view['task'])}",
            *([f"Your summary of what was said before:\n{summary.text}"] if summary.covers else ()),
            "What was said:",
            *(f"{title_of(self.titles, each.speaker)}: {each.text}" for each in transcript[summary.covers : covers]),
        ]
        message: Message = {"role": "user", "content": "\n\n".join(parts)}
        return AskModel([message], model=self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """The new summary, with how much of the transcript it covers."""
        transcript = transcript_of(view)
        if reply is None:
            over = f"round {self.rounds.max} of at most {self.rounds.max} is over"
            return Answer("done", {}, over if self._over(transcript) else "nothing to sum up yet")
        covers = self._covers(transcript, summary_of(view))
        update: dict[str, Any] = {"summary": {"text": as_text(reply).strip(), "covers": covers}}
        return Answer("done", update, Summary(covers=covers).note)

    def _covers(self, transcript: Sequence[Entry], summary: Summary) -> int:
        """How many entries the summary is of from now on; what was said last is never among them."""
        if self._over(transcript) or self.history.holds([*self._chat(transcript, summary.covers)]):
            return summary.covers
        latest = max(summary.covers, len(transcript) - 1)
        places = range(summary.covers + 1, latest)
        return next((place for place in places if self.history.half.holds([*self._chat(transcript, place)])), latest)

    def _over(self, transcript: Sequence[Entry]) -> bool:
        """Whether that was the last round."""
        return bool(transcript) and transcript[-1].round >= self.rounds.max

    def _chat(self, transcript: Sequence[Entry], begin: int) -> Iterator[Message]:
        """What the first role is sent of the entries from this place on, at most."""
        for index in range(begin, len(transcript) + 1):
            if continues(transcript, index, self.first, self.first):
                yield CONTINUE
            if index < len(transcript):
                entry = transcript[index]
                yield {"role": "user", "content": f"{title_of(self.titles, entry.speaker)}: {entry.text}"}
