"""What there is to know of an agent, by channel, and the actions that are its own in any world."""

from collections.abc import Mapping, Sequence
from typing import Literal

from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json

FollowUp = Literal["edges", "ask"]
"""How an action that has to follow is come to: without a decision, or by one that can choose little else."""

ME = "id"
PERSONA = ("role", "background", "personality", "communication_style", "topic_of_conversation")
"""The fields of an agent that say who it is."""

RULES = ("goals", "constraints", "evaluation_principles")
"""The fields of an agent that are lists."""

PLAN, MEMORY, ACTIONS, DECISION = "plan", "memory", "actions", "decision"
RECENT, SIMILAR = "recent_events", "similar_events"
"""What an agent that recalls is shown of its memory, in the place of all of it."""

SURROUNDINGS = ("inventory", "nearby_entities", "agent_world_state")
"""What a world tells an agent of what is around it."""

WAIT, EXIT, SPEAK = "Self:wait", "Self:exit", "Self:agent_speaks_with_user_event"

OWN_ACTIONS: Mapping[str, str] = {
    WAIT: "Do nothing until something happens.",
    SPEAK: "Say something to the person.",
    EXIT: "Leave, because all that was to be done is done.",
}
"""The actions that an agent has in any world, each with what it does."""

SPEAK_COMMAND: Mapping[str, Json] = {"args": dict(as_object({"message": TEXT})), "description": OWN_ACTIONS[SPEAK]}


def menu(offers: Mapping[str, str], pending: Sequence[Json]) -> dict[str, Json]:
    """The actions that can be chosen, each with what is said of it.

    Args:
        offers: What the map or the world offers.
        pending: What has to follow; then the first of it is all that can be chosen beside waiting and speaking.

    Example:
        >>> list(menu({"give": "", "sing": ""}, []))
        ['Self:wait', 'Self:agent_speaks_with_user_event', 'Self:exit', 'give', 'sing']
        >>> list(menu({"give": "", "sing": ""}, ["give", "sing"]))
        ['Self:wait', 'Self:agent_speaks_with_user_event', 'give']
    """
    if pending:
        first = str(pending[0])
        return {WAIT: OWN_ACTIONS[WAIT], SPEAK: OWN_ACTIONS[SPEAK], first: offers.get(first, "")}
    return {**OWN_ACTIONS, **offers}
