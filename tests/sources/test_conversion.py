"""A conversion is the spec's file."""

from loopwright.sources.conversion import Conversion


def test_the_file_has_the_comments() -> None:
    made = Conversion({"kind": "graph", "name": "x"}, {(): "made", ("name",): "its name"})
    assert made.to_yaml() == "# made\nkind: graph\n# its name\nname: x\n"
