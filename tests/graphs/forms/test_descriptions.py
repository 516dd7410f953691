"""What the keys of a file mean, from the docstrings."""

from typing import Any

from loopwright.graphs.forms.edge_entries import EdgeEntry
from loopwright.graphs.forms.node_entries import JudgeEntry, ThinkEntry
from loopwright.graphs.forms.role_cycle import RoleCycleSpec


def said(model: Any) -> dict[str, str]:
    schema = model.model_json_schema()
    return {key: each["description"] for key, each in schema["properties"].items()}


def test_an_entry_says_its_own_keys_first_and_then_those_of_its_node() -> None:
    words = said(ThinkEntry)
    assert words["output"].startswith("The type of the answer: a word as `list[str]`")
    assert words["prompt"] == "The question, a template with `<{channel}>` placeholders."
    assert words["type"] == "`type: think`: ask a model and write down what it says; fields as of `Think`."
    assert "score" in said(JudgeEntry)


def test_a_key_that_has_another_name_in_the_file() -> None:
    words = said(EdgeEntry)
    assert (words["from"], words["to"]) == (
        "The node that is left.",
        "A node, `end NAME` for a success, `fail NAME` for an end that is none.",
    )


def test_the_kind_is_what_the_form_is() -> None:
    assert said(RoleCycleSpec)["kind"] == "Roles that work on a task in rounds."
