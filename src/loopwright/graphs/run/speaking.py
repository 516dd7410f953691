"""A person's word to an agent: to one of a society, or to one that lives by itself."""

from typing import Any

from loopwright.errors import RunError
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.opening import open_run
from loopwright.graphs.run.serving import send
from loopwright.hints import did_you_mean
from loopwright.nodes.thinking.perceive import ENVELOPE, PERSON_SPEAKS, Perceive
from loopwright.nodes.world.entities import USER
from loopwright.nodes.world.minds import channel_of
from loopwright.nodes.world.ticks import Tick
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject


def speak(store: str | Store, run: str, text: str, *, to: str = "", id: str = "") -> bool:
    """Say something to an agent of a run. It lies in the inbox, and wakes the agent when the run is served or resumed.

    Args:
        store: The store, or its URL.
        run: The run's id, or a prefix that only it has.
        text: What is said.
        to: The agent, where the run is of a society.
        id: An id of your own, so that saying it twice does no harm; a new one when left out.

    Returns:
        Whether it was put in: False where there was a word of this id.

    Raises:
        UnknownRun: There is no such run, or more than one.
        RunError: Nobody is called so there, or nobody in that run hears a person, or the text is empty.

    Example:
        >>> from loopwright.loop.society import Society
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> loop = Society({"ada": {"awake": False}}, model=ScriptedModel({"default": ["Yes."]}))
        >>> with Store("memory:") as store:
        ...     run = loop.start(store=store)
        ...     speak(store, run.id, "Are you there?", to="ada")
        ...     [event.payload["message"] for event in store.inbox.all()]
        True
        ['Are you there?']
    """
    if not text.strip():
        raise RunError("there is nothing to say: the text is empty")
    opened = open_run(store, run)
    agents = agents_of(opened.plan)
    if not agents and not any(isinstance(placed.node, Perceive) for placed in opened.plan.nodes.values()):
        raise RunError(f"nobody in run {opened.id} hears what a person says: it is of {opened.plan.name!r}")
    if agents and to not in agents:
        hint = did_you_mean(to, agents)
        raise RunError(f"there is no agent {to!r} in run {opened.id} ({hint})" if to else f"say to whom: {hint}")
    if to in agents and to not in present(opened):
        there = ", ".join(present(opened)) or "nobody"
        raise RunError(f"{to} has left, and hears nothing any more in run {opened.id}; still there: {there}")
    if to and not agents:
        raise RunError(f"run {opened.id} is of one agent: leave out to whom it is")
    event: JsonObject = {"event_type": PERSON_SPEAKS, "sender_id": USER, "message": text}
    return send(opened.store, ENVELOPE, {**event, **({"target_id": to} if to else {})}, to=opened.id, id=id)


def present(run: Run[Any]) -> tuple[str, ...]:
    """The ids of the agents of a society that have not left it; () where the run is of none.

    Args:
        run: The run.
    """
    agents = agents_of(run.plan)
    minds: dict[str, Any] = dict(run.state) if agents else {}
    return tuple(agent for agent in agents if not (minds.get(channel_of(agent)) or {}).get("gone"))


def agents_of(plan: Plan) -> tuple[str, ...]:
    """The ids of the agents of a society; () where the plan is of none.

    Args:
        plan: The plan.
    """
    return tuple(
        agent for placed in plan.nodes.values() if isinstance(placed.node, Tick) for agent in placed.node.agents
    )
