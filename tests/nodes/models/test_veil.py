"""The key in what a model says, however it is cut into parts."""

from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.contract import ToolCall
from loopwright.nodes.models.contract import ModelReply
from loopwright.nodes.models.veil import Veil

KEY = "sk-sk-12345"


@given(st.lists(st.sampled_from([KEY, "sk-", "s", "k", "-", "12345", KEY[:4], KEY[4:], "Rot.", ""]), max_size=12))
def test_parts_are_told_as_the_whole_is_kept(parts: list[str]) -> None:
    veil = Veil(KEY)
    told = [veil.over(part) for part in parts] + [veil.rest()]
    assert "".join(told) == "".join(parts).replace(KEY, "***")
    assert not any(KEY in part for part in told)


def test_a_reply_is_hidden_wherever_the_key_stands() -> None:
    reply = ModelReply(
        {"message": f"it is {KEY}", KEY: [KEY, 3, None]},
        tool_calls=(ToolCall("say", {"text": KEY}, "call 1"),),
        note=f"said {KEY}",
        raw=f"{KEY}!",
    )
    assert Veil(KEY).over_reply(reply) == ModelReply(
        {"message": "it is ***", "***": ["***", 3, None]},
        tool_calls=(ToolCall("say", {"text": "***"}, "call 1"),),
        note="said ***",
        raw="***!",
    )


def test_a_placeholder_is_no_key() -> None:
    veil, reply = Veil("none"), ModelReply("none of them")
    assert (veil.over("none"), veil.rest(), veil.over_reply(reply)) == ("none", "", reply)
