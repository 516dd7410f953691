"""The form role_cycle: what a spec's plan is, and what is wrong with a wrong one."""

from typing import Any

import pytest
from pydantic import ValidationError

from loopwright.documents.document import Path
from loopwright.graphs.forms.briefs import BRIEFS
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.graphs.forms.spec import FORMS
from loopwright.graphs.plan import Bound, End, Plan, Way
from loopwright.nodes.contract import NODE_TYPES, AskModel
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.role import PLACEHOLDERS, Review, Role, Rounds, Stop

BACK = "back to the first role, as often as the bound `rounds` allows"
ROW = [("solver", "done", "detractor"), ("detractor", "done", "master"), ("master", "done", "boss")]


def spec(**fields: Any) -> RoleCycleSpec:
    made = RoleCycleSpec.model_validate({"task": "T", **fields})
    assert made.faults() == []
    return made


def edges(plan: Plan) -> list[tuple[str, str, str]]:
    """Source, outcome and target of each edge; a bounded one has `BACK` as target."""
    ways = [(edge.source, edge.outcome, edge.way) for edge in plan.edges]
    assert all(way in (Way(way.target), Way(plan.start, "rounds")) for _, _, way in ways)
    return [(source, outcome, BACK if way.bound else way.target) for source, outcome, way in ways]


def role(plan: Plan, name: str) -> Role:
    node = plan.nodes[name].node
    assert isinstance(node, Role)
    return node


def test_the_form_and_its_nodes_are_found_by_their_words() -> None:
    assert FORMS["role_cycle"] is RoleCycleSpec
    assert (NODE_TYPES["role"], NODE_TYPES["review"]) == (Role, Review)


def test_the_four_roles_without_a_review() -> None:
    plan = spec().plan()
    assert edges(plan) == [*ROW, ("boss", "continue", BACK), ("boss", "stop", "stopped")]
    assert plan.bounds == {"rounds": Bound("rounds", 3, Way("max_rounds"))}
    assert plan.ends == {"stopped": End("stopped"), "max_rounds": End("max_rounds", ok=False)}
    assert (plan.name, plan.start, plan.result) == ("role_cycle", "solver", "answer")
    assert [(channel.name, channel.reduce, channel.input) for channel in plan.channels.values()] == [
        ("task", "replace", True),
        ("transcript", "append", False),
        ("answer", "replace", False),
    ]


def test_a_review_after_a_stop() -> None:
    plan = spec(review="after_stop").plan()
    assert sorted(edges(plan)) == sorted(
        [
            *ROW,
            ("boss", "continue", BACK),
            ("boss", "stop", "review_stop"),
            ("review_stop", "continue", BACK),
            ("review_stop", "reject", BACK),
            ("review_stop", "accept", "accepted"),
        ]
    )
    assert plan.bounds == {"rounds": Bound("rounds", 3, Way("max_rounds"))}
    assert plan.ends == {"accepted": End("accepted"), "max_rounds": End("max_rounds", ok=False)}


def test_a_review_of_each_round() -> None:
    plan = spec(review="each_round", rounds={"min": 2, "max": 3}).plan()
    assert sorted(edges(plan)) == sorted(
        [
            *ROW,
            ("boss", "continue", "review"),
            ("boss", "stop", "review_stop"),
            ("review", "continue", BACK),
            ("review", "reject", BACK),
            ("review", "accept", "accepted"),
            ("review_stop", "continue", BACK),
            ("review_stop", "reject", BACK),
            ("review_stop", "accept", "accepted"),
        ]
    )
    assert plan.bounds == {"rounds": Bound("rounds", 2, Way("max_rounds"))}
    assert plan.ends == {"accepted": End("accepted"), "max_rounds": End("max_rounds", ok=False)}
    reviews = [plan.nodes[name].node for name in ("review", "review_stop")]
    titles = {"solver": "Solver", "detractor": "Detractor", "master": "Master", "boss": "Boss"}
    assert reviews == [
        Review("review", shows=("solver", "boss"), titles=titles, rounds=Rounds(2, 3)),
        Review("review_stop", shows=("solver", "boss"), titles=titles, rounds=Rounds(2, 3), stopped_by="boss"),
    ]


@pytest.mark.parametrize("review", ["never", "after_stop", "each_round"])
def test_every_outcome_has_one_edge(review: str) -> None:
    plan = spec(review=review).plan()
    declared = [(name, outcome) for name, node in plan.nodes.items() for outcome in node.contract.outcomes]
    assert sorted(declared) == sorted((edge.source, edge.outcome) for edge in plan.edges)


@pytest.mark.parametrize("review", ["never", "after_stop", "each_round"])
def test_a_plan_is_data(review: str) -> None:
    roles: Any = {"solver": {"model": "strong"}, "boss": {"sees": "latest", "title": "Chief"}}
    models = {"strong": ModelRef("big", temperature=0.5)}
    plan = spec(review=review, roles=roles, models=models, stop={"match": "verdict"}, labels=False).plan()
    assert Plan.from_data(plan.to_data()) == plan


def test_one_round() -> None:
    plan = spec(rounds={"max": 1}).plan()
    assert plan.bounds == {"rounds": Bound("rounds", 0, Way("max_rounds"))}


def test_five_roles_stop_only_where_it_is_said() -> None:
    roles: Any = {name: {"brief": name} for name in ("a", "b", "c", "d", "e")}
    plan = spec(roles=roles, stop={"role": "c"}).plan()
    assert edges(plan) == [
        ("a", "done", "b"),
        ("b", "done", "c"),
        ("c", "continue", "d"),
        ("d", "done", "e"),
        ("e", "done", BACK),
        ("c", "stop", "stopped"),
    ]
    assert [name for name in plan.nodes if role(plan, name).answers] == ["a"]


def test_another_order() -> None:
    plan = spec(order=["boss", "detractor", "solver"]).plan()
    assert edges(plan) == [
        ("boss", "continue", "detractor"),
        ("detractor", "done", "solver"),
        ("solver", "done", BACK),
        ("boss", "stop", "stopped"),
    ]
    assert plan.start == "boss"
    assert role(plan, "solver").order == ("boss", "detractor", "solver")
    assert [name for name in plan.nodes if role(plan, name).answers] == ["solver"]


def test_a_role_in_the_order_need_not_have_settings() -> None:
    plan = spec(roles={"boss": {"title": "Chief"}}, order=["solver", "boss"]).plan()
    assert list(plan.nodes) == ["solver", "boss"]
    assert role(plan, "solver").titles == {"solver": "Solver", "boss": "Chief"}


def test_a_single_role() -> None:
    plan = spec(roles={"solver": {}}, stop={"role": "solver"}, review="after_stop").plan()
    assert sorted(edges(plan)) == sorted(
        [
            ("solver", "continue", BACK),
            ("solver", "stop", "review_stop"),
            ("review_stop", "continue", BACK),
            ("review_stop", "reject", BACK),
            ("review_stop", "accept", "accepted"),
        ]
    )
    assert plan.nodes["review_stop"].node == Review(
        "review_stop", shows=("solver",), titles={"solver": "Solver"}, stopped_by="solver"
    )


def test_settings_come_to_their_roles() -> None:
    plan = spec(
        name="bridge",
        rounds={"min": 2, "max": 5},
        stop={"role": "lead_editor", "word": "DONE", "match": "contains"},
        labels=False,
        models={"strong": ModelRef("big")},
        roles={"writer": {"brief": "Write.", "model": "strong"}, "lead_editor": {"brief": "Edit.", "sees": "latest"}},
        answer="lead_editor",
    ).plan()
    titles = {"writer": "Writer", "lead_editor": "Lead editor"}
    common: Any = {
        "order": ("writer", "lead_editor"),
        "titles": titles,
        "labels": False,
        "rounds": Rounds(2, 5),
        "stop": Stop("lead_editor", "DONE", "contains"),
    }
    assert [node.node for node in plan.nodes.values()] == [
        Role("writer", brief="Write.", model="strong", **common),
        Role("lead_editor", brief="Edit.", sees="latest", answers=True, **common),
    ]
    assert (plan.name, plan.models, plan.model_names) == ("bridge", {"strong": ModelRef("big")}, ("strong", "default"))


@pytest.mark.parametrize(
    ("brief", "expected"), [("", BRIEFS["solver"]), (" \n", BRIEFS["solver"]), ("Solve.\n", "Solve.")]
)
def test_a_blank_brief_is_none(brief: str, expected: str) -> None:
    assert role(spec(roles={"solver": {"brief": brief}, "boss": {}}).plan(), "solver").brief == expected


def test_every_placeholder_has_a_value() -> None:
    brief = " ".join(f"<{{{name}}}>" for name in PLACEHOLDERS)
    plan = spec(roles={"solver": {"brief": brief}, "boss": {}}).plan()
    ask = role(plan, "solver").ask({"task": "T", "transcript": []})
    assert isinstance(ask, AskModel)
    assert ask.messages == [{"role": "user", "content": "T Solver 1 4 Fluggaenkoechiebolsen"}]


def test_each_task_is_a_run() -> None:
    assert spec().runs() == [{"task": "T"}]
    assert spec(task=None, tasks=["one", "two"]).runs() == [{"task": "one"}, {"task": "two"}]


def test_the_task_may_be_given_to_each_run() -> None:
    assert spec(task=None).runs() == [{}]
    assert [channel.name for channel in spec(task=None).plan().inputs] == ["task"]


def test_where_the_parts_of_a_plan_stand() -> None:
    made = spec(review="each_round")
    places: dict[Path, Path] = {
        ("nodes", "boss"): ("roles", "boss"),
        ("nodes", "boss", "model"): ("roles", "boss", "model"),
        ("edges", "solver", "done"): ("roles", "solver"),
        ("nodes", "review_stop"): ("review",),
        ("bounds", "rounds"): ("rounds",),
        ("result",): (),
    }
    assert {place: made.path_of(place) for place in places} == places


def faults(**fields: Any) -> list[str]:
    return [str(fault) for fault in RoleCycleSpec.model_validate({"task": "T", **fields}).faults()]


def test_all_faults_are_reported_at_once() -> None:
    assert faults(
        task=" ",
        tasks=["one", ""],
        rounds={"min": 5, "max": 0},
        stop={"role": "bos", "word": "  "},
        answer="sover",
        models={"strong": {"model": "big"}},
        roles={
            "solver": {"model": "strng", "brief": "Do <{tusk}>."},
            "boss": {},
            "critic": {},
            "judge": {"brief": "J"},
        },
        order=["solver", "boss", "critc", "solver", "critic"],
    ) == [
        "tasks: there are both task and tasks (give one of them)",
        "task: the task is empty",
        "tasks.1: the task is empty",
        "rounds.max: 0 is less than 1 (a cycle has at least one round)",
        "rounds.min: 5 is more than rounds.max, which is 0",
        "order.2: there is no role 'critc' "
        "(did you mean 'critic'? there are: boss, critic, detractor, judge, master, solver)",
        "order.3: role 'solver' stands twice in the order (each role speaks once in a round)",
        "answer: no role 'sover' speaks (did you mean 'solver'? there are: boss, critc, critic, solver)",
        "stop.role: no role 'bos' speaks (did you mean 'boss'? there are: boss, critc, critic, solver)",
        "stop.word: the stop word is empty (every reply would hold it)",
        "roles.solver.model: there is no model 'strng' (did you mean 'strong'? there are: default, strong)",
        "roles.solver.brief: a brief has no placeholder <{tusk}> "
        "(did you mean 'task'? there are: role, round, rounds_max, stop_word, task)",
        "roles.critic.brief: role 'critic' has no brief (only solver, detractor, master, boss have one of their own)",
        "roles.judge: role 'judge' never speaks (add it to order, or leave it out of roles)",
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"task": None, "tasks": []},
            "tasks: the list of tasks is empty (leave it out where each run is given its task)",
        ),
        ({"rounds": {"min": 0}}, "rounds.min: 0 is less than 1 (nobody can stop before a round is over)"),
        ({"stop": {"word": "all\ndone"}}, "stop.word: the stop word has several lines (it is one line)"),
    ],
)
def test_a_single_fault(fields: dict[str, Any], expected: str) -> None:
    assert faults(**fields) == [expected]


def test_a_verdict_needs_no_stop_word() -> None:
    assert faults(stop={"word": "", "match": "verdict"}) == []


@pytest.mark.parametrize("name", ["review", "review_stop", "stopped", "accepted", "max_rounds", "person"])
def test_names_that_are_taken(name: str) -> None:
    taken = "taken are: review, review_stop, stopped, accepted, max_rounds, person"
    assert faults(roles={name: {"brief": "B"}, "boss": {}}) == [
        f"roles.{name}: no role can be named {name!r} ({taken})"
    ]


def test_a_name_may_have_odd_characters_but_not_be_blank() -> None:
    roles = {"R&D: 1/2 | ä": {"brief": "B"}, "boss": {}}
    assert list(spec(roles=roles).plan().nodes) == ["R&D: 1/2 | ä", "boss"]
    assert faults(roles={" ": {"brief": "B"}, "boss": {}}) == ["roles. : a role has no name"]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"review": "sometimes"}, ("review",)),
        ({"stop": {"match": "exact"}}, ("stop", "match")),
        ({"stop": {"wrd": "x"}}, ("stop", "wrd")),
        ({"rounds": {"maxx": 3}}, ("rounds", "maxx")),
        ({"roles": {"boss": {"sees": "none"}}}, ("roles", "boss", "sees")),
        ({"roles": {"boss": {"breif": "x"}}}, ("roles", "boss", "breif")),
        ({"models": {"default": {"model": "m", "temprature": 1}}}, ("models", "default", "temprature")),
        ({"rounds": Rounds(min="two")}, ("rounds", "min")),  # type: ignore[arg-type]
        ({"taks": "T"}, ("taks",)),
    ],
)
def test_a_wrong_field_or_word_is_refused_at_its_place(fields: dict[str, Any], place: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        RoleCycleSpec.model_validate({"task": "T", **fields})
    assert [error["loc"] for error in caught.value.errors()] == [place]
