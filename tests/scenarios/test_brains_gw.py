"""GenWorlds' scenarios of brains, GW-1 to GW-5: exact calls, prompts, paths, and the very requests that are sent."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import loopwright as lw
from loopwright.nodes.models.contract import ModelCall
from loopwright.state.values import Json, JsonObject
from loopwright.testing import ModelServer, RecordingModel, assert_path

A: Any = {"text": "a"}
B: Any = {"text": "b"}
C: Any = {"text": "c"}
OUTPUT: Any = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
GIVEN: Any = {"prompt": "A word for <{task}>.", "output": OUTPUT}


def generated(*options: Json) -> JsonObject:
    return {"options": list(options)}


def rated(**by_option: Any) -> Callable[[ModelCall], Json]:
    """Ratings by the text of the option that the judge is shown; anything else is the options, the letters in order."""

    def reply(call: ModelCall) -> Json:
        if call.node == "generate":
            return {"options": [{"text": text} for text in by_option]}
        (text,) = [text for text in by_option if json.dumps({"text": text}) in call.messages[0]["content"]]
        said: Json = by_option[text]
        return {"rating": said} if isinstance(said, int | float) else said

    return reply


def started(loop: lw.Loop[Any], model: Any) -> tuple[lw.Run, RecordingModel]:
    recording = RecordingModel(model)
    return loop.start({"task": "go"}, model=recording), recording


def test_gw1_zero_shot_is_one_call_and_its_object_is_the_result() -> None:
    run, model = started(lw.ZeroShot(**GIVEN), {"decide": [A]})
    assert (run.end, run.result) == (lw.End("done"), A)
    assert model.asked == ["decide"]
    assert model.calls[0].messages == [{"role": "user", "content": "A word for go."}]
    assert model.calls[0].schema == OUTPUT
    assert_path(run, ["decide done -> done"])


def test_gw2_single_eval_chooses_one_of_three_by_its_number() -> None:
    script = {"generate": [generated(A, B, C)], "choose": [{"choice": 2, "reason": "clear"}]}
    run, model = started(lw.SingleEval(**GIVEN, n=3), script)
    assert (run.result, run.reason) == (B, "the 2nd of 3 options was chosen: clear")
    assert (run.state["chosen"], run.usage.calls) == (1, 2)
    assert_path(run, ["generate options -> choose", "choose done -> done"])
    (asked,) = model.prompts("choose")
    for number, option in enumerate((A, B, C), 1):
        assert f"{number}. {json.dumps(option)}" in asked[-1]["content"]
    assert model.calls[1].schema == {
        "type": "object",
        "properties": {"choice": {"type": "integer", "minimum": 1, "maximum": 3}, "reason": {"type": "string"}},
        "required": ["choice"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("n", [1, 3])
def test_gw2_of_one_option_nothing_is_chosen(n: int) -> None:
    run, model = started(lw.SingleEval(**GIVEN, n=n), {"generate": [generated(B)], "default": ["never"]})
    assert (run.result, model.asked, run.state["chosen"]) == (B, ["generate"], 0)
    assert_path(run, ["generate done -> done"])


@pytest.mark.parametrize("invented", [{"choice": 4}, {"choice": "d"}, {"text": "d"}])
def test_gw2_what_is_not_among_the_options_is_asked_for_again(invented: Any) -> None:
    script = {"generate": [generated(A, B, C)], "choose": [invented, {"choice": 3}]}
    run, model = started(lw.SingleEval(**GIVEN), script)
    assert (run.result, model.asked) == (C, ["generate", "choose", "choose"])
    assert (run.usage.calls, run.usage.repairs) == (2, 1)
    assert "That answer cannot be used" in model.calls[2].messages[-1]["content"]


def test_gw2_what_is_never_among_them_is_unreadable() -> None:
    script = {"generate": [generated(A, B)], "choose": [{"choice": 3}, {"choice": 0}, {"choice": 1}]}
    run, model = started(lw.SingleEval(**GIVEN), script)
    assert (run.status, run.reason) == ("suspended", "choose: recording: at choice: 0 is less than the minimum of 1")
    assert run.resume(model=model).result == A


def test_gw3_multi_eval_picks_the_best_and_each_rating_sees_its_own_option_only() -> None:
    run, model = started(lw.MultiEval(**GIVEN, n=3), rated(a=3, b=8, c=5))
    assert (run.result, run.state["chosen"], run.usage.calls) == (B, 1, 4)
    assert run.reason == "the 2nd of 3 options is the best, rated 8"
    assert run.state["ratings"] == [{"rating": 3}, {"rating": 8}, {"rating": 5}]
    for index, option in enumerate((A, B, C)):
        (asked,) = model.prompts(f"rate[{index}]/judge")
        said = asked[-1]["content"]
        assert [other for other in (A, B, C) if json.dumps(other) in said] == [option]
    assert sorted(visit.node for visit in run.visits) == [
        "generate",
        "pick",
        "rate",
        "rate[0]/judge",
        "rate[1]/judge",
        "rate[2]/judge",
    ]
    assert [visit.reply for visit in run.visits if visit.node == "rate[1]/judge"] == [{"rating": 8}]


@pytest.mark.parametrize(
    ("ratings", "result", "reason"),
    [
        ({"a": 3, "b": 6}, None, "no option reaches 7: the 2nd of 2 options is the best, rated 6"),
        ({"a": 3, "b": 7.0}, B, "the 2nd of 2 options is the best, rated 7"),
        ({"a": 6.9}, None, "no option reaches 7: the only option is the best, rated 6.9"),
    ],
)
def test_gw4_the_threshold(ratings: Mapping[str, float], result: Any, reason: str) -> None:
    run, model = started(lw.MultiEval(**GIVEN, n=2, threshold=7), rated(**ratings))
    assert (run.result, run.reason, len(model.calls)) == (result, reason, 1 + len(ratings))
    assert run.end == (lw.End("none", ok=False) if result is None else lw.End("done"))


def acting(**brain: Any) -> lw.PlanBuilder:
    """An agent that thinks until there is an action that is good enough, and then acts."""
    channels = [
        lw.Channel("task", "str", input=True),
        lw.Channel("last_failure", "str", default=""),
        lw.Channel("action", dict),
        lw.Channel("sent", list, reduce="append"),
    ]
    plan = lw.PlanBuilder("agent", channels, result="sent")
    plan.node(lw.MultiEval(**GIVEN, **brain, sees=["last_failure"]), name="nav", writes="action")
    plan.node(lw.Act("send", lambda action: action, reads=["action"], writes="sent"))
    plan.edge("nav", "done", "send").edge("send", "done", lw.End("acted"))
    return plan.edge("nav", "none", "nav", at_most=2, bound="tries", then=lw.End("gave_up", ok=False))


def test_gw4_below_the_threshold_nothing_is_sent_and_the_next_prompt_says_why() -> None:
    script: Any = {
        "generate": [generated(A, B), generated(B, C)],
        "nav/rate[0]/judge": [{"rating": 3}, {"rating": 2}],
        "nav/rate[1]/judge": [{"rating": 6, "reason": "too shy"}, {"rating": 9}],
    }
    loop = acting(n=2, threshold=7).loop()
    assert not loop.check()
    run, model = started(loop, script)
    assert (run.end, run.result) == (lw.End("acted"), [C]), run.reason
    first, second = (asked[0]["content"] for asked in model.prompts("nav/generate"))
    heading = "## Why the last attempt came to nothing\n"
    assert first == f"{heading}none"
    assert second == f"{heading}no option reaches 7: the 2nd of 2 options is the best, rated 6: too shy"
    assert run.state["last_failure"] == ""
    assert [f"{visit.node} {visit.outcome}" for visit in run.visits if not visit.node.startswith("nav/rate")] == [
        "nav/generate options",
        "nav/pick none",
        "nav/generate options",
        "nav/pick done",
        "send done",
    ]
    assert loop.certificate.calls == 3 * 3


def test_gw5_of_equal_ratings_the_first_is_picked() -> None:
    run, _ = started(lw.MultiEval(**GIVEN), rated(a=5, b=5, c=5))
    assert (run.result, run.usage.calls) == (A, 4)


def test_gw5_options_that_are_alike_keep_their_own_ratings() -> None:
    script: Any = {"generate": [generated(A, A, B)], "rate[0]/judge": [{"rating": 2}]}
    script |= {"rate[1]/judge": [{"rating": 9}], "rate[2]/judge": [{"rating": 4}]}
    run, _ = started(lw.MultiEval(**GIVEN), script)
    assert (run.result, run.state["chosen"]) == (A, 1)
    assert run.state["ratings"] == [{"rating": 2}, {"rating": 9}, {"rating": 4}]


@pytest.mark.parametrize("bad", [{"rating": 11}, {"rating": 0}, "rather good", {"rating": "between 7 and 8"}, {}])
def test_gw5_a_rating_that_cannot_be_read_is_asked_for_again_and_then_ranks_last(bad: Any) -> None:
    run, model = started(lw.MultiEval(**GIVEN, n=2), rated(a=bad, b=1))
    assert (run.result, run.state["ratings"]) == (B, [None, {"rating": 1}])
    assert model.asked.count("rate[0]/judge") == 2
    assert run.reason == "the 2nd of 2 options is the best, rated 1; 1 rating could not be read"
    absent = next(visit for visit in run.visits if visit.node == "rate[0]/judge")
    assert (absent.outcome, absent.target, absent.usage.repairs) == ("unreadable", "absent", 1)


def test_gw5_no_options_at_all_are_asked_for_again_and_then_unreadable() -> None:
    run, model = started(
        lw.MultiEval(**GIVEN), {"generate": [generated(), generated(), generated(B, A)], "judge": [5], "repeat": "last"}
    )
    assert (run.status, model.asked) == ("suspended", ["generate", "generate"])
    assert run.reason.startswith("generate: recording: ")


class Unrated:
    """A model whose judge says nothing that can be read, until it is asked for all ratings at once."""

    label, retries = "unrated", 0

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers
        self.asked: list[str] = []

    def ask(self, call: ModelCall) -> lw.ModelReply:
        self.asked.append(call.node)
        if call.node.endswith("pick"):
            return lw.ModelReply({"ratings": list(self.numbers)} if self.numbers else "no idea")
        return lw.ModelReply(generated(A, B) if call.node.endswith("generate") else "no idea")

    async def aask(self, call: ModelCall) -> lw.ModelReply:
        return self.ask(call)


def test_gw5_where_all_ratings_are_absent_the_run_suspends_and_a_resume_asks_again() -> None:
    run = lw.MultiEval(**GIVEN, n=2).start({"task": "go"}, model=Unrated())
    assert (run.status, run.reason) == ("suspended", "pick: none of the 2 ratings could be read")
    assert (run.state["ratings"], run.usage.calls) == ([None, None], 3)
    still = Unrated()
    assert run.resume(model=still).status == "suspended"
    assert still.asked == ["pick", "pick"]
    model = Unrated(2, 9)
    assert run.resume(model=model).result == B
    assert model.asked == ["pick"]
    assert run.reason == "the 2nd of 2 options is the best, rated 9"
    assert run.visits[-1].usage.calls == 1


async def test_gw5_a_resume_asks_again_with_awaited_calls() -> None:
    run = await lw.MultiEval(**GIVEN, n=2).astart({"task": "go"}, model=Unrated())
    assert run.status == "suspended"
    assert (await run.aresume(model=Unrated(9, 2))).result == A


def test_gw5_where_unreadable_has_an_edge_it_is_taken() -> None:
    plan = acting(n=2).edge("nav", "unreadable", lw.End("no idea", ok=False))
    run = plan.loop().start({"task": "go"}, model=Unrated())
    assert (run.end, run.reason) == (lw.End("no idea", ok=False), "none of the 2 ratings could be read")


def test_the_requests_are_exactly_these() -> None:
    """Through the real client: what a server gets of GW-3, message by message and schema by schema."""

    def reply(body: JsonObject) -> Any:
        said: Any = body["messages"]
        options = {"options": [A, B]}
        return {"rating": 9 if '"b"' in said[-1]["content"] else 4} if "Rate it" in said[-1]["content"] else options

    with ModelServer(reply) as server:
        ref = lw.ModelRef("small", base_url=server.base_url, api_key_env="PATH")
        strong = lw.ModelRef("strong", base_url=server.base_url, api_key_env="PATH")
        loop = lw.MultiEval(
            **GIVEN, n=2, system="Be brief.", judge_model_name="judge", models={"default": ref, "judge": strong}
        )
        run = loop.start({"task": "go"})
    assert run.result == B
    first, *others = (request.body for request in server.requests)
    assert first["model"] == "small"
    assert first["messages"] == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": "A word for go.\n\nGive 2 answers that differ in what they propose. Each is complete in itself.",
        },
    ]
    sent: Any = first["response_format"]
    assert sent["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"options": {"type": "array", "items": OUTPUT, "minItems": 1, "maxItems": 2}},
        "required": ["options"],
        "additionalProperties": False,
    }
    assert sent["json_schema"]["strict"] is True
    assert [body["model"] for body in others] == ["strong", "strong"]
    asked = sorted((body["messages"] for body in others), key=str)
    assert asked == [
        [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": "This was asked:\n\nA word for go.\n\nThis is an answer to it:\n\n"
                f"{json.dumps(option)}\n\nRate it from 1 (of no use) to 10 (could hardly be better), strictly,"
                " and say in one sentence why.",
            },
        ]
        for option in (A, B)
    ]
    assert {visit.model for visit in run.visits if visit.node.endswith("judge")} == {"strong"}
