"""One form of places: made by one function, read by the others."""

import pytest

from loopwright.nodes.places import body, item_names, last, place, within


@pytest.mark.parametrize("branch", [0, 12, "style", "a/b"])
def test_what_is_made_is_read(branch: int | str) -> None:
    assert within(f"{place('outer[1]/rate', branch)}/rater", "outer[1]/rate") == (str(branch), "rater")


@pytest.mark.parametrize("name", ["rate", "rate[2]", "rates[2]/rater", "x/rate[2]/rater", "rate/rater"])
def test_what_stands_elsewhere_is_not_within(name: str) -> None:
    assert within(name, "rate") is None


def test_forks_inside_forks() -> None:
    assert within("rate[2]/pairs[0]/judge", "rate") == ("2", "pairs[0]/judge")
    assert body("rate[2]/pairs[0]/judge") == "rate/pairs/judge"
    assert last("rate[2]/pairs[0]/judge") == "judge"


def test_the_only_body_is_called_as_its_fork() -> None:
    assert place("rate", "") == "rate"
    assert body(place("rate", 7)) == "rate"


def test_items_are_called_by_their_index_or_by_what_names_them() -> None:
    assert item_names("", ["oak", "oak"]) == ["0", "1"]
    assert item_names("id", [{"id": "ada"}, {"id": "bob"}]) == ["id=ada", "id=bob"]
    assert body("turns[id=ada b]/pairs[0]/look") == "turns/pairs/look"
    assert within("turns[id=ada]/look", "turns") == ("id=ada", "look")


@pytest.mark.parametrize(
    "items", [["oak"], [{}], [{"id": 3}], [{"id": "a/b"}], [{"id": "a]"}], [{"id": "a"}, {"id": "a"}]]
)
def test_what_names_no_branch_is_refused(items: list[object]) -> None:
    with pytest.raises(ValueError, match="its items are called by 'id'"):
        item_names("id", items)
