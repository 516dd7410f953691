"""Think and Judge: the question that they ask, and what they make of the answer."""

from typing import Any

import pytest
from pydantic import BaseModel

from loopwright.errors import ContractError
from loopwright.nodes.audience import AUDIENCES
from loopwright.nodes.contract import NODE_TYPES, Answer, AskModel, Contract, Node
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.think import Judge, Think


class Risk(BaseModel):
    risk: str


def test_a_question_with_a_system_message() -> None:
    think = Think("write", prompt="About <{topic}>: <{notes}>", system="You are <{who}>.", model="strong")
    assert think.contract == Contract("think", ("who", "topic", "notes"), (), ("done",))
    assert (think.models, think.calls) == (("strong",), 1)
    ask = think.ask({"topic": "<{who}>", "notes": ["a", "b"], "who": "terse"})
    assert ask == AskModel(
        [{"role": "system", "content": "You are terse."}, {"role": "user", "content": "About <{who}>: - a\n- b"}],
        None,
        "strong",
    )


@pytest.mark.parametrize(
    ("writes", "reply", "update"),
    [
        ((), "text", {}),
        ("draft", "text", {"draft": "text"}),
        ("draft", {"a": 1}, {"draft": {"a": 1}}),
        (["a", "b"], {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2}),
        (["a", "b"], {"a": 1}, {"a": 1}),
    ],
)
def test_what_is_written(writes: Any, reply: Any, update: Any) -> None:
    assert Think("write", prompt="?", writes=writes).answer({}, reply) == Answer("done", update)


def test_a_typed_answer() -> None:
    schema: Any = {"type": "object", "properties": {"a": {"type": "integer"}}}
    think = Think("write", prompt="?", output=schema, writes="draft")
    ask = think.ask({})
    assert isinstance(ask, AskModel)
    assert (ask.schema, think.value_type) == (schema, schema)
    assert Think("write", prompt="?").value_type == {"type": "string"}


@pytest.mark.parametrize(
    ("type_", "schema"),
    [
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Risk, {"type": "object", "properties": {"risk": {"title": "Risk", "type": "string"}}, "required": ["risk"]}),
    ],
)
def test_an_answer_may_be_typed_in_python(type_: Any, schema: Any) -> None:
    think = Think("write", prompt="?", output=type_, writes="draft")
    assert think == Think("write", prompt="?", output=schema, writes="draft")
    assert Node.from_data(think.to_data()) == think


def test_of_several_writes_those_are_sure_that_the_answer_must_have() -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
    think = Think("write", prompt="?", output=schema, writes=["a", "b"])
    assert (think.contract.may_write, think.contract.sure_writes) == (("b",), ("a",))
    assert Think("write", prompt="?", output=schema, writes="c").contract.sure_writes == ("c",)
    with pytest.raises(ContractError, match="is no object with 'a'"):
        think.answer({}, {"b": 1})


def test_a_verdict_that_is_missing_is_no_verdict() -> None:
    with pytest.raises(ContractError, match="is no object with 'outcome'"):
        Judge("review", prompt="?", outcomes=["None"]).answer({}, {"reason": "long"})
    with pytest.raises(ContractError, match="is no object with 'score'"):
        Judge("rate", prompt="?", score=(1, 10)).answer({}, "7")


BOTH = "score: a judge has outcomes or a score, not both (a score has one outcome, done)"
NO_ROOM = "score: the lowest score is not less than the highest (as in score: [1, 10])"


@pytest.mark.parametrize(
    ("node", "faults"),
    [
        (Think("a", prompt="?", writes=["b", "c"], output=dict[str, str]), []),
        (
            Think("a", prompt="?", writes=["b", "c"]),
            [
                "writes: an answer that is plain text cannot go to several channels "
                "(give output: an object with a type for each of them)"
            ],
        ),
        (
            Think("a", prompt="?", writes=["b", "c"], output=list[str]),
            [
                "writes: an answer that is no object cannot go to several channels "
                "(give output: an object with a type for each of them)"
            ],
        ),
        (
            Judge("a", prompt="?"),
            ["a judge needs outcomes or a score (as in outcomes: [pass, revise], or score: [1, 10])"],
        ),
        (Judge("a", prompt="?", score=(10, 1)), [NO_ROOM]),
        (Judge("a", prompt="?", score=(0, 0)), [NO_ROOM]),
        (Judge("a", prompt="?", score=(0, 1), outcomes=["a"]), [BOTH]),
        (
            Judge("a", prompt="?", outcomes=["a", "failed", "a"]),
            [
                "outcomes.1: the outcome 'failed' is that of a model or a function that fails "
                "(give it another name; a failure has an edge without being declared)",
                "outcomes.2: the outcome 'a' stands twice (declare it once)",
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_node(node: Node, faults: list[str]) -> None:
    assert [str(fault) for fault in node.faults()] == faults


def test_a_verdict_is_closed() -> None:
    judge = Judge("review", prompt="<{draft}>", outcomes=["pass", "revise"], writes="notes")
    assert judge.contract == Contract("think", ("draft",), ("notes",), ("pass", "revise"))
    assert judge.schema == {
        "type": "object",
        "properties": {"outcome": {"type": "string", "enum": ["pass", "revise"]}, "reason": {"type": "string"}},
        "required": ["outcome"],
        "additionalProperties": False,
    }
    assert judge.answer({}, {"outcome": "pass"}) == Answer("pass", {"notes": ""})
    assert judge.answer({}, {"outcome": "revise", "reason": "long"}) == Answer("revise", {"notes": "long"}, "long")


def test_a_score() -> None:
    judge = Judge("rate", prompt="?", score=(1, 10), writes="score")
    assert judge.contract.outcomes == ("done",)
    assert judge.schema["properties"] == {
        "score": {"type": "number", "minimum": 1, "maximum": 10},
        "reason": {"type": "string"},
    }
    assert judge.answer({}, {"score": 7.5, "reason": "fine"}) == Answer("done", {"score": 7.5}, "fine")
    assert judge.value_type == {"type": "number"}


@pytest.mark.parametrize(
    "node",
    [
        Think("write", prompt="?", system="S", writes=("a", "b"), model="m", output={"type": "object"}),
        Judge("review", prompt="?", outcomes=("a", "b"), writes=("notes",)),
        Judge("rate", prompt="?", score=(1.0, 10.0)),
    ],
    ids=lambda node: node.name,
)
def test_nodes_are_data(node: Node) -> None:
    again = Node.from_data(node.to_data())
    assert again.to_data() == node.to_data()
    assert type(again) is NODE_TYPES[node.type]
    assert again.contract == node.contract


@pytest.mark.parametrize("kind", [Think, Judge])
def test_a_model_is_asked_by_its_name(kind: Any) -> None:
    with pytest.raises(TypeError) as caught:
        kind("write", prompt="?", model=ModelRef("m"))
    assert str(caught.value) == (
        "node 'write': model= takes a name, as 'strong', and got a ModelRef; "
        "the reference goes into the plan's models={'strong': ModelRef(...)}"
    )


def test_a_text_is_for_whom_the_node_says() -> None:
    assert AUDIENCES == ("user", "debug")
    for audience in AUDIENCES:
        node = Think("write", prompt="?", writes="draft", audience=audience)
        assert (node.ask({}).audience, list(node.faults())) == (audience, [])  # type: ignore[union-attr]
    plain = Think("write", prompt="?", writes="draft")
    assert plain.ask({}).audience == "debug"  # type: ignore[union-attr]
    assert "audience" not in plain.to_data()
    assert Judge("judge", prompt="?", outcomes=["a", "b"]).ask({}).audience == "debug"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"audience": "users"}, "there is no audience 'users'"),
        ({"audience": "user", "output": list[str]}, "a structured answer is no text for a user"),
        ({"audience": "user", "output": str}, "a structured answer is no text for a user"),
    ],
)
def test_faults_of_an_audience(fields: dict[str, Any], fault: str) -> None:
    (found,) = Think("write", prompt="?", writes="draft", **fields).faults()
    assert (found.message, found.path) == (fault, ("audience",))
