"""Places in a document, and documents with some places left out."""

from loopwright.documents.document import Document, inside, leads, restored, without
from loopwright.errors import Fault
from loopwright.state.values import JsonObject

DATA: JsonObject = {"nodes": {"a": {"type": "x"}}, "edges": ["one", "two", "three"]}


def test_a_place_that_is_not_there_has_the_line_of_what_is_around_it() -> None:
    document = Document(DATA, {(): 1, ("nodes",): 2, ("nodes", "a"): 3}, "x.yaml")
    assert [document.line(path) for path in [(), ("nodes", "a", "type"), ("nodes", "b"), ("other",)]] == [1, 3, 2, 1]


def test_data_of_python_has_no_lines() -> None:
    assert Document(DATA).line(("nodes",)) == 0


def test_faults_come_in_the_order_of_their_lines() -> None:
    document = Document(DATA, {(): 1, ("nodes",): 2, ("edges",): 5}, "x.yaml")
    found = document.located([Fault("c", ("edges", 1)), Fault("a"), Fault("d", line=9), Fault("b", ("nodes", "a"))])
    assert [(fault.message, fault.file, fault.line) for fault in found] == [
        ("a", "x.yaml", 1),
        ("b", "x.yaml", 2),
        ("c", "x.yaml", 5),
        ("d", "x.yaml", 9),
    ]


def test_what_leads_on() -> None:
    assert [leads(DATA, "nodes"), leads(["x"], 0), leads(["x"], 1), leads(["x"], "0"), leads("x", 0)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert inside(DATA, "edges") == ["one", "two", "three"]
    assert inside(None, "edges") is None


def test_what_is_left_out_is_found_again() -> None:
    removed = [("edges", 0), ("edges", 1), ("nodes", "a", "type")]
    left = without(DATA, removed)
    assert left == {"nodes": {"a": {}}, "edges": ["three"]}
    assert restored(("edges", 0), removed) == ("edges", 2)
    assert restored(("nodes", "a"), removed) == ("nodes", "a")
    assert DATA["edges"] == ["one", "two", "three"]
