"""The tree of forks."""

from loopwright.cli.trees import nested, trees_of
from loopwright.state.store.runs import RunRow


def row(id: str, origin: str = "", at: int = 0) -> RunRow:
    return RunRow(id, "p", "", forked_from=origin, forked_at=at)


ROWS = [row("e", "c", 7), row("d", "a", 4), row("c", "a", 2), row("b"), row("a"), row("f", "gone", 3)]


def test_forks_stand_below_their_origin_in_the_order_of_where_they_were_made() -> None:
    assert [[twig.lead + twig.row.id for twig in tree] for tree in trees_of(ROWS)] == [
        ["b"],
        ["a", "└ c", "  └ e", "└ d"],
        ["f"],
    ]


def test_as_a_document() -> None:
    documents = [nested(tree, [{"id": twig.row.id} for twig in tree]) for tree in trees_of(ROWS)]
    assert documents[1] == {
        "id": "a",
        "forks": [{"id": "c", "forks": [{"id": "e", "forks": []}]}, {"id": "d", "forks": []}],
    }
    assert list(trees_of([])) == []
