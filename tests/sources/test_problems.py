"""Files of problems: four formats that say the same, and faults with their lines."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.errors import Fault, SourceError
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.compare.problems import Problem, Taker
from loopwright.graphs.plan import End
from loopwright.nodes.think import Think
from loopwright.sources.problems import problems_of, read_problems
from loopwright.state.channels import Channel


def taker() -> Taker:
    inputs = [Channel("words", str, input=True), Channel("size", int, input=True, default=3)]
    plan = PlanBuilder("a", [*inputs, Channel("said", str)], result="said")
    plan.node(Think("say", prompt="<{words}>", writes="said")).edge("say", "done", End("said"))
    return Taker("a", plan.build())


TAKERS = [taker()]
FILES = {
    "p.yaml": "- {words: one, size: 1, expected: '1'}\n- words: |-\n    two,\n    three\n  name: second\n",
    "p.json": '[{"words": "one", "size": 1, "expected": "1"}, {"words": "two,\\nthree", "name": "second"}]',
    "p.jsonl": '{"words": "one", "size": 1, "expected": "1"}\n\n{"words": "two,\\nthree", "name": "second"}\n',
    "p.csv": 'words,size,expected\none,1,1\n"two,\nthree",3,\n',
}


def read(folder: Path, name: str, text: str) -> list[Problem]:
    (folder / name).write_text(text, newline="")
    return read_problems(folder / name, TAKERS)


def refused(folder: Path, name: str, text: str) -> list[str]:
    with pytest.raises(SourceError) as error:
        read(folder, name, text)
    return str(error.value).replace(f"{folder}/", "").splitlines()


@pytest.mark.parametrize("name", ["p.yaml", "p.json", "p.jsonl"])
def test_a_file_of_problems(name: str, tmp_path: Path) -> None:
    assert read(tmp_path, name, FILES[name]) == [
        Problem("1", {"words": "one", "size": 1}, "1"),
        Problem("second", {"words": "two,\nthree"}),
    ]


def test_csv_becomes_what_the_inputs_take(tmp_path: Path) -> None:
    assert read(tmp_path, "p.csv", FILES["p.csv"]) == [
        Problem("1", {"words": "one", "size": 1}, "1"),
        Problem("2", {"words": "two,\nthree", "size": 3}, ""),
    ]
    windows = FILES["p.csv"].replace("\n", "\r\n")
    assert [problem.inputs["size"] for problem in read(tmp_path, "w.csv", windows)] == [1, 3]


def test_a_row_of_csv_ends_with_its_line_alone(tmp_path: Path) -> None:
    text = "words,size\none\u2028two\x0cthree\x85four,1\rfive,2\r\n"
    assert [(problem.inputs["words"], problem.inputs["size"]) for problem in read(tmp_path, "p.csv", text)] == [
        ("one\u2028two\x0cthree\x85four", 1),
        ("five", 2),
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "p.yaml",
            "- words: one\n- wods: two\n- words: 3\n  size: x\n",
            [
                "p.yaml:2: 1.wods: there is no input 'wods' (did you mean 'words'? there are: expected, name, size,"
                " words)",
                "p.yaml:2: 1: input 'words' is missing (needed by a)",
                'p.yaml:3: 2.words: 3 is not of type "string" (a takes str)',
                'p.yaml:4: 2.size: "x" is not of type "integer" (a takes int)',
            ],
        ),
        (
            "p.jsonl",
            '{"words": "one"}\n{"words": "two"\n[1,]\n',
            [
                "p.jsonl:2: broken JSON at column 16: expecting ',' delimiter",
                "p.jsonl:3: a comma stands before a closing bracket (JSON has no trailing commas)",
            ],
        ),
        (
            "p.jsonl",
            '{"words": "one"}\n\n["two"]\n{"words": 3}\n',
            [
                "p.jsonl:3: 1: expected a mapping, from inputs to values",
                'p.jsonl:4: 2.words: 3 is not of type "string" (a takes str)',
            ],
        ),
        (
            "p.json",
            '{"words": "one"}',
            ["p.json:1: this is no list of problems (a list of mappings, from inputs to values)"],
        ),
        (
            "p.json",
            '[{"words": "one",}]',
            ["p.json:1: a comma stands before a closing bracket (JSON has no trailing commas)"],
        ),
        (
            "p.csv",
            'words,size\n"one\n1",1\ntwo\nthree,x\n',
            ["p.csv:4: 1 cells, where the header has 2 (a text with commas stands in double quotes)"],
        ),
        (
            "p.csv",
            'words,size\n"one\n1",1\nthree,x\n',
            ['p.csv:4: 1.size: "x" is not of type "integer" (a takes int)'],
        ),
        (
            "p.csv",
            "words,words\none,two\n",
            ["p.csv:1: the column 'words' stands twice (the first line names the columns)"],
        ),
        ("p.csv", "words,\none,two\n", ["p.csv:1: a column has no name (the first line names the columns)"]),
        ("p.csv", "words\n", ["p.csv: this is no list of problems (a list of mappings, from inputs to values)"]),
        ("p.csv", 'words\n"one" two\n', ["p.csv:2: broken CSV: ',' expected after '\"'"]),
        ("p.yaml", "", ["p.yaml:1: the file is empty"]),
        (
            "p.txt",
            "one",
            ["p.txt: a file of problems needs another suffix (suffixes are .yaml, .yml, .json, .jsonl, .csv)"],
        ),
    ],
)
def test_faults_have_their_lines(name: str, text: str, said: list[str], tmp_path: Path) -> None:
    assert refused(tmp_path, name, text) == said


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "sums.csv").write_text("words\none\n")
    with pytest.raises(SourceError, match=r"there is no such file \(did you mean 'sums.csv'\?"):
        read_problems(tmp_path / "sum.csv", TAKERS)


def test_ten_thousand_problems(tmp_path: Path) -> None:
    text = "".join(json.dumps({"words": f"{place} <b>", "expected": place}) + "\n" for place in range(10_000))
    found = read(tmp_path, "p.jsonl", text)
    assert (len(found), found[-1]) == (10_000, Problem("10000", {"words": "9999 <b>"}, 9999))


def test_problems_as_data_are_those_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(FILES["p.json"])
    assert problems_of(str(tmp_path / "p.json"), TAKERS) == problems_of(json.loads(FILES["p.json"]), TAKERS)
    assert problems_of(({"words": word} for word in "ab"), TAKERS) == [
        Problem("1", {"words": "a"}),
        Problem("2", {"words": "b"}),
    ]
    with pytest.raises(SourceError, match="this is no list of problems"):
        problems_of({"words": "one"}, TAKERS)


@given(st.sampled_from(["p.yaml", "p.json", "p.jsonl", "p.csv"]), st.binary(max_size=60) | st.text(max_size=60))
def test_whatever_a_file_holds_it_is_read_or_refused(tmp_path_factory: Any, name: str, held: Any) -> None:
    file = tmp_path_factory.getbasetemp() / name
    file.write_bytes(held if isinstance(held, bytes) else held.encode("utf-8", "surrogatepass"))
    found: list[Problem] = []
    faults: tuple[Fault, ...] = ()
    try:
        found = read_problems(file, TAKERS)
    except SourceError as error:
        faults = error.faults
    assert bool(found) != bool(faults)
    assert all(fault.file == str(file) for fault in faults)
