"""One tick of a world, pure: what agents tried is applied one by one, in a fixed order, and told to whom it concerns.

Agents think side by side, about the world as it was when the tick began. So two may try what only one can have: the
first of them in the fixed order has it, and the other is refused with the reason.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopwright.nodes.prompts import as_text
from loopwright.nodes.world.entities import USER, World
from loopwright.nodes.world.minds import after_turn, hears, refused, remembers, rouses
from loopwright.nodes.world.rules import Functions, heard_by, judged, refusal
from loopwright.state.values import JsonObject

_SAID_OF_ALL = re.compile("^(agent|user|blackboard)_|_event$")
"""What the names of types of events say beside what happens."""


@dataclass
class Settling:
    """A world while what happens in it is settled.

    Args:
        world: The world.
        minds: The minds by agent.
        functions: Functions of one's own, by the names that the setting has for them.
        changed: The minds to which something happened.
        events: What happened, in order: what the world confirmed, and what it refused.
        said: The same in words.
        roused: The agents for whom something happened that wakes.
    """

    world: World
    minds: dict[str, Mapping[str, Any]]
    functions: Functions = field(default_factory=dict)
    changed: dict[str, JsonObject] = field(default_factory=dict)
    events: list[JsonObject] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    roused: set[str] = field(default_factory=set)

    def take_turns(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Settle what came of the turns of a tick. Who goes to sleep does so first: what happens then wakes them again.

        Args:
            turns: What each turn came to, as `nodes.thinking.end_turn.TURN` has it, in the agents' fixed order.
        """
        for turn in turns:
            if turn["event"] is None:
                self._set(turn["id"], after_turn(self.minds[turn["id"]], turn))
                self._tell_rest(turn["id"], turn)
        for turn in turns:
            if turn["event"] is not None:
                self._try(turn)

    def _try(self, turn: Mapping[str, Any]) -> None:
        """Let what an agent tried happen, or refuse it."""
        me, event = turn["id"], turn["event"]
        mind = self.minds[me]
        signed = self._signed(event, me, mind["hops"] + 1)
        verdict = judged(self.world, turn["action"], signed, self.functions)
        if verdict.reason:
            self._refuse(me, turn, signed, verdict.reason)
            return
        before, self.world = self.world, verdict.world
        self._set(me, after_turn(mind, turn))
        self._happens(turn["action"], signed, before)
        for reply in verdict.replies:
            self._tell({**reply, "hops": signed["hops"]}, [str(reply["target_id"])])

    def hear_from_outside(self, event: Mapping[str, Any]) -> str:
        """Settle an event that came from outside. What it says of its sender and its time is not believed.

        Args:
            event: The event. With a target it is for that alone; without one for all.

        Returns:
            Why it came to nothing; "" where it did not.
        """
        target = str(event.get("target_id") or "")
        signed = self._signed(event, USER, 0)
        thing = self.world.entity(target) if target else None
        if target and thing is None:
            return f"there is nobody and nothing called {target!r}"
        if thing is not None and thing.kind == "object":
            action = f"{thing.of_class}:{event['event_type']}"
            verdict = judged(self.world, action, signed, self.functions)
            if verdict.reason:
                return verdict.reason
            before, self.world = self.world, verdict.world
            self._happens(action, signed, before)
            return ""
        self._tell(signed, [target] if target else list(self.world.agents))
        return ""

    def _signed(self, event: Mapping[str, Any], sender: str, hops: int) -> JsonObject:
        """An event as the engine signs it: type, sender and time are nobody else's to say."""
        said = {key: value for key, value in event.items() if key not in ("created_at", "tick", "hops")}
        return {**said, "sender_id": sender, "tick": self.world.tick, "hops": hops}

    def _set(self, me: str, mind: JsonObject) -> None:
        self.minds[me] = self.changed[me] = mind
        if mind["gone"]:
            self.world = self.world.without(me)

    def _refuse(self, me: str, turn: Mapping[str, Any], event: JsonObject, reason: str) -> None:
        """Tell an agent, and nobody else, that what it tried did not happen."""
        known = self.world.setting["agents"][me]
        told = refusal(event, reason, str(self.world.setting.get("id", "world")))
        mind = refused(self.minds[me], turn, reason, known["retries"])
        mind["asleep"] = mind["asleep"] and me not in self.roused
        self._set(me, remembers(mind, told, known["remembers"]))
        self.events.append(told)
        self.said.append(f"{me} may not {event['event_type']}: {reason}")
        if mind["asleep"]:
            self.said.append(f"{me} sleeps")

    def _happens(self, action: str, event: JsonObject, before: World) -> None:
        """Tell those concerned what happened; who did it remembers it."""
        who = heard_by(action, self.world)
        sender = str(event["sender_id"])
        origin = sender if sender in before.agents else str(event.get("target_id", ""))
        named = {event.get("target_id"), event.get("recipient_agent_id")}
        if who == "all":
            concerned = list(self.world.agents)
        elif who == "near":
            concerned = [id for id in self.world.agents if before.near(origin, id) or self.world.near(origin, id)]
        else:
            concerned = [id for id in self.world.agents if who == "target" and id in named]
        heeding = [id for id in self.world.agents if event["event_type"] in self._known(id).get("heeds", ())]
        self._tell(event, [id for id in self.world.agents if id in concerned or id in heeding])

    def _tell(self, event: JsonObject, concerned: Sequence[str]) -> None:
        """Let an event happen: it is told once to each whom it concerns, and wakes nobody who sent it himself."""
        self.events.append(event)
        self.said.append(words(event))
        limit = self.world.setting.get("hops", 32)
        sender = str(event["sender_id"])
        if sender in self.minds:
            self.changed[sender] = remembers(self.minds[sender], event, self._known(sender)["remembers"])
            self.minds[sender] = self.changed[sender]
        for me in concerned:
            if me == sender or me not in self.minds:
                continue
            before = self.minds[me]
            if rouses(event, me, self._known(me), limit):
                self.roused.add(me)
            self.minds[me] = self.changed[me] = hears(before, event, me, self._known(me), limit)
            if before["asleep"] and not self.changed[me]["asleep"]:
                self.said.append(f"{me} wakes")

    def _tell_rest(self, me: str, turn: Mapping[str, Any]) -> None:
        """Say in words what an agent did that is no event."""
        if turn["exits"]:
            self.said.append(f"{me} leaves")
        elif turn["asleep"]:
            self.said.append(f"{me} sleeps")
        else:
            self.said.append(f"{me} came to nothing: {turn['last_failure']}")

    def _known(self, me: str) -> Mapping[str, Any]:
        known: Mapping[str, Any] = self.world.setting["agents"][me]
        return known


def standing(settling: Settling) -> str:
    """Who holds what, who is awake and who sleeps, in a line.

    Args:
        settling: What was settled.
    """
    world, minds = settling.world, settling.minds
    holds = [f"{holder} holds {', '.join(held)}" for holder in world.agents if (held := world.held(holder))]
    asleep = [me for me in world.agents if minds[me]["asleep"]]
    awake = [me for me in world.agents if me not in asleep]
    lists = [f"{how}: {', '.join(who)}" for how, who in (("awake", awake), ("asleep", asleep)) if who]
    return "; ".join([*holds, *lists]) or "nobody is there"


def words(event: Mapping[str, Any]) -> str:
    """An event in words, for who looks on.

    Example:
        >>> words({"event_type": "agent_speaks_into_microphone", "sender_id": "ada", "message": "hello"})
        'ada speaks into microphone: hello'
        >>> words({"event_type": "agent_gives_object_to_agent_event", "sender_id": "ada", "object_id": "mic",
        ...     "recipient_agent_id": "bob", "tick": 3, "hops": 1})
        'ada gives object to agent: mic, bob'
    """
    told = _SAID_OF_ALL.sub("", event["event_type"]).replace("_", " ")
    hidden = ("event_type", "sender_id", "tick", "hops")
    parts = {key: value for key, value in event.items() if key not in hidden}
    if "speaks with" in told and "target_id" in parts:
        told = f"{told} ({parts['target_id']})"
    shown = [parts["message"]] if "message" in parts else list(parts.values())
    said = ", ".join(as_text(value) for value in shown)
    return f"{event['sender_id']} {told}: {said}" if said else f"{event['sender_id']} {told}"
