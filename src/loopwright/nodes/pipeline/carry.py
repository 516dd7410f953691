"""The nodes around a step that is a whole plan: what it is handed, and a summary of what is handed on."""

from dataclasses import KW_ONLY, dataclass

from loopwright.nodes.contract import Answer, Ask, AskModel, Contract, Node, View
from loopwright.nodes.pipeline.carried import Source, carried
from loopwright.nodes.prompts import as_text
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema

_PROMPT = (
    "These are results of steps before yours. Sum them up for whoever goes on from them: what was found, with numbers"
    " and names, and what is still open. Write nothing but the summary."
)


@dataclass(frozen=True)
class Carry(Node, type="carry"):
    """Put together what a step is handed.

    Args:
        name: The node's name.
        sources: What is carried.
        writes: The channel that takes it.

    Its one outcome is `done`.

    Example:
        >>> Carry("hand", sources=(Source("plan"),), writes="task").answer({"plan": "Add."}, None).update
        {'task': 'Add.'}
    """

    name: str
    _: KW_ONLY
    sources: tuple[Source, ...]
    writes: str

    @property
    def contract(self) -> Contract:
        """Reads what is carried."""
        return Contract("route", _channels(self.sources), (self.writes,), ("done",))

    @property
    def value_type(self) -> JsonSchema:
        """A text."""
        return TEXT

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """What is carried."""
        del reply
        return Answer("done", {self.writes: carried(self.sources, view)})


@dataclass(frozen=True)
class CarrySummary(Node, type="carry_summary"):
    """Sum up what a step is handed, by one counted call; where there is nothing to sum up, nobody is asked.

    Args:
        name: The node's name.
        sources: What is carried.
        writes: The channel that takes the summary.
        model: The name of a model reference.

    Its one outcome is `done`.
    """

    name: str
    _: KW_ONLY
    sources: tuple[Source, ...]
    writes: str
    model: str = "default"

    @property
    def contract(self) -> Contract:
        """Reads what is carried."""
        return Contract("think", _channels(self.sources), (self.writes,), ("done",))

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def value_type(self) -> JsonSchema:
        """A text."""
        return TEXT

    def ask(self, view: View) -> Ask | None:
        """All of it, and what is wanted."""
        text = carried(self.sources, view)
        if not text:
            return None
        return AskModel([{"role": "system", "content": _PROMPT}, {"role": "user", "content": text}], model=self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """The summary."""
        del view
        return Answer("done", {self.writes: "" if reply is None else as_text(reply).strip()})


def _channels(sources: tuple[Source, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source.channel for source in sources))
