"""Random plans on the real engine take the path that a plain interpreter of the plan takes."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, cycle
from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from loopwright.errors import ModelError
from loopwright.graphs.certificate.certify import certify
from loopwright.graphs.plan import End, Plan
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.role import Rounds
from loopwright.nodes.think import Judge
from loopwright.testing.scripts import RecordingModel

Draw = Callable[[st.SearchStrategy[Any]], Any]
Step = tuple[str, str, str]
SOME = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck), derandomize=True)


@dataclass
class Growth:
    """A plan that is made from its end to its start, of steps, branches and loops."""

    draw: Draw
    builder: PlanBuilder = field(default_factory=lambda: PlanBuilder("random"))
    heads: dict[str, str] = field(default_factory=dict)
    backs: dict[str, set[str]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def judge(self, **targets: str | End) -> str:
        """A node with an outcome for each way on; its name."""
        name = f"n{next(self.numbers)}"
        self.builder.node(Judge(name, prompt="?", outcomes=list(targets) or ["again", "on"]))
        for outcome, target in targets.items():
            self.builder.edge(name, outcome, target)
        return name

    def block(self, after: str | End, deep: int) -> str:
        """Some nodes that come to `after`; the name of the one that they begin with."""
        kind = self.draw(st.sampled_from(["loop", "row", "branch", "step"] if deep else ["step"]))
        if kind == "row":
            return self.block(self.block(after, deep - 1), deep - 1)
        if kind == "branch":
            return self.judge(left=self.block(after, deep - 1), right=after)
        if kind == "loop":
            return self.loop(after, deep)
        return self.judge(one=after, other=after)

    def loop(self, after: str | End, deep: int) -> str:
        last = self.judge()
        head = self.block(last, deep - 1) if self.draw(st.integers(0, 3)) else last
        self.heads[last] = head
        self.backs.setdefault(head, set()).add(last)
        at_most = self.draw(st.integers(1, 2))
        self.builder.edge(last, "again", head, at_most=at_most, bound=last, then=after).edge(last, "on", after)
        return head


def interpreted(plan: Plan, grown: Growth, choices: list[int]) -> list[Step]:
    """The path by the words of the design: a bound is counted per entry of its loop."""
    path, spent, here = [], dict.fromkeys(plan.bounds, 0), plan.start
    for choice in cycle(choices):
        outcomes = plan.nodes[here].contract.outcomes
        outcome = outcomes[choice % len(outcomes)]
        way = plan.routes[here, outcome].way
        if way.bound and spent[way.bound] == plan.bounds[way.bound].at_most:
            way = plan.bounds[way.bound].then
        for last, head in grown.heads.items():
            if head == way.target and here not in grown.backs[head]:
                spent[last] = 0
        if way.bound:
            spent[way.bound] += 1
        path.append((here, outcome, way.target))
        here = way.target
        if here in plan.ends:
            return path
    raise AssertionError("choices go round for ever")


class Chooser:
    """A model that takes the outcomes in their turn, and fails once at one of its calls."""

    label, retries = "chooser", 0

    def __init__(self, choices: list[int], fails_at: int = -1) -> None:
        self._choices, self._fails_at = cycle(choices), fails_at
        self.calls = 0

    def ask(self, call: ModelCall) -> ModelReply:
        self.calls += 1
        if self.calls == self._fails_at:
            raise ModelError("down")
        outcomes: Any = call.schema and call.schema["properties"]
        words = outcomes["outcome"]["enum"]
        return ModelReply({"outcome": words[next(self._choices) % len(words)]})

    async def aask(self, call: ModelCall) -> ModelReply:
        return self.ask(call)


def grown(draw: Draw) -> tuple[Loop[Any], Growth]:
    growth = Growth(draw)
    growth.builder.start = growth.block(growth.loop(End("end"), 3), 2)
    return growth.builder.loop(), growth


def path(run: Any) -> list[Step]:
    return [(visit.node, visit.outcome, visit.target) for visit in run.visits]


@SOME
@given(st.data(), st.lists(st.integers(0, 1), min_size=1, max_size=20), st.booleans())
def test_a_run_takes_the_interpreters_path(data: st.DataObject, choices: list[int], awaited: bool) -> None:
    loop, growth = grown(data.draw)
    certificate = loop.certificate
    assert certificate.visits is not None
    assume(certificate.visits <= 80)
    event(f"bounds: {len(loop.plan.bounds)}")
    expected = interpreted(loop.plan, growth, choices)
    model = Chooser(choices)
    run = asyncio.run(loop.astart(model=model)) if awaited else loop.start(model=model)
    assert path(run) == expected
    assert len(expected) <= certificate.visits
    fails_at = data.draw(st.integers(1, len(expected)))
    model = Chooser(choices, fails_at)
    run = loop.start(model=model)
    assert (run.status, path(run)) == ("suspended", expected[: fails_at - 1])
    run = asyncio.run(run.aresume()) if awaited else run.resume()
    assert (path(run), model.calls) == (expected, len(expected) + 1)


@SOME
@given(
    st.data(), st.lists(st.integers(0, 1), min_size=1, max_size=9), st.lists(st.integers(0, 1), min_size=1, max_size=9)
)
def test_a_run_forked_at_any_visit_is_as_if_it_had_come_there_itself(
    data: st.DataObject, choices: list[int], others: list[int]
) -> None:
    loop, growth = grown(data.draw)
    assume((loop.certificate.visits or 99) <= 30)
    run = loop.start(model=Chooser(choices))
    before = (run.row, run.visits, run.usage)
    for at in range(len(run.visits)):
        prefix = [choices[place % len(choices)] for place in range(at)]
        expected = interpreted(loop.plan, growth, [*prefix, *others * 30])
        model = Chooser(others)
        fork = run.fork(at).resume(model=model)
        assert (path(fork), model.calls) == (expected, len(expected) - at)
        assert (fork.status, fork.row.forked_from, fork.row.forked_at) == ("finished", run.id, at)
        assert fork.usage.calls == len(expected) - at
        again = fork.fork(at).resume(model=Chooser(others))
        assert (path(again), again.end, again.reason, again.state) == (expected, fork.end, fork.reason, fork.state)
    assert (run.row, run.visits, run.usage) == before


@SOME
@given(st.data())
def test_a_plan_and_its_json_are_one(data: st.DataObject) -> None:
    plan = grown(data.draw)[0].plan
    assert Plan.from_data(plan.to_data()) == plan
    assert Plan.from_data(plan.to_data()).fingerprint == plan.fingerprint


@SOME
@given(
    roles=st.integers(1, 4),
    least=st.integers(1, 3),
    more=st.integers(0, 2),
    review=st.sampled_from(["never", "each_round", "after_stop"]),
)
def test_the_worst_role_cycle_reaches_its_certificate(roles: int, least: int, more: int, review: Any) -> None:
    names = [f"role {place}" for place in range(roles)]
    briefs = {name: {"brief": "B"} for name in names}
    stop: Any = {"role": names[-1], "word": "DONE"}
    loop = RoleCycle(task="T", rounds=Rounds(least, least + more), roles=briefs, stop=stop, review=review)
    model = RecordingModel(lambda call: "DONE" if review == "after_stop" else "on")
    run = loop.start(model=model)
    while run.status == "waiting":
        run.resume({"action": "reject"})
    certificate = certify(loop.plan)
    assert run.end == End("max_rounds", ok=False)
    assert len(model.calls) == certificate.calls == roles * (least + more)
    if review != "after_stop" or least == 1:  # what a role makes of the minimum is not in the plan
        assert len(run.visits) == certificate.visits
