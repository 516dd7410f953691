"""The person answers the agent. What they write is a message and nothing else: it picks no edge."""

from dataclasses import KW_ONLY, dataclass

from loopwright.nodes.contract import Answer, Ask, AskOutside, Contract, Node, View
from loopwright.nodes.levels.stage import PERSON, SAID, Stage, said_in
from loopwright.state.values import Json, JsonSchema

LONGEST = 100_000
"""Characters of the longest message that is taken; a longer one is refused, and the run goes on waiting."""

MESSAGE: JsonSchema = {"type": "string", "pattern": r"\S", "maxLength": LONGEST}
"""JSON Schema of a person's message."""


@dataclass(frozen=True)
class Reply(Node, type="level_reply"):
    """Wait for a person's message.

    Args:
        name: The node's name.
        stage: The level.

    Its one outcome is `said`.

    Example:
        >>> from loopwright.nodes.history import Window
        >>> stage = Stage("Muse", "You help to find ideas.", 1, "the interests", {"interests": "list"}, Window(last=9))
        >>> said = [{"level": 1, "speaker": "Muse", "text": "Hi."}]
        >>> view = {"transcript": said, "earlier": {"text": "", "covers": 0}}
        >>> node = Reply("level 1/person", stage=stage)
        >>> node.ask(view).text
        'Hi.'
        >>> node.answer(view, "I like birds.").update["transcript"][-1]
        {'level': 1, 'speaker': 'person', 'text': 'I like birds.'}
    """

    name: str
    _: KW_ONLY
    stage: Stage

    @property
    def contract(self) -> Contract:
        """Reads and writes what was said."""
        writes = ("transcript", "earlier")
        return Contract("wait", writes, writes, ("said",), may_write=("earlier",))

    @property
    def value_type(self) -> JsonSchema:
        """The transcript."""
        return SAID

    def ask(self, view: View) -> Ask:
        """What the agent said last."""
        said = said_in(view)
        return AskOutside(said[-1].text if said else "", MESSAGE)

    def answer(self, view: View, reply: Json) -> Answer:
        """The message goes to the transcript."""
        return Answer("said", self.stage.with_message(view, PERSON, str(reply)))
