"""Findings: what is wrong with a plan, all of it at once, each with its code, what it says and what to do."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Literal, overload

from loopwright.errors import PlanError
from loopwright.state.values import JsonObject

Severity = Literal["error", "warning"]
Code = Literal[
    "bad-bound",
    "bad-default",
    "bad-node",
    "bad-schema",
    "bound-circle",
    "bound-of-two-loops",
    "brace-placeholder",
    "dead-end",
    "double-run",
    "doubtful-node",
    "dropped-join",
    "empty-name",
    "empty-plan",
    "misplaced-bound",
    "missing-edge",
    "name-of-two",
    "no-end",
    "no-result",
    "open-router",
    "parallel-writers",
    "partly-explored",
    "read-before-write",
    "reserved-channel",
    "trap",
    "two-edges",
    "two-entries",
    "type-mismatch",
    "unbounded-loop",
    "uncertain-calls",
    "unknown-bound",
    "unknown-channel",
    "unknown-input",
    "unknown-model",
    "unknown-outcome",
    "unknown-placeholder",
    "unknown-source",
    "unknown-start",
    "unknown-target",
    "unreachable-end",
    "unreachable-node",
    "unversioned-code",
    "wrong-bodies",
]


Place = tuple[str | int, ...]
"""A part of a plan, as `Finding.place` names it."""

Where = Callable[[Place], tuple[str, int]]
"""The file and the line of a part of a plan."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a plan.

    Args:
        code: A short word for it; `EXPLANATIONS` says more.
        severity: `error` where the plan must not run.
        message: What is wrong, in one sentence.
        hint: What exists or what to do, or "".
        nodes: The names of the nodes concerned.
        path: A way through the plan that shows it, node by node; empty where there is nothing to walk.
        about: The part of the plan where it stands, as `("edges", "review", "revise", "write")`; see `place`.
        file: The file that the plan was read from, or "".
        line: The line of that part in it; 0 where it is not known.

    Example:
        >>> print(Finding("trap", "error", "no end can be reached from 'c'", path=("a", "c")))
        error: trap: no end can be reached from 'c' (path: a -> c)
    """

    code: Code
    severity: Severity
    message: str
    hint: str = ""
    nodes: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    about: Place = ()
    file: str = ""
    line: int = 0

    @property
    def place(self) -> Place:
        """The part of the plan where it stands; () for the whole of it.

        That is `("nodes", NAME)`, perhaps with a field of the node, `("edges", SOURCE, OUTCOME)`, perhaps with the
        target, `("bounds", NAME)`, `("channels", NAME)`, `("start",)` or `("result",)`.
        """
        return self.about or (("nodes", self.nodes[0]) if self.nodes else ())

    @property
    def words(self) -> str:
        """The message, with file and line before it where they are known."""
        where = [str(part) for part in (self.file, self.line) if part]
        return f"{':'.join(where)}: {self.message}" if where else self.message

    @property
    def details(self) -> tuple[str, ...]:
        """The lines that go below the message: the hint and the path, where there are any."""
        path = f"path: {' -> '.join(self.path)}" if self.path else ""
        return tuple(line for line in (self.hint, path) if line)

    def __str__(self) -> str:
        details = f" ({'; '.join(self.details)})" if self.details else ""
        return f"{self.severity}: {self.code}: {self.words}{details}"


@dataclass(frozen=True, slots=True, repr=False)
class Findings(Sequence[Finding]):
    """All findings of one plan, errors first. It is true when there are any, and prints as a table.

    Args:
        items: The findings.

    Example:
        >>> Findings.of([error("no-end", "the plan 'essay' has no end", "lead an edge to an End")])
        error  no-end  the plan 'essay' has no end
                       lead an edge to an End
        1 error
        >>> bool(Findings())
        False
    """

    items: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Finding]) -> "Findings":
        """The findings, each once, errors first, otherwise in the order in which they came."""
        return cls(tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.severity)))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Those that keep the plan from running."""
        return tuple(finding for finding in self.items if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Those that do not."""
        return tuple(finding for finding in self.items if finding.severity == "warning")

    def raise_for_errors(self) -> None:
        """Do nothing when there are no errors.

        Raises:
            PlanError: There are; all of them are in its message and its `findings`.
        """
        if self.errors:
            raise PlanError(f"this plan cannot run\n{Findings(self.errors)}", self.errors)

    def located(self, where: Where) -> "Findings":
        """The findings with the file and the line that a function knows of each place."""
        return Findings(
            tuple(replace(finding, file=file, line=line) for finding in self for file, line in [where(finding.place)])
        )

    def to_data(self) -> list[JsonObject]:
        """The findings as JSON."""
        return [
            {
                **asdict(finding),
                "nodes": list(finding.nodes),
                "path": list(finding.path),
                "about": list(finding.place),
                "line": finding.line or None,
            }
            for finding in self
        ]

    @overload
    def __getitem__(self, index: int) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> "Findings": ...

    def __getitem__(self, index: int | slice) -> "Finding | Findings":
        return Findings(self.items[index]) if isinstance(index, slice) else self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.items)

    def __str__(self) -> str:
        if not self.items:
            return "no findings"
        severity = max(len(finding.severity) for finding in self)
        code = max(len(finding.code) for finding in self)
        lines = []
        for finding in self:
            lines.append(f"{finding.severity:{severity}}  {finding.code:{code}}  {finding.words}")
            lines += [" " * (severity + code + 4) + line for line in finding.details]
        return "\n".join([*lines, self._count()])

    __repr__ = __str__

    def _count(self) -> str:
        counts = (("error", len(self.errors)), ("warning", len(self.warnings)))
        return ", ".join(f"{count} {word}{'s' * (count != 1)}" for word, count in counts if count)

    def _repr_html_(self) -> str:
        """The table for notebooks."""
        if not self.items:
            return "<p>no findings</p>"
        rows = "".join(_row(finding) for finding in self)
        return f'<table style="text-align: left">{rows}</table><p>{self._count()}</p>'


def _row(finding: Finding) -> str:
    color = "#b3261e" if finding.severity == "error" else "#8a5a00"
    details = "".join(f'<br><span style="opacity: 0.7">{escape(line)}</span>' for line in finding.details)
    cell = '<td style="text-align: left; vertical-align: top'
    return (
        f'<tr>{cell}; color: {color}">{finding.severity}</td>{cell}"><code>{finding.code}</code></td>'
        f'{cell}">{escape(finding.words)}{details}</td></tr>'
    )


def error(
    code: Code,
    message: str,
    hint: str = "",
    nodes: Iterable[str] = (),
    path: Iterable[str] = (),
    *,
    about: Place = (),
) -> Finding:
    """A finding that keeps the plan from running; arguments as of `Finding`."""
    return Finding(code, "error", message, hint, tuple(nodes), tuple(path), about)


def warning(
    code: Code,
    message: str,
    hint: str = "",
    nodes: Iterable[str] = (),
    path: Iterable[str] = (),
    *,
    about: Place = (),
) -> Finding:
    """A finding that does not; arguments as of `Finding`."""
    return Finding(code, "warning", message, hint, tuple(nodes), tuple(path), about)


def edge_words(source: str, outcome: str) -> str:
    """How messages write an edge, with its outcome where that is known.

    Example:
        >>> edge_words("review", "revise")
        "'review' [revise]"
    """
    return f"{source!r} [{outcome}]" if outcome else repr(source)
