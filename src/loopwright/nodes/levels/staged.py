"""What the nodes of a level that ask a model have in common: a prompt, rendered for a stage."""

from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass

from loopwright.nodes.contract import Node
from loopwright.nodes.levels.stage import PLACEHOLDERS, SAID, Stage
from loopwright.state.values import JsonSchema


@dataclass(frozen=True)
class Staged(Node):
    """A node that asks a model about a level.

    Args:
        name: The node's name.
        stage: The level.
        prompt: What the model is told, a template.
        model: The name of a model reference.
    """

    name: str
    _: KW_ONLY
    stage: Stage
    prompt: str
    model: str = "default"

    @property
    def models(self) -> tuple[str, ...]:
        """The one model that it asks."""
        return (self.model,)

    @property
    def placeholder_names(self) -> Collection[str]:
        """Those of the prompts of a level."""
        return PLACEHOLDERS

    @property
    def value_type(self) -> JsonSchema:
        """The transcript."""
        return SAID
