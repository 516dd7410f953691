"""What a visit says to those who listen: its text as it comes, or in whole, and what of it is void."""

from collections.abc import Collection, Iterator

from loopwright.nodes.contract import AskModel, Audience
from loopwright.nodes.driver.steps import CallModel, HearModel, Tell
from loopwright.nodes.events import TextSaid, TextWithdrawn
from loopwright.nodes.models.contract import Model, ModelCall, StreamingModel
from loopwright.state.values import Json


class Speech:
    """The text of one visit as it is told. Where nobody listens for its audience, nothing is.

    Args:
        node: The node that speaks.
        task: The visit's id.
        heard: The audiences for whose texts somebody listens.
    """

    def __init__(self, node: str, task: str, heard: Collection[Audience]) -> None:
        self._node, self._task, self._heard = node, task, heard
        self._audience: Audience = "debug"
        self._said: list[str] = []

    def step(self, ask: AskModel, model: Model, call: ModelCall) -> CallModel | HearModel:
        """How the model is asked: part by part, where somebody listens and it can. Data in parts is no text."""
        self._audience = ask.audience
        if call.schema is None and ask.audience in self._heard and isinstance(model, StreamingModel):
            return HearModel(model, call, self._say)
        return CallModel(model, call)

    def complete(self, ask: AskModel, value: Json) -> Iterator[Tell]:
        """What is still to be told, so that what was said is the text that was answered, to the letter."""
        if ask.audience not in self._heard:
            return
        if ask.tools and isinstance(value, dict):
            value = value["answer"]
        if ask.schema is not None:
            value = value.get(ask.says) if ask.says and isinstance(value, dict) else None
        if isinstance(value, str) and value != "".join(self._said):
            yield from self.withdraw()
            yield Tell(self._say(value))

    def withdraw(self) -> Iterator[Tell]:
        """What to tell where all that was said is void."""
        if self._said:
            self._said.clear()
            yield Tell(TextWithdrawn(self._node, self._task, self._audience))

    def _say(self, text: str) -> TextSaid:
        self._said.append(text)
        return TextSaid(self._node, self._task, text, self._audience)
