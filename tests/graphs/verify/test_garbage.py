"""Plans of garbage never raise: they give errors or a certificate. Large plans are checked in a moment."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopwright.errors import PlanError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.certificate.certify import Certificate, certify
from loopwright.graphs.plan import Bound, Branch, Edge, End, Fork, Plan, PlanNode, Way
from loopwright.graphs.verify.check import verify
from loopwright.nodes.code import CodeNode, CodeRef
from loopwright.nodes.contract import Node
from loopwright.nodes.think import Judge, Think
from loopwright.nodes.wait import Human, Wait
from loopwright.state.channels import MISSING, Channel
from loopwright.state.values import JsonSchema

TEXT: JsonSchema = {"type": "string"}
FINISHED = End("finished")


def act(name: str, *outcomes: str, version: str = "1", **fields: Any) -> CodeNode:
    return CodeNode(name, code=CodeRef(f"{name}()", version), outcomes=outcomes or ("done",), **fields)


NAMES = st.sampled_from(["", "a", "b", "c", "d", "end", "done"])
CHANNEL_NAMES = st.sampled_from(["", "a", "x", "y"])


@st.composite
def nodes(draw: Callable[..., Any], depth: int = 0) -> Node | Fork:
    name, reads, writes = (
        draw(NAMES),
        draw(st.lists(CHANNEL_NAMES, max_size=2)),
        draw(st.lists(CHANNEL_NAMES, max_size=2)),
    )
    outcomes = draw(st.lists(NAMES, max_size=3))
    prompt = "".join(f"<{{{read}}}>" for read in reads)
    schema = draw(st.sampled_from([{}, TEXT, {"type": "int"}, {"type": []}, {"$ref": "#/x"}]))
    kind = draw(st.integers(0, 6 if depth < 2 else 4))
    if kind == 0:
        return act(name, *outcomes, reads=tuple(reads), writes=tuple(writes), version=draw(NAMES))
    if kind == 1:
        return Think(name, prompt=prompt, writes=writes, output=schema, model=draw(NAMES))
    if kind == 2:
        return Judge(name, prompt=prompt, writes=writes, outcomes=outcomes)
    if kind == 3:
        return Human(name, text=prompt, writes=writes, outcomes=outcomes, default=draw(NAMES))
    if kind == 4:
        return Wait(name, text=prompt, writes=writes, reply=schema)
    inputs = draw(st.dictionaries(CHANNEL_NAMES, CHANNEL_NAMES, max_size=1))
    branches = {key: Branch(draw(garbage(depth + 1)), inputs) for key in draw(st.lists(NAMES, max_size=2, unique=True))}
    at_most = draw(st.sampled_from([None, -1, 0, 2]))
    word = "each" if kind == 5 else "parallel"
    return Fork(name, word, branches, draw(CHANNEL_NAMES), draw(CHANNEL_NAMES), draw(CHANNEL_NAMES), at_most)  # type: ignore[arg-type]


@st.composite
def garbage(draw: Callable[..., Any], depth: int = 0) -> Plan:
    way = st.builds(Way, NAMES, st.sampled_from(["", "", "n", "m"]), st.lists(CHANNEL_NAMES, max_size=1).map(tuple))
    schema = st.sampled_from([{}, TEXT, {"type": "array"}, {"type": "int"}, {"pattern": "("}])
    channel = st.builds(
        Channel,
        CHANNEL_NAMES,
        schema,
        st.sampled_from(["replace", "append", "add"]),
        st.booleans(),
        st.sampled_from([MISSING, None, "x"]),
    )
    places = draw(st.dictionaries(NAMES, nodes(depth), max_size=4))
    return Plan(
        name=draw(NAMES),
        start=draw(NAMES),
        nodes={name: PlanNode(name, node) for name, node in places.items()},
        edges=tuple(draw(st.lists(st.builds(Edge, NAMES, NAMES, way), max_size=8))),
        ends={name: End(name) for name in draw(st.lists(NAMES, max_size=2))},
        channels={made.name: made for made in draw(st.lists(channel, max_size=3))},
        bounds={
            name: Bound(name, draw(st.integers(-1, 2)), draw(way)) for name in draw(st.sets(st.sampled_from("nm")))
        },
        result=draw(CHANNEL_NAMES),
    )


@settings(deadline=None, derandomize=True, max_examples=100, database=None, suppress_health_check=list(HealthCheck))
@given(garbage())
def test_garbage_gives_errors_or_a_certificate(plan: Plan) -> None:
    findings = verify(plan)
    if findings.errors:
        with pytest.raises(PlanError):
            certify(plan)
    else:
        assert isinstance(certify(plan), Certificate)


def test_a_large_plan_is_checked_and_certified_in_a_moment() -> None:
    size = 2000
    builder = PlanBuilder("large", [Channel(f"c{i}", TEXT) for i in range(size)])
    for i in range(size):
        reads = (f"c{i - 1}",) if i else ()
        builder.node(act(f"n{i}", "done", "back", reads=reads, writes=(f"c{i}",)))
        builder.edge(f"n{i}", "done", f"n{i + 1}" if i + 1 < size else FINISHED)
        builder.edge(f"n{i}", "back", f"n{i - i % 10}", at_most=1, then=FINISHED)
    plan = builder.build()
    began = time.process_time()
    assert verify(plan).items == ()
    checked = time.process_time()
    assert certify(plan).visits == 200 * 65
    assert checked - began < 2
    assert time.process_time() - checked < 4


def test_a_deep_nest_of_loops_is_certified_without_recursion() -> None:
    size = 200
    builder = PlanBuilder("wizard")
    for i in range(size):
        builder.node(act(f"n{i}", "next", "back")).edge(f"n{i}", "next", f"n{i + 1}" if i + 1 < size else FINISHED)
        builder.edge(f"n{i}", "back", f"n{max(i - 1, 0)}", at_most=1, then=FINISHED)
    plan = builder.build()
    assert verify(plan).items == ()
    assert certify(plan).per_node[f"n{size - 1}"].visits == size
