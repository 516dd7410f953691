"""Objects that come with every world: the microphone, into which its holder speaks, and the blackboard with jobs."""

from collections.abc import Mapping
from typing import Any

from loopwright.nodes.world.actions import Action, Does
from loopwright.nodes.world.entities import Change, World
from loopwright.state.schema import TEXT, as_object
from loopwright.state.values import Json, JsonObject

MICROPHONE, BLACKBOARD = "Microphone", "Blackboard"
MOST_JOBS = 100
"""Jobs that a blackboard has room for: what has no end would make every tick dearer than the one before."""

STATUSES = ("open", "in progress", "done")
JOB = as_object({"description": TEXT}, assigned_to=TEXT, output_format=TEXT)
"""A job as it is added; its id and its status are the board's."""

ADDS_JOB, USER_ADDS_JOB = "agent_adds_job_to_blackboard", "user_adds_job_to_blackboard"
DELETES_JOB, SETS_STATUS = "agent_deletes_job_from_blackboard", "agent_sets_status_of_job"
READS_BOARD, SENDS_CONTENT = "agent_reads_blackboard", "blackboard_sends_content"

CLASSES: Mapping[str, Mapping[str, Action]] = {
    MICROPHONE: {
        "agent_speaks_into_microphone": Action(
            "Say something to all who are here. Only who holds the microphone can.",
            as_object({"message": TEXT}),
            needs="held",
        )
    },
    BLACKBOARD: {
        READS_BOARD: Action("Read the jobs on the blackboard.", heard_by="nobody", does="reads_board"),
        ADDS_JOB: Action("Write a job on the blackboard.", as_object({"new_job": JOB}), does="adds_job"),
        USER_ADDS_JOB: Action(
            "Write a job on the blackboard.", as_object({"new_job": JOB}), does="adds_job", by_user=True
        ),
        DELETES_JOB: Action(
            "Wipe a job off the blackboard.", as_object({"job_id": {"type": "integer"}}), does="deletes_job"
        ),
        SETS_STATUS: Action(
            "Say how far a job is.",
            as_object({"job_id": {"type": "integer"}, "status": {"type": "string", "enum": list(STATUSES)}}),
            does="sets_status",
        ),
    },
}
"""The classes of objects that come with every world, with their actions."""

FIXED = (BLACKBOARD,)
"""Those of them that cannot be held."""


def _board(world: World, event: JsonObject) -> tuple[list[Any], Mapping[str, Json]]:
    """The jobs of the board that is meant, and its state."""
    board = world.entity(str(event["target_id"]))
    state: Mapping[str, Any] = board.state if board else {}
    return list(state.get("jobs", ())), state


def adds_job(world: World, event: JsonObject) -> Change | str:
    """A job comes to the end of the list, with an id that no job had before."""
    jobs, state = _board(world, event)
    if len(jobs) >= MOST_JOBS:
        return f"the blackboard is full: it has room for {MOST_JOBS} jobs"
    new: Any = event["new_job"]
    last: Any = state.get("last_id", max((job.get("id", 0) for job in jobs), default=0))
    job = {"id": last + 1, "assigned_to": "", "output_format": "", **new, "status": STATUSES[0]}
    return Change(state={"jobs": [*jobs, job], "last_id": last + 1})


def deletes_job(world: World, event: JsonObject) -> Change | str:
    """A job is gone."""
    jobs, state = _board(world, event)
    left = [job for job in jobs if job["id"] != event["job_id"]]
    return _no_job(event, jobs) if len(left) == len(jobs) else Change(state={**state, "jobs": left})


def sets_status(world: World, event: JsonObject) -> Change | str:
    """A job has another status."""
    jobs, state = _board(world, event)
    if event["job_id"] not in [job["id"] for job in jobs]:
        return _no_job(event, jobs)
    new = [{**job, "status": event["status"]} if job["id"] == event["job_id"] else job for job in jobs]
    return Change(state={**state, "jobs": new})


def reads_board(world: World, event: JsonObject) -> Change:
    """Who reads the board is told what stands on it, and nobody else."""
    return Change(replies=({"event_type": SENDS_CONTENT, "jobs": _board(world, event)[0]},))


def _no_job(event: JsonObject, jobs: list[Any]) -> str:
    there = ", ".join(str(job["id"]) for job in jobs) or "none"
    return f"there is no job {event['job_id']}; there are: {there}"


DOES: Mapping[str, Does] = {
    "reads_board": reads_board,
    "adds_job": adds_job,
    "deletes_job": deletes_job,
    "sets_status": sets_status,
}
"""What the actions of these classes do, by name."""
