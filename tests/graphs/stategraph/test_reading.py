"""The reading: what leads where, what can be come to, and what is said of what is not known."""

from collections.abc import Callable

from loopwright.graphs.stategraph.reading import END, START, Choice, Option, Reading, Unseen, Writes

ReadingOf = Callable[..., Reading]


def test_targets_are_ways_joins_options_and_handlers(reading_of: ReadingOf) -> None:
    reading = reading_of("a -> b", "a ? c | end", "a & b -> d", "h", nodes={"a": {"on_failure": "h"}})
    assert reading.targets("a") == ("b", "d", "c", END, "h")
    assert reading.edge_count() == 1 + 2 + 2 + 1


def test_what_is_reached(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> a", "a -> end", "lost -> a")
    assert reading.reached == {START, "a", END}


def test_a_node_may_stop_the_run(reading_of: ReadingOf) -> None:
    reading = reading_of("start -> a", "a ?? b", "b -> end", "c")
    assert [name for name in reading.names if reading.stops(name)] == ["a", "c"]
    assert reading.blind == ("a",)


def test_who_chooses_nothing_stops_the_run(reading_of: ReadingOf) -> None:
    nothing = Choice("Command", (Option(("b",)), Option(())))
    reading = reading_of("start -> a", "b -> a", nodes={"a": {"choices": (nothing,)}})
    assert reading.stops("a")
    assert not reading_of("start -> a", "a -> b", "b -> a", nodes={"a": {"choices": (nothing,)}}).stops("a")


def test_who_waits_for_someone_may_be_left_there(reading_of: ReadingOf) -> None:
    assert reading_of("start -> a", "a -> b", "b -> a").ending == frozenset()
    assert reading_of("start -> a", "a -> b", "b -> a", nodes={"b": {"paced": True}}).ending == {START, "a", "b"}


def test_what_can_have_nothing_side_by_side(reading_of: ReadingOf) -> None:
    assert reading_of("start -> a", "a ? b | c | end", "b -> c", "c -> end").sequential
    for lines in (("a -> b + c",), ("a & b -> c",), ("a ? b + c",), ("a ? b", "a ? c"), ("a ? b", "a -> c")):
        assert not reading_of("start -> a", *lines).sequential


def test_graphs_inside_are_walked_with_their_place(reading_of: ReadingOf) -> None:
    inner = reading_of("start -> x", "x -> end")
    outer = reading_of("start -> a", nodes={"a": {"body": inner}})
    assert [prefix for prefix, _ in outer.walk()] == ["", "a/"]


def test_what_is_not_seen_is_said(reading_of: ReadingOf) -> None:
    known = {"writes": Writes(known=True)}
    inner = reading_of("start -> x", "x -> end")
    reading = reading_of("start ?? a", "a -> b", nodes={"a": known, "b": {"body": inner}})
    assert Unseen.of(reading) == Unseen(("start",), ("b/x",))
    assert str(Unseen.of(reading)) == "cannot be seen: where 'start' may lead; all that 'b/x' may write"
    assert str(Unseen()) == ""
    names = tuple("abcdefgh")
    assert str(Unseen(names)).endswith("where 'a', 'b', 'c', 'd', 'e', 'f' and 2 more may lead")
