"""Findings about brains: by the name that an author can give, and each once."""

from pathlib import Path

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.graphs.verify.check import verify
from loopwright.loop.brains import MultiEval, TreeOfThought
from loopwright.loop.load import load
from loopwright.state.channels import Channel

TOPIC = Channel("topic", str, input=True)
CAUSES = Channel("causes", list[str], input=True)


@pytest.mark.parametrize("text", ["{topic}", "<{topc}>"])
@pytest.mark.parametrize("brain", [MultiEval, TreeOfThought])
def test_a_brain_is_told_of_once_and_by_its_own_name(brain: type[MultiEval | TreeOfThought], text: str) -> None:
    builder = PlanBuilder("titles", [TOPIC]).node(brain(prompt=f"{text} <{{topic}}>"), name="think")
    (finding,) = verify(builder.edge("think", "done", End("over")).build())
    assert (finding.nodes, finding.place[2]) == (("think",), "prompt")
    assert " 'think' " in f"{finding.message} "


def test_a_brain_in_a_body_is_told_of_once() -> None:
    builder = PlanBuilder("titles", [CAUSES, Channel("titles")])
    body = MultiEval(prompt="{cause} <{cause}>")
    builder.each("all", over="causes", as_="cause", do=body, collect="titles", at_most=3)
    (finding,) = verify(builder.edge("all", "done", End("over")).edge("all", "failed", End("not", ok=False)).build())
    assert finding.message == "{cause} in 'all' is plain text and stands for nothing"


GRAPH = """\
kind: graph
name: two
channels: {topic: {type: str, input: true}, notes: str, title: str}
nodes:
  think: {type: multi_eval, prompt: "<{topic}> <{notes}>", threshold: 7, writes: title, judge_model: small}
  other: {type: multi_eval, prompt: "<{topic}>", writes: notes}
edges:
  - think -> end over
  - think [none] -> think
  - other -> end over
result: title
"""


def test_every_finding_has_the_name_that_stands_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(GRAPH)
    found = load(file).check()
    assert [(each.message, each.hint, each.path, each.line) for each in found] == [
        ("'think' asks the model 'small', which does not exist", "there is only default", (), 5),
        ("'other' cannot be reached from 'think'", "no edge leads here", (), 6),
        (
            "the loop of 'think' has no bound: 'think' [none] leads back to it",
            "give it a bound, as in: think [none] -> think, at most 3 rounds, then fail max_rounds",
            ("think", "think"),
            5,
        ),
        (
            "'think' reads 'notes' before anything is sure to be written to it",
            "it is written by 'other'; write it before, give it a default, or make it an input",
            ("think",),
            5,
        ),
    ]
    assert {each.nodes for each in found} == {("think",), ("other",)}
