"""GenWorlds' scenarios of the action-brain map, by itself: exact calls, prompts, events and paths."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.testing import RecordingModel, assert_path, break_at_every_write

SPEAK, GIVE = "Microphone:agent_speaks_into_microphone", "World:agent_gives_object_to_agent_event"
SEED: Any = {
    SPEAK: {"brains": ["podcast_brain", "event_filler_brain"], "next_actions": [GIVE]},
    GIVE: {"brains": ["event_filler_brain"], "next_actions": []},
    "default": {"brains": ["event_filler_brain"], "next_actions": []},
}
BRAINS: Any = {
    "podcast_brain": {"type": "zero_shot", "role": "execution", "output": {"podcast_response": "str"}},
    "event_filler_brain": {"type": "zero_shot", "role": "event_filler"},
}
FILL: Any = {"fill": {"type": "zero_shot", "role": "event_filler"}}


def microphone(**more: Any) -> lw.ActionMap:
    return lw.ActionMap(SEED, brains=BRAINS, sender="ada", **more)


def filler(action: str) -> str:
    return f"{action}/event_filler_brain/decide"


SAID = {"podcast_response": "hello"}
SCRIPT: Any = {
    f"{SPEAK}/podcast_brain/decide": [SAID],
    filler(SPEAK): [{"message": "hello", "target_id": "mic1"}],
    filler(f"then {GIVE}"): [{"recipient_agent_id": "bob", "target_id": "world"}],
}


def shown(model: RecordingModel, node: str, visit: int = 0) -> str:
    return model.prompts(node)[visit][0]["content"]


def test_gw6_and_gw7_speaking_makes_one_event_and_the_microphone_is_passed_on(drive: Any, store: lw.Store) -> None:
    model = RecordingModel(SCRIPT)
    run = drive.start(microphone(), {"action": SPEAK, "aim": "greet"}, model=model, store=store)
    assert run.end == lw.End("done")
    assert_path(
        run,
        [
            f"choose {SPEAK} -> {SPEAK}/begin",
            f"{SPEAK}/begin done -> {SPEAK}/podcast_brain/decide",
            f"{SPEAK}/podcast_brain/decide done -> {filler(SPEAK)}",
            f"{filler(SPEAK)} done -> {SPEAK}/send",
            f"{SPEAK}/send sent -> then {GIVE}/begin",
            f"then {GIVE}/begin done -> {filler(f'then {GIVE}')}",
            f"{filler(f'then {GIVE}')} done -> then {GIVE}/send",
            f"then {GIVE}/send sent -> done",
        ],
    )
    assert model.asked == [f"{SPEAK}/podcast_brain/decide", filler(SPEAK), filler(f"then {GIVE}")]
    speech, gift = (
        {"event_type": "agent_speaks_into_microphone", "sender_id": "ada", "message": "hello", "target_id": "mic1"},
        {
            "event_type": "agent_gives_object_to_agent_event",
            "sender_id": "ada",
            "recipient_agent_id": "bob",
            "target_id": "world",
        },
    )
    assert run.result == [speech, gift]
    assert [(event.type, event.payload) for event in store.inbox.all()] == [
        (each["event_type"], {name: value for name, value in each.items() if name != "event_type"})
        for each in (speech, gift)
    ]


def test_gw6_each_brain_is_shown_the_goal_the_command_and_what_those_before_it_said() -> None:
    model = RecordingModel(SCRIPT)
    microphone().start({"action": SPEAK, "aim": "greet"}, model=model)
    podcast, fill = shown(model, f"{SPEAK}/podcast_brain/decide"), shown(model, filler(SPEAK))
    assert "- Current goal: greet\n" in podcast
    assert f'"name": "{SPEAK}"' in podcast
    assert '- Current goal: greet\n- {"podcast_response": "hello"}\n' in fill
    assert "podcast_response" not in shown(model, filler(f"then {GIVE}"))


def test_gw9_a_running_chain_suppresses_what_its_own_steps_would_call_for() -> None:
    names = ["X", "A", "B", "C", "D"]
    follow = {"X": ["A", "B"], "A": ["C"], "B": ["D"]}
    loop = lw.ActionMap(
        {name: {"brains": ["fill"], "next_actions": follow.get(name, [])} for name in names}, brains=FILL
    )
    assert not loop.check()
    run = loop.start({"action": "X", "aim": "go"}, model=lw.ScriptedModel({"default": [{}], "repeat": "last"}))
    assert [event["event_type"] for event in run.result] == ["X", "A", "B", "D"]
    begun = [visit.node for visit in run.visits if visit.node.endswith("/begin")]
    assert begun == ["X/begin", "then A, then B/begin", "then B/begin", "then D/begin"]
    assert len(run.visits) == 1 + 3 * 4  # no decision stands between the steps


def test_gw4_below_the_threshold_nothing_is_sent_and_nothing_is_armed() -> None:
    brains = {**BRAINS, "podcast_brain": {"type": "multi_eval", "n": 2, "threshold": 7, "prompt": "Speak."}}
    loop = lw.ActionMap(SEED, brains=brains)
    script = {
        f"{SPEAK}/podcast_brain/generate": [{"options": ["a", "b"]}],
        "judge": [{"rating": 3}, {"rating": 6}],
    }
    run = loop.start({"action": SPEAK, "aim": "greet"}, model=RecordingModel(script))
    assert (run.end, run.result) == (lw.End("nothing", ok=False), [])
    assert run.reason.startswith(f"{SPEAK}: podcast_brain came to nothing: ")
    assert "6" in run.reason
    assert "pending" not in run.state


def test_gw10_an_output_that_is_no_event_is_told_and_a_follow_up_is_tried_again_with_the_reason() -> None:
    actions = {**SEED, GIVE: {"brains": ["free"], "event": {"recipient": "str"}}}
    brains = {**BRAINS, "free": {"type": "zero_shot", "role": "execution"}}
    giving = f"then {GIVE}/free/decide"
    model = RecordingModel({**SCRIPT, giving: ["to bob", "to Bob, please", "to bob!", "no"]})
    run = lw.ActionMap(actions, brains=brains).start({"action": SPEAK, "aim": "greet"}, model=model)
    assert run.end == lw.End("follow_up_failed", ok=False)
    assert run.reason.endswith(f"; {GIVE}: the last thought is no object with the arguments of the command: no")
    assert len(model.prompts(giving)) == 4
    assert "## Why the last attempt came to nothing\nnone" in shown(model, giving)
    assert f"nothing\n{GIVE}: the last thought is no object with the arguments of the command: to bob" in shown(
        model, giving, 1
    )
    assert run.state["pending"] == [GIVE]
    assert [event["event_type"] for event in run.result] == ["agent_speaks_into_microphone"]


def test_a_retry_that_succeeds_goes_on() -> None:
    actions = {**SEED, GIVE: {"brains": ["free"], "event": {"recipient": "str"}}}
    brains = {**BRAINS, "free": {"type": "zero_shot", "role": "execution", "output": {"type": "object"}}}
    giving = f"then {GIVE}/free/decide"
    script = {**SCRIPT, giving: [{"recipient": 3}, {"recipient": "bob"}]}
    run = lw.ActionMap(actions, brains=brains).start({"action": SPEAK, "aim": "greet"}, model=RecordingModel(script))
    assert run.end == lw.End("done")
    assert run.result[-1]["recipient"] == "bob"
    assert run.state["last_failure"] == ""


def test_gw11_an_action_that_the_map_does_not_name_has_the_brains_of_default() -> None:
    script = {"default/event_filler_brain/decide": [{"where": "north"}]}
    run = microphone().start({"action": "World:agent_moves", "aim": "leave"}, model=RecordingModel(script))
    assert run.result == [{"event_type": "agent_moves", "sender_id": "ada", "where": "north"}]


@pytest.mark.parametrize(
    ("actions", "fault"),
    [
        (
            {"a": {"brains": ["fill"], "next_actions": ["b"]}},
            "actions.a.next_actions.0: there is no action 'b', and no default for it",
        ),
        ({"a": {"brains": ["fil"]}}, r"actions.a.brains.0: there is no brain 'fil' \(did you mean 'fill'\?"),
        ({"a": []}, "actions.a.brains: the action 'a' has no brains"),
    ],
)
def test_gw11_what_the_original_died_of_is_told_at_load(actions: Any, fault: str) -> None:
    with pytest.raises(lw.SourceError, match=fault):
        lw.ActionMap(actions, brains=FILL)


def test_gw11_without_default_only_its_actions_can_be_named() -> None:
    loop = lw.ActionMap({"a": ["fill"]}, brains=FILL)
    with pytest.raises(lw.RunError, match="input 'action' does not fit"):
        loop.start({"action": "b", "aim": "go"}, model=RecordingModel({"default": ["-"]}))


def test_gw16_killed_after_the_podcast_brain_the_next_call_is_the_filler(store: lw.Store) -> None:
    first = RecordingModel({f"{SPEAK}/podcast_brain/decide": [SAID], filler(SPEAK): [{"error": "gone"}]})
    run = microphone().start({"action": SPEAK, "aim": "greet"}, store=store, model=first)
    assert run.status == "suspended"
    second = RecordingModel({key: SCRIPT[key] for key in (filler(SPEAK), filler(f"then {GIVE}"))})
    again = lw.open_run(store, run.id).resume(model=second)
    assert again.end == lw.End("done")
    assert second.asked == [filler(SPEAK), filler(f"then {GIVE}")]
    assert shown(second, filler(SPEAK)) == shown(first, filler(SPEAK))


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
def test_gw16_broken_at_every_write_nothing_is_lost_and_nothing_done_twice(awaited: bool) -> None:
    made = break_at_every_write(microphone(), {"action": SPEAK, "aim": "greet"}, model=SCRIPT, awaited=awaited)
    assert (made.calls, made.most) == (3, 1)


def test_the_worst_case_is_reached() -> None:
    loop = lw.ActionMap(
        {
            SPEAK: {"brains": ["free"], "next_actions": [GIVE, "wave"], "event": {"message": "str"}},
            GIVE: {"brains": ["free"], "event": {"message": "str"}},
            "wave": {"brains": ["free"], "event": {"message": "str"}},
        },
        brains={"free": {"type": "zero_shot", "output": {"type": "object"}}},
        retries=1,
    )
    said = [{"message": "a"}, {}, {"message": "b"}, {}, {}]
    run = loop.start({"action": SPEAK, "aim": "greet"}, model=lw.ScriptedModel({"decide": said}))
    assert run.end == lw.End("follow_up_failed", ok=False)
    assert (run.usage.calls, len(run.visits)) == (loop.certificate.calls, loop.certificate.visits)


def test_d20_type_and_sender_are_never_the_models() -> None:
    loop = lw.ActionMap({"wave": ["say"]}, brains={"say": {"type": "zero_shot", "output": {"type": "object"}}})
    said = {"text": "hi", "sender_id": "eve", "event_type": "gives", "created_at": "never"}
    run = loop.start({"action": "wave", "aim": "greet"}, model=RecordingModel({"decide": [said]}))
    assert run.result == [{"event_type": "wave", "sender_id": "action_map", "text": "hi"}]


def test_d21_braces_in_aims_and_prompts_are_plain_text() -> None:
    brains = {"fill": {**FILL["fill"], "system": 'You answer as {"name": "x"} does.'}}
    model = RecordingModel({"decide": [{}]})
    run = lw.ActionMap({"wave": ["fill"]}, brains=brains).start({"action": "wave", "aim": "{<{aim}>}"}, model=model)
    assert run.end == lw.End("done")
    assert 'You answer as {"name": "x"} does.' in shown(model, "wave/fill/decide")
    assert "- Current goal: {<{aim}>}" in shown(model, "wave/fill/decide")


def test_a_forced_cycle_without_an_exit_is_a_finding_at_the_follow_ups() -> None:
    loop = lw.ActionMap({"a": {"brains": ["fill"], "next_actions": ["a"]}}, brains=FILL)
    (finding,) = loop.check()
    assert finding.code == "unbounded-loop"
    assert finding.message == "the loop of 'then a' has no bound: 'then a' [sent] leads back to it"


def test_custom_brains_are_functions_nodes_and_loops() -> None:
    def first(aim: str) -> dict[str, str]:
        return {"shouted": aim.upper()}

    @lw.node(name="second", outcomes=["done", "none"], writes="said")
    def second(previous_brain_outputs: list[Any]) -> tuple[str, dict[str, Any]]:
        return "done", {"said": {**previous_brain_outputs[-1], "twice": True}}

    loop = lw.ActionMap(
        {"shout": ["first", "second", "third"]},
        brains={
            "first": lw.Act("first", first),
            "second": second,
            "third": lw.ZeroShot(prompt="<{command}>", output=dict),
        },
    )
    assert not loop.check()
    model = RecordingModel({"decide": [{"message": "HEY"}]})
    run = loop.start({"action": "shout", "aim": "hey"}, model=model)
    assert run.result == [{"event_type": "shout", "sender_id": "action_map", "message": "HEY"}]
    shown_last = model.prompts("shout/third/decide")[0][0]["content"]
    assert '"name": "shout"' in shown_last
