"""Which rung a client stands on, and what servers say when they refuse one. Words are those of real servers."""

from typing import Any

import pytest

from loopwright.nodes.contract import ToolSpec
from loopwright.nodes.models.contract import ModelCall
from loopwright.nodes.models.ladder import _MOST, Ladder, Rung
from loopwright.nodes.models.reference import Structured
from loopwright.state.values import JsonSchema

SCORE: JsonSchema = {"type": "object", "properties": {"score": {"type": "number"}}}
UNKNOWN = "This response_format type is unavailable now"


def asking(schema: JsonSchema | None = SCORE, *, tools: bool = False) -> ModelCall:
    return ModelCall("rate", [], schema, [ToolSpec("now")] if tools else [])


REFUSALS: list[tuple[Rung, int, Any, Rung]] = [
    ("json_schema", 400, {"message": UNKNOWN, "code": "invalid_request_error"}, "tool_call"),  # DeepSeek
    (
        "json_schema",
        422,
        "Failed to deserialize the JSON body: response_format.type `json_schema` is unavailable now",
        "tool_call",
    ),
    (
        "json_schema",
        400,
        {"message": "Invalid parameter: 'response_format' must be one of 'json_object', 'text'."},
        "tool_call",
    ),
    ("json_schema", 400, {"message": "Unrecognized request argument", "param": "response_format"}, "tool_call"),
    ("json_schema", 400, {"message": "This model does not support response format `json_schema`."}, "tool_call"),
    ("json_schema", 422, {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs"}]}, "tool_call"),
    (
        "json_schema",
        400,
        {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar"},
        "tool_call",
    ),
    ("json_schema", 404, {"message": "No endpoints found that support structured outputs"}, "tool_call"),
    ("json_schema", 400, {"message": "This model does not support JSON mode"}, "tool_call"),
    ("json_schema", 400, {"errors": [{"message": UNKNOWN}]}, "tool_call"),
    ("tool_call", 400, {"message": "gemma:2b does not support tools"}, "text"),  # Ollama
    ("tool_call", 404, {"message": "No endpoints found that support tool use. To learn more"}, "text"),  # OpenRouter
    ("tool_call", 500, {"message": "tools param requires --jinja flag", "type": "server_error"}, "text"),  # llama.cpp
    ("tool_call", 400, "Invalid tool_choice type: 'object'. Supported string values: auto, required", "required_tool"),
    ("required_tool", 400, {"message": "deepseek-reasoner does not support this tool_choice"}, "text"),
]


@pytest.mark.parametrize(("rung", "status", "body", "next_"), REFUSALS, ids=lambda value: str(value)[:50])
def test_a_refusal_leads_one_rung_down(rung: Rung, status: int, body: Any, next_: Rung) -> None:
    ladder = Ladder("auto")
    assert ladder.steps_down(asking(), rung, status, body)
    assert ladder.rung(asking()) == next_


OTHERS: list[tuple[Rung | None, int, Any]] = [
    ("json_schema", 401, {"message": "Incorrect API key provided; response_format is fine"}),
    ("json_schema", 403, {"message": "response_format is not in your plan"}),
    ("json_schema", 429, {"message": "Too many requests with response_format"}),
    ("json_schema", 503, {"message": "json_schema backend overloaded"}),
    ("json_schema", 404, {"message": "The model `gpt-9` does not exist"}),
    ("json_schema", 400, {"message": "temperature must be at most 2"}),
    ("json_schema", 400, {"message": "This model's maximum context length is 8192 tokens, with response_format"}),
    ("json_schema", 400, {"message": "bad messages", "input": "what is a json_schema?"}),
    ("json_schema", 400, None),
    ("json_schema", 400, 7),
    ("tool_call", 400, {"message": UNKNOWN}),
    ("tool_call", 404, {"message": "The model `gpt-9` does not exist"}),
    ("text", 400, {"message": UNKNOWN}),
    (None, 400, {"message": UNKNOWN}),
]


@pytest.mark.parametrize(("rung", "status", "body"), OTHERS, ids=lambda value: str(value)[:50])
def test_any_other_error_is_none(rung: Rung | None, status: int, body: Any) -> None:
    ladder = Ladder("auto")
    assert not ladder.steps_down(asking(), rung, status, body)
    assert ladder.rung(asking()) == "json_schema"


@pytest.mark.parametrize("structured", ["json_schema", "tool_call", "text"])
def test_what_is_chosen_is_the_only_rung(structured: Structured) -> None:
    ladder = Ladder(structured)
    rung = ladder.rung(asking())
    assert not ladder.steps_down(asking(), rung, 400, {"message": f"{UNKNOWN}, nor tools"})
    assert (ladder.rung(asking()), ladder.note(rung)) == (structured, "")


def test_an_answer_without_a_schema_is_on_no_rung() -> None:
    ladder = Ladder("tool_call")
    assert (ladder.rung(asking(None)), ladder.rung(asking({})), ladder.note(None)) == (None, None, "")


def test_beside_tools_there_are_two_rungs_with_a_standing_of_their_own() -> None:
    ladder = Ladder("auto")
    assert ladder.rung(asking(tools=True)) == "json_schema"
    words = {"message": "json_schema cannot be combined with tool calling"}
    assert ladder.steps_down(asking(tools=True), "json_schema", 400, words)
    assert (ladder.rung(asking(tools=True)), ladder.rung(asking())) == ("text", "json_schema")
    assert Ladder("tool_call").rung(asking(tools=True)) == "text"


def test_a_schema_that_is_refused_is_no_form_that_is() -> None:
    ladder = Ladder("auto")
    words = {"message": "Invalid schema for response_format 'answer': 'pattern' is not permitted."}
    assert ladder.steps_down(asking(), "json_schema", 400, words)
    other = asking(dict(SCORE))
    assert (ladder.rung(asking()), ladder.rung(other)) == ("tool_call", "json_schema")
    assert ladder.steps_down(asking(), "tool_call", 400, {"message": "no tools here"})
    assert (ladder.rung(asking()), ladder.rung(other)) == ("text", "json_schema")


def test_a_refusal_that_comes_late_leads_nobody_up_again() -> None:
    ladder = Ladder("auto")
    assert ladder.steps_down(asking(), "json_schema", 400, UNKNOWN)
    assert ladder.steps_down(asking(), "tool_call", 400, "no tools here")
    assert ladder.steps_down(asking(), "json_schema", 400, UNKNOWN)
    assert ladder.rung(asking()) == "text"


def test_lower_rungs_are_told() -> None:
    ladder = Ladder("auto")
    rungs: tuple[Rung, ...] = ("json_schema", "tool_call", "required_tool", "text")
    assert [ladder.note(rung) for rung in rungs] == [
        "",
        "answered by a tool call",
        "answered by a tool call",
        "asked for in words",
    ]


def test_only_so_many_schemas_are_remembered_by_themselves() -> None:
    ladder = Ladder("auto")
    calls = [asking({**SCORE, "title": str(number)}) for number in range(_MOST + 1)]
    for call in calls:
        assert ladder.steps_down(call, "json_schema", 400, {"message": "Invalid schema for response_format"})
    assert [ladder.rung(calls[0]), ladder.rung(calls[1]), ladder.rung(calls[-1])] == [
        "json_schema",
        "tool_call",
        "tool_call",
    ]
