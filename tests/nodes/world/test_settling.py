"""A tick is settled: in a fixed order, each event told once to whom it concerns, whatever was tried."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopwright.nodes.world.entities import World
from loopwright.nodes.world.minds import EMPTY
from loopwright.nodes.world.settling import Settling, standing, words
from tests.nodes.world.test_actions import CLASS_DATA

IDS = ("ada", "bob", "eve")
GIVE, TALK, SPEAK = (
    "World:agent_gives_object_to_agent_event",
    "World:agent_speaks_with_agent_event",
    "Microphone:agent_speaks_into_microphone",
)
SETTING: Any = {
    "id": "world",
    "places": {},
    "classes": CLASS_DATA,
    "agents": {
        id: {"wakes_on": {GIVE[6:]: {"recipient_agent_id": "<{id}>"}}, "heeds": [], "retries": 3, "remembers": 50}
        for id in IDS
    },
    "objects": {"mic": {"class": "Microphone"}},
    "hops": 32,
}


def settling(**asleep: bool) -> Settling:
    now: Any = {"tick": 7, "agents": {id: {} for id in IDS}, "objects": {"mic": {"held_by": "ada"}}}
    return Settling(World(SETTING, now), {id: {**EMPTY, "asleep": asleep.get(id, False)} for id in IDS})


def turn(who: str, action: str, args: Any, **more: Any) -> Any:
    event = None if args is None else {"event_type": action.rpartition(":")[2], "sender_id": who, **args}
    base = {"plan": [], "pending": [], "aim": "", "tries": 0, "last_failure": "", "exits": False}
    return {**base, "id": who, "action": action, "event": event, "asleep": args is None, **more}


def gift(who: str, heir: str) -> Any:
    return turn(who, GIVE, {"object_id": "mic", "recipient_agent_id": heir})


def test_the_first_in_the_order_has_what_only_one_can_have() -> None:
    tick = settling()
    tick.take_turns([gift("ada", "bob"), gift("bob", "eve"), gift("eve", "ada")])
    assert tick.world.held("ada") == ["mic"]
    assert [event["event_type"] for event in tick.events] == [GIVE[6:], GIVE[6:], GIVE[6:]]
    tick = settling()
    tick.take_turns([gift("eve", "ada"), gift("ada", "bob")])
    assert [event.get("reason", "") for event in tick.events] == ["you do not hold 'mic': ada holds it", ""]


def test_who_goes_to_sleep_while_they_are_given_something_is_awake() -> None:
    tick = settling()
    tick.take_turns([gift("ada", "bob"), turn("bob", "Self:wait", None)])
    assert not tick.minds["bob"]["asleep"]
    assert tick.said == ["bob sleeps", "ada gives object to agent: mic, bob", "bob wakes"]


def test_who_is_refused_for_the_last_time_but_was_given_something_stays_awake() -> None:
    tick = settling()
    tick.minds["bob"] = {**tick.minds["bob"], "tries": 3}
    tick.take_turns([gift("ada", "bob"), turn("bob", SPEAK, {"target_id": "sun", "message": "x"})])
    assert not tick.minds["bob"]["asleep"]


def test_who_leaves_is_gone_before_anything_happens() -> None:
    tick = settling()
    tick.take_turns([gift("ada", "bob"), turn("bob", "Self:exit", None, exits=True)])
    assert tick.events[0]["reason"] == "there is no agent 'bob' to give it to; there are: ada, eve"
    assert standing(tick) == "ada holds mic; awake: ada, eve"


def test_a_failed_turn_is_told() -> None:
    tick = settling()
    tick.take_turns([turn("bob", "", None, asleep=False, last_failure="unreadable")])
    assert tick.said == ["bob came to nothing: unreadable"]


def test_who_heeds_a_type_hears_of_it_whomever_it_is_for() -> None:
    tick = settling(bob=True, eve=True)
    heeding = {**SETTING["agents"]["eve"], "heeds": [TALK[6:]]}
    tick.world = World({**SETTING, "agents": {**SETTING["agents"], "eve": heeding}}, tick.world.now)
    tick.take_turns([turn("ada", TALK, {"target_id": "bob", "message": "psst"})])
    assert [len(tick.minds[id]["memory"]) for id in IDS] == [1, 1, 1]


def test_words() -> None:
    event = {"event_type": "agent_speaks_with_agent_event", "sender_id": "ada", "target_id": "bob", "message": "psst"}
    assert words(event) == "ada speaks with agent (bob): psst"
    assert words({"event_type": "rain", "sender_id": "user"}) == "user rain"


_ACTS: Any = st.one_of(
    st.tuples(
        st.just(GIVE),
        st.fixed_dictionaries(
            {"object_id": st.sampled_from(["mic", "sun"]), "recipient_agent_id": st.sampled_from([*IDS, "tom"])}
        ),
    ),
    st.tuples(
        st.just(TALK), st.fixed_dictionaries({"target_id": st.sampled_from([*IDS, "mic"]), "message": st.just("x")})
    ),
    st.tuples(
        st.just(SPEAK), st.fixed_dictionaries({"target_id": st.sampled_from(["mic", "ada"]), "message": st.just("x")})
    ),
    st.tuples(st.just("Self:wait"), st.none()),
    st.tuples(st.just("Nobody:knows"), st.just({})),
)


@given(st.lists(st.tuples(_ACTS, _ACTS, _ACTS), max_size=6), st.booleans())
def test_whatever_is_tried_each_event_is_told_once_and_only_to_whom_it_concerns(ticks: Any, all_near: bool) -> None:
    tick = settling()
    holder = "ada"
    for acts in ticks:
        before = len(tick.events)
        tick.take_turns([turn(who, action, args) for who, (action, args) in zip(IDS, acts, strict=True)])
        for event in tick.events[before:]:
            if event["event_type"] == GIVE[6:]:
                assert event["sender_id"] == holder  # nobody gives what they do not hold
                holder = str(event["recipient_agent_id"])
            if event["event_type"] == SPEAK.rpartition(":")[2]:
                assert event["sender_id"] == holder
        assert tick.world.held(holder) == ["mic"]
    for me in IDS:
        memory: Any = tick.minds[me]["memory"]
        concerned = [
            {key: value for key, value in event.items() if key != "hops"}
            for event in tick.events
            if me == event["sender_id"]
            or me == event.get("target_id")
            or event["event_type"] not in (TALK[6:], "world_refuses_event")
        ]
        assert memory == concerned[-50:]
