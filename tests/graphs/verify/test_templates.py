"""Templates: placeholders that name nothing, in bodies too, and names in braces alone."""

from pathlib import Path

import pytest

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.role_cycle import RoleCycleSpec
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.verify.check import verify
from loopwright.loop.brains import MultiEval
from loopwright.loop.load import load
from loopwright.nodes.contract import Node
from loopwright.nodes.think import Think
from loopwright.nodes.wait import Human
from loopwright.state.channels import Channel

TOPIC = Channel("topic", str, input=True)
CAUSES = Channel("causes", list[str], input=True)


def alone(node: Node) -> Plan:
    """The plan of a node that stands alone, beside two channels."""
    builder = PlanBuilder("alone", [TOPIC, CAUSES]).node(node)
    for outcome in node.contract.outcomes:
        builder.edge(node.name, outcome, End("over"))
    return builder.build()


def weighed(prompt: str) -> Plan:
    """A plan whose fork asks this of each cause."""
    builder = PlanBuilder("weighed", [TOPIC, CAUSES, Channel("weights")])
    body = Think("weigh", prompt=prompt)
    builder.each("weigh", over="causes", as_="cause", do=body, collect="weights", at_most=3)
    return builder.edge("weigh", "done", End("over")).build()


def test_a_placeholder_is_told_at_its_text() -> None:
    (finding,) = verify(alone(Think("a", system="On <{topc}>.", prompt="<{topic}>")))
    assert (finding.code, finding.place) == ("unknown-placeholder", ("nodes", "a", "system"))


@pytest.mark.parametrize(
    ("prompt", "name", "meant"),
    [
        ("Weigh <{causs}> of <{topic}>", "causs", "did you mean 'cause'? "),
        ("Weigh <{caus}> of <{topic}>", "caus", "did you mean 'cause'? "),
        ("Weigh <{cause}> of <{weight}>", "weight", "did you mean 'weights'? "),
        ("Weigh <{x}>", "x", ""),
        ("Weigh <{cause}> of <{topc}>", "topc", "did you mean 'topic'? "),
    ],
)
def test_a_placeholder_of_a_body_is_told_once_and_there(prompt: str, name: str, meant: str) -> None:
    (finding,) = verify(weighed(prompt))
    assert (finding.code, finding.place) == ("unknown-placeholder", ("nodes", "weigh/weigh", "prompt"))
    assert finding.message == f"the placeholder <{{{name}}}> of 'weigh/weigh' names neither the item nor a channel"
    assert finding.hint == f"{meant}there are: cause, causes, topic, weights"


def test_a_body_of_parallel_has_no_item() -> None:
    builder = PlanBuilder("two", [TOPIC, Channel("views")])
    builder.parallel("views", {"one": Think("look", prompt="<{topc}>")})
    (finding,) = verify(builder.edge("views", "done", End("over")).build())
    assert finding.message == "the placeholder <{topc}> of 'views[one]/look' names no channel"
    assert finding.hint == "did you mean 'topic'? there are: topic, views"


@pytest.mark.parametrize("written", ["{topic}", "{{topic}}", "{{ topic }}", "<{{topic}}>"])
def test_a_name_in_braces_alone_is_doubted(written: str) -> None:
    (finding,) = verify(alone(Think("a", prompt=f"About {written}.")))
    assert (finding.code, finding.severity) == ("brace-placeholder", "warning")
    assert finding.message == f"{written.strip('<>')} in 'a' is plain text and stands for nothing"
    assert finding.hint == "a placeholder is written <{topic}>"
    assert finding.place == ("nodes", "a", "prompt")


@pytest.mark.parametrize("text", ['{"topic": 1}', "{topics}", "{}", "{the topic}", "<{topic}>", "{<{topic}>}"])
def test_other_braces_are_text(text: str) -> None:
    assert verify(alone(Think("a", prompt=text))).items == ()


def test_every_text_of_every_node_is_looked_at() -> None:
    found = verify(alone(Think("a", system="{topic}", prompt="{causes}")))
    assert [finding.place[-1] for finding in found] == ["prompt", "system"]
    found = verify(alone(Human("a", text="{topic}")))
    assert [(finding.code, finding.place) for finding in found] == [("brace-placeholder", ("nodes", "a", "text"))]


def test_braces_in_a_body_may_mean_the_item_or_what_is_around_it() -> None:
    found = verify(weighed("<{cause}>: {cause} of {topic}"))
    assert [(finding.code, finding.place, finding.hint) for finding in found] == [
        ("brace-placeholder", ("nodes", "weigh/weigh", "prompt"), f"a placeholder is written <{{{name}}}>")
        for name in ("cause", "topic")
    ]


def test_braces_in_a_nested_plan_mean_its_own_channels() -> None:
    inner = PlanBuilder("inner", [Channel("about", str, input=True), Channel("said", str)], result="said")
    inner.node(Think("a", prompt="On <{about}>", writes="said")).node(Think("b", prompt="{about} {said} {topic}"))
    inner.edge("a", "done", "b").edge("b", "done", End("over"))
    builder = PlanBuilder("outer", [TOPIC]).node(inner.build(), inputs={"about": "topic"})
    found = verify(builder.edge("inner", "over", End("over")).build())
    assert [(finding.nodes, finding.message) for finding in found] == [
        (("inner/b",), f"{{{name}}} in 'inner/b' is plain text and stands for nothing")
        for name in ("about", "said", "topic")
    ]


def test_braces_in_a_brief_mean_its_placeholders() -> None:
    brief = "{task} {round} {transcript} {stop_word} <{stop_word}>"
    spec = RoleCycleSpec.model_validate({"task": "T", "roles": {"solver": {}, "boss": {"brief": brief}}})
    found = verify(spec.plan())
    assert [(finding.place, finding.hint) for finding in found] == [
        (("nodes", "boss", "brief"), f"a placeholder is written <{{{name}}}>")
        for name in ("task", "round", "stop_word")
    ]
    assert spec.path_of(found[0].place) == ("roles", "boss", "brief")


@pytest.mark.parametrize("technique", ["zero_shot", "single_eval", "multi_eval", "tree_of_thought"])
def test_a_brain_by_itself_doubts_any_name_in_braces(tmp_path: Path, technique: str) -> None:
    file = tmp_path / "q.yaml"
    file.write_text(f'kind: brain\ntype: {technique}\nprompt: "In one word: {{place}}, not {{x}}"\n')
    (finding,) = load(file).check()
    assert (finding.code, finding.line) == ("brace-placeholder", 3)
    assert finding.message == f"{{place}} in {technique!r} is plain text and stands for nothing"
    assert finding.hint == "a placeholder is written <{place}>"


def test_a_brain_by_itself_leaves_other_braces_alone() -> None:
    prompt = 'Solve \\frac{top}{low} with x_{max}, as {"key": 1} or {two words}, of <{topic}>'
    assert not MultiEval(prompt=prompt).check()
