"""A model that calls tools: two functions, called side by side, and a person's word before an order. Needs no key."""

from typing import Any

import loopwright as lw

PRICES = {"oak": 41.0, "larch": 28.5}


def price(wood: str) -> float:
    """The price of a board, in euros."""
    return PRICES[wood]


async def order(wood: str, boards: int) -> str:
    """Order boards. This costs money."""
    return f"{boards} boards of {wood} are ordered for {PRICES[wood] * boards:.2f} euros"


loop = lw.ToolLoop([price, order], prompt="<{wish}>", at_most=4, approve=["order"])
print(loop.check())
print(loop.certificate)
print(loop.draw(format="txt"))

model = lw.ScriptedModel(  # or lw.ModelRef("gpt-4o-mini")
    {
        "ask": [
            {"tools": [{"tool": "price", "args": {"wood": "oak"}}, {"tool": "price", "args": {"wood": "beech"}}]},
            {"tool": "order", "args": {"wood": "oak", "boards": 2}},
            "Two boards of oak are ordered. There is no beech.",
        ]
    }
)
run = loop.start({"wish": "Order two boards of oak, or of beech where that costs less."}, model=model)
print(run.questions[0].text)
run.resume("yes")
history: Any = run.state["history"]
for message in history:
    print(f"{message['role']}: {message['content'] or [call['name'] for call in message['tool_calls']]}")
print(run.end, "because:", run.reason)
