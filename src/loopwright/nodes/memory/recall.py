"""The node that recalls: the last events, and those of the older ones that are most like what an agent has in mind.

Likeness is BM25 (Robertson and others, 1994) over words: nothing is asked, and the same is recalled each time.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from math import log
from typing import Any

from loopwright.nodes.contract import Answer, Contract, Node, View
from loopwright.nodes.prompts import as_text
from loopwright.nodes.thinking.fields import MEMORY, PLAN, RECENT, SIMILAR
from loopwright.state.values import Json

OLDER = 200
"""How many events before the last ones can be recalled."""

_SATURATION, _LENGTH = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Recall(Node, type="recall"):
    """Recall the last events, and the older ones that are most like the plan, or the goals where there is no plan.

    Args:
        name: The node's name.
        n: How many of the last events are recalled.
        m: How many of the older ones at most. One that has no word in common is not recalled.
        goals: The channel of the goals; empty for an agent without any.

    Its one outcome is `done`.

    Example:
        >>> events = [{"event_type": "rain"}, {"event_type": "sun"}, {"event_type": "wind"}]
        >>> Recall("recall", n=1, m=1).answer({"memory": events, "plan": ["hide from rain"]}, None).update
        {'recent_events': [{'event_type': 'wind'}], 'similar_events': [{'event_type': 'rain'}]}
    """

    name: str
    _: KW_ONLY
    n: int = 10
    m: int = 0
    goals: str = ""

    @cached_property
    def contract(self) -> Contract:
        """Reads all that is remembered; writes what prompts show of it."""
        reads = (MEMORY, PLAN, *([self.goals] if self.goals else ()))
        return Contract("route", reads, (RECENT, SIMILAR), ("done",))

    def ask(self, view: View) -> None:
        """Nothing."""
        del view

    def answer(self, view: View, reply: Json) -> Answer:
        """What is recalled, oldest first."""
        del reply
        memory: Any = view[MEMORY]
        query = view[PLAN] or (view[self.goals] if self.goals else "")
        found = most_similar(memory[: -self.n], as_text(query), self.m)
        return Answer("done", {RECENT: memory[-self.n :], SIMILAR: found})


def most_similar(events: Sequence[Json], query: str, m: int) -> list[Json]:
    """The events that are most like a text, oldest first; of those that are equally like it the newest.

    Args:
        events: The events, oldest first.
        query: The text.
        m: How many at most.

    Example:
        >>> most_similar([{"says": "tea"}, {"says": "rain"}, {"says": "tea"}], "More tea!", 1)
        [{'says': 'tea'}]
        >>> most_similar([{"says": "tea"}], "rain", 3)
        []
    """
    texts = [_words(as_text(event)) for event in events]
    wanted = sorted(set(_words(query)))
    if not texts or not wanted or not m:
        return []
    counts = [Counter(words) for words in texts]
    usual = sum(map(len, texts)) / len(texts) or 1.0
    rarity = {word: _rarity(sum(word in each for each in counts), len(texts)) for word in wanted}

    def likeness(place: int) -> float:
        damped = _SATURATION * (1 - _LENGTH + _LENGTH * len(texts[place]) / usual)
        found = ((rarity[word], counts[place][word]) for word in wanted)
        return sum(rare * often * (_SATURATION + 1) / (often + damped) for rare, often in found)

    scored = [(score, place) for place in range(len(texts)) if (score := likeness(place)) > 0]
    return [events[place] for place in sorted(place for _, place in sorted(scored, reverse=True)[:m])]


def _rarity(having: int, of: int) -> float:
    """How much a word says: the more, the fewer events have it; never nothing."""
    return log(1 + (of - having + 0.5) / (having + 0.5))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
