"""One turn of an agent: what a world gives each of its agents at a tick. It waits for nobody and sends nothing.

    look -> navigate -> decided -> act -> acted
         -> act, where something has to follow

Its input is the channel `agent`, an object with what the world knows of the agent:

- `id`, and the fields that its prompts show, as `role` and `goals`;
- `plan`, `pending`, `aim`, `tries` and `last_failure`, as the turn before left them; a refusal of the world is a
  `last_failure`, too;
- `memory`, `inventory`, `nearby_entities` and `agent_world_state`, as sections of prompts;
- `commands`: what is on offer now, by action, each with `description` and `args`, JSON Schema of an object.

Its result is the channel `turn`, as `nodes.thinking.end_turn.TURN` has it: what the agent wants to happen, and what is
so of it if the world lets it happen. Its one end is `done`.
"""

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.graphs.thinking.settings import ACT, NAVIGATE, ThinkSettings, channels
from loopwright.nodes.actions.names import COMMANDS, EVENTS
from loopwright.nodes.thinking.end_turn import TURN, EndTurn
from loopwright.nodes.thinking.fields import ME, MEMORY, PERSONA, RULES, SURROUNDINGS
from loopwright.nodes.thinking.look import TakeTurn
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT

DONE = End("done")


def turn(settings: ThinkSettings) -> PlanBuilder:
    """The plan of one turn, as a builder has it.

    Args:
        settings: What the agent is made of.
    """
    plan = PlanBuilder(settings.name, [*_channels(), *channels()], result="turn", models=settings.models)
    plan.node(TakeTurn("look", follow_up=settings.its_way, only=settings.only))
    plan.edge("look", "navigate", NAVIGATE)
    if settings.its_way == "edges":
        plan.edge("look", "follow", ACT)
    settings.decide(plan)
    plan.edge("undecided", "done", "failed").edge("unread", "done", "failed")
    plan.edge("decided", "act", ACT).edge("decided", "wait", "waits").edge("decided", "exit", "exits")
    plan.node(settings.map(sends=False, queued=False), name=ACT, writes=EVENTS)
    plan.edge(ACT, "done", "acted").edge(ACT, "nothing", "failed")
    for how in ("acted", "failed", "waits", "exits"):
        plan.node(EndTurn(how, how=how, retries=settings.retries)).edge(how, "done", DONE)
    return plan


def _channels() -> list[Channel]:
    return [
        Channel("agent", {"type": "object", "required": [ME]}, input=True),
        Channel("turn", TURN),
        Channel("tries", {"type": "integer"}, default=0),
        Channel(COMMANDS, {"type": "object"}, default={}),
        Channel(EVENTS, {"type": "array"}, reduce="append"),
        Channel(ME, TEXT),
        *(Channel(name) for name in (*PERSONA, *RULES, MEMORY, *SURROUNDINGS)),
    ]
