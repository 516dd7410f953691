"""Lines of edges that messages show are lines that a graph file takes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.graphs.edge_lines import edge_line, written
from loopwright.graphs.forms.edge_text import EdgeText, Target, parse_edge

NAMES = st.text(st.sampled_from('ab"\\ ->[],é'), min_size=1, max_size=8)


def test_a_name_is_quoted_only_where_it_must_be() -> None:
    names = ("write", "draft-review_2.b", "first draft", "a,b", "a->b", 'say "no"', "é")
    assert [written(name) for name in names] == [
        "write",
        "draft-review_2.b",
        '"first draft"',
        '"a,b"',
        '"a->b"',
        r'"say \"no\""',
        "é",
    ]


@settings(max_examples=50, deadline=None)
@given(NAMES, NAMES, NAMES)
def test_a_line_says_what_it_was_made_of(source: str, outcome: str, target: str) -> None:
    assert parse_edge(edge_line(source, outcome, target)) == EdgeText(source, outcome, Target(target))
