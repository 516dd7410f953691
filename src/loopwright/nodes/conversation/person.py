"""The person who may speak for an agent, or instead of it."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

from loopwright.nodes.contract import Answer, Ask, Contract, Node, View
from loopwright.nodes.conversation.speaker import SAYS, spoken
from loopwright.nodes.conversation.talk import SAID, TALK_CHANNELS, Talk, said_in, task_in
from loopwright.nodes.wait import action_of, ask_person
from loopwright.state.values import Json, JsonSchema

HumanMode = Literal["never", "always", "at_termination", "only"]

AUTO, EXIT, END = "auto", "exit", "end"

_ACTIONS = {"always": (AUTO, SAYS, EXIT), "only": (SAYS, EXIT), "at_termination": (END, SAYS)}
_ASKED = {
    "always": "Write what {name} says. An empty line lets the model answer, exit ends the conversation.",
    "only": "Write what {name} says; exit ends the conversation.",
    "at_termination": "It would end here. An empty line ends it; a text goes on with it, as {name}.",
}


@dataclass(frozen=True)
class PersonTurn(Node, type="person_turn"):
    """Ask a person what an agent says. Their text is a message of that agent; only a whole line picks a way.

    Args:
        name: The node's name.
        talk: The conversation.
        speaks_for: The agent.
        mode: `always`, before each of its messages; `only`, where no model speaks for it; `at_termination`, when
            another agent has ended the conversation.

    Its outcomes are `said`, and by the mode `auto` and `exit`, `exit`, or `end`.

    Example:
        >>> node = PersonTurn("ask bob", talk=Talk(agents=("ann", "bob"), most=9), speaks_for="bob", mode="always")
        >>> view = {"task": "Hi.", "transcript": [{"speaker": "ann", "text": "Well, bob?"}]}
        >>> print(node.ask(view).text)
        ann: Well, bob?
        <BLANKLINE>
        Write what bob says. An empty line lets the model answer, exit ends the conversation.
        >>> node.answer(view, {"action": "said", "text": "No."}).update["transcript"]
        {'speaker': 'bob', 'text': 'No.', 'stops': False}
    """

    name: str
    _: KW_ONLY
    talk: Talk
    speaks_for: str
    mode: HumanMode

    @property
    def contract(self) -> Contract:
        """Reads what was said; writes what the person says."""
        writes = ("transcript", "summary")
        return Contract("wait", TALK_CHANNELS, writes, _ACTIONS[self.mode], may_write=writes)

    @property
    def value_type(self) -> JsonSchema:
        """An item of the transcript."""
        return SAID

    def given_more(self, bound: str, more: int) -> "Node":
        """It knows how many messages there are."""
        return replace(self, talk=self.talk.given_more(bound, more))

    def ask(self, view: View) -> Ask:
        """What was said last, and what a line stands for."""
        said = said_in(view)
        last = f"{said[-1].speaker}: {said[-1].text}" if said else task_in(view)
        actions = _ACTIONS[self.mode]
        default = {"always": AUTO, "at_termination": END}.get(self.mode, "")
        text = f"{last}\n\n{_ASKED[self.mode].format(name=self.speaks_for)}"
        return ask_person(text, actions, default=default, on_text=SAYS)

    def answer(self, view: View, reply: Json) -> Answer:
        """A text is a message; a stop word of a person's stops nothing: they say exit."""
        action, text = action_of(reply)
        if action == SAYS:
            found = spoken(self.speaks_for, replace(self.talk, stop=None), view, text)
            return replace(found, outcome=SAYS)
        reasons = {EXIT: "a person said exit", END: f"{said_in(view)[-1].speaker} ended it, and a person agreed"}
        return Answer(action, {}, reasons.get(action, ""))
