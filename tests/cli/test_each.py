"""`--each`: a list of inputs, and what is told of a wrong one."""

from pathlib import Path

import pytest

from loopwright.cli.each import read_each
from loopwright.errors import SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import Plan
from loopwright.state.channels import Channel


def plan_of(*inputs: Channel) -> Plan:
    return PlanBuilder("p", list(inputs)).build()


ONE = plan_of(Channel("topic", str, input=True))
TWO = plan_of(Channel("topic", str, input=True), Channel("words", int, input=True))


def test_a_mapping_or_the_one_value(tmp_path: Path) -> None:
    path = tmp_path / "each.yaml"
    path.write_text("- {topic: ropes}\n- bridges\n")
    assert read_each(ONE, path) == [{"topic": "ropes"}, {"topic": "bridges"}]
    path.write_text("- {topic: ropes, words: 3}\n- {words: 4}\n")
    assert read_each(TWO, path) == [{"topic": "ropes", "words": 3}, {"words": 4}]


@pytest.mark.parametrize(
    ("plan", "text", "faults"),
    [
        (
            ONE,
            "topic: ropes",
            ["1: this is no list of inputs (a list with a mapping for each run, from inputs to values)"],
        ),
        (ONE, "[]", ["1: this is no list of inputs (a list with a mapping for each run, from inputs to values)"]),
        (ONE, "- 3\n- a", ['1: 0: 3 is not of type "string" (it takes str)']),
        (
            TWO,
            "- ropes\n- topik: a\n  words: x\n",
            [
                "1: 0: expected a mapping, from inputs to values",
                "2: 1.topik: there is no input 'topik' (did you mean 'topic'? there are: topic, words)",
                '3: 1.words: "x" is not of type "integer" (it takes int)',
            ],
        ),
        (plan_of(), "- {a: 1}", ["1: 0.a: there is no input 'a' (this loop takes none)"]),
    ],
)
def test_all_faults_are_told_with_their_lines(tmp_path: Path, plan: Plan, text: str, faults: list[str]) -> None:
    path = tmp_path / "each.yaml"
    path.write_text(text)
    with pytest.raises(SourceError) as caught:
        read_each(plan, path)
    assert [str(fault).removeprefix(f"{path}:") for fault in caught.value.faults] == faults
