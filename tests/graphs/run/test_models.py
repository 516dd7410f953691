"""Which model answers: the nearest that is given, then what is remembered, then what the plan says."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel

from loopwright.errors import RunError, StoreError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.models import (
    AnyModel,
    as_data,
    by_name,
    connected,
    either,
    label_of,
    models_for,
    own,
    own_of,
)
from loopwright.nodes.models.contract import Model
from loopwright.nodes.models.recording.recorded import Recorded
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.runnable import RunnableModel
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think
from loopwright.state.values import JsonObject
from loopwright.testing.scripts import RecordingModel

SCRIPT = ScriptedModel({"default": ["A"]}, label="one")


def plan_of(models: dict[str, ModelRef], *asked: str) -> Plan:
    builder = PlanBuilder("essay", models=models)
    for name in asked:
        builder.node(Think(f"ask {name}", prompt="?", model=name))
    return builder.build()


PLAN = plan_of({"strong": ModelRef("of the plan")}, "default", "strong")


def remembered(name: str) -> Any:
    return {"ref": {"model": name}}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"model": "given"}, {"default": "given", "strong": "given"}),
        ({"model": "given", "models": {"strong": "named"}}, {"default": "given", "strong": "named"}),
        ({"models": {"default": "named"}}, {"default": "named", "strong": "of the plan"}),
        ({"remembered": {"default": remembered("old")}}, {"default": "old", "strong": "of the plan"}),
        (
            {"models": {"default": "named"}, "remembered": {"strong": remembered("old")}},
            {"default": "named", "strong": "old"},
        ),
        (
            {"model": "given", "remembered": {"strong": remembered("old")}},
            {"default": "given", "strong": "given"},
        ),
    ],
)
def test_the_nearest_model_answers(options: dict[str, Any], expected: dict[str, str]) -> None:
    assert models_for(PLAN, **options) == {name: ModelRef(model) for name, model in expected.items()}


def test_only_what_is_asked_for_needs_a_model() -> None:
    assert models_for(plan_of({"unused": ModelRef("m")})) == {}
    live = RecordingModel({"default": ["A"]})
    assert models_for(plan_of({}, "default"), live)["default"] is live


@pytest.mark.parametrize(
    ("plan", "options", "words"),
    [
        (PLAN, {}, "no model is given for 'default': give model= or models="),
        (plan_of({}, "a", "b", "c"), {"models": {"b": "m"}}, "no model is given for 'a', 'c': "),
        (PLAN, {"remembered": {"default": {"live": "a test's"}}}, "no model is given for 'default': "),
        (PLAN, {"models": {"fast": "m", "best": "m"}}, "no node asks for a model 'best', 'fast'; this plan asks for: "),
        (plan_of({}), {"models": {"fast": "m"}}, "no node asks for a model 'fast'; this plan asks for: none"),
        (PLAN, {"model": 3}, "an int is no model: give a name, a ModelRef, a ScriptedModel, a LangChain chat model, "),
        (
            PLAN,
            {"models": {"default": ModelRef, "strong": 3}},
            "ModelRef is a class, and no model: give an instance, ModelRef(...); an int is no model: ",
        ),
        (
            PLAN,
            {"model": ScriptedModel({"ask strnog": ["A"], "x": ["B"], "default": ["C"]})},
            "scripted has replies for 'ask strnog', which is no node that asks a model; did you mean 'ask strong'? "
            "there are: ask default, ask strong; scripted has replies for 'x', which is no node that asks a model; ",
        ),
    ],
)
def test_what_is_wrong_with_models_is_told_at_once(plan: Plan, options: dict[str, Any], words: str) -> None:
    with pytest.raises(RunError) as caught:
        models_for(plan, **options)
    assert str(caught.value).startswith(words)


def test_a_chat_model_of_langchain_is_a_model() -> None:
    chosen = models_for(PLAN, FakeListChatModel(responses=["A"]))
    assert [type(model) for model in chosen.values()] == [RunnableModel, RunnableModel]
    assert as_data(chosen) == {name: {"live": "FakeListChatModel"} for name in ("default", "strong")}


def test_a_script_that_is_remembered_is_taken_as_it_is() -> None:
    remembered = as_data({"default": ScriptedModel({"gone": ["A"]})})
    assert as_data(models_for(plan_of({}, "default"), remembered=remembered)) == remembered


def test_what_is_remembered_comes_back() -> None:
    models: dict[str, AnyModel] = {"default": SCRIPT, "strong": ModelRef("m", temperature=0.5, retries=0)}
    data = as_data(models)
    again = models_for(PLAN, remembered=data)
    assert again["strong"] == models["strong"]
    script = again["default"]
    assert isinstance(script, ScriptedModel)
    assert script.to_data() == SCRIPT.to_data()
    assert [label_of(data[name]) for name in ("default", "strong")] == ["scripted (one)", "m"]


def test_a_live_model_leaves_its_label_only() -> None:
    data = as_data({"default": RecordingModel({"default": ["A"]}, label="mine")})
    assert data == {"default": {"live": "mine"}}
    assert label_of(data["default"]) == "mine"


def test_a_script_that_stays_the_same_keeps_its_mark() -> None:
    before: JsonObject = {"default": {"script": SCRIPT.to_data(), "taken": {"default": 3}, "since": 2}}
    assert as_data({"default": SCRIPT}, before, 5) == before
    other = ScriptedModel({"default": ["B"]})
    assert as_data({"default": other}, before, 5) == {
        "default": {"script": other.to_data(), "taken": {}, "since": 5},
    }


def test_references_are_connected_and_all_else_stays() -> None:
    ready = connected({"a": ModelRef("m"), "d": SCRIPT})
    assert ready["a"].label == "m"
    assert isinstance(ready["a"], Model)
    assert ready["d"] is SCRIPT


@pytest.mark.parametrize("models", ["x", 5, ["default"]])
def test_models_are_a_mapping(models: Any) -> None:
    with pytest.raises(RunError) as caught:
        by_name(models)
    words = "models are a mapping, from the names that a plan asks for to models"
    assert str(caught.value) == f"{words}; {models!r} is none"


@pytest.mark.parametrize("remembered", [5, {}, {"ref": {}}, {"script": {}}, {"script": 5}])
def test_a_model_that_was_damaged_in_the_store(remembered: Any) -> None:
    plan = PlanBuilder("one").node(Think("write", prompt="?")).edge("write", "done", End("good")).build()
    with pytest.raises(StoreError) as caught:
        models_for(plan, remembered={"default": remembered})
    words = "as a model, which cannot be read; give it again"
    assert str(caught.value) == f"the store remembers {remembered!r} {words}"
    assert label_of(remembered) == "unreadable"


def test_a_run_of_several_has_its_own_copy_of_a_script() -> None:
    script, ref = ScriptedModel({"a": ["x"]}, label="s"), ModelRef("m")
    copy = own(script)
    assert isinstance(copy, ScriptedModel)
    assert (copy is script, copy.to_data() == script.to_data(), own(ref) is ref, own(None)) == (False, True, True, None)


def test_a_recording_stands_before_all_models_or_before_one(tmp_path: Path) -> None:
    bare, named = Recording(tmp_path / "a.jsonl"), Recording(tmp_path / "b.jsonl", model=SCRIPT)
    both = models_for(PLAN, bare, {"default": "given"})
    assert [each.source for each in both.values() if isinstance(each, Recorded)] == [
        ModelRef("given"),
        ModelRef("of the plan"),
    ]
    one = models_for(PLAN, "given", {"strong": named})
    assert [getattr(each, "source", each) for each in one.values()] == [ModelRef("given"), ModelRef("given")]
    assert getattr(models_for(PLAN, named)["strong"], "source", None) is SCRIPT


def test_the_names_of_a_run_share_its_place_and_other_runs_do_not(tmp_path: Path) -> None:
    models: dict[str, Any] = {**models_for(PLAN, Recording(tmp_path / "a.jsonl", model="m"))}
    other: dict[str, Any] = {**own_of(models)}
    assert models["default"].track is models["strong"].track
    assert other["default"].track is other["strong"].track
    assert other["default"].track is not models["default"].track


def test_names_that_share_a_script_behind_a_recording_share_the_copy_too(tmp_path: Path) -> None:
    models: dict[str, Any] = {**models_for(PLAN, Recording(tmp_path / "a.jsonl", model=SCRIPT))}
    other: dict[str, Any] = {**own_of(models)}
    assert models["default"].source is models["strong"].source is SCRIPT
    assert other["default"].source is other["strong"].source
    assert other["default"].source is not SCRIPT


def test_a_recording_that_is_remembered_comes_back_with_its_model(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "a.jsonl")
    for model in ("m", SCRIPT):
        data = as_data(models_for(PLAN, recording, {"default": model, "strong": model}))
        again: dict[str, Any] = {**models_for(PLAN, remembered=data)}
        assert as_data(again, data) == data
        assert again["default"].recording.to_data() == recording.to_data()
    replays = as_data(models_for(PLAN, Recording(tmp_path / "a.jsonl", "replay")))
    assert as_data(models_for(PLAN, remembered=replays), replays) == replays


def test_labels_of_what_is_remembered_say_what_is_recorded(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "a.jsonl", "cache")
    models = models_for(PLAN, recording, {"default": SCRIPT, "strong": RecordingModel({"default": ["A"]})})
    assert [label_of(each) for each in as_data(models).values()] == [
        "scripted (one) (cached in a.jsonl)",
        f"{RecordingModel({'default': ['A']}).label} (cached in a.jsonl)",
    ]
    assert label_of({"recording": {"path": "/x/b.jsonl", "mode": "replay"}}) == "replayed from b.jsonl"
    assert label_of({"recording": {"path": "/x/b.jsonl"}}) == "unreadable"
    damaged: Any = {"default": {"recording": {"path": "/x/b.jsonl", "mode": "other"}}}
    with pytest.raises(StoreError, match="as a recording, which cannot be read; give it again"):
        models_for(PLAN, remembered=damaged)


def test_what_is_given_goes_before_the_loops_own_and_a_recording_before_both() -> None:
    bare = Recording("a.jsonl")
    assert (either(None, "own"), either("given", "own"), either(None, None)) == ("own", "given", None)
    before = either(bare, "own")
    assert isinstance(before, Recording)
    assert (before.model, either(bare, bare)) == ("own", bare)
