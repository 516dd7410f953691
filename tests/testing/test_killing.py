"""The killer: it counts, and finds what is lost. `tests/scenarios/test_breaker.py` puts all forms through it."""

from pathlib import Path

import pytest

import loopwright as lw
from loopwright.testing.killing import kill_at_random

TEXT = {"type": "string"}


def said(count: int) -> lw.PlanBuilder:
    """So many calls in a row."""
    plan = lw.PlanBuilder("row", [lw.Channel(f"c{place}", TEXT) for place in range(count)], result="c0")
    for place in range(count):
        plan.node(lw.Think(f"n{place}", prompt=f"{place}", writes=f"c{place}"))
        plan.edge(f"n{place}", "done", f"n{place + 1}" if place + 1 < count else lw.End("said"))
    return plan


def test_a_loop_is_handed_over_as_its_plan() -> None:
    made = kill_at_random(said(4).loop(), replies=lambda body: f"{body['messages']}", kills=2, seed=3)
    assert (made.kills, made.visits, made.calls, made.width) == (2, 4, 4, 1)
    assert 0 <= made.repeated <= 2
    assert made.runs >= 1


def test_a_reply_that_is_another_one_the_second_time_is_found() -> None:
    numbers = iter(range(1000))
    with pytest.raises(AssertionError, match=r'^run 1, killed [01] times: its result is "\d+", and not "0"'):
        kill_at_random(said(4).loop(), replies=lambda body: f"{next(numbers)}", kills=1)


def test_a_loop_that_calls_functions_is_named() -> None:
    def work() -> str:
        return ""

    plan = lw.PlanBuilder("work", [lw.Channel("done", TEXT)])
    plan.node(lw.Act("work", work, version="1", writes="done")).edge("work", "done", lw.End("done"))
    with pytest.raises(
        lw.RunError, match=r"this loop calls '.*work', which no other process is told; name the loop as"
    ):
        kill_at_random(plan.loop(), replies=lambda body: "")


def test_a_loop_that_is_not_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        lw.RunError, match="the loop could not be loaded in another process; what is wrong stands above"
    ):
        kill_at_random(tmp_path / "none.yaml", replies=lambda body: "")
    assert "none.yaml" in capfd.readouterr().err


def test_a_process_that_fails_by_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loops.py").write_text("import loopwright as lw\nloop = lw.RoleCycle(task='T')\n")
    with pytest.raises(lw.RunError, match="a process that ran the loop failed with code 1; what is wrong stands above"):
        kill_at_random(f"{tmp_path / 'loops.py'}:loop", {"no": "such input"}, replies=lambda body: "")
    assert "RunError" in capfd.readouterr().err


def test_where_nothing_can_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.fork")
    with pytest.raises(lw.RunError, match="made by fork, which this system does not have"):
        kill_at_random(said(1).loop(), replies=lambda body: "")
