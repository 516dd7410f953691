"""AG-3 to AG-6, AG-10 to AG-12, AG-15, AG-16 and AG-18: conversations with exact messages, driven in both ways."""

from typing import Any

import pytest

import loopwright as lw
from loopwright.testing import RecordingModel, break_at_every_write

A: dict[str, Any] = {"name": "A"}
B: dict[str, Any] = {"name": "B"}
C: dict[str, Any] = {"name": "C"}


def numbered(call: lw.ModelCall) -> str:
    """What an agent says: its name, and how often it has spoken before."""
    own = sum(message["role"] == "assistant" for message in call.messages)
    return f"{call.node}{own}"


def model(**said: list[Any]) -> RecordingModel:
    """Agents say what is given, and otherwise their name and a number."""
    lines = {name: iter(each) for name, each in said.items()}

    def answer(call: lw.ModelCall) -> Any:
        return next(lines[call.node]) if call.node in lines else numbered(call)

    return RecordingModel(answer)


def transcript(run: Any) -> list[str]:
    return [each["text"] for each in run.state["transcript"]]


def talk(drive: Any, agents: list[dict[str, Any]], model: Any, **fields: Any) -> Any:
    return drive.start(lw.Conversation(agents, task="hi", **fields), model=model)


def test_ag_3_nobody_ends_it(drive: Any) -> None:
    """AG-D1: the original sent 201 messages, and gave no reason (AG-D8)."""
    answers = model()
    run = talk(drive, [A, B], answers, opens="A")
    assert (len(run.state["transcript"]) + 1, len(answers.calls)) == (10, 9)
    assert run.end == lw.End("max_messages", ok=False)
    assert run.reason.endswith("10 of at most 10 messages were sent")


def test_ag_3_a_thousand_messages_are_no_recursion(drive: Any) -> None:
    """AG-D5: the original ended in a RecursionError at 494 messages."""
    run = talk(drive, [A, B], model(), opens="A", max_messages=1_001, history=lw.Window(last=2))
    assert len(run.state["transcript"]) == 1_000


@pytest.mark.parametrize(
    ("limits", "said", "reason"),
    [
        ({"A": 1}, ["B0", "A0", "B1"], "A replied 1 of at most 1 time"),
        ({"B": 1}, ["B0", "A0"], "B replied 1 of at most 1 time"),
        ({"A": 2, "B": 2}, ["B0", "A0", "B1", "A1"], "B replied 2 of at most 2 times"),
    ],
)
def test_ag_4_the_limit_of_either_side_ends_it(
    drive: Any, limits: dict[str, int], said: list[str], reason: str
) -> None:
    """AG-D4: in the original a limit of the recipient did not."""
    agents = [{**agent, "max_replies": limits.get(agent["name"], 99)} for agent in (A, B)]
    run = talk(drive, agents, model(A=["A0", "A1"], B=["B0", "B1"]), opens="A")
    assert (transcript(run), run.end) == (said, lw.End("max_replies", ok=False))
    assert run.reason.endswith(reason)
    assert lw.Conversation(agents, task="hi", opens="A").certificate.calls == len(said)


def test_ag_5_a_stop_word_ends_it_and_nobody_else_is_asked(drive: Any) -> None:
    answers = model(A=["A0"], B=["x", "all\nDONE"])
    run = talk(drive, [A, B], answers, opens="A", stop={"word": "DONE"})
    assert (transcript(run), answers.asked) == (["x", "A0", "all\nDONE"], ["B", "A", "B"])
    assert (run.end, run.reason, run.result) == (lw.End("stopped"), "B said the stop word", "all")


@pytest.mark.parametrize(
    ("match", "text", "stops"),
    [("word", "ok TERMINATE", False), ("contains", "ok TERMINATE", True), ("word", "ok\n**TERMINATE**.", True)],
)
def test_ag_5_how_the_word_is_matched(drive: Any, match: str, text: str, stops: bool) -> None:
    """AG-D3: in the original `ok TERMINATE` did not stop, and nothing else could be said."""
    run = talk(drive, [A, B], model(B=[text, "B1"]), opens="A", stop={"match": match}, max_messages=3)
    assert (run.end.name == "stopped", run.result) == (stops, "ok" if stops else "A1")


def test_ag_5_a_verdict_decides_and_no_text(drive: Any) -> None:
    said = [{"message": "TERMINATE it, they say", "stop": False}, {"message": "Bye.", "stop": True}]
    run = talk(drive, [A, B], model(B=said), opens="A", stop={"match": "verdict", "by": ["B"]})
    assert (transcript(run), run.reason) == (["TERMINATE it, they say", "A1", "Bye."], "B decided to stop")


def test_ag_6_a_person_is_asked_where_it_would_end(drive: Any) -> None:
    agents = [{"name": "U", "human": "at_termination"}, {"name": "B", "prompt": "Say <{stop_word}>."}]
    answers = model(U=["U0", "U1"], B=["b0", "DONE", "b2", "DONE again"])
    stop = {"word": "DONE", "match": "contains", "by": ["B"]}
    run = talk(drive, agents, answers, opens="U", stop=stop, max_messages=12)
    assert (run.status, run.questions[0].text.splitlines()[0]) == ("waiting", "B: DONE")
    drive.resume(run, "please continue")
    assert run.questions[0].text.splitlines()[0] == "B: DONE again"
    drive.resume(run, "")
    assert transcript(run) == ["b0", "U0", "DONE", "please continue", "b2", "U1", "DONE again"]
    assert (run.end, run.result) == (lw.End("stopped"), "again")


def test_ag_6_a_person_before_each_message(drive: Any) -> None:
    agents = [{"name": "U", "human": "always"}, B]
    answers = model()
    run = talk(drive, agents, answers, opens="U")
    for line in ("", "talk", "do not exit yet", "exit"):
        drive.resume(run, line)
    assert transcript(run) == ["B0", "U1", "B1", "talk", "B2", "do not exit yet", "B3"]
    assert (run.end, run.reason) == (lw.End("exited"), "a person said exit")
    assert answers.asked == ["B", "U", "B", "B", "B"]


def test_ag_6_a_person_alone_speaks_for_an_agent(drive: Any) -> None:
    answers = model()
    run = talk(drive, [{"name": "U", "human": "only"}, B], answers)
    drive.resume(run, "TERMINATE")  # no stop word of a person's stops anything
    drive.resume(run, "exit")
    assert (transcript(run), answers.asked) == (["TERMINATE", "B0"], ["B"])


def test_ag_10_round_robin_with_names(drive: Any) -> None:
    answers = model()
    run = talk(drive, [A, B, C], answers, opens="A", max_messages=4)
    assert transcript(run) == ["B0", "C0", "A1"]
    assert answers.prompts("B") == [[{"role": "user", "content": "A: hi"}]]
    assert answers.prompts("A") == [
        [
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": "B: B0"},
            {"role": "user", "content": "C: C0"},
        ]
    ]


class Patient:
    """A model that may be asked twice more where its answer is unreadable, as a reference with `repairs: 2`."""

    label, retries, repairs = "patient", 0, 2

    def __init__(self, answers: RecordingModel) -> None:
        self._answers = answers

    def ask(self, call: lw.ModelCall) -> lw.ModelReply:
        return self._answers.ask(call)

    async def aask(self, call: lw.ModelCall) -> lw.ModelReply:
        return await self._answers.aask(call)


@pytest.mark.parametrize(
    ("choices", "second", "calls"),
    [
        ([{"next": "B"}], "B", 1),
        (["B and C", {"next": "C"}], "C", 2),
        ([{"next": "A"}, {"next": "B"}], "B", 2),
        (["junk", "more", "still"], "B", 3),
    ],
    ids=["one", "two names", "who spoke last", "never"],
)
def test_ag_11_a_model_chooses(drive: Any, choices: list[Any], second: str, calls: int) -> None:
    """AG-D12: a wrong, none or several names."""
    answers = model(next=choices)
    run = talk(drive, [A, B, C], Patient(answers), opens="A", speaker="chosen", max_messages=2)
    assert transcript(run) == [f"{second}0"]
    asked = answers.prompts("next")
    assert len(asked) == calls
    assert "You choose among: B, C." in asked[0][0]["content"]
    if calls == 2:
        assert "is not one of" in asked[1][-1]["content"] or "JSON" in asked[1][-1]["content"]


def test_ag_11_nobody_is_asked_where_one_is_eligible(drive: Any) -> None:
    answers = model()
    run = talk(drive, [A, B], answers, opens="A", speaker="chosen", max_messages=4)
    assert (transcript(run), answers.asked) == (["B0", "A1", "B1"], ["B", "A", "B"])


@pytest.mark.parametrize("sink", [{"C": []}, {}], ids=["empty", "left out"])
def test_ag_12_who_may_follow_whom(drive: Any, sink: dict[str, list[str]]) -> None:
    """AG-D13: in the original an empty list let everybody speak."""
    run = talk(drive, [A, B, C], model(), opens="A", transitions={"A": ["B"], "B": ["C"], **sink})
    assert (transcript(run), run.end) == (["B0", "C0"], lw.End("no_speaker"))
    assert run.reason.endswith("nobody may speak after C")


def test_ag_12_what_is_disallowed(drive: Any) -> None:
    run = talk(drive, [A, B, C], model(), opens="A", max_messages=5, disallowed={"A": ["A", "B"], "C": ["C", "A"]})
    assert transcript(run) == ["C0", "B0", "C1", "B1"]


def test_ag_15_a_team_speaks_as_one(drive: Any) -> None:
    """AG-D17: in the original the answer was "", or inner messages were in the outer history."""
    team = {"kind": "conversation", "agents": [{"name": "w"}, {"name": "e"}], "max_messages": 4, "opens": "e"}
    answers = model(
        **{"team/w": ["story v1", "story v2"], "team/e": ["TERMINATE"] * 2, "boss": ["longer", "good\nTERMINATE"]}
    )
    run = talk(drive, [{"name": "team", "plan": team}, {"name": "boss"}], answers)
    assert transcript(run) == ["story v1", "longer", "story v2", "good\nTERMINATE"]
    assert answers.prompts("boss")[0] == [
        {"role": "user", "content": "hi"},
        {"role": "user", "content": "story v1"},
    ]
    assert answers.prompts("team/w")[1][0]["content"] == "hi\nYou: story v1\nboss: longer"


def test_ag_16_whom_an_agent_hears_in_the_order_of_time(drive: Any) -> None:
    """AG-D18: in the original messages came in the order of the filter."""
    answers = model()
    talk(drive, [{**A, "hears": ["C", "B"]}, {**B, "hears": ["A"]}, C], answers, opens="A", max_messages=6)
    assert [message["content"] for message in answers.prompts("A")[0]] == ["hi", "B: B0", "C: C0"]
    assert [message["content"] for message in answers.prompts("B")[1]] == ["A: hi", "B0", "A: A1"]


def test_ag_18_notes_want_no_reply(drive: Any) -> None:
    answers = model()
    notes = ["one", {"text": "two", "sender": "A", "to": ["B"]}]
    talk(drive, [A, B], answers, max_messages=3, notes=notes)
    assert answers.asked == ["A", "B"]
    assert [message["content"] for message in answers.prompts("A")[0]] == ["one", "two", "hi"]
    assert [message["content"] for message in answers.prompts("B")[0]] == ["one", "two", "hi", "A1"]


def test_ag_d2_an_empty_message_is_none(drive: Any) -> None:
    run = talk(drive, [A, B], model(A=["", ""]))
    assert (run.status, transcript(run)) == ("suspended", [])


def test_ag_d19_a_model_that_fails_loses_nothing(drive: Any) -> None:
    lines = {"A": ["A0", "A1"], "B": ["B0", {"error": "no connection"}, "B1"]}
    run = talk(drive, [A, B], lw.ScriptedModel(lines), max_messages=5)
    assert (run.status, transcript(run)) == ("suspended", ["A0", "B0", "A1"])
    drive.resume(run)
    assert transcript(run) == ["A0", "B0", "A1", "B1"]


def test_more_messages_are_given(drive: Any) -> None:
    run = talk(drive, [A, B], model(), max_messages=3)
    assert transcript(run) == ["A0", "B0"]
    drive.resume(run, bounds={"messages": 2})
    assert (transcript(run), run.reason.rpartition("; ")[2]) == (
        ["A0", "B0", "A1", "B1"],
        "5 of at most 5 messages were sent",
    )


def test_a_model_sums_up_and_the_end_stays(drive: Any) -> None:
    answers = model(**{"sum up max_messages": ["They met."]})
    run = talk(drive, [A, B], answers, max_messages=3, summary="model")
    assert (run.result, run.end.name) == ("They met.", "max_messages")
    assert [message["content"] for message in answers.prompts("sum up max_messages")[0][:3]] == [
        "Task: hi",
        "A: A0",
        "B: B0",
    ]


def by_question(task: str, transcript: list[dict[str, Any]]) -> str:
    """C answers whatever asks; else A and B take turns, and nobody after C."""
    if not transcript:
        return "A"
    last = transcript[-1]
    if last["speaker"] == "C":
        return "nobody"
    return "C" if last["text"].endswith("?") else {"A": "B", "B": "A"}[last["speaker"]]


def in_short(task: str, transcript: list[dict[str, Any]]) -> str:
    return f"{task}: {len(transcript)} messages"


def test_functions_say_who_is_next_and_sum_up(drive: Any) -> None:
    answers = model(A=["a", "well?"], B=["b"])
    run = talk(drive, [A, B, C], answers, speaker=by_question, summary=in_short)
    assert (transcript(run), run.end, run.result) == (
        ["a", "b", "well?", "C0"],
        lw.End("no_speaker"),
        "hi: 4 messages",
    )


def test_functions_of_a_file(drive: Any, tmp_path: Any) -> None:
    (tmp_path / "who.py").write_text("def who(task, transcript):\n    return 'B' if not transcript else 'nobody'\n")
    (tmp_path / "t.yaml").write_text(
        "kind: conversation\ntask: hi\nagents: [{name: A}, {name: B}]\nspeaker: {call: 'who.py:who'}\n"
    )
    run = drive.start(lw.load(tmp_path / "t.yaml"), model=model())
    assert (transcript(run), run.end) == (["B0"], lw.End("no_speaker"))
    (tmp_path / "t.yaml").write_text((tmp_path / "t.yaml").read_text().replace("who.py:who", "who.py:whom"))
    with pytest.raises(lw.SourceError, match=r"speaker\.call"):
        lw.load(tmp_path / "t.yaml")


@pytest.mark.parametrize(
    ("agent", "fields", "key"),
    [
        ({"max_replies": 2}, {}, "agents.1.max_replies"),
        ({"human": "at_termination"}, {}, "agents.1.human"),
        ({}, {"transitions": {"A": ["B"]}}, "transitions"),
    ],
)
def test_what_does_not_go_with_a_function(agent: Any, fields: Any, key: str) -> None:
    with pytest.raises(lw.SourceError) as caught:
        lw.Conversation([A, {**B, **agent}], speaker=by_question, **fields)
    assert [fault.key for fault in caught.value.faults] == [key]


@pytest.mark.parametrize("chosen", [False, True], ids=["in turn", "chosen"])
def test_it_is_broken_at_every_write(chosen: bool) -> None:
    loop = lw.Conversation(
        [A, {**B, "human": "always"}, C], task="hi", max_messages=6, speaker="chosen" if chosen else "round_robin"
    )

    def answer(call: lw.ModelCall) -> Any:
        if call.node != "next":
            return numbered(call)
        *_, last = [message["content"][0] for message in call.messages if message["content"][1:2] == ":"] or ["C"]
        return {"next": {"A": "B", "B": "C", "C": "A"}.get(last, "A")}

    broken = break_at_every_write(loop, model=answer, people={"ask B": ["", "well"]})
    assert (broken.breaks, broken.most) == (2 * broken.writes, 1)


def test_the_worst_case_is_reached() -> None:
    loop = lw.Conversation([A, B, C], task="hi", max_messages=5, speaker="chosen", summary="model", stop=None)
    spoken = {"A": ["a"] * 4, "B": ["b"] * 4, "C": ["c"] * 4, "sum up max_messages": ["s"]}
    choices = [{"next": name} for name in ("A", "B", "C", "A")]
    run = loop.start(model=lw.ScriptedModel({**spoken, "next": choices}))
    assert (run.usage.calls, run.end) == (loop.certificate.calls, lw.End("max_messages"))
    unread = loop.start(model=lw.ScriptedModel({**spoken, "next": ["junk"] * 8}))
    assert (len(unread.visits), unread.end) == (loop.certificate.visits, lw.End("max_messages"))
