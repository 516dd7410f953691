"""GenWorlds' scenarios of a world: what is refused, who hears what, the microphone, and who wakes."""

from collections.abc import Sequence
from typing import Any

import pytest

import loopwright as lw
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.world.minds import channel_of
from loopwright.state.values import Json, JsonObject
from loopwright.testing import RecordingModel

SPEAK, GIVE = "Microphone:agent_speaks_into_microphone", "World:agent_gives_object_to_agent_event"
TALK, MOVE = "World:agent_speaks_with_agent_event", "World:agent_moves_to_new_location"
WAIT, USER, EXIT = "Self:wait", "Self:agent_speaks_with_user_event", "Self:exit"
SEED: Any = {
    SPEAK: {"brains": ["podcast_brain", "event_filler_brain"], "next_actions": [GIVE]},
    GIVE: {"brains": ["event_filler_brain"], "next_actions": []},
    "default": {"brains": ["event_filler_brain"], "next_actions": []},
}
BRAINS: Any = {
    "podcast_brain": {"type": "zero_shot", "role": "execution", "output": {"podcast_response": "str"}},
    "event_filler_brain": {"type": "zero_shot", "role": "event_filler"},
}
BASE: Any = {
    "actions": SEED,
    "brains": BRAINS,
    "navigation": {"type": "zero_shot"},
    "wakes_on": {"agent_gives_object_to_agent_event": {"recipient_agent_id": "<{id}>"}},
}
MIC: Any = {"mic": {"class": "Microphone", "held_by": "ada"}}


def society(*awake: str, ids: str = "ada bob", base: Any = BASE, **more: Any) -> lw.Society:
    agents = {id: {"awake": id in awake} for id in ids.split()}
    return lw.Society(agents, base_agent=base, objects=more.pop("objects", MIC), **more)


def choice(action: str, aim: str = "greet", **more: Any) -> JsonObject:
    said: Any = {"inventory": [], "step_completed": "", "plan": ["talk"], "violated_constraints": []}
    return {**said, "next_action_aim": aim, "next_action": action, "is_action_valid": True, **more}


class Minds:
    """Answers each agent's decisions and fillings in their order; every other brain says hello."""

    def __init__(self, **said: Sequence[tuple[str, Any]]) -> None:
        self._decisions = {who: [choice(action) for action, _ in acts] for who, acts in said.items()}
        self._fills = {who: [fill for _, fill in acts if fill is not None] for who, acts in said.items()}
        self.model = RecordingModel(self._reply)

    def _reply(self, call: ModelCall) -> Json:
        who = call.node.partition("[id=")[2].partition("]")[0]
        if "/navigate/" in call.node:
            return self._decisions[who].pop(0)
        if "podcast_brain" in call.node:
            return {"podcast_response": "hello"}
        fill: Json = self._fills[who].pop(0)
        return fill

    def menus(self, who: str) -> list[list[str]]:
        """What an agent could choose, decision by decision."""
        schemas: Any = [call.schema for call in self.model.calls if call.node == f"turns[id={who}]/navigate/decide"]
        return [schema["properties"]["next_action"]["enum"] for schema in schemas]

    def prompts(self, who: str) -> list[str]:
        """What an agent's decisions were shown."""
        return [messages[0]["content"] for messages in self.model.prompts(f"turns[id={who}]/navigate/decide")]


def gift(heir: str) -> JsonObject:
    return {"object_id": "mic", "recipient_agent_id": heir}


def said(what: str = "hello") -> JsonObject:
    return {"message": what, "target_id": "mic"}


def log(run: lw.Run) -> Any:
    return run.state.get("happened", [])


def happened(run: lw.Run) -> list[tuple[str, str]]:
    return [(event["sender_id"], event["event_type"]) for event in log(run)]


def now(run: lw.Run) -> Any:
    return run.state["world"]


def mind(run: lw.Run, who: str) -> Any:
    name = channel_of(who)
    return run.state.get(name, run.plan.channels[name].default)


def memory(run: lw.Run, who: str) -> list[str]:
    return [event["event_type"] for event in mind(run, who)["memory"]]


def test_gw15_the_microphone_goes_round_and_nobody_speaks_twice_in_a_row(drive: Any, store: lw.Store) -> None:
    minds = Minds(
        ada=[(SPEAK, said("one")), (WAIT, gift("bob")), (SPEAK, said("three")), (EXIT, gift("bob"))],
        bob=[(SPEAK, said("two")), (WAIT, gift("ada")), (EXIT, None)],
    )
    run = drive.start(society("ada"), model=minds.model, store=store)
    assert run.end == lw.End("over")
    speaks, gives = "agent_speaks_into_microphone", "agent_gives_object_to_agent_event"
    assert happened(run) == [
        ("ada", speaks),
        ("ada", gives),
        ("bob", speaks),
        ("bob", gives),
        ("ada", speaks),
        ("ada", gives),
    ]
    assert run.result[0] == {
        "event_type": speaks,
        "sender_id": "ada",
        "message": "one",
        "target_id": "mic",
        "tick": 0,
        "hops": 1,
    }
    assert SPEAK in minds.menus("ada")[0]
    assert SPEAK not in minds.menus("ada")[1]  # it was given away: what cannot be done is not on offer
    assert now(run)["objects"]["mic"]["held_by"] == ""  # both have left


def test_gw13_a_give_by_who_does_not_hold_it_is_refused_to_the_sender_alone(store: lw.Store) -> None:
    """Bob has to give what he never held: the follow-up is forced, and the world does not let it happen."""
    base = {**BASE, "actions": {**SEED, USER: {"brains": ["event_filler_brain"], "next_actions": [GIVE]}}, "retries": 1}
    minds = Minds(bob=[(USER, {"message": "hi"}), (EXIT, gift("ada")), (EXIT, gift("ada"))])
    run = society("bob", base=base).start(model=minds.model, store=store)
    assert run.status == "waiting"
    assert happened(run) == [
        ("bob", "agent_speaks_with_user_event"),
        ("world", "world_refuses_event"),
        ("world", "world_refuses_event"),
    ]
    refusal: Any = log(run)[1]
    assert (refusal["target_id"], refusal["reason"]) == ("bob", "you do not hold 'mic': ada holds it")
    assert refusal["refused"] == {"event_type": "agent_gives_object_to_agent_event", **gift("ada")}
    assert now(run)["objects"]["mic"]["held_by"] == "ada"
    assert memory(run, "ada") == []
    assert mind(run, "ada")["asleep"]
    assert memory(run, "bob") == ["agent_speaks_with_user_event", "world_refuses_event", "world_refuses_event"]
    assert mind(run, "bob")["pending"] == [GIVE]  # kept, though it sleeps after one retry
    fills = [call.messages[0]["content"] for call in minds.model.calls if GIVE in call.node]
    assert ["you do not hold 'mic': ada holds it" in prompt.rpartition("##")[2] for prompt in fills] == [False, True]


def test_gw15_speaking_without_the_microphone_is_refused() -> None:
    base = {
        **BASE,
        "actions": {**SEED, USER: {"brains": ["event_filler_brain"], "next_actions": [SPEAK]}},
        "retries": 0,
    }
    minds = Minds(bob=[(USER, {"message": "hi"}), (EXIT, said("me too"))])
    run = society("bob", base=base).start(model=minds.model)
    assert [event["reason"] for event in log(run) if "reason" in event] == [
        "only who holds 'mic' can do this, and ada holds it"
    ]
    assert memory(run, "ada") == []


def test_two_want_the_same_thing_and_the_first_in_the_fixed_order_has_it() -> None:
    ball: Any = {"ball": {"description": "a red ball"}}
    take = "World:agent_takes_object_event"
    minds = Minds(
        ada=[(take, {"object_id": "ball"}), (EXIT, None)],
        bob=[(take, {"object_id": "ball"}), (EXIT, None)],
    )
    run = society("ada", "bob", objects=ball).start(model=minds.model)
    assert happened(run) == [("ada", "agent_takes_object_event"), ("world", "world_refuses_event")]
    assert run.result[1]["reason"] == "ada holds 'ball'"
    assert "ada holds 'ball'" in minds.prompts("bob")[1]


def test_gw14_a_word_to_one_is_delivered_once_and_to_nobody_else_and_menus_do_not_mix() -> None:
    minds = Minds(
        ada=[(TALK, {"target_id": "bob", "message": "psst"}), (WAIT, None)],
        bob=[(WAIT, None)],
        eve=[(MOVE, {"location": "garden"}), (WAIT, None)],
    )
    run = society("ada", "bob", "eve", ids="ada bob eve", world={"places": ["hall", "garden"]}).start(model=minds.model)
    assert memory(run, "bob") == ["agent_speaks_with_agent_event", "agent_moves_to_new_location"]
    assert "agent_speaks_with_agent_event" not in memory(run, "eve")
    assert minds.menus("bob")[0] == [WAIT, USER, EXIT, MOVE, TALK]
    assert minds.menus("ada")[0] == [WAIT, USER, EXIT, SPEAK, GIVE, MOVE, TALK]
    assert minds.menus("eve")[1] == [WAIT, USER, EXIT, MOVE]  # alone in the garden


def test_gw12_only_what_it_is_to_wake_on_wakes_and_all_that_concerns_it_is_remembered(store: lw.Store) -> None:
    minds = Minds(
        ada=[(GIVE, gift("bob")), (WAIT, None)],
        bob=[(WAIT, None)],
    )
    run = society("ada", ids="ada bob eve").start(model=minds.model, store=store)
    assert run.status == "waiting"
    assert (memory(run, "eve"), mind(run, "eve")["asleep"]) == (["agent_gives_object_to_agent_event"], True)
    assert len(minds.menus("bob")) == 1  # it was woken, and decided once
    assert not minds.menus("eve")


def test_a_person_speaks_to_any_agent_and_nobody_else_wakes(drive: Any, store: lw.Store) -> None:
    minds = Minds(bob=[(USER, {"message": "I am here"}), (WAIT, None)])
    run = drive.start(society(), model=minds.model, store=store)
    assert (run.status, happened(run)) == ("waiting", [])
    assert lw.speak(store, run.id, "Are you there?", to="bob")
    run = drive.resume(lw.open_run(store, run.id), model=minds.model)
    assert happened(run) == [("user", "user_speaks_with_agent_event"), ("bob", "agent_speaks_with_user_event")]
    assert "Are you there?" in minds.prompts("bob")[0]
    assert memory(run, "ada") == []
    assert run.status == "waiting"


def test_a_person_is_heard_while_others_are_at_it(store: lw.Store) -> None:
    minds = Minds(ada=[(TALK, {"target_id": "bob", "message": "x"}), (WAIT, None)], bob=[(WAIT, None)])
    loop = society("ada")
    for event in loop.stream(model=minds.model, store=store):
        if isinstance(event, lw.VisitEnded) and event.visit.node == "turns[id=ada]/acted":
            (row,) = store.registry.all()
            lw.speak(store, row.id, "wake up", to="bob")
    run = lw.open_run(store, row.id)
    assert happened(run) == [("ada", "agent_speaks_with_agent_event"), ("user", "user_speaks_with_agent_event")]
    assert "wake up" in minds.prompts("bob")[0]
    assert run.status == "waiting"


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"event_type": "rings", "target_id": "nobody"}, "there is nobody and nothing called 'nobody'"),
        ({"event_type": "agent_speaks_into_microphone", "target_id": "mic", "message": "I"}, "is for agents"),
    ],
)
def test_what_cannot_come_from_outside_comes_to_nothing_in_words(store: lw.Store, event: Any, reason: str) -> None:
    run = society().start(model=Minds().model, store=store)
    store.send("agent_event", event, to=run.id)
    run = lw.open_run(store, run.id).resume(model=Minds().model)
    assert (run.status, happened(run)) == ("waiting", [])
    assert reason in run.visits[-1].reason


def test_nobody_outside_speaks_in_the_name_of_an_agent(store: lw.Store) -> None:
    run = society().start(model=Minds().model, store=store)
    forged = {"event_type": "agent_gives_object_to_agent_event", "sender_id": "ada", "recipient_agent_id": "bob"}
    store.send("agent_event", {**forged, "tick": 99}, to=run.id)
    minds = Minds(bob=[(WAIT, None)])
    run = lw.open_run(store, run.id).resume(model=minds.model)
    event: Any = log(run)[0]
    assert (event["sender_id"], event["tick"], event["hops"]) == ("user", 0, 0)
    assert now(run)["objects"]["mic"]["held_by"] == "ada"


def echo(hops: int) -> list[str]:
    """Two agents that answer each other for ever, in so far as they are let."""
    talk = "agent_speaks_with_agent_event"
    base = {**BASE, "wakes_on": {talk: {"target_id": "<{id}>"}}}
    minds = Minds(
        ada=[(TALK, {"target_id": "bob", "message": "ping"}), (WAIT, None)] * 20,
        bob=[(TALK, {"target_id": "ada", "message": "pong"}), (WAIT, None)] * 20,
    )
    run = society("ada", base=base, hops=hops, ticks=40).start(model=minds.model)
    assert run.status == "waiting"
    return [sender for sender, _ in happened(run)]


def test_an_echo_dies_after_so_many_hops() -> None:
    assert echo(3) == ["ada", "bob", "ada", "bob"]
    assert len(echo(6)) == 7


def test_what_no_one_offers_is_refused_and_the_sender_is_asked_again() -> None:
    base = {**BASE, "actions": {**SEED, USER: {"brains": ["event_filler_brain"], "next_actions": ["Bell:rings"]}}}
    minds = Minds(ada=[(USER, {"message": "hi"}), (EXIT, {})] + [(EXIT, {})] * 4)
    run = society("ada", base=base).start(model=minds.model)
    reasons = [event["reason"] for event in log(run) if "reason" in event]
    assert reasons == ["nobody offers the action 'Bell:rings'"] * 4
    assert mind(run, "ada")["asleep"]


def test_the_plan_is_sound_and_its_worst_case_is_reached() -> None:
    base = {**BASE, "actions": {"default": ["podcast_brain", "event_filler_brain"]}}
    loop = society("ada", "bob", base=base, ticks=3, when_asleep="end", objects={})
    assert not loop.check()
    talk = [(TALK, {"target_id": "ada", "message": "x"})]
    minds = Minds(bob=talk * 3, ada=[(TALK, {"target_id": "bob", "message": "x"})] * 3)
    run = loop.start(model=minds.model)
    assert run.end == lw.End("max_ticks", ok=False)
    assert len(minds.model.calls) == loop.certificate.calls == 18


def test_the_same_script_gives_the_same_history_however_the_turns_fall() -> None:
    def once() -> Any:
        minds = Minds(
            **{
                who: [(TALK, {"target_id": other, "message": f"{who} {index}"}) for index in range(4)] + [(EXIT, None)]
                for who, other in zip("abcdefgh", "bcdefgha", strict=True)
            }
        )
        return society(*"abcdefgh", ids=" ".join("abcdefgh"), objects={}).start(model=minds.model).result

    first = once()
    assert len(first) == 32
    assert all(once() == first for _ in range(3))


def test_gw8_gw15_when_asked_only_the_follow_up_is_on_offer_and_waiting_does_not_use_it_up(store: lw.Store) -> None:
    base = {**BASE, "follow_up": "ask"}
    minds = Minds(ada=[(SPEAK, said()), (WAIT, None), (GIVE, gift("bob")), (WAIT, None)], bob=[(EXIT, None)])
    run = society("ada", base=base).start(model=minds.model, store=store)
    assert mind(run, "ada")["pending"] == [GIVE]
    lw.speak(store, run.id, "go on", to="ada")
    run = lw.open_run(store, run.id).resume(model=minds.model)
    assert minds.menus("ada")[1:3] == [[WAIT, USER, GIVE]] * 2
    assert SPEAK not in minds.menus("ada")[3]
    assert happened(run)[-1] == ("ada", "agent_gives_object_to_agent_event")


def test_nobody_is_woken_by_what_they_sent_themselves() -> None:
    """Ada's own word is of a type that wakes her; it is remembered, and she sleeps on."""
    base = {**BASE, "wakes_on": {"agent_speaks_with_agent_event": {}}}
    minds = Minds(ada=[(TALK, {"target_id": "bob", "message": "x"}), (WAIT, None)], bob=[(WAIT, None)])
    run = society("ada", base=base).start(model=minds.model)
    assert run.status == "waiting"
    assert (memory(run, "ada"), mind(run, "ada")["asleep"]) == (["agent_speaks_with_agent_event"], True)
    assert len(minds.menus("ada")) == 2
