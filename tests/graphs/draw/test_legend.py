"""The legend names the types of nodes that a plan has."""

from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.legend import legend_of
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.plan import Plan


def test_samples_are_called_as_the_types_of_their_nodes(role_cycle: Plan) -> None:
    named = [(sample.boxes[0].box.name, words) for sample, words in legend_of(scene_of(role_cycle)) if sample.boxes]
    assert named == [
        ("start", "where a run begins"),
        ("think", "one question to a model"),
        ("judge", "a model's verdict: one of several outcomes"),
        ("human", "waits for someone outside"),
        ("end", "an end that is a success"),
        ("end", "an end that is no success"),
    ]


def test_a_picture_has_its_legend_where_that_is_wanted(role_cycle: Plan) -> None:
    words = [words for _, words in legend_of(scene_of(role_cycle))]
    plain, told = picture(role_cycle), picture(role_cycle, legend=True)
    assert [text for text in words if f">{text}</text>" in plain] == []
    assert [text for text in words if f">{text}</text>" in told] == words
    assert picture(role_cycle, "txt", legend=True) == picture(role_cycle, "txt")
