"""The nodes of a role cycle: the roles, each of which answers in its turn, and the person who may review a round.

All that was said stands once, in the transcript. What a role is shown is made from it: its own replies as the
assistant's, all others as the user's.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Literal

from pydantic import StrictInt

from loopwright.errors import Fault
from loopwright.nodes.contract import Answer, Ask, AskModel, Audience, Contract, Message, Node, View
from loopwright.nodes.history import Window
from loopwright.nodes.prompts import as_text, placeholders, render
from loopwright.nodes.replies import parts_of
from loopwright.nodes.stop import says_stop
from loopwright.nodes.transcript import (
    CONTINUE,
    ENTRY,
    PERSON,
    Entry,
    Summary,
    continues,
    summary_of,
    title_of,
    transcript_of,
)
from loopwright.nodes.wait import action_of, ask_person
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonSchema

VERDICT: JsonSchema = as_object({"message": TEXT, "stop": {"type": "boolean"}})
"""JSON Schema of the reply of a role that may stop, where a verdict decides."""

PLACEHOLDERS = {
    "task": "the task",
    "role": "the title of the role that is asked",
    "round": "the number of the round, counted from 1",
    "rounds_max": "the most rounds",
    "stop_word": "the stop word",
}
"""What a brief may name, and what it stands for."""

_DEEDS = {"continue": "went on after", "accept": "accepted the answer of", "reject": "rejected the answer of"}

_LAST_ROUND = "This was the last round: anything but accept ends the run as max_rounds."


@dataclass(frozen=True, slots=True)
class Rounds:
    """How many full rounds a role cycle makes.

    Args:
        min: Before these are over, a wish to stop is only noted.
        max: After these the run ends, whatever was wished.
    """

    min: StrictInt = 1
    max: StrictInt = 4

    def given_more(self, bound: str, more: int) -> "Rounds":
        """The rounds where the cycle's own bound, `rounds`, is raised by so much."""
        return replace(self, max=self.max + more) if bound == "rounds" else self


@dataclass(frozen=True, slots=True)
class Stop:
    """Who ends a role cycle, and how.

    Args:
        role: The name of the role that may stop.
        word: The word that it says.
        match: `word`, where a line of its reply must be the word; `contains`, where the word may stand anywhere;
            `verdict`, where it answers with `{message, stop}` and no text can stop.
    """

    role: str = "boss"
    word: str = "Fluggaenkoechiebolsen"
    match: Literal["word", "contains", "verdict"] = "word"


@dataclass(frozen=True)
class Role(Node, type="role"):
    """One role of a role cycle: it reads what was said, and says its part.

    Args:
        name: The role's name.
        brief: What the role is told first, a template. The task is added to it unless it has `<{task}>`.
        order: The names of all roles, in the order in which they speak.
        titles: The names that the roles have in prompts, where they differ.
        sees: `all` that was said, or only the `latest`: the current round, and its own earlier replies.
        model: The name of a model reference.
        labels: Whether what others said begins with their title.
        rounds: The fewest and the most rounds.
        stop: Who may stop, and how.
        answers: Whether its last text is the cycle's answer.
        audience: Whom its texts are for: `user` or `debug`; where it is left out, those of the role that answers are
            for the user.
        history: How much of what it sees is sent; all of it when left out.

    Its outcome is `done`; the role that may stop has `continue` and `stop` instead.

    Example:
        >>> boss = Role("boss", brief="You are <{role}>.", order=("solver", "boss"), titles={"solver": "Solver"})
        >>> view = {"task": "Bridge?", "transcript": [{"speaker": "solver", "text": "Wood.", "round": 1}]}
        >>> for message in boss.ask(view).messages:
        ...     print(message)
        {'role': 'user', 'content': 'You are boss.\\n\\nTask:\\nBridge?'}
        {'role': 'user', 'content': 'Solver: Wood.'}
        >>> boss.answer(view, "Fluggaenkoechiebolsen").reason
        'boss said the stop word in round 1'
    """

    name: str
    _: KW_ONLY
    brief: str
    order: tuple[str, ...]
    titles: Mapping[str, str] = field(default_factory=dict)
    sees: Literal["all", "latest"] = "all"
    model: str = "default"
    labels: bool = True
    rounds: Rounds = field(default_factory=Rounds)
    stop: Stop = field(default_factory=Stop)
    answers: bool = False
    audience: Audience | None = None
    history: Window | None = None

    @property
    def contract(self) -> Contract:
        """Reads the task, the transcript and its summary, writes the transcript and, where it answers, the answer."""
        reads = ("task", "transcript", "summary") if self._summed else ("task", "transcript")
        writes = ("transcript", "answer") if self.answers else ("transcript",)
        return Contract("think", reads, writes, ("continue", "stop") if self._may_stop else ("done",))

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def placeholder_names(self) -> Collection[str]:
        """Those of a brief."""
        return PLACEHOLDERS

    @property
    def value_type(self) -> JsonSchema:
        """An entry of the transcript."""
        return ENTRY

    def doubts(self) -> Iterator[Fault]:
        """A role that may stop by a word, and is never told it."""
        says = "stop_word" in placeholders(self.brief) or self.stop.word.strip() in self.brief
        if self._may_stop and not self._decides and not says:
            message = "the brief does not say the stop word, so a model would go on to the last round"
            yield Fault(message, ("brief",), "have it say when to write <{stop_word}> on a line of its own")

    def given_more(self, bound: str, more: int) -> "Node":
        """It says how many rounds there are."""
        return replace(self, rounds=self.rounds.given_more(bound, more))

    def ask(self, view: View) -> Ask:
        """The brief, and what was said as this role sees it."""
        transcript = transcript_of(view)
        brief: Message = {"role": "user", "content": self._brief(view["task"], self._round(transcript))}
        audience = self.audience or ("user" if self.answers else "debug")
        schema, says = (VERDICT, "message") if self._decides else (None, "")
        summary = summary_of(view) if self._summed else Summary()
        chat = [*self._chat(transcript, summary.covers)]
        shown, left_out = self.history.noted(chat) if self.history else (chat, "")
        note = "; ".join(each for each in (summary.note, left_out) if each)
        messages = [brief, *summary.messages(), *shown]
        return AskModel(messages, schema, self.model, audience=audience, says=says, note=note)

    def answer(self, view: View, reply: Json) -> Answer:
        """The text goes to the transcript; whether it stops the cycle is the outcome."""
        round_ = self._round(transcript_of(view))
        text, wishes = self._read(reply)
        update: dict[str, Json] = {"transcript": {"speaker": self.name, "text": text, "round": round_}}
        if self.answers:
            update["answer"] = text
        if not wishes:
            last = self.name == self.order[-1] and round_ >= self.rounds.max
            reason = f"round {round_} of at most {self.rounds.max} is over" if last else ""
            return Answer("continue" if self._may_stop else "done", update, reason)
        over = round_ if self.name == self.order[-1] else round_ - 1
        if over < self.rounds.min:
            wish = f"{self.name} wished to stop in round {round_}, before the minimum of {self.rounds.min}"
            return Answer("continue", update, wish)
        did = "decided to stop" if self._decides else "said the stop word"
        return Answer("stop", update, f"{self.name} {did} in round {round_}")

    @property
    def _may_stop(self) -> bool:
        return self.name == self.stop.role

    @property
    def _summed(self) -> bool:
        """Whether it is shown the summary."""
        return self.history is not None and self.history.summary

    @property
    def _decides(self) -> bool:
        """Whether it answers with a verdict, so that its text cannot stop."""
        return self._may_stop and self.stop.match == "verdict"

    def _read(self, reply: Json) -> tuple[str, bool]:
        """The text of a reply, and whether it wishes to stop."""
        if self._decides:
            verdict = parts_of(reply, "message", "stop")
            return str(verdict["message"]), verdict["stop"] is True
        text = as_text(reply)
        return text, self._may_stop and says_stop(text, self.stop.word, anywhere=self.stop.match == "contains")

    def _round(self, transcript: Sequence[Entry]) -> int:
        """The round of this visit: as many as the first role began."""
        first = self.order[0]
        return sum(entry.speaker == first for entry in transcript) + (self.name == first)

    def _brief(self, task: Json, round_: int) -> str:
        values: dict[str, Json] = {
            "task": task,
            "role": title_of(self.titles, self.name),
            "round": round_,
            "rounds_max": self.rounds.max,
            "stop_word": self.stop.word,
        }
        brief = render(self.brief, values)
        return brief if "task" in placeholders(self.brief) else f"{brief.rstrip()}\n\nTask:\n{task}"

    def _chat(self, transcript: Sequence[Entry], begin: int) -> Iterator[Message]:
        since = self._current(transcript) if self.sees == "latest" else 0
        for index, entry in enumerate(transcript[begin:], begin):
            if self.sees == "all" and self._continues(transcript, index):
                yield CONTINUE
            if index >= since or entry.speaker == self.name:
                yield self._message(entry)
        if self._continues(transcript, len(transcript)):
            yield CONTINUE

    def _current(self, transcript: Sequence[Entry]) -> int:
        """Where the current round begins: at its first role's entry, or at the person's text before it."""
        begun = [index for index, entry in enumerate(transcript) if entry.speaker == self.order[0]]
        index = len(transcript) if self.name == self.order[0] or not begun else begun[-1]
        return index - (index > 0 and transcript[index - 1].speaker == PERSON)

    def _continues(self, transcript: Sequence[Entry], index: int) -> bool:
        return continues(transcript, index, self.order[0], self.name)

    def _message(self, entry: Entry) -> Message:
        if entry.speaker == self.name:
            return {"role": "assistant", "content": entry.text}
        label = f"{title_of(self.titles, entry.speaker)}: " if self.labels else ""
        return {"role": "user", "content": label + entry.text}


@dataclass(frozen=True)
class Review(Node, type="review"):
    """Ask a person what they think of the answer so far. Their text goes to the transcript, and so to all roles.

    Args:
        name: The node's name.
        shows: The roles whose last texts the question shows.
        titles: The names that the roles have in prompts, where they differ.
        rounds: The fewest and the most rounds.
        stopped_by: The role that wishes to stop; "" where only a round is over. After a wish to stop, an empty
            line on a terminal accepts and a text rejects; else both go on.

    Example:
        >>> node = Review("review", shows=("solver",), titles={"solver": "Solver"})
        >>> view = {"transcript": [{"speaker": "solver", "text": "Wood.", "round": 1}]}
        >>> print(node.ask(view).text)
        Round 1 is over.
        <BLANKLINE>
        Solver:
        Wood.
        <BLANKLINE>
        Accept the answer, reject it, or continue? A text goes to all roles.
        >>> node.answer(view, {"action": "reject", "text": "too short"}).reason
        'a person rejected the answer of round 1: too short'
    """

    name: str
    _: KW_ONLY
    shows: tuple[str, ...]
    titles: Mapping[str, str] = field(default_factory=dict)
    rounds: Rounds = field(default_factory=Rounds)
    stopped_by: str = ""

    @property
    def contract(self) -> Contract:
        """Reads and writes the transcript; its outcomes are the person's actions."""
        return Contract("wait", ("transcript",), ("transcript",), tuple(_DEEDS), may_write=("transcript",))

    @property
    def value_type(self) -> JsonSchema:
        """An entry of the transcript."""
        return ENTRY

    def given_more(self, bound: str, more: int) -> "Node":
        """It says how many rounds there are."""
        return replace(self, rounds=self.rounds.given_more(bound, more))

    def ask(self, view: View) -> Ask:
        """What was said last, and the question."""
        transcript = transcript_of(view)
        last = {entry.speaker: entry.text for entry in transcript}
        round_ = _round_over(transcript)
        stopper = title_of(self.titles, self.stopped_by)
        parts = [
            f"{stopper} wishes to stop in round {round_}." if self.stopped_by else f"Round {round_} is over.",
            *(f"{title_of(self.titles, name)}:\n{last[name]}" for name in self.shows if name in last),
            "Accept the answer, reject it, or continue? "
            + ("A text goes to all roles." if round_ < self.rounds.max else _LAST_ROUND),
        ]
        default, on_text = ("accept", "reject") if self.stopped_by else ("continue", "continue")
        return ask_person("\n\n".join(parts), tuple(_DEEDS), default=default, on_text=on_text)

    def answer(self, view: View, reply: Json) -> Answer:
        """The action is the outcome; a text that is not blank is written."""
        action, text = action_of(reply)
        text = text.strip()
        round_ = _round_over(transcript_of(view))
        reason = f"a person {_DEEDS.get(action, action)} round {round_}" + (f": {text}" if text else "")
        entry: dict[str, Json] = {"speaker": PERSON, "text": text, "round": round_}
        return Answer(action, {"transcript": entry} if text else {}, reason)


def _round_over(transcript: Sequence[Entry]) -> int:
    return transcript[-1].round if transcript else 0
