"""GenWorlds' scenarios of the think loop: menus, prompts, events and what an agent does when it wakes."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.nodes.models.contract import ModelCall
from loopwright.state.values import Json, JsonObject
from loopwright.testing import RecordingModel, break_at_every_write

SPEAK, GIVE = "Microphone:agent_speaks_into_microphone", "World:agent_gives_object_to_agent_event"
MOVE = "World:agent_moves_to_new_location"
WAIT, USER, EXIT = "Self:wait", "Self:agent_speaks_with_user_event", "Self:exit"
SEED: Any = {
    SPEAK: {"brains": ["podcast_brain", "event_filler_brain"], "next_actions": [GIVE]},
    GIVE: {"brains": ["event_filler_brain"], "next_actions": []},
    MOVE: ["event_filler_brain"],
    "default": {"brains": ["event_filler_brain"], "next_actions": []},
}
BRAINS: Any = {
    "podcast_brain": {"type": "zero_shot", "role": "execution", "output": {"podcast_response": "str"}},
    "event_filler_brain": {"type": "zero_shot", "role": "event_filler"},
}
WAKES: Any = {"agent_gives_object_to_agent_event": {"recipient_agent_id": "<{id}>"}}


def agent(**more: Any) -> lw.ThinkLoop:
    navigation = {"type": "zero_shot"}
    given = {"name": "ada", "navigation": navigation, "wakes_on": WAKES, "goals": ["keep the talk going"], **more}
    return lw.ThinkLoop(SEED, brains=BRAINS, **given)


def choice(action: str, aim: str = "greet", **more: Any) -> JsonObject:
    said: Any = {"inventory": [], "step_completed": "", "plan": ["talk"], "violated_constraints": []}
    return {**said, "next_action_aim": aim, "next_action": action, "is_action_valid": True, **more}


class Mind:
    """Answers the decisions in order, and every brain by what it is for."""

    def __init__(self, *decisions: Json, **fills: Json) -> None:
        self._decisions, self._fills = list(decisions), fills
        self.model = RecordingModel(self._reply)

    def _reply(self, call: ModelCall) -> Json:
        if call.node.startswith("navigate"):
            return self._decisions.pop(0)
        if "podcast_brain" in call.node:
            return {"podcast_response": "hello"}
        return self._fills.get("fill", {"message": "hello"})

    @property
    def menus(self) -> list[list[str]]:
        """What could be chosen, decision by decision."""
        schemas: Any = [call.schema for call in self.model.calls if call.node.startswith("navigate")]
        return [schema["properties"]["next_action"]["enum"] for schema in schemas]

    @property
    def prompts(self) -> list[str]:
        """What the decisions were shown."""
        return [messages[0]["content"] for messages in self.model.prompts("navigate/decide")]


def steps(run: lw.Run) -> list[str]:
    """The actions and sleeps of a run."""
    visits = (visit for visit in run.visits if visit.node.endswith("/send") or visit.node == "asleep")
    return [visit.node.removeprefix("act/").removesuffix("/send") for visit in visits]


def hears(store: lw.Store, run: lw.Run, model: Any, event_type: str, **event: Any) -> lw.Run:
    store.send("agent_event", {"event_type": event_type, **event}, to=run.id)
    return lw.open_run(store, run.id).resume(model=model)


ALL = [WAIT, USER, EXIT, SPEAK, GIVE, MOVE]


def test_gw6_gw7_by_edges_the_microphone_is_passed_on_without_a_decision(drive: Any, store: lw.Store) -> None:
    mind = Mind(choice(SPEAK), choice(WAIT))
    run = drive.start(agent(), model=mind.model, store=store)
    assert run.status == "waiting"
    assert steps(run) == [SPEAK, f"then {GIVE}"]
    assert mind.menus == [ALL, ALL]
    sent: list[Any] = [event.payload for event in store.inbox.all("agent_event")]
    assert [event["event_type"] for event in sent] == [
        "agent_speaks_into_microphone",
        "agent_gives_object_to_agent_event",
    ]
    assert {event["sender_id"] for event in sent} == {"ada"}
    assert '- {"event_type": "agent_speaks_into_microphone", "sender_id": "ada"' in mind.prompts[1]


def test_gw7_when_asked_only_the_follow_up_is_on_offer() -> None:
    mind = Mind(choice(SPEAK), choice(GIVE), choice(WAIT))
    run = agent(follow_up="ask").start(model=mind.model)
    assert steps(run) == [SPEAK, GIVE]
    assert mind.menus == [ALL, [WAIT, USER, GIVE], ALL]


def test_gw7_another_action_than_the_follow_up_is_refused_with_the_menu() -> None:
    mind = Mind(choice(SPEAK), choice(MOVE), choice(MOVE), choice(GIVE), choice(WAIT))
    run = agent(follow_up="ask").start(model=mind.model)
    assert steps(run) == [SPEAK, GIVE]
    repair, after = mind.model.calls[4], mind.prompts[3]
    assert MOVE in repair.messages[-1]["content"]
    assert f"could not be read; the actions on offer are: {WAIT}, {USER}, {GIVE}" in after


def test_gw8_waiting_does_not_use_up_the_follow_up(store: lw.Store) -> None:
    loop, mind = agent(follow_up="ask"), Mind(choice(SPEAK), choice(WAIT), choice(WAIT))
    run = loop.start(model=mind.model, store=store)
    hears(store, run, mind.model, "agent_gives_object_to_agent_event", recipient_agent_id="ada", sender_id="bob")
    assert mind.menus == [ALL, [WAIT, USER, GIVE], [WAIT, USER, GIVE]]


def test_speaking_with_the_person_does_not_use_it_up_either() -> None:
    mind = Mind(choice(SPEAK), choice(USER), choice(GIVE), choice(EXIT))
    run = agent(follow_up="ask").start(model=mind.model)
    assert steps(run) == [SPEAK, USER, GIVE]
    assert mind.menus[2] == [WAIT, USER, GIVE]
    assert run.end == lw.End("finished")


def test_gw10_unknown_actions_are_told_and_bounded_and_then_it_sleeps() -> None:
    mind = Mind(*[choice("Foo:bar")] * 8)
    run = agent().start(model=mind.model)
    assert run.status == "waiting"
    assert steps(run) == []
    assert len(mind.model.calls) == 8  # four attempts, each with one repair
    assert '"Foo:bar" is not one of' in mind.model.calls[1].messages[-1]["content"]
    assert all(action in mind.prompts[2] for action in ALL)


def test_gw10_a_valid_answer_after_three_goes_on() -> None:
    mind = Mind(*[choice("Foo:bar")] * 3, choice(MOVE), choice(WAIT))
    assert steps(agent().start(model=mind.model)) == [MOVE]


def test_an_invalid_action_is_not_taken_and_its_reason_is_in_the_next_prompt() -> None:
    broken = choice(SPEAK, is_action_valid=False, violated_constraints=["only the holder speaks"])
    mind = Mind(broken, choice(WAIT))
    run = agent().start(model=mind.model)
    assert steps(run) == []
    assert 'violated_constraints is ["only the holder speaks"]' in mind.prompts[1]


def test_the_reason_of_a_failed_act_is_shown_to_the_decision_and_to_the_brains_after_it() -> None:
    loop = lw.ThinkLoop(
        {"wave": {"brains": ["think"], "event": {"to": "str"}}},
        brains={"think": {"type": "zero_shot", "role": "execution"}},
        navigation={"type": "zero_shot"},
    )
    model = RecordingModel({"navigate/decide": [choice("wave"), choice("wave")], "act/wave/think/decide": ["a", "b"]})
    run = loop.start(model=model)
    reason = "wave: the last thought is no object with the arguments of the command: a"
    assert run.status == "suspended"  # the script is over
    assert reason in model.prompts("navigate/decide")[1][0]["content"]
    assert reason in model.prompts("act/wave/think/decide")[1][0]["content"]


def test_d8_a_model_that_fails_suspends_the_agent_which_then_goes_on(store: lw.Store) -> None:
    model = RecordingModel(
        {"navigate/decide": [{"error": "the server is down"}, choice(MOVE), choice(EXIT)], "decide": [{}]}
    )
    run = agent().start(model=model, store=store)
    assert (run.status, "the server is down" in run.reason) == ("suspended", True)
    run = lw.open_run(store, run.id).resume(model=model)
    assert (run.end, steps(run)) == (lw.End("finished"), [MOVE])


def test_d11_what_was_not_sent_is_not_remembered() -> None:
    actions = {"wave": {"brains": ["event_filler_brain"], "event": {"to": "str"}}}
    loop = lw.ThinkLoop(actions, brains=BRAINS, navigation={"type": "zero_shot"}, retries=0)
    model = RecordingModel({"navigate/decide": [choice("wave")], "decide": [{"to": 3}, {"to": 4}]})
    run = loop.start(model=model)
    assert (run.status, run.state["memory"], run.state["last_failure"]) == (
        "waiting",
        [],
        "wave: event_filler_brain came to nothing: its answer could not be read",
    )


def test_a_follow_up_that_fails_stays_pending_while_it_sleeps(store: lw.Store) -> None:
    actions = {**SEED, GIVE: {"brains": ["event_filler_brain"], "event": {"recipient_agent_id": "str"}}}
    loop = lw.ThinkLoop(actions, brains=BRAINS, name="ada", navigation={"type": "zero_shot"}, retries=1)
    model = RecordingModel(
        {
            "navigate/decide": [choice(SPEAK), choice(WAIT)],
            f"act/{SPEAK}/podcast_brain/decide": [{"podcast_response": "hello"}],
            f"act/{SPEAK}/event_filler_brain/decide": [{"message": "hello"}],
            f"act/then {GIVE}/event_filler_brain/decide": [*[{"to": "bob"}] * 4, {"recipient_agent_id": "bob"}],
        }
    )
    run = loop.start(model=model, store=store)
    assert run.status == "waiting"
    assert run.state["pending"] == [GIVE]
    assert run.state["last_failure"] == f"{GIVE}: event_filler_brain came to nothing: its answer could not be read"
    run = hears(store, run, model, "user_speaks_with_agent_event", message="go on")
    assert (run.status, run.state["pending"]) == ("waiting", [])
    assert steps(run) == [SPEAK, "asleep", f"then {GIVE}"]
    assert len(model.prompts("navigate/decide")) == 2  # what has to follow is no decision


def test_gw12_only_what_it_is_to_wake_on_wakes_and_all_that_concerns_it_is_remembered(store: lw.Store) -> None:
    mind = Mind(choice(WAIT), choice(EXIT))
    run = agent().start(model=mind.model, store=store)
    give = "agent_gives_object_to_agent_event"
    for event in ({"recipient_agent_id": "bob"}, {}, {"recipient_agent_id": "ada", "target_id": "eve"}):
        run = hears(store, run, mind.model, give, sender_id="bob", **event)
        assert run.status == "waiting"
    run = hears(store, run, mind.model, give, sender_id="ada", recipient_agent_id="ada")
    assert (run.status, len(mind.menus)) == ("waiting", 1)
    run = hears(store, run, mind.model, give, sender_id="bob", recipient_agent_id="ada")
    assert run.end == lw.End("finished")
    memory = mind.prompts[1]
    assert '"recipient_agent_id": "bob"' in memory
    assert '"recipient_agent_id": "ada"' in memory
    assert '"eve"' not in memory


def test_what_comes_while_it_acts_is_heard_before_the_next_decision(drive: Any, store: lw.Store) -> None:
    mind = Mind(choice(MOVE), choice(WAIT), choice(EXIT))
    said = iter(range(10))

    class Busy:
        """Something happens whenever a model is asked."""

        label, retries = "busy", 0

        def ask(self, call: ModelCall) -> lw.ModelReply:
            number = next(said)
            store.send("agent_event", {"event_type": "rain", "number": number, "target_id": "ada" if number else "eve"})
            return mind.model.ask(call)

        async def aask(self, call: ModelCall) -> lw.ModelReply:
            return self.ask(call)

    run = drive.start(agent(), model=Busy(), store=store)
    assert run.status == "waiting"
    assert '"number": 1' in mind.prompts[1]
    assert '"number": 0' not in mind.prompts[1]
    assert [len(visit.reply) for visit in run.visits if visit.node == "hear"] == [0, 2]
    run = drive.resume(run, model=mind.model)  # what came with the last decision is heard in its sleep
    assert [event["number"] for event in run.state["memory"] if event["event_type"] == "rain"] == [1, 2]
    assert run.status == "waiting"


def test_gw12_a_person_wakes_it(store: lw.Store) -> None:
    mind = Mind(choice(WAIT), choice(USER, "answer"), choice(WAIT))
    run = agent().start(model=mind.model, store=store)
    run = hears(store, run, mind.model, "user_speaks_with_agent_event", message="are you there?")
    assert steps(run) == ["asleep", USER]
    assert "are you there?" in mind.prompts[1]
    said = list(store.inbox.all("agent_event"))[-1].payload
    assert said == {"event_type": "agent_speaks_with_user_event", "sender_id": "ada", "message": "hello"}


@pytest.mark.parametrize("awaited", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["sync", "async"])
def test_broken_at_every_write_it_is_the_same_agent(awaited: bool) -> None:
    """Its memory, what is pending, and the events that it sent are those of a run that was not broken."""
    script = {
        "navigate/decide": [choice(SPEAK), choice(WAIT), choice(USER), choice(EXIT)],
        f"act/{SPEAK}/podcast_brain/decide": [{"podcast_response": "hello"}],
        "decide": [{"message": "hello"}],
        "repeat": "last",
    }
    gift = {"event_type": "agent_gives_object_to_agent_event", "sender_id": "bob", "recipient_agent_id": "ada"}
    people = {"asleep": [{"event_type": "rain"}, gift]}
    made = break_at_every_write(agent(), model=script, people=people, awaited=awaited)
    assert (made.calls, made.most) == (8, 1)


def test_the_worst_case_per_reply_is_reached(store: lw.Store) -> None:
    loop = lw.ThinkLoop(
        {"wave": {"brains": ["free"], "event": {"to": "str"}}},
        brains={"free": {"type": "zero_shot", "output": {"type": "object"}}},
        navigation={"type": "zero_shot"},
        acts=2,
        retries=1,
    )
    script = {"navigate/decide": [choice(WAIT), *[choice("wave")] * 4], "decide": [{}, {"to": "bob"}] * 2}
    model = RecordingModel(script)
    run = loop.start(model=model, store=store)
    before = len(run.visits)
    run = hears(store, run, model, "user_speaks_with_agent_event", message="wave to all")
    assert run.status == "waiting"
    assert len(model.calls) - 1 == loop.certificate.per_reply_calls
    assert len(run.visits) - before == loop.certificate.per_reply_visits


def test_it_acts_only_so_often_between_two_sleeps() -> None:
    mind = Mind(*[choice(MOVE)] * 3)
    run = agent(acts=3).start(model=mind.model)
    assert (run.status, steps(run)) == ("waiting", [MOVE] * 3)


def test_gw15_by_the_map_of_the_seed_nobody_speaks_twice_in_a_row() -> None:
    for follow_up in ("edges", "ask"):
        plan = agent(follow_up=follow_up).plan
        mind = Mind(choice(SPEAK), *([] if follow_up == "edges" else [choice(GIVE)]), choice(SPEAK), choice(WAIT))
        run = agent(follow_up=follow_up, acts=2 if follow_up == "edges" else 3).start(model=mind.model)
        speeches = [index for index, step in enumerate(steps(run)) if step == SPEAK]
        assert all(step.endswith(GIVE) for step in (steps(run)[index + 1] for index in speeches[:-1]))
        assert plan.nodes


@pytest.mark.parametrize("follow_up", ["edges", "ask"])
def test_the_plan_is_sound_and_its_worst_case_per_reply_is_told(follow_up: Any) -> None:
    loop = agent(follow_up=follow_up)
    assert not loop.check()
    assert str(loop.certificate).startswith("worst case per reply: ")


def test_placeholders_that_the_agent_has_not_are_faults() -> None:
    brains = {**BRAINS, "podcast_brain": {"type": "zero_shot", "prompt": "<{personality}> <{golas}>"}}
    with pytest.raises(lw.SourceError) as caught:
        lw.ThinkLoop(SEED, brains=brains, goals=["talk"])
    assert [str(fault) for fault in caught.value.faults] == [
        "brains.podcast_brain: the brain asks for 'personality', which the agent has not "
        "(say its personality, or leave it out)",
        "brains.podcast_brain: the brain asks for 'golas', which the agent has not "
        "(did you mean 'goals'? there are: aim, command, events, goals, id, "
        "last_failure, memory, pending, plan, previous_brain_outputs)",
    ]
