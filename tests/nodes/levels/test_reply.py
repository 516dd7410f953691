"""What a person may say."""

from typing import Any

import pytest

from loopwright.nodes.history import Window
from loopwright.nodes.levels.reply import LONGEST, Reply
from loopwright.nodes.levels.stage import Stage
from loopwright.state.schema import check_for

NODE = Reply("level 1/person", stage=Stage("Muse", "You help.", 1, "ideas", {"ideas": "list"}, Window(last=9)))
VIEW: dict[str, Any] = {"transcript": [], "earlier": {"text": "", "covers": 0}}


@pytest.mark.parametrize("text", ["", " \n", "x" * (LONGEST + 1), {"achieved": True}])
def test_what_is_no_message(text: Any) -> None:
    asked: Any = NODE.ask(VIEW)
    with pytest.raises(ValueError, match=r"match|longer|type"):
        check_for(asked.reply)(text)


def test_no_word_picks_an_edge() -> None:
    asked: Any = NODE.ask(VIEW)
    assert (dict(asked.shorthand), asked.default, NODE.contract.outcomes) == ({}, None, ("said",))
