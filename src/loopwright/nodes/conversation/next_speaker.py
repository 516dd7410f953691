"""Who speaks next: by the order, by who may follow whom, or by a model's choice among those who may."""

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace

from loopwright.nodes.contract import Answer, Ask, AskModel, Contract, Message, Node, View
from loopwright.nodes.conversation.talk import TALK_CHANNELS, Talk, Tally, said_in, tally_of, task_in
from loopwright.nodes.replies import parts_of
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json

NOBODY = "nobody"

CHOOSE = (
    "You lead a conversation. Read it, and choose who speaks next, by what is still to be said and by who can say it."
    " You choose among: <{eligible}>."
)
"""What a model is asked that chooses; the agents' descriptions follow."""


@dataclass(frozen=True)
class NextSpeaker(Node, type="next_speaker"):
    """Decide who speaks next.

    Those are eligible who may follow whoever spoke last and have replies left. One alone is next, and nobody is asked;
    of several it is the next one in the order, or the one that a model chooses, where there is one to be asked.

    Args:
        name: The node's name.
        talk: The conversation.
        follows: For each agent, and for "" where the opening message is from outside, those who may speak after it.
        replies: The most replies of agents that have such a limit.
        model: The name of the model reference that chooses; "" where the order does.
        prompt: What that model is told, as the system message; `<{eligible}>` are the names that it chooses among.
        about: What agents are there for, by their names.
        asks: The outcome where an agent has ended it and a person is asked whether it goes on; "" where nobody is.

    Its outcomes are the agents, what `asks` says, and `nobody` where it may come to that.

    Example:
        >>> follows = {"": ("ann",), "ann": ("bob", "cem"), "bob": ("ann",), "cem": ()}
        >>> node = NextSpeaker("next", talk=Talk(agents=("ann", "bob", "cem"), most=9), follows=follows)
        >>> node.answer({"task": "Hi", "transcript": [{"speaker": "ann", "text": "Yes?"}]}, None).outcome
        'bob'
        >>> node.answer({"task": "Hi", "transcript": [{"speaker": "cem", "text": "No."}]}, None)
        Answer(outcome='nobody', update={}, reason='nobody may speak after cem')
    """

    name: str
    _: KW_ONLY
    talk: Talk
    follows: Mapping[str, tuple[str, ...]]
    replies: Mapping[str, int] = field(default_factory=dict)
    model: str = ""
    prompt: str = CHOOSE
    about: Mapping[str, str] = field(default_factory=dict)
    asks: str = ""

    @property
    def contract(self) -> Contract:
        """Reads what was said; its outcomes are those who can ever be next."""
        return Contract("think" if self.model else "route", TALK_CHANNELS, (), tuple(self._outcomes()))

    @property
    def models(self) -> tuple[str, ...]:
        """The one that chooses, where one does."""
        return (self.model,) if self.model else ()

    def given_more(self, bound: str, more: int) -> "Node":
        """It knows how many messages there are."""
        return replace(self, talk=self.talk.given_more(bound, more))

    def ask(self, view: View) -> Ask | None:
        """The conversation and a closed choice among the eligible; nothing where there is at most one."""
        eligible = self._eligible(tally_of(self.talk, said_in(view)))
        if not self.model or len(eligible) < 2 or self._is_stopped(view):
            return None
        system = self.prompt.replace("<{eligible}>", ", ".join(eligible))
        told = "\n".join(f"- {name}: {self.about[name]}" for name in eligible if self.about.get(name))
        said = self.talk.messages("", task_in(view), said_in(view), title="Task")
        messages: list[Message] = [{"role": "system", "content": f"{system}\n{told}".rstrip()}, *said]
        schema = as_object({"next": {"type": "string", "enum": [*eligible]}}, reason=TEXT)
        return AskModel([*messages, {"role": "user", "content": "Who speaks next?"}], schema, self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """Who is next is the outcome."""
        tally = tally_of(self.talk, said_in(view))
        eligible = self._eligible(tally)
        if reply is not None:
            chosen = parts_of(reply, "next")
            return Answer(str(chosen["next"]), {}, str(chosen.get("reason") or ""))
        if self._is_stopped(view):
            return Answer(self.asks)
        if eligible:
            return Answer(eligible[0])
        left = [name for name in self.follows.get(tally.last, ()) if name in self.replies]
        why = f"{' and '.join(left)} replied as often as allowed" if left else f"nobody may speak after {tally.last}"
        return Answer(NOBODY, {}, why)

    def _is_stopped(self, view: View) -> bool:
        said = said_in(view)
        return bool(self.asks) and bool(said) and said[-1].stops

    def _eligible(self, tally: Tally) -> list[str]:
        """Who may be next, the next one in the order first."""
        names = self.talk.agents
        start = names.index(tally.last) + 1 if tally.last in names else 0
        order = (*names[start:], *names[:start])
        may = self.follows.get(tally.last, ())
        return [
            name
            for name in order
            if name in may and tally.replies[name] < self.replies.get(name, tally.replies[name] + 1)
        ]

    def _outcomes(self) -> Iterator[str]:
        can = {name for after in self.follows.values() for name in after}
        yield from (name for name in self.talk.agents if name in can)
        if self.asks:
            yield self.asks
        if self.replies or not all(self.follows.values()):
            yield NOBODY
