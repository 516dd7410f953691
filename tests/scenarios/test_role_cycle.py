"""The role cycle on the real engine: what NeuroBDSM does, or should have done (NB-1 to NB-13)."""

import asyncio
from typing import Any

import pytest

from loopwright.errors import ModelError, SourceError
from loopwright.graphs.plan import End
from loopwright.loop.role_cycle import RoleCycle
from loopwright.nodes.contract import Message
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.role import Rounds, Stop
from loopwright.testing.scripts import RecordingModel, assert_path

WORD = "Fluggaenkoechiebolsen"
ROUND = ["solver done -> detractor", "detractor done -> master", "master done -> boss"]
AGAIN = [*ROUND, "boss continue -> solver"]
NEVER = {
    name: [f"{letter}{index}" for index in range(6)]
    for name, letter in zip(["solver", "detractor", "master", "boss"], "SDMB", strict=True)
}
SILENT = {name: {"brief": f"You are the {name}."} for name in NEVER}


def script(**replies: list[Any]) -> dict[str, list[Any]]:
    """S0, D0, M0, B0 and so on, with some roles' replies in their place."""
    return {**NEVER, **replies}


def boss(*texts: str) -> dict[str, list[Any]]:
    return script(boss=list(texts))


def chat(messages: list[Message]) -> list[str]:
    """Messages after the brief: `u` for the user's, `a` for the assistant's, and the text."""
    return [f"{message['role'][0]} {message['content']}" for message in messages[1:]]


def test_nb_1_two_full_rounds_and_a_stop(drive: Any) -> None:
    model = RecordingModel(boss("B0", WORD))
    run = drive.start(RoleCycle(task="T", rounds=Rounds(min=2, max=4)), model=model)
    assert_path(run, [*AGAIN, *ROUND, "boss stop -> stopped"])
    assert model.asked == ["solver", "detractor", "master", "boss"] * 2
    assert (run.end, run.reason, run.result) == (End("stopped"), "boss said the stop word in round 2", "S1")
    assert run.usage.calls == 8


def test_nb_1_as_the_original_counted(drive: Any) -> None:
    """The importer sets min to the original's value + 1; then the word is heard from the third round on."""
    model = RecordingModel(boss(WORD, WORD, WORD))
    loop = RoleCycle(task="T", rounds=Rounds(min=3, max=4), stop=Stop(match="contains"), labels=False)
    run = drive.start(loop, model=model)
    assert_path(run, [*AGAIN, *AGAIN, *ROUND, "boss stop -> stopped"])
    assert len(model.calls) == 12


MATRIX = {
    "solver": [[], ["a S0", "u D0", "u M0", "u B0", "u Continue"]],
    "detractor": [["u S0"], ["u S0", "a D0", "u M0", "u B0", "u Continue", "u S1"]],
    "master": [["u S0", "u D0"], ["u S0", "u D0", "a M0", "u B0", "u Continue", "u S1", "u D1"]],
    "boss": [["u S0", "u D0", "u M0"], ["u S0", "u D0", "u M0", "a B0", "u Continue", "u S1", "u D1", "u M1"]],
}


def test_nb_2_the_transcripts(drive: Any) -> None:
    model = RecordingModel(NEVER)
    drive.start(RoleCycle(task="T", rounds=Rounds(max=2), labels=False, roles=SILENT), model=model)
    assert {name: [chat(messages) for messages in model.prompts(name)] for name in MATRIX} == MATRIX
    briefs = [messages[0] for messages in model.prompts("master")]
    assert briefs == [{"role": "user", "content": "You are the master.\n\nTask:\nT"}] * 2


def test_nb_2_with_labels(drive: Any) -> None:
    model = RecordingModel(NEVER)
    drive.start(RoleCycle(task="T", rounds=Rounds(max=2)), model=model)
    assert chat(model.prompts("boss")[1]) == [
        "u Solver: S0",
        "u Detractor: D0",
        "u Master: M0",
        "a B0",
        "u Continue",
        "u Solver: S1",
        "u Detractor: D1",
        "u Master: M1",
    ]


def test_nb_3_the_most_rounds(drive: Any) -> None:
    model = RecordingModel(NEVER)
    run = drive.start(RoleCycle(task="T", rounds=Rounds(max=4)), model=model)
    assert_path(run, [*AGAIN, *AGAIN, *AGAIN, *ROUND, "boss continue -> max_rounds"])
    assert len(model.calls) == 16
    assert (run.end, run.result) == (End("max_rounds", ok=False), "S3")
    assert run.reason == "bound 'rounds' used up: led back to 'solver' 3 of 3 times; round 4 of at most 4 is over"


def test_nb_4_a_wish_to_stop_before_the_minimum(drive: Any) -> None:
    model = RecordingModel(boss(WORD, "B1", "B2"))
    run = drive.start(RoleCycle(task="T", rounds=Rounds(min=2, max=3), labels=False), model=model)
    assert_path(run, [*AGAIN, *AGAIN, *ROUND, "boss continue -> max_rounds"])
    assert run.visits[3].reason == "boss wished to stop in round 1, before the minimum of 2"
    assert chat(model.prompts("solver")[1])[-1] == "u Continue"


@pytest.mark.parametrize(
    ("replies", "stop"),
    [
        (script(solver=[WORD, "S1"]), Stop()),
        (boss(WORD.lower(), "B1"), Stop()),
        (boss(f"We are not yet at {WORD}.", "B1"), Stop()),
        (script(boss=[{"message": WORD, "stop": False}, {"message": "B1", "stop": False}]), Stop(match="verdict")),
    ],
    ids=["wrong speaker", "wrong case", "denied", "denied by a verdict"],
)
def test_nb_5_what_does_not_stop(drive: Any, replies: dict[str, Any], stop: Stop) -> None:
    run = drive.start(RoleCycle(task="T", rounds=Rounds(max=2), stop=stop), model=RecordingModel(replies))
    assert_path(run, [*AGAIN, *ROUND, "boss continue -> max_rounds"])


@pytest.mark.parametrize(
    ("reply", "stop", "reason"),
    [
        (f"Enough.\n\n**{WORD}**.", Stop(), "boss said the stop word in round 1"),
        (f"I will not say {WORD} yet", Stop(match="contains"), "boss said the stop word in round 1"),
        ({"message": "Good.", "stop": True}, Stop(match="verdict"), "boss decided to stop in round 1"),
    ],
    ids=["a line of its own", "anywhere", "a verdict"],
)
def test_nb_5_what_stops(drive: Any, reply: Any, stop: Stop, reason: str) -> None:
    run = drive.start(RoleCycle(task="T", stop=stop), model=RecordingModel(script(boss=[reply])))
    assert_path(run, [*ROUND, "boss stop -> stopped"])
    assert run.reason == reason


def test_nb_6_a_person_steers_each_round(drive: Any) -> None:
    model = RecordingModel(NEVER)
    run = drive.start(RoleCycle(task="T", rounds=Rounds(max=3), review="each_round", labels=False), model=model)
    assert (run.status, [question.node for question in run.questions]) == ("waiting", ["review"])
    drive.resume(run, "use metric units")
    assert run.status == "waiting"
    assert chat(model.prompts("solver")[1]) == ["a S0", "u D0", "u M0", "u B0", "u use metric units"]
    for name in ("detractor", "master", "boss"):
        assert "u use metric units" in chat(model.prompts(name)[1])
        assert "u Continue" not in chat(model.prompts(name)[1])
    drive.resume(run, "")
    assert chat(model.prompts("solver")[2])[-1] == "u Continue"
    drive.resume(run, "accept")
    asked = [*ROUND, "boss continue -> review"]
    on = "review continue -> solver"
    assert_path(run, [*asked, on, *asked, on, *asked, "review accept -> accepted"])
    assert (run.end, run.result, len(model.calls)) == (End("accepted"), "S2", 12)


def test_nb_7_a_person_rejects_a_stop(drive: Any) -> None:
    model = RecordingModel(boss("B0", "B1", WORD, WORD))
    loop = RoleCycle(task="T", rounds=Rounds(max=5), review="after_stop", labels=False)
    run = drive.start(loop, model=model)
    assert_path(run, [*AGAIN, *AGAIN, *ROUND, "boss stop -> review_stop"])
    before = chat(model.prompts("solver")[2])
    drive.resume(run, "not satisfied: too long")
    solver = chat(model.prompts("solver")[3])
    assert solver[: len(before)] == before
    assert solver[len(before) :] == ["a S2", "u D2", "u M2", f"u {WORD}", "u not satisfied: too long"]
    assert "u not satisfied: too long" in chat(model.prompts("boss")[3])
    drive.resume(run, "")
    assert_path(
        run,
        [
            *AGAIN,
            *AGAIN,
            *ROUND,
            "boss stop -> review_stop",
            "review_stop reject -> solver",
            *ROUND,
            "boss stop -> review_stop",
            "review_stop accept -> accepted",
        ],
    )
    assert (run.end, run.result) == (End("accepted"), "S3")
    assert run.reason == "a person accepted the answer of round 4"


def test_nb_7_a_rejection_in_the_last_round(drive: Any) -> None:
    model = RecordingModel(boss("B0", WORD))
    run = drive.start(RoleCycle(task="T", rounds=Rounds(max=2), review="after_stop"), model=model)
    drive.resume(run, "still too long")
    assert run.visits[-1].target == "max_rounds"
    assert (run.end, len(model.calls)) == (End("max_rounds", ok=False), 8)
    used_up = "bound 'rounds' used up: led back to 'solver' 1 of 1 times"
    assert run.reason == f"{used_up}; a person rejected the answer of round 2: still too long"


DOWN = {"error": "503 overloaded", "retryable": True, "retry_after": 0}


def test_nb_8_a_role_fails_after_its_retries(drive: Any) -> None:
    model = RecordingModel(script(detractor=[DOWN, DOWN, DOWN, DOWN, "D0"], boss=[WORD]))
    run = drive.start(RoleCycle(task="T"), model=model)
    assert (run.status, run.end, run.reason) == ("suspended", None, "detractor: 503 overloaded (tried 4 times)")
    assert_path(run, ["solver done"])
    assert run.state["transcript"] == [{"speaker": "solver", "text": "S0", "round": 1}]
    drive.resume(run)
    assert_path(run, [*ROUND, "boss stop -> stopped"])
    assert model.asked == ["solver", *["detractor"] * 5, "master", "boss"]
    assert run.end == End("stopped")


def test_nb_8_a_role_recovers_within_its_retries(drive: Any) -> None:
    run = drive.start(RoleCycle(task="T"), model=RecordingModel(script(detractor=[DOWN, DOWN, "D0"], boss=[WORD])))
    assert_path(run, [*ROUND, "boss stop -> stopped"])
    assert (run.visits[1].usage.calls, run.visits[1].usage.retries, run.usage.calls) == (1, 2, 4)


@pytest.mark.parametrize("nothing", ["", "  \n"])
def test_nb_8_an_empty_reply_is_no_reply(drive: Any, nothing: str) -> None:
    run = drive.start(RoleCycle(task="T"), model=RecordingModel(script(detractor=[nothing, nothing])))
    assert run.status == "suspended"
    assert run.reason == "detractor: recording: the answer is empty"
    assert_path(run, ["solver done"])


def test_nb_9_a_model_for_each_role(drive: Any) -> None:
    names = ["solver", "detractor", "master", "boss"]
    models = {name: RecordingModel({"default": [f"{name} 0", f"{name} 1"]}, label=name) for name in names}
    settings = {name: {"brief": "B", "model": name} for name in names}
    refs = {name: ModelRef("unused") for name in names}
    run = drive.start(RoleCycle(task="T", rounds=Rounds(max=2), roles=settings, models=refs), models=models)
    assert {name: model.asked for name, model in models.items()} == {name: [name, name] for name in names}
    assert [(visit.model, visit.reply) for visit in run.visits] == [
        (name, f"{name} {i}") for i in (0, 1) for name in names
    ]


def first_task_fails(node: str) -> RecordingModel:
    """Everyone says their letter, and the boss the word; but this role fails whenever the first task is worked on."""

    def answer(call: ModelCall) -> str:
        if call.node == node and call.messages[0]["content"].endswith("Task:\nfirst"):
            raise ModelError("503 overloaded")
        return WORD if call.node == "boss" else call.node[0].upper()

    return RecordingModel(answer)


@pytest.mark.parametrize("awaited", [False, True])
def test_nb_10_two_tasks(awaited: bool) -> None:
    model = first_task_fails("nobody")
    loop = RoleCycle(tasks=["first", "second"], labels=False, roles=SILENT)
    batch = asyncio.run(loop.astart_all(model=model)) if awaited else loop.start_all(model=model)
    assert [(run.row.inputs["task"], run.end, run.result) for run in batch] == [
        ("first", End("stopped"), "S"),
        ("second", End("stopped"), "S"),
    ]
    assert model.asked == [*NEVER, *NEVER]
    second = model.calls[4:]
    assert [call.messages[0] for call in second] == [
        {"role": "user", "content": f"You are the {name}.\n\nTask:\nsecond"} for name in NEVER
    ]
    assert [chat(list(call.messages)) for call in second] == [[], ["u S"], ["u S", "u D"], ["u S", "u D", "u M"]]


@pytest.mark.parametrize("awaited", [False, True])
def test_nb_10_a_failure_of_the_first_task_does_not_stop_the_second(awaited: bool) -> None:
    model = first_task_fails("master")
    loop = RoleCycle(tasks=["first", "second"], roles=SILENT)
    first, second = asyncio.run(loop.astart_all(model=model)) if awaited else loop.start_all(model=model)
    assert (first.status, first.reason) == ("suspended", "master: 503 overloaded")
    assert_path(first, ["solver done", "detractor done"])
    assert_path(second, [*ROUND, "boss stop -> stopped"])
    assert model.asked == ["solver", "detractor", "master", *NEVER]


def test_nb_11_only_the_latest(drive: Any) -> None:
    roles = {**SILENT, "detractor": {"brief": "D", "sees": "latest"}, "master": {"brief": "M", "sees": "latest"}}
    model = RecordingModel(NEVER)
    drive.start(RoleCycle(task="T", rounds=Rounds(max=2), labels=False, roles=roles), model=model)
    assert [chat(messages) for messages in model.prompts("detractor")] == [["u S0"], ["a D0", "u S1"]]
    assert [chat(messages) for messages in model.prompts("master")] == [["u S0", "u D0"], ["a M0", "u S1", "u D1"]]
    assert chat(model.prompts("solver")[1]) == MATRIX["solver"][1]
    assert chat(model.prompts("boss")[1]) == MATRIX["boss"][1]


def test_nb_12_a_wrong_configuration_never_comes_to_a_call() -> None:
    with pytest.raises(SourceError) as caught:
        RoleCycle(
            task="T", rounds=Rounds(min=2, max=0), stop=Stop(word=""), roles={**SILENT, "boss": {"model": "nobody"}}
        )
    assert [(fault.key, fault.message) for fault in caught.value.faults] == [
        ("rounds.max", "0 is less than 1"),
        ("rounds.min", "2 is more than rounds.max, which is 0"),
        ("stop.word", "the stop word is empty"),
        ("roles.boss.model", "there is no model 'nobody'"),
    ]


def test_nb_13_another_order_and_another_stopper(drive: Any) -> None:
    names = ["lead", "maker", "critic", "judge", "scribe"]
    roles = {name: {"brief": f"You are {name}."} for name in names}

    def answer(call: ModelCall) -> str:
        return WORD if call.node in ("judge", "scribe") and len(call.messages) > 6 else call.node

    loop = RoleCycle(task="T", rounds=Rounds(max=3), roles=roles, stop=Stop(role="judge"), answer="maker", labels=False)
    run = drive.start(loop, model=RecordingModel(answer))
    row = ["lead done -> maker", "maker done -> critic", "critic done -> judge"]
    assert_path(
        run,
        [*row, "judge continue -> scribe", "scribe done -> lead", *row, "judge stop -> stopped"],
    )
    assert run.result == "maker"
