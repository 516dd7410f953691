"""Random graphs on the engine: every step that it makes is one of those that are played, and so is the way it ends."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from loopwright.graphs.stategraph.reading import Reading
from loopwright.graphs.stategraph.steps import FIRST, Budget, Moment, Steps
from loopwright.graphs.stategraph.together import side_by_side
from loopwright.sources.langgraph.read import read_graph

NAMES = "abcdefg"
LIMIT = 14


class State(TypedDict):
    text: str


class Trial:
    """A random graph whose routers choose at random, and the nodes that ran in each step."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.steps: dict[int, list[str]] = {}
        self.builder: Any = StateGraph(State)
        for name in NAMES:
            self.builder.add_node(name, self.node(name), defer=self.random.random() < 0.1)
        self.builder.add_edge(START, "a")
        for place, name in enumerate(NAMES):
            self.leave(name, [*NAMES[max(0, place - 1) :], END])

    def node(self, name: str) -> Any:
        def ran(state: State, config: RunnableConfig) -> None:
            self.steps.setdefault(config["metadata"]["langgraph_step"], []).append(name)

        return ran

    def leave(self, name: str, targets: list[str]) -> None:
        """Give a node one to three ways on: edges, routers or joins."""
        for way in range(self.random.randint(1, 2)):
            kind, chosen = self.random.random(), self.random.sample(targets, k=2)
            if kind < 0.5:
                self.builder.add_edge(name, chosen[0])
            elif kind < 0.8:
                router = self.router(chosen)
                router.__name__ = f"route{way}"
                self.builder.add_conditional_edges(name, router, chosen)
            elif chosen[0] != END:
                other = self.random.choice([each for each in NAMES if each != name])
                self.builder.add_edge([name, other], chosen[0])

    def router(self, targets: list[str]) -> Any:
        def route(state: State) -> str:
            return self.random.choice(targets)

        return route

    def run(self) -> bool:
        """Run it, and say whether it came to its end."""
        try:
            self.builder.compile().invoke({"text": ""}, {"recursion_limit": LIMIT})
        except GraphRecursionError:
            return False
        return True


def played(reading: Reading, steps: list[list[str]]) -> Iterator[set[Moment]]:
    """The moments that a run may be in after each of its steps."""
    player = Steps(reading, Budget())
    now = player.after(FIRST)
    for names in steps:
        at = {moment for moment, _ in now if sorted(moment.names) == sorted(names)}
        yield at
        now = [after for moment in at for after in player.after(moment)]
    yield {moment for moment, _ in now}


@pytest.mark.parametrize("seed", range(120))
def test_the_engine_makes_the_steps_that_are_played(seed: int) -> None:
    trial = Trial(seed)
    ended = trial.run()
    steps = [names for _, names in sorted(trial.steps.items())]
    reading = read_graph(trial.builder)
    *ways, last = played(reading, steps)
    assert all(ways), f"{steps} is played up to {sum(map(bool, ways))}"
    assert not ended or any(not moment.due for moment in last)


def test_runs_that_drop_a_join_or_repeat_a_node_are_foretold() -> None:
    """Of all these runs, none ends in a dropped join where none was found."""
    dropped = 0
    for seed in range(120):
        trial = Trial(seed)
        if not trial.run():
            continue
        reading = read_graph(trial.builder)
        *_, last = played(reading, [names for _, names in sorted(trial.steps.items())])
        if all(moment.arrived for moment in last if not moment.due):
            dropped += 1
            assert "dropped-join" in {finding.code for finding in side_by_side(reading)}
    assert dropped > 5
