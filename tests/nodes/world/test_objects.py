"""The blackboard: jobs are added, read, marked and wiped off."""

from typing import Any

from loopwright.nodes.world.entities import World
from loopwright.nodes.world.objects import DOES, MOST_JOBS
from loopwright.nodes.world.rules import judged
from tests.nodes.world.test_actions import CLASS_DATA

SETTING: Any = {
    "classes": CLASS_DATA,
    "agents": {"ada": {}},
    "objects": {"board": {"class": "Blackboard", "fixed": True}},
}


def board(*jobs: Any) -> World:
    now: Any = {"tick": 0, "agents": {"ada": {}}, "objects": {"board": {"state": {"jobs": list(jobs)}}}}
    return World(SETTING, now)


def tried(world: World, what: str, sender: str = "ada", **more: Any) -> Any:
    event = {"event_type": what, "sender_id": sender, "target_id": "board", "tick": 0, **more}
    return judged(world, f"Blackboard:{what}", event, {})


def jobs(world: World) -> Any:
    thing = world.entity("board")
    return thing.state["jobs"] if thing else None


def test_a_job_gets_its_id_and_its_status_from_the_board() -> None:
    first = tried(board(), "agent_adds_job_to_blackboard", new_job={"description": "draw", "assigned_to": "bob"}).world
    second = tried(first, "user_adds_job_to_blackboard", "user", new_job={"description": "count"}).world
    assert jobs(second) == [
        {"id": 1, "assigned_to": "bob", "output_format": "", "description": "draw", "status": "open"},
        {"id": 2, "assigned_to": "", "output_format": "", "description": "count", "status": "open"},
    ]


def test_an_id_is_never_given_twice() -> None:
    world = tried(board(), "agent_adds_job_to_blackboard", new_job={"description": "a"}).world
    world = tried(world, "agent_deletes_job_from_blackboard", job_id=1).world
    world = tried(world, "agent_adds_job_to_blackboard", new_job={"description": "b"}).world
    assert [job["id"] for job in jobs(world)] == [2]


def test_a_status_is_one_of_three() -> None:
    world = tried(board(), "agent_adds_job_to_blackboard", new_job={"description": "a"}).world
    assert jobs(tried(world, "agent_sets_status_of_job", job_id=1, status="done").world)[0]["status"] == "done"
    assert "'perhaps'" in tried(world, "agent_sets_status_of_job", job_id=1, status="perhaps").reason.replace('"', "'")
    assert tried(world, "agent_sets_status_of_job", job_id=7, status="done").reason == "there is no job 7; there are: 1"


def test_who_reads_the_board_is_told_and_nobody_else() -> None:
    world = tried(board(), "agent_adds_job_to_blackboard", new_job={"description": "a"}).world
    (reply,) = tried(world, "agent_reads_blackboard").replies
    assert (reply["event_type"], reply["sender_id"], reply["target_id"]) == ("blackboard_sends_content", "board", "ada")
    assert [job["description"] for job in reply["jobs"]] == ["a"]


def test_what_does_not_fit_is_refused() -> None:
    assert "new_job" in tried(board(), "agent_adds_job_to_blackboard").reason
    assert tried(board(), "agent_deletes_job_from_blackboard", job_id=1).reason == "there is no job 1; there are: none"
    assert tried(board(), "user_adds_job_to_blackboard", new_job={"description": "a"}).reason == (
        "'Blackboard:user_adds_job_to_blackboard' is for the person"
    )


def test_the_board_has_room_for_so_many() -> None:
    full = board(*({"id": number, "description": "x"} for number in range(MOST_JOBS)))
    assert tried(full, "agent_adds_job_to_blackboard", new_job={"description": "a"}).reason == (
        f"the blackboard is full: it has room for {MOST_JOBS} jobs"
    )


def test_every_function_that_an_action_names_is_there() -> None:
    named = {action["does"] for actions in CLASS_DATA.values() for action in actions.values() if action["does"]}
    assert named == set(DOES)
