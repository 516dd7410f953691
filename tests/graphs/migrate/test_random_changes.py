"""Random changes of random plans: a run that is said to go on does, and ends as the plan of now says; others stay."""

import copy
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from loopwright.errors import ModelError
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.changed import migrate
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.models.contract import ModelCall, ModelReply
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel
from loopwright.state.store.store import Store

Draw = Callable[[st.SearchStrategy[Any]], Any]
Step = tuple[str, str, str]
SOME = settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck), derandomize=True)
CHANNELS = ("x", "y")
DONE = "done"


def a_node(draw: Draw, name: str) -> dict[str, Any]:
    """A node of a row: what it is, reads and writes, how far it may skip ahead, and how far it leads back."""
    return {
        "name": name,
        "kind": draw(st.sampled_from(["judge", "human", "think"])),
        "reads": draw(st.lists(st.sampled_from(CHANNELS), max_size=1)),
        "writes": draw(st.sampled_from(CHANNELS)),
        "skips": draw(st.integers(1, 3)),
        "back": draw(st.integers(0, 2)),
        "at_most": draw(st.integers(1, 2)),
        "bound": f"bound of {name}",
        "text": "?",
    }


def a_shape(draw: Draw) -> dict[str, Any]:
    """A row of nodes, and how its channels are."""
    nodes = [a_node(draw, f"n{place}") for place in range(draw(st.integers(2, 4)))]
    kinds = st.sampled_from(["str", "any", "list"])
    channels = {name: {"type": draw(kinds), "default": draw(st.integers(0, 3)) > 0} for name in CHANNELS}
    return {"nodes": nodes, "channels": channels, "end": "end"}


def loop_of(shape: dict[str, Any]) -> Loop[Any]:
    defaults: Mapping[str, Any] = {"str": "", "any": "", "list": []}
    channels = []
    for name, each in shape["channels"].items():
        if each["type"] == "list":
            channels.append(Channel(name, "list", reduce="append"))
        else:
            default = {"default": defaults[each["type"]]} if each["default"] else {}
            channels.append(Channel(name, each["type"], **default))
    builder, nodes = PlanBuilder("row", channels), shape["nodes"]
    names = [node["name"] for node in nodes]
    for place, node in enumerate(nodes):
        after: list[str | End] = [*names[place + 1 :], End(shape["end"])]
        text = node["text"] + "".join(f" <{{{name}}}>" for name in node["reads"])
        back = node["back"] and place - node["back"] + 1 >= 0
        words = ["on", "skip", *(["again"] if back else [])]
        if node["kind"] == "think":
            builder.node(Think(node["name"], prompt=text, writes=node["writes"])).edge(node["name"], DONE, after[0])
            continue
        kind = Judge(node["name"], prompt=text, outcomes=words)
        builder.node(kind if node["kind"] == "judge" else Human(node["name"], text=text, outcomes=words))
        builder.edge(node["name"], "on", after[0])
        builder.edge(node["name"], "skip", after[min(node["skips"], len(after) - 1)])
        if back:
            head = names[place - node["back"] + 1]
            builder.edge(node["name"], "again", head, at_most=node["at_most"], bound=node["bound"], then=after[0])
    return builder.loop()


class Change:
    """Some changes of a shape, and what would have to be declared of them."""

    def __init__(self, draw: Draw, shape: dict[str, Any], at: str) -> None:
        self.draw, self.shape = draw, copy.deepcopy(shape)
        self.declared: dict[str, dict[str, str]] = {"nodes": {}, "channels": {}, "bounds": {}, "ends": {}}
        kinds = [
            self.text,
            self.insert,
            self.remove,
            self.rename,
            self.bound,
            self.limit,
            self.type,
            self.end,
            self.kind,
        ]
        for _ in range(draw(st.integers(1, 3))):
            nodes = [*self.shape["nodes"], *(node for node in self.shape["nodes"] if node["name"] == at)] * 2
            draw(st.sampled_from([*kinds, self.rename, self.channel]))(draw(st.sampled_from(nodes)))

    def text(self, node: dict[str, Any]) -> None:
        node["text"] = "!"

    def insert(self, node: dict[str, Any]) -> None:
        nodes = self.shape["nodes"]
        nodes.insert(nodes.index(node) + self.draw(st.integers(0, 1)), a_node(self.draw, f"new{len(nodes)}"))

    def remove(self, node: dict[str, Any]) -> None:
        if len(self.shape["nodes"]) > 1:
            self.shape["nodes"].remove(node)

    def rename(self, node: dict[str, Any]) -> None:
        node["name"] = self._renamed("nodes", node["name"])

    def bound(self, node: dict[str, Any]) -> None:
        node["bound"] = self._renamed("bounds", node["bound"])

    def channel(self, node: dict[str, Any]) -> None:
        channels, nodes = self.shape["channels"], self.shape["nodes"]
        old = node["writes"]
        new = self._renamed("channels", old)
        self.shape["channels"] = {new if name == old else name: each for name, each in channels.items()}
        for each in nodes:
            each["writes"] = new if each["writes"] == old else each["writes"]
            each["reads"] = [new if name == old else name for name in each["reads"]]

    def limit(self, node: dict[str, Any]) -> None:
        node["at_most"], node["skips"] = self.draw(st.integers(1, 3)), self.draw(st.integers(1, 3))

    def type(self, node: dict[str, Any]) -> None:
        self.shape["channels"][node["writes"]]["type"] = self.draw(st.sampled_from(["str", "any", "list"]))

    def end(self, node: dict[str, Any]) -> None:
        self.shape["end"] = f"finish {node['name']}"

    def kind(self, node: dict[str, Any]) -> None:
        node["kind"] = self.draw(st.sampled_from(["judge", "human", "think"]))

    def _renamed(self, part: str, old: str) -> str:
        if old in self.declared[part].values() or old.startswith("new"):
            return old
        self.declared[part][old] = f"r{old}"
        return f"r{old}"


class Chooser:
    """A model that takes outcomes in their turn, and fails at some of its calls."""

    label, retries = "chooser", 0

    def __init__(self, choices: Iterator[int], fails_at: int = -1) -> None:
        self._choices, self._fails_at, self.calls = choices, fails_at, 0

    def ask(self, call: ModelCall) -> ModelReply:
        self.calls += 1
        if self.calls == self._fails_at:
            raise ModelError("down")
        if not call.schema:
            return ModelReply("text")
        outcomes: Any = call.schema["properties"]
        words = outcomes["outcome"]["enum"]
        return ModelReply({"outcome": words[next(self._choices) % len(words)]})

    async def aask(self, call: ModelCall) -> ModelReply:
        return self.ask(call)


def chosen(run: Any, choices: Iterator[int]) -> dict[str, str]:
    """The next answer to what a run asks."""
    words = run.questions[0].reply["properties"]["action"]["enum"]
    return {"action": words[next(choices) % len(words)]}


def led_on(run: Any, choices: Iterator[int]) -> None:
    """Answer whatever a run asks until it has ended."""
    model = Chooser(choices)
    for _ in range(200):
        if run.status == "finished":
            return
        answer = None
        if run.status == "waiting":
            answer = chosen(run, choices)
        run.resume(answer, model=model if run.plan.model_names else None)
    raise AssertionError("it goes round for ever")


def expected(plan: Plan, node: str, spent: Mapping[str, int], choices: Iterator[int]) -> list[Step]:
    """The rest of a path by the words of the design: a bound is counted per entry of its loop."""
    counts = {**dict.fromkeys(plan.bounds, 0), **spent}
    heads = {edge.way.bound: edge.way.target for edge in plan.edges if edge.way.bound}
    backs = {head: {edge.source for edge in plan.edges if heads.get(edge.way.bound) == head} for head in heads.values()}
    path: list[Step] = []
    while node not in plan.ends:
        outcomes = plan.nodes[node].contract.outcomes
        outcome = outcomes[0] if outcomes == (DONE,) else outcomes[next(choices) % len(outcomes)]
        way = plan.routes[node, outcome].way
        if way.bound and counts[way.bound] >= plan.bounds[way.bound].at_most:
            way = plan.bounds[way.bound].then
        for bound, head in heads.items():
            if head == way.target and node not in backs[head]:
                counts[bound] = 0
        if way.bound:
            counts[way.bound] += 1
        path.append((node, outcome, way.target))
        node = way.target
    return path


def stopped(loop: Loop[Any], store: Store, choices: list[int], stop: int) -> Run[Any]:
    """A run that stands somewhere: at a question, or where a model failed."""
    turns = cycle(choices)
    model = Chooser(turns, stop)
    given: Any = {"model": model} if loop.plan.model_names else {}
    run = loop.start(store=store, **given)
    for _ in range(stop):
        if run.status != "waiting":
            break
        run.resume(chosen(run, turns), **given)
    return run


def held(run: Any) -> Any:
    """All that must stay of a run that is left."""
    return run.row, run.store.registry.plan(run.id), run.visits, run.state


@SOME
@given(st.data(), st.lists(st.integers(0, 2), min_size=3, max_size=12), st.integers(1, 5), st.booleans())
def test_what_is_said_to_go_on_does_and_ends_as_the_plan_of_now_says(
    data: st.DataObject, choices: list[int], stop: int, declared: bool
) -> None:
    shape = a_shape(data.draw)
    before = loop_of(shape)
    assume(not before.check().errors)
    with Store("memory:") as store:
        run = stopped(before, store, choices, stop)
        assume(run.status in ("waiting", "suspended"))
        change = Change(data.draw, shape, run.row.at[0])
        now = loop_of(change.shape)
        assume(not now.check().errors)
        migration = migration_of(change, now.plan) if declared else Migration()
        was, asked, made = held(run), run.questions, len(run.visits)
        node = migration.node(run.row.at[0])
        spent = counts_of(run)
        (looked,) = migrate(store, now, migration)
        event(f"{looked.group}, {'goes on' if looked.goes_on else 'is left'}")
        if not looked.done:
            assert held(run) == was
            led_on(open_run(store, run.id), cycle(choices))
            return
        led = open_run(store, run.id, loop=now)
        assert (led.status, led.visits, led.row.at) == (run.status, was[2], (node,))
        assert [question.node for question in led.questions] == [node for _ in asked]
        counts = {migration.bound(bound) or "": count for bound, count in spent.items()}
        path = expected(now.plan, node, counts, cycle(choices))
        led_on(led, cycle(choices))
        assert [(visit.node, visit.outcome, visit.target) for visit in led.visits[made:]] == path
        assert (led.row.end, list(led.history)[-1].after) == (path[-1][2], led.state)


def migration_of(change: Change, now: Plan) -> Migration:
    """What there is to be declared of the names that are in the plan of now."""
    told: dict[str, Any] = {
        part: {old: new for old, new in names.items() if new in getattr(now, part)}
        for part, names in change.declared.items()
    }
    return Migration(**told)


def counts_of(run: Any) -> dict[str, int]:
    """How often each bound was spent, by the record of visits."""
    plan, counts = run.plan, dict.fromkeys(run.plan.bounds, 0)
    heads = {edge.way.bound: edge.way.target for edge in plan.edges if edge.way.bound}
    backs = {head: {edge.source for edge in plan.edges if heads.get(edge.way.bound) == head} for head in heads.values()}
    for visit in run.visits:
        way = plan.routes[visit.node, visit.outcome].way
        for bound, head in heads.items():
            if head == visit.target and visit.node not in backs[head]:
                counts[bound] = 0
        if way.bound and visit.target == heads[way.bound]:
            counts[way.bound] += 1
    return counts
