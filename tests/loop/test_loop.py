"""The face: a plan with its code, checked, started, loaded and drawn."""

from pathlib import Path
from typing import Any

import pytest

import loopwright as lw
from loopwright.testing.scripts import RecordingModel

WORD = "Fluggaenkoechiebolsen"
QUICK = {"solver": ["S0"], "detractor": ["D0"], "master": ["M0"], "boss": [WORD]}


class Essay(lw.State):
    topic: str = lw.input()
    words: int = lw.input(100)
    draft: str
    notes: list[str] = lw.append()
    count: int = lw.add()


def essay(**fields: Any) -> lw.PlanBuilder:
    builder = lw.PlanBuilder("essay", Essay, **fields)
    builder.node(lw.Think("write", prompt="<{topic}>, <{words}> words", writes="draft"))
    return builder.edge("write", "done", lw.End("written"))


def test_the_result_is_all_that_was_written_where_none_is_named(drive: Any) -> None:
    run = drive.start(essay().loop(), {"topic": "x"}, model=RecordingModel({"write": ["A"]}))
    assert {name: value for name, value in run.result.items() if value} == {"draft": "A"}


@pytest.mark.parametrize(
    ("inputs", "fault"),
    [
        ({}, "input 'topic' is missing"),
        ({"topic": 3}, "input 'topic' does not fit: 3 is not of type \"string\""),
        ({"topic": "x", "draft": "y"}, "there is no input 'draft'"),
        (
            {"words": "many", "wrods": 1},
            "there is no input 'wrods'; input 'topic' is missing; input 'words' does not fit: \"many\" is not of type"
            ' "integer"',
        ),
    ],
)
def test_inputs_that_do_not_fit(drive: Any, inputs: dict[str, Any], fault: str) -> None:
    with pytest.raises(lw.RunError) as caught:
        drive.start(essay().loop(), inputs, model=RecordingModel({"write": ["A"]}))
    assert str(caught.value) == f"{fault}. The inputs of 'essay' are: topic, words"


def test_nothing_is_entered_when_a_start_is_refused(store: lw.Store) -> None:
    for refused in (essay().loop(), lw.PlanBuilder("broken").node(lw.Think("write", prompt="<{x}>")).loop()):
        with pytest.raises(lw.LoopwrightError):
            refused.start({"topic": "x"}, store=store)
    assert list(store.registry.all()) == []


def test_a_broken_plan_has_no_certificate_and_does_not_start() -> None:
    loop = lw.PlanBuilder("broken").node(lw.Think("write", prompt="<{x}>")).loop()
    with pytest.raises(lw.PlanError):
        _ = loop.certificate
    with pytest.raises(lw.PlanError) as caught:
        loop.start(model=RecordingModel({"write": ["A"]}))
    assert caught.value.findings
    assert loop.draw().startswith("<svg")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {},
            "no model is given for 'default': give model= or models= (--model or --script on the command line),"
            " or name it under the plan's models",
        ),
        (
            {"models": {"strong": RecordingModel(QUICK)}},
            "no node asks for a model 'strong'; this plan asks for: default",
        ),
    ],
)
def test_models_that_are_missing_or_too_much(given: Any, message: str) -> None:
    with pytest.raises(lw.RunError) as caught:
        lw.RoleCycle(task="T").start(**given)
    assert str(caught.value) == message


def test_a_model_of_the_loop_and_one_of_the_start() -> None:
    mine, given = RecordingModel(QUICK, label="mine"), RecordingModel(QUICK, label="given")
    loop = lw.RoleCycle(task="T", model=mine)
    assert {visit.model for visit in loop.start().visits} == {"mine"}
    assert {visit.model for visit in loop.start(model=given).visits} == {"given"}


def test_pictures_are_written(tmp_path: Path) -> None:
    loop = lw.RoleCycle(task="T")
    written = loop.draw(tmp_path / "loop.svg")
    assert (tmp_path / "loop.svg").read_text() == written
    assert loop._repr_mimebundle_() == {"image/svg+xml": loop.draw(), "text/plain": "RoleCycle('role_cycle', nodes=4)"}


def test_a_loop_for_several_runs_starts_one_at_a_time(drive: Any) -> None:
    model = RecordingModel({name: replies * 2 for name, replies in QUICK.items()})
    loop = lw.RoleCycle(tasks=["a", "b"])
    with pytest.raises(lw.RunError) as caught:
        drive.start(loop, model=model)
    assert str(caught.value) == (
        "this loop is for 2 runs: start_all() starts them all, and start(inputs) one of them, with the inputs that"
        " loop.inputs has"
    )
    assert model.calls == []
    assert [drive.start(loop, inputs, model=model).row.inputs["task"] for inputs in loop.inputs] == ["a", "b"]


@pytest.mark.parametrize("inputs", [{"topic": "x"}, ["topic"]])
def test_inputs_that_are_no_list_of_mappings(inputs: Any) -> None:
    with pytest.raises(lw.RunError, match=r"^inputs are a list with a mapping for each run; "):
        lw.Loop(essay().build(), inputs=inputs)


def test_another_audience_is_refused_before_a_run_is_entered(store: lw.Store) -> None:
    loop: Any = essay().loop(model=RecordingModel({"write": ["A"]}))
    for stream in (loop.stream, loop.astream):
        with pytest.raises(lw.RunError, match="there is no audience 'users'; it is user, debug, or None"):
            stream({"topic": "x"}, store=store, audience="users")
    assert list(store.registry.all()) == []
    run = loop.start({"topic": "x"}, store=store)
    for stream in (run.stream, run.astream):
        with pytest.raises(lw.RunError, match="there is no audience 'users'"):
            stream(audience="users")


def test_a_stream_says_who_listens() -> None:
    loop = essay().loop(model=RecordingModel({"write": ["A"]}))
    assert [loop.stream({"topic": "x"}, audience=each).audience for each in ("user", None)] == ["user", None]
    assert loop.astream({"topic": "x"}, audience="debug").audience == "debug"


def test_whom_a_text_is_for_stands_in_a_plan_only_where_it_is_said() -> None:
    plain, told = lw.RoleCycle(task="T"), lw.RoleCycle(task="T", roles={"solver": {"audience": "debug"}, "boss": {}})
    assert "audience" not in str(plain.plan.to_data())
    assert "'audience': 'debug'" in str(told.plan.to_data())
