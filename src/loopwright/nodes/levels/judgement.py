"""The judgement of a level: whether it is achieved, with the key outputs that it was for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loopwright.nodes.contract import Answer, Ask, AskModel, Contract, View
from loopwright.nodes.levels.stage import STATE, OutputType
from loopwright.nodes.levels.staged import Staged
from loopwright.nodes.replies import parts_of
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonSchema

ACHIEVED, NOT_YET = "achieved", "not_yet"

RESULT = "gathered"
"""The channel of the result: the key outputs by level."""

NO_REASON = "the judgement gives no reason"
"""The reason where a judgement has none."""

VERDICT: JsonSchema = {
    **as_object({"achieved": {"type": "boolean"}}, summary=TEXT, key_output={"type": "object"}, reason=TEXT),
    "additionalProperties": True,
}
"""JSON Schema of a judgement. What is in its key outputs is looked at by itself, so that the reason can name it."""


@dataclass(frozen=True)
class Judgement(Staged, type="level_judge"):
    """Judge whether a level is achieved. Arguments as of `Staged`.

    It is where the verdict says true, there is a summary, and every key output is there with its type and is not empty.
    Otherwise nothing is stored, and the reason says what is missing.

    Its outcomes are `achieved` and `not_yet`.

    Example:
        >>> from loopwright.nodes.history import Window
        >>> from loopwright.nodes.levels.stage import Stage
        >>> stage = Stage("Muse", "You help to find ideas.", 1, "the interests", {"interests": "list"}, Window(last=9))
        >>> node = Judgement("level 1/judge", stage=stage, prompt="Is this achieved: <{level_x_criteria}>?")
        >>> node.answer({"key_outputs": {}}, {"achieved": True, "summary": "S", "key_output": {"interests": []}}).reason
        'the key output "interests" is empty'
        >>> verdict = {"achieved": True, "summary": "Likes birds.", "key_output": {"interests": ["birds"]}}
        >>> node.answer({"key_outputs": {}}, verdict).update["key_outputs"]
        {'level_1': {'interests': ['birds']}}
    """

    @property
    def contract(self) -> Contract:
        """Reads what prompts show; writes key outputs and summary, or the reason."""
        may_write = ("key_outputs", "chat_summary", "reason_of_failure")
        return Contract("think", STATE, (RESULT, *may_write), (ACHIEVED, NOT_YET), may_write=may_write)

    @property
    def value_type(self) -> JsonSchema:
        """The key outputs by level."""
        return {"type": "object"}

    def ask(self, view: View) -> Ask:
        """The prompt, the key outputs that are wanted, and what was said."""
        return AskModel(self.stage.messages(self.prompt, view, "level_x_key_output"), VERDICT, self.model)

    def answer(self, view: View, reply: Json) -> Answer:
        """The verdict, if what it says is all there."""
        verdict = parts_of(reply, "achieved")
        before: Any = view["key_outputs"]
        if verdict["achieved"] is not True:
            reason = str(verdict.get("reason") or "").strip() or NO_REASON
            return Answer(NOT_YET, {"reason_of_failure": reason, RESULT: before}, reason)
        summary = str(verdict.get("summary") or "").strip()
        given: Any = verdict.get("key_output") or {}
        wrong = [*([] if summary else ["the summary is missing"]), *wrong_outputs(given, self.stage.key_output)]
        if wrong:
            reason = "; ".join(wrong)
            return Answer(NOT_YET, {"reason_of_failure": reason, RESULT: before}, reason)
        gathered = {**before, self.stage.key: {name: given[name] for name in self.stage.key_output}}
        update: dict[str, Json] = {"key_outputs": gathered, RESULT: gathered, "chat_summary": summary}
        return Answer(ACHIEVED, update, summary)


def wrong_outputs(given: Mapping[str, Json], wanted: Mapping[str, OutputType]) -> Iterator[str]:
    """What is wrong with the key outputs that were given, in words; those that nobody wants are not looked at.

    Example:
        >>> list(wrong_outputs({"scope": [], "ideas": "a kite"}, {"ideas": "list", "scope": "text", "name": "text"}))
        ['the key output "ideas" is no list', 'the key output "scope" is no text', 'the key output "name" is missing']
    """
    for name, kind in wanted.items():
        value = given.get(name)
        if value is None:
            yield f'the key output "{name}" is missing'
        elif not isinstance(value, list if kind == "list" else str):
            yield f'the key output "{name}" is no {kind}'
        elif _is_empty(value):
            yield f'the key output "{name}" is empty'


def _is_empty(value: Json) -> bool:
    """Whether nothing is said: a blank text, or a list of nothing else."""
    if isinstance(value, list):
        return all(_is_empty(each) for each in value)
    return value is None or (isinstance(value, str) and not value.strip())
