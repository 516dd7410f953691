"""Think nodes: one question to a model.

`Think` writes what the model said. `Judge` closes the answer: one of its outcomes, or a score within bounds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from loopwright.nodes.contract import Answer, Ask, AskModel, Contract, Message, Node, View, names
from loopwright.nodes.prompts import placeholders, render
from loopwright.state.schema import TEXT
from loopwright.state.values import Json, JsonSchema


@dataclass(frozen=True)
class _Prompted(Node):
    """A node whose question is a rendered prompt."""

    name: str
    _: KW_ONLY
    prompt: str
    system: str = ""
    model: str = "default"
    writes: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "writes", names(self.writes))

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    def _reads(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*placeholders(self.system), *placeholders(self.prompt))))

    def _messages(self, view: View) -> list[Message]:
        system: list[Message] = [{"role": "system", "content": render(self.system, view)}] if self.system else []
        return [*system, {"role": "user", "content": render(self.prompt, view)}]


@dataclass(frozen=True)
class Think(_Prompted, type="think"):
    """Ask a model and write down what it says.

    Args:
        name: The node's name.
        prompt: The question, a template with `<{channel}>` placeholders.
        system: The system message, a template too; empty for none.
        model: The name of a model reference.
        writes: The channel that takes the answer. With several, the answer must be an object with these keys.
        output: JSON Schema of the answer; None for plain text.

    Its one outcome is `done`.

    Example:
        >>> node = Think("write", prompt="Write about <{topic}>.", writes="draft")
        >>> node.ask({"topic": "bridges"}).messages
        [{'role': 'user', 'content': 'Write about bridges.'}]
        >>> node.answer({"topic": "bridges"}, "A bridge ...").update
        {'draft': 'A bridge ...'}
    """

    output: JsonSchema | None = None

    @cached_property
    def contract(self) -> Contract:
        """Reads what its prompts name, writes `writes`."""
        return Contract("think", self._reads(), names(self.writes), ("done",))

    @property
    def value_type(self) -> JsonSchema:
        """Text, or what `output` says."""
        return TEXT if self.output is None else self.output

    def ask(self, view: View) -> Ask:
        """The rendered prompts."""
        return AskModel(self._messages(view), self.output, self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """The whole reply to the one channel, or its keys to the several."""
        del view
        channels = names(self.writes)
        if len(channels) <= 1:
            return Answer("done", dict.fromkeys(channels, reply))
        value = reply if isinstance(reply, dict) else {}
        return Answer("done", {channel: value[channel] for channel in channels if channel in value})


@dataclass(frozen=True)
class Judge(_Prompted, type="judge"):
    """Ask a model for a verdict: one of some outcomes, or a score.

    Args:
        name: The node's name.
        prompt: The question, a template with `<{channel}>` placeholders.
        outcomes: The verdicts; each needs an edge. The model must answer with exactly one of them.
        score: The lowest and the highest score, instead of outcomes; then the one outcome is `done`.
        writes: The channel that takes the reason (a text), or, with `score`, the score (a number).
        system: The system message, a template too.
        model: The name of a model reference.

    Example:
        >>> node = Judge("review", prompt="Good enough? <{draft}>", outcomes=["pass", "revise"], writes="notes")
        >>> node.answer({}, {"outcome": "revise", "reason": "too long"})
        Answer(outcome='revise', update={'notes': 'too long'}, reason='too long')
    """

    outcomes: Sequence[str] = ()
    score: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "outcomes", names(self.outcomes))

    @cached_property
    def contract(self) -> Contract:
        """Reads what its prompts name; its outcomes are its verdicts."""
        return Contract("think", self._reads(), names(self.writes), ("done",) if self.score else tuple(self.outcomes))

    @property
    def value_type(self) -> JsonSchema:
        """A number where it scores, else the text of its reason."""
        return {"type": "number"} if self.score else TEXT

    @cached_property
    def schema(self) -> JsonSchema:
        """JSON Schema of the verdict: `outcome` or `score`, and `reason`."""
        verdict: dict[str, Json]
        if self.score:
            low, high = self.score
            verdict = {"score": {"type": "number", "minimum": low, "maximum": high}}
        else:
            verdict = {"outcome": {"type": "string", "enum": list(self.outcomes)}}
        return {
            "type": "object",
            "properties": {**verdict, "reason": {"type": "string"}},
            "required": [*verdict],
            "additionalProperties": False,
        }

    def ask(self, view: View) -> Ask:
        """The rendered prompts, and the closed schema."""
        return AskModel(self._messages(view), self.schema, self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """The verdict is the outcome; the reason, or the score, is written."""
        del view
        value: Mapping[str, Json] = reply if isinstance(reply, dict) else {}
        reason = str(value.get("reason") or "")
        channels = names(self.writes)
        if self.score:
            return Answer("done", dict.fromkeys(channels, value.get("score")), reason)
        return Answer(str(value.get("outcome")), dict.fromkeys(channels, reason), reason)
