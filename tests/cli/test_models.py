"""The models of a command: who is named, and what they need before anything starts."""

from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.exits import WrongUse
from loopwright.cli.models import given_model, require_models
from loopwright.errors import RunError, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import Plan
from loopwright.nodes.models.recording.recording import Recording
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.nodes.think import Think


def plan_of(**models: ModelRef) -> Plan:
    builder = PlanBuilder("essay", models=models)
    for name in models or ["default"]:
        builder.node(Think(f"ask {name}", prompt="?", model=name))
    return builder.build()


def test_options_name_one_model_or_none(tmp_path: Path) -> None:
    script = tmp_path / "essay.script.yaml"
    script.write_text("default: [A]\n")
    assert given_model("", None) is None
    assert given_model("gpt-4o-mini", None) == ModelRef("gpt-4o-mini")
    scripted = given_model("", script)
    assert isinstance(scripted, ScriptedModel)
    assert scripted.label == "scripted (essay.script.yaml)"
    with pytest.raises(WrongUse, match="--model and --script both say who answers"):
        given_model("gpt-4o-mini", script)


def test_a_script_with_faults(tmp_path: Path) -> None:
    script = tmp_path / "empty.yaml"
    script.write_text("default: []\n")
    with pytest.raises(SourceError, match=r"empty\.yaml:1: default: a queue is a list of replies"):
        given_model("", script)


def test_labels_are_told_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAS_KEY", "x")
    refs = {
        "a": ModelRef("m", api_key_env="HAS_KEY"),
        "b": ModelRef("n", api_key_env=""),
        "c": ModelRef("m", api_key_env=""),
    }
    assert require_models(plan_of(**refs), None) == ["m", "n"]
    assert require_models(plan_of(**refs), ScriptedModel({"default": ["A"]})) == ["scripted"]


def test_all_keys_that_are_missing_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KEY_A", "KEY_B"):
        monkeypatch.delenv(name, raising=False)
    refs = {"a": ModelRef("m", api_key_env="KEY_A"), "b": ModelRef("n", api_key_env="KEY_B")}
    with pytest.raises(WrongUse) as caught:
        require_models(plan_of(**refs, c=ModelRef("o", api_key_env="")), None)
    assert str(caught.value).startswith(
        "KEY_A, KEY_B are not set, and m, n cannot be asked without; nothing was started"
    )
    monkeypatch.setenv("KEY_A", "x")
    with pytest.raises(WrongUse, match=r"^KEY_B is not set, and n cannot be asked without"):
        require_models(plan_of(**refs), None)


def test_the_stores_memory_counts() -> None:
    remembered = {"default": {"ref": {"model": "old", "api_key_env": ""}}}
    assert require_models(plan_of(), None, remembered) == ["old"]
    with pytest.raises(RunError, match="no model is given for 'default'"):
        require_models(plan_of(), None, {"default": {"live": "mine"}})


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"record": "a", "replay": "b"},
            "--record and --replay say different things of the same calls; give one of them",
        ),
        ({"record": "a", "cache": "b", "replay": "c"}, "--record and --replay and --cache say different things"),
        ({"replay": "a", "model": "m"}, "--replay asks no model; leave --model out, or say --cache FILE"),
    ],
)
def test_options_of_recordings_that_do_not_go_together(files: dict[str, str], words: str) -> None:
    named: Any = {name: Path(file) for name, file in files.items() if name != "model"}
    with pytest.raises(WrongUse, match=words):
        given_model(files.get("model", ""), None, **named)


def test_a_recording_stands_before_what_the_options_name(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    made = [given_model("m", None, record=file), given_model("", None, cache=file), given_model("", None, replay=file)]
    assert [(each.mode, each.model) for each in made if isinstance(each, Recording)] == [
        ("record", ModelRef("m")),
        ("cache", None),
        ("replay", None),
    ]


def test_a_recording_needs_a_key_and_a_cache_may_need_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    file = tmp_path / "calls.jsonl"
    assert require_models(plan_of(), Recording(file, "cache", model="m")) == ["m (cached in calls.jsonl)"]
    with pytest.raises(WrongUse, match="OPENAI_API_KEY is not set, and m cannot be asked without"):
        require_models(plan_of(), Recording(file, model="m"))
    assert require_models(plan_of(), Recording(file, "replay")) == ["no model (replayed from calls.jsonl)"]


def test_a_torn_recording_is_told(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    script = ScriptedModel({"default": ["A"]})
    require_models(plan_of(), Recording(file, model=script))
    file.write_bytes(file.read_bytes() + b'{"run": ')
    torn = "whose line 2, the last, is not whole and was left out"
    assert require_models(plan_of(), Recording(file, "replay")) == [f"no model (replayed from calls.jsonl), {torn}"]
    assert require_models(plan_of(), Recording(file, model=script)) == [f"scripted (recorded in calls.jsonl), {torn}"]
    assert require_models(plan_of(), Recording(file, model=script)) == ["scripted (recorded in calls.jsonl)"]
