"""Edges as lines of text, as `review [revise] -> write, at most 3 rounds, then fail max_rounds`.

    edge    = name [ "[" name "]" ] "->" target { "," clause }
    target  = name | "end" name | "fail" name
    clause  = "at most" number [ name ] | "bound" name | "then" target

A name stands bare, or in double quotes when it holds a space, a comma, a bracket, a quote or an arrow; in quotes, a
backslash stands before a quote or a backslash.
"""

import re
from dataclasses import dataclass

from loopwright.graphs.edge_lines import edge_line, written
from loopwright.graphs.forms.spec import Refused
from loopwright.graphs.plan import End

EXAMPLE = "review [revise] -> write, at most 3 rounds, then fail max_rounds"
_FORM = f"an edge is written as in: {EXAMPLE}"
_TARGET_FORM = "a target is a node, `end NAME` or `fail NAME`; a name with spaces stands in double quotes"

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<mark>->|[\[\],])
    | "(?P<quoted>(?:[^"\\]|\\.)+)"
    | (?P<bare>(?:(?!->)[^\s\[\],"])+)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where an edge leads.

    Args:
        name: The name of a node or of an end.
        ok: For an end: whether it is a success; None for a node.
    """

    name: str
    ok: bool | None = None

    @property
    def text(self) -> str:
        """The target as a file has it.

        Example:
            >>> Target("max_rounds", ok=False).text
            'fail max_rounds'
        """
        return self.name if self.ok is None else f"{'end' if self.ok else 'fail'} {self.name}"

    @property
    def way(self) -> str | End:
        """The target as a plan builder takes it."""
        return self.name if self.ok is None else End(self.name, self.ok)


@dataclass(frozen=True, slots=True)
class EdgeText:
    """The parts of an edge; what its text leaves out is empty, or None.

    Args:
        source: The node that is left.
        outcome: Its outcome.
        to: Where the edge leads.
        at_most: How often it may be taken.
        bound: The name of its bound.
        then: Where to go when the bound is used up.
    """

    source: str
    outcome: str
    to: Target
    at_most: int | None = None
    bound: str = ""
    then: Target | None = None


def parse_edge(text: str) -> EdgeText:
    """The parts of an edge's text.

    Raises:
        Refused: It is not one; the message points at the first thing that is not understood.

    Example:
        >>> parse_edge("review [revise] -> write, at most 3 rounds, then fail max_rounds").then
        Target(name='max_rounds', ok=False)
    """
    reader = _Reader(text, _FORM)
    source = reader.name("the name of a node")
    outcome = ""
    if reader.takes("["):
        outcome = reader.name("an outcome")
        reader.needs("]")
    reader.needs("->")
    to = _target(reader)
    if reader.says("->") and to.ok is None:
        hint = f"write a line for each: {edge_line(source, outcome, to.name)}, and {written(to.name)} -> ..."
        raise Refused("an edge has one arrow", hint)
    at_most, bound, then = _clauses(reader)
    return EdgeText(source, outcome, to, at_most, bound, then)


def parse_target(text: str) -> Target:
    """A target that stands by itself.

    Raises:
        Refused: It is not one.

    Example:
        >>> parse_target("end finished"), parse_target("write")
        (Target(name='finished', ok=True), Target(name='write', ok=None))
    """
    reader = _Reader(text, _TARGET_FORM)
    target = _target(reader)
    reader.finish()
    return target


def _target(reader: "_Reader") -> Target:
    for word, ok in (("end", True), ("fail", False)):
        if reader.says(word) and reader.at_name(1):
            reader.take()
            return Target(reader.name("the name of an end"), ok)
    return Target(reader.name("a target"))


def _clauses(reader: "_Reader") -> tuple[int | None, str, Target | None]:
    at_most: int | None = None
    bound, then = "", None
    while reader.takes(","):
        if reader.takes("at"):
            reader.needs("most")
            reader.once(at_most, "`at most`")
            at_most = reader.number()
            if reader.at_name():
                reader.once(bound, "the bound's name")
                bound = reader.name("the name of a bound")
        elif reader.takes("bound"):
            reader.once(bound, "the bound's name")
            bound = reader.name("the name of a bound")
        elif reader.takes("then"):
            reader.once(then, "`then`")
            then = _target(reader)
        else:
            raise reader.stopped("`at most`, `bound` or `then`")
    reader.finish()
    return at_most, bound, then


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    place: int
    kind: str


class _Reader:
    """The tokens of one text, read from left to right."""

    def __init__(self, text: str, form: str) -> None:
        self.form = form
        self.tokens: list[_Token] = []
        self.next = 0
        place = 0
        text = text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                start = len(text) - len(text[place:].lstrip())
                raise Refused(f"{text[start:]!r}, at character {start + 1}, is not understood", form)
            kind = str(match.lastgroup)
            word = re.sub(r"\\(.)", r"\1", match[kind]) if kind == "quoted" else match[kind]
            self.tokens.append(_Token(word, match.end() - len(match[0].lstrip()) + 1, kind))
            place = match.end()

    def stopped(self, expected: str) -> Refused:
        """The fault at the place that was reached."""
        if self.next >= len(self.tokens):
            return Refused(f"the text ends where {expected} should stand", self.form)
        token = self.tokens[self.next]
        return Refused(f"{token.word!r}, at character {token.place}, stands where {expected} should", self.form)

    def at_name(self, ahead: int = 0) -> bool:
        """Whether a name comes next, or so many tokens later."""
        index = self.next + ahead
        return index < len(self.tokens) and self.tokens[index].kind != "mark"

    def says(self, word: str) -> bool:
        """Whether this bare word, or mark, comes next."""
        token = self.tokens[self.next] if self.next < len(self.tokens) else None
        return token is not None and token.word == word and token.kind != "quoted"

    def take(self) -> str:
        """The next token's word."""
        self.next += 1
        return self.tokens[self.next - 1].word

    def takes(self, word: str) -> bool:
        """Go past this word if it comes next."""
        found = self.says(word)
        self.next += found
        return found

    def needs(self, word: str) -> None:
        """Go past this word, which must come next."""
        if not self.takes(word):
            raise self.stopped(f"`{word}`")

    def name(self, what: str) -> str:
        """The name that must come next."""
        if not self.at_name():
            raise self.stopped(what)
        return self.take()

    def once(self, known: object, what: str) -> None:
        """Nothing of this sort may have been read before."""
        if known not in (None, ""):
            raise Refused(f"{what} stands twice", self.form)

    def number(self) -> int:
        """The number of times that must come next."""
        if not self.at_name() or not re.fullmatch(r"[0-9]{1,18}", self.tokens[self.next].word):
            raise self.stopped("a whole number")
        return int(self.take())

    def finish(self) -> None:
        """Nothing may be left."""
        if self.next < len(self.tokens):
            raise self.stopped("a comma or the end")
