"""Where a run is in a recording: numbers of calls, and marks that another process goes on from."""

from loopwright.nodes.models.recording.track import Track, first_mark


def test_calls_are_numbered_node_by_node() -> None:
    track = Track()
    assert [track.take(node) for node in ("a", "b", "a", "a")] == [0, 0, 1, 2]
    assert (track.next_of("a"), track.next_of("b"), track.next_of("c")) == (3, 1, 0)


def test_another_process_goes_on_from_a_mark() -> None:
    track = Track()
    track.go_on("3f2a", first_mark(0), {})
    track.follows = "77aa"
    track.take("a")
    mark = track.mark(1)
    assert mark == {"taken": {"a": 1}, "follows": "77aa", "began": 0, "since": 1}
    other = Track()
    other.go_on("3f2a", mark, {"a": 3})
    assert (other.run, other.follows, other.take("a")) == ("3f2a", "77aa", 3)


def test_a_recording_that_begins_later_calls_the_run_otherwise() -> None:
    track = Track()
    track.go_on("3f2a", first_mark(12), {})
    assert track.run == "3f2a from visit 12"
    assert track.mark(14)["began"] == 12


def test_graphs_without_a_store_have_names_of_their_own() -> None:
    assert Track().run != Track().run
