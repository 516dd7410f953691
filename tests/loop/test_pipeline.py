"""The pipeline as users call it."""

from typing import Any

import pytest

import loopwright as lw


def test_steps_are_agents_loops_and_functions() -> None:
    def loud(text: str) -> str:
        return text.upper()

    talk = lw.InteractiveAgent("ann").talk(lw.InteractiveAgent("bob"), stop=None, max_messages=2)
    steps: list[Any] = [lw.StaticAgent("planner"), {"do": talk, "name": "talk"}, lw.StaticAgent("loud", do=loud)]
    loop = lw.Pipeline(steps, question="q")
    run = loop.start(model=lw.ScriptedModel({"planner": ["p"], "talk/bob": ["b"]}))
    assert (run.result, run.end, loop.certificate.calls) == ("B", lw.End("finished"), 2)


def test_steps_as_a_file_has_them() -> None:
    loop = lw.Pipeline([{"agent": {"name": "a"}}], name="p")
    assert (loop.plan.name, list(loop.plan.nodes)) == ("p", ["a"])


@pytest.mark.parametrize(
    ("steps", "key", "words"),
    [
        ([], "steps", "there are no steps"),
        ([lw.StaticAgent("a"), 5], "steps.1", "5 is no step"),
        ([lw.StaticAgent("a"), lw.StaticAgent("a")], "steps.1", "there are two steps 'a'"),
        ([{"do": lw.StaticAgent("a"), "carry": ["b"]}], "steps.0.carry", "no step 'b' comes before it"),
        ([{"agent": {"name": "a"}, "carry": "some"}], "steps.0.carry", None),
    ],
)
def test_faults_have_their_place(steps: list[Any], key: str, words: str | None) -> None:
    with pytest.raises(lw.SourceError) as caught:
        lw.Pipeline(steps)
    fault = caught.value.faults[0]
    assert fault.key.startswith(key)
    assert words in (None, fault.message)
