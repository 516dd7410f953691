"""Values: a copy is equal, and shares nothing that can be changed."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from loopwright.state.values import Json, copied

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


def containers(value: Json) -> Iterator[int]:
    if isinstance(value, list | dict):
        yield id(value)
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


@given(VALUES)
def test_a_copy_is_equal_and_shares_nothing(value: Json) -> None:
    copy = copied(value)
    assert copy == value
    assert type(copy) is type(value)
    assert not {*containers(copy)} & {*containers(value)}


def test_the_order_of_keys_is_kept() -> None:
    copy = copied({"b": 1, "a": [2]})
    assert isinstance(copy, dict)
    assert list(copy) == ["b", "a"]
