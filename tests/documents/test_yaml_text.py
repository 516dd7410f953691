"""YAML 1.2 with lines, as far as it is JSON."""

import pytest

from loopwright.documents.yaml_text import read_yaml
from loopwright.errors import Fault, SourceError


def faults_in(text: str) -> list[Fault]:
    with pytest.raises(SourceError) as caught:
        read_yaml(text)
    return list(caught.value.faults)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("yes: no\non: off", {"yes": "no", "on": "off"}),
        ("a: true\nb: False\nc: ~\nd: null\ne:", {"a": True, "b": False, "c": None, "d": None, "e": None}),
        ("[7, -7, 0o17, 0x1f, 1e3, 1.5, .5, 12:30:00, 1.2.3]", [7, -7, 15, 31, 1000.0, 1.5, 0.5, "12:30:00", "1.2.3"]),
        ("a: '2020-01-01'\nb: !!str 5", {"a": "2020-01-01", "b": "5"}),
        ("a: |\n  one\n  two\nb: >\n  three\n  four\n", {"a": "one\ntwo\n", "b": "three four\n"}),
        ('{"a": [1, {"b": "\\u00e9"}]}', {"a": [1, {"b": "é"}]}),
        ("a: &x {b: 1}\nc: *x\nd: [*x]", {"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}]}),
        ("a: &x 1\nb: &x 2\nc: *x", {"a": 1, "b": 2, "c": 2}),
        ("- write -> review\n- review [pass] -> end x", ["write -> review", "review [pass] -> end x"]),
        ("just text", "just text"),
    ],
)
def test_what_is_read(text: str, data: object) -> None:
    assert read_yaml(text).data == data


def test_every_place_has_its_line() -> None:
    document = read_yaml("# first\na:\n  - 1\n  - b: {c: 1,\n      d: 2}\n\ne: 3\n")
    assert document.lines == {
        (): 2,
        ("a",): 2,
        ("a", 0): 3,
        ("a", 1): 4,
        ("a", 1, "b"): 4,
        ("a", 1, "b", "c"): 4,
        ("a", 1, "b", "d"): 5,
        ("e",): 7,
    }


def test_an_alias_has_its_own_line_and_its_inside_that_of_the_anchor() -> None:
    document = read_yaml("a: &x\n  b: 1\nc: *x\n")
    assert (document.line(("c",)), document.line(("c", "b"))) == (3, 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "a: 1\nb: c: d\n",
            "2: broken YAML at column 5: mapping values are not allowed here (a text that holds ': ' stands in quotes)",
        ),
        ("a:\n\t- x\n", "2: a tab stands at column 1 (YAML is indented with spaces)"),
        (
            "a: [1,\n",
            "2: broken YAML at column 1: while parsing a flow node: expected the node content, but found "
            "'<stream end>'",
        ),
        (
            '- "a b" -> c\n',
            "1: broken YAML at column 9: while parsing a block collection: expected <block end>, but found "
            "'<scalar>' (look at the indentation; a text that begins with a quote is quoted as a whole)",
        ),
        (
            "a: 1\n---\nb: 2\n",
            "2: broken YAML at column 1: expected a single document in the stream: but found another "
            "document (one file, one document)",
        ),
        (
            "a: {b: 1\nc: 2\n",
            "2: broken YAML at column 2: while parsing a flow mapping, which begins in line 1: expected ',' or '}', "
            "but got ':'",
        ),
        ("a: *nope\n", "1: broken YAML at column 4: found undefined alias 'nope'"),
        (
            "a: @home\n",
            "1: broken YAML at column 4: while scanning for the next token: found character '@' that cannot "
            "start any token (a text that begins with this character stands in quotes)",
        ),
        ("a: 1\nb: \x01\n", "2: broken YAML: the character '\\x01' may not stand in it"),
        ("# nothing\n", "1: nothing stands in it but comments"),
    ],
)
def test_broken_yaml_names_line_and_column(text: str, told: str) -> None:
    assert [str(fault) for fault in faults_in(text)] == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\nb: 2\na: 3\n", "3: a: the key 'a' stands twice, in lines 1 and 3"),
        (
            "x:\n  when: 2020-01-01\n",
            '2: x.when: 2020-01-01 is read as a date, and a date is not JSON (put it in quotes: "2020-01-01")',
        ),
        ("a: !!binary aGk=\n", "1: a: the tag !!binary makes a value that is not JSON (leave the tag out)"),
        (
            "a: !python/object:os.system x\n",
            "1: a: the tag !python/object:os.system makes a value that is not JSON (leave the tag out)",
        ),
        ("a: !!set {x}\n", "1: a: the tag !!set makes a value that is not JSON (leave the tag out)"),
        ("x:\n  1: a\n", '2: x: the key 1 is not a text (put it in quotes: "1")'),
        ("true: a\n", '1: the key true is not a text (put it in quotes: "true")'),
        ("? [a, b]\n: 1\n", "1: a key must be a text"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "3: c: merge keys (<<) are not read (write the keys out)"),
        ("a: .inf\n", "1: a: .inf is not a finite number"),
        ("a: !!int seven\n", "1: a: 'seven' cannot be read as int"),
        (f"a: 0x{'f' * 4000}\n", f"1: a: '0x{'f' * 58}...' cannot be read as int"),
        (f"a: {'9' * 5000}\n", f"1: a: '{'9' * 60}...' cannot be read as int"),
        ("a: !!bool maybe\n", "1: a: 'maybe' cannot be read as bool"),
        ("a: &x\n  b: [*x]\n", "1: a.b.0: this anchor holds an alias of itself"),
    ],
)
def test_what_is_not_json_names_its_line(text: str, told: str) -> None:
    assert [str(fault) for fault in faults_in(text)] == [told]


def test_all_faults_come_at_once() -> None:
    found = faults_in("a: 1\na: 2\nb: 2020-01-01\n1: x\n")
    assert [(fault.line, fault.key) for fault in found] == [(2, "a"), (3, "b"), (4, "")]


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    (fault,) = faults_in("\n".join(lines))
    assert fault.message == "more than 100000 values, with its aliases written out"
    assert 1 <= fault.line <= 9


@pytest.mark.parametrize("depth", [66, 600])
def test_deep_nesting_is_refused(depth: int) -> None:
    assert faults_in("[" * depth + "]" * depth) == [Fault("nested deeper than 64 levels", line=1)]
