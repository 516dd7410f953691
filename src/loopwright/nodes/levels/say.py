"""The agent speaks: it begins a level, or responds with the reason why the level is not achieved yet."""

from dataclasses import dataclass
from typing import Literal

from loopwright.nodes.contract import Answer, Ask, AskModel, Audience, Contract, View
from loopwright.nodes.levels.stage import STATE, WORKER
from loopwright.nodes.levels.staged import Staged
from loopwright.nodes.prompts import as_text
from loopwright.state.values import Json

Part = Literal["introduction", "response", "work"]


@dataclass(frozen=True)
class Say(Staged, type="level_say"):
    """Say something at a level. Arguments as of `Staged`.

    Args:
        part: `introduction`, which begins the level; `response`, after a judgement; or `work`, the message of the
            worker where nobody else answers the agent.

    Its one outcome is `done`.

    Example:
        >>> from loopwright.nodes.history import Window
        >>> from loopwright.nodes.levels.stage import Stage
        >>> stage = Stage("Muse", "You help to find ideas.", 1, "the interests", {"interests": "list"}, Window(last=9))
        >>> node = Say("level 1/introduction", stage=stage, prompt="<{purpose_of_agent}> Ask for <{level_x_criteria}>.")
        >>> view = {"chat_summary": "", "key_outputs": {}, "reason_of_failure": "", "transcript": []}
        >>> view["earlier"] = {"text": "", "covers": 0}
        >>> node.ask(view).messages
        [{'role': 'user', 'content': 'You help to find ideas. Ask for the interests.'}]
        >>> node.answer(view, "What do you like?").update["transcript"]
        [{'level': 1, 'speaker': 'Muse', 'text': 'What do you like?'}]
    """

    part: Part = "introduction"

    @property
    def contract(self) -> Contract:
        """Reads what prompts show, writes what was said; a level begins without a reason of failure."""
        writes = ("transcript", "earlier", "reason_of_failure")
        return Contract("think", STATE, writes, ("done",), may_write=writes[1:])

    def ask(self, view: View) -> Ask:
        """The prompt, and what was said."""
        shows = () if self.part == "introduction" else ("level_x_key_output", "reason_of_failure")
        audience: Audience = "debug" if self.part == "work" else "user"
        return AskModel(self.stage.messages(self.prompt, view, *shows), None, self.model, audience=audience)

    def answer(self, view: View, reply: Json) -> Answer:
        """What was said goes to the transcript."""
        speaker = WORKER if self.part == "work" else self.stage.agent
        update = self.stage.with_message(view, speaker, as_text(reply))
        if self.part == "introduction":
            update["reason_of_failure"] = ""
        return Answer("done", update)
