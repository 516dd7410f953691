"""Histories that are bounded: what a round sends no longer grows with the rounds, at a real server."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import loopwright as lw
from loopwright.graphs.plan import Plan
from loopwright.state.values import JsonObject
from loopwright.testing import ModelServer

ROUNDS = 12


def sent_by_roles(history: lw.Window | None) -> list[JsonObject]:
    """What the solver sends, round by round."""
    loop = lw.RoleCycle(
        task="A risk?", rounds=lw.Rounds(min=ROUNDS, max=ROUNDS), roles={"solver": {}, "boss": {}}, **bound(history)
    )
    with ModelServer("Rot at the bearings, and nobody sees it. " * 5) as server:
        run = loop.start(model=lw.ModelRef("any", base_url=server.base_url, api_key_env=""))
    assert len(run.visits) == 2 * ROUNDS
    return [request.body for request in server.requests[::2]]


def look(place: int) -> str:
    """Look at a place."""
    return f"Place {place} is wet, and so is all that lies below it. " * 5


def sent_by_tools(history: lw.Window | None) -> list[JsonObject]:
    """What a tool loop sends, round by round, and at the end."""
    loop = lw.ToolLoop([look], system="Be brief.", at_most=ROUNDS, **bound(history))
    calls = (lw.ToolCall("look", {"place": 1}), lw.ToolCall("look", {"place": 2}))

    def reply(body: JsonObject) -> Any:
        return calls if "tools" in body else "Wet."

    with ModelServer(reply) as server:
        run = loop.start({"task": "Where?"}, model=lw.ModelRef("any", base_url=server.base_url, api_key_env=""))
    assert (run.end, len(server.requests)) == (lw.End("max_rounds", ok=False), ROUNDS + 1)
    return [request.body for request in server.requests]


def bound(history: lw.Window | None) -> dict[str, Any]:
    return {} if history is None else {"history": history}


def test_a_visit_notes_how_much_it_was_not_sent() -> None:
    loop = lw.RoleCycle(
        task="A risk?", rounds=lw.Rounds(min=3, max=3), roles={"solver": {}, "boss": {}}, history=lw.Window(last=2)
    )
    run = loop.start(model=lw.ScriptedModel({"default": ["Rot."], "repeat": "last"}))
    assert [visit.note for visit in run.visits] == [
        "",
        "",
        "1 earlier message left out",
        "2 earlier messages left out",
        "4 earlier messages left out",
        "5 earlier messages left out",
    ]
    tools = lw.ToolLoop([look], at_most=3, history=lw.Window(last=1))
    calls = [{"tool": "look", "args": {"place": 1}}, {"tool": "look", "args": {"place": 2}}, "Wet."]
    run = tools.start({"task": "Where?"}, model=lw.ScriptedModel({"default": calls}))
    assert "2 earlier messages left out" in [visit.note for visit in run.visits]


SENDING = pytest.mark.parametrize("sent_by", [sent_by_roles, sent_by_tools])


@SENDING
@pytest.mark.parametrize("window", [lw.Window(last=6), lw.Window(tokens=400), lw.Window(last=9, tokens=500)])
def test_what_a_round_sends_stays_as_it_is(sent_by: Callable[[Any], list[JsonObject]], window: lw.Window) -> None:
    sizes = [len(json.dumps(body)) for body in sent_by(window)]
    later = sizes[4:ROUNDS]
    assert max(later) - min(later) < 40, "only the number of what is left out, and of the round, is longer"
    whole = [len(json.dumps(body)) for body in sent_by(None)]
    assert all(after > before for before, after in pairwise(whole[:ROUNDS]))
    assert whole[ROUNDS - 1] > 2 * max(later)


@SENDING
def test_the_task_stays_and_a_line_says_what_is_left_out(sent_by: Callable[[Any], list[JsonObject]]) -> None:
    bodies: list[Any] = sent_by(lw.Window(last=4))
    first, last = bodies[0]["messages"], bodies[ROUNDS - 1]["messages"]
    assert last[: len(first) - 1] == first[:-1]
    task = next(index for index, message in enumerate(last) if message["role"] == "user")
    assert ("A risk?" in last[task]["content"]) or last[task]["content"] == "Where?"
    assert last[task + 1]["content"].endswith("earlier messages are left out here.)")
    assert len(last) <= len(first) + 1 + 4


def test_the_last_question_of_a_tool_loop_tells_of_the_last_calls_only() -> None:
    body: Any = sent_by_tools(lw.Window(last=4))[-1]
    said = body["messages"][-1]["content"]
    assert said.startswith("(33 earlier messages are left out here.)\n\nlook(")
    assert said.count("gave:") == 2


def test_a_role_may_have_a_bound_of_its_own() -> None:
    loop = lw.RoleCycle(
        task="x", history=lw.Window(last=20), roles={"solver": {"history": {"tokens": 4000}}, "boss": {}}
    )
    nodes: list[Any] = [placed.node for placed in loop.plan.nodes.values()]
    assert [node.history for node in nodes] == [lw.Window(tokens=4000), lw.Window(last=20)]
    assert Plan.from_data(json.loads(json.dumps(loop.plan.to_data()))) == loop.plan


def test_a_bound_that_is_none_is_told_where_it_stands() -> None:
    roles: Any = {"solver": {"history": {}}, "boss": {"history": {"lsat": 3}}}
    with pytest.raises(lw.SourceError) as caught:
        lw.RoleCycle(task="x", history={"last": 0}, roles=roles)
    assert [str(fault) for fault in caught.value.faults] == [
        "history: last is a whole number of at least 1; 0 is not",
        "roles.solver.history: a history has a bound: last, a number of messages, or tokens",
        "roles.boss.history.lsat: the key 'lsat' is not known here "
        "(did you mean 'last'? there are: last, summary, tokens)",
    ]
    wrong: Any = {"last": 3}
    with pytest.raises(lw.SourceError, match=r"history: \{'last': 3\} is not an lw.Window, as lw.Window\(last=20\)"):
        lw.ToolLoop([look], history=wrong)


def test_a_tool_loop_in_a_file_has_it(tmp_path: Any) -> None:
    (tmp_path / "tools.py").write_text('def look() -> str:\n    """Look."""\n    return ""\n')
    (tmp_path / "loop.yaml").write_text("kind: tool_loop\ntools: [tools.py:look]\nhistory: {last: 20}\n")
    nodes: list[Any] = [placed.node for placed in lw.load(tmp_path / "loop.yaml").plan.nodes.values()]
    assert [getattr(node, "history", None) for node in nodes] == [lw.Window(last=20), None, lw.Window(last=20)]
    (tmp_path / "loop.yaml").write_text("kind: tool_loop\ntools: [tools.py:look]\nhistory: {last: none}\n")
    with pytest.raises(lw.SourceError, match=r"loop\.yaml:3: history\.last: "):
        lw.load(tmp_path / "loop.yaml")
