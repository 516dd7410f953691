"""Two ways to add, compared on the same sums; offline, since the model is a function of this file.

    python examples/compare.py
    loopwright compare examples/compare.py:once examples/compare.py:twice \
        --problems examples/sums.csv --check examples/compare.py:right -o plot.html
"""

import re
import zlib
from pathlib import Path

import loopwright as lw

SUMS = Path(__file__).with_name("sums.csv")


class Pupil:
    """Stands in for a model: adds, and is wrong at some questions, always at the same ones."""

    label, retries, price = "pupil", 0, lw.Price(input=0, output=0)

    def ask(self, call: lw.ModelCall) -> lw.ModelReply:
        """Answer."""
        question = call.messages[-1]["content"]
        wrong = zlib.crc32(question.encode()) % (9 if "again" in question else 3) == 0
        said = sum(map(int, re.findall(r"\d+", question)[:2])) + wrong
        return lw.ModelReply(str(said), lw.Usage(calls=1, tokens_in=len(question.split()), tokens_out=1))

    async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
        """Answer the same."""
        return self.ask(call)


def adding(name: str, *prompts: str) -> lw.Loop[str]:
    """A loop that asks one question after the other; the last answer counts."""
    plan = lw.PlanBuilder(name, [lw.Channel("sum", str, input=True), lw.Channel("said", str)], result="said")
    for place, prompt in enumerate(prompts, start=1):
        plan.node(lw.Think(f"say_{place}", prompt=prompt, writes="said"))
        plan.edge(f"say_{place}", "done", f"say_{place + 1}" if place < len(prompts) else lw.End("said"))
    return plan.loop(model=Pupil())


once = adding("once", "What is <{sum}>?")
twice = adding("twice", "What is <{sum}>?", "What is <{sum}>? Somebody says <{said}>. Look again.")


def right(result: str, expected: str) -> bool:
    """Whether an answer is right."""
    return result.strip() == expected


if __name__ == "__main__":
    found = lw.compare({"once": once, "twice": twice}, problems=SUMS, check=right)
    print(found)
    wrong = [row["problem"] for row in found.rows if row["contender"] == "twice" and not row["score"]]
    print(f"\nwrong even twice: {', '.join(map(str, wrong)) or 'none'}")
