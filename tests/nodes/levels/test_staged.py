"""What the nodes have in common that ask a model."""

from loopwright.nodes.contract import Node
from loopwright.nodes.history import Window
from loopwright.nodes.levels.judgement import Judgement
from loopwright.nodes.levels.remember import Remember
from loopwright.nodes.levels.say import Say
from loopwright.nodes.levels.stage import PLACEHOLDERS, Stage

STAGE = Stage("Muse", "You help.", 1, "ideas", {"ideas": "list"}, Window(last=9))


def test_each_is_data_and_comes_back_the_same() -> None:
    for made in (Say, Judgement, Remember):
        node = made("n", stage=STAGE, prompt="p", model="big")
        assert Node.from_data(node.to_data()) == node
        assert (node.models, node.placeholder_names) == (("big",), PLACEHOLDERS)
