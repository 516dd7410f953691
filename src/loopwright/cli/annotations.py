"""Annotations: findings and faults as workflow commands, which a host of code shows beside the lines of a change."""

from collections.abc import Iterable

from loopwright.errors import LoopwrightError, PlanError, SourceError
from loopwright.graphs.verify.findings import Finding


def annotation(severity: str, title: str, message: str, file: str = "", line: int = 0) -> str:
    """One workflow command.

    Args:
        severity: `error` or `warning`.
        title: What stands above the message.
        message: The message; it may have several lines.
        file: The file that it is about, or "".
        line: The line in it, or 0.

    Example:
        >>> print(annotation("error", "trap", "no end\\ncan be reached", "app.py", 3))
        ::error file=app.py,line=3,title=trap::no end%0Acan be reached
    """
    places = [("file", file), ("line", str(line or "")), ("title", title)]
    properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in places if value)
    return f"::{severity} {properties}::{_escaped(message)}"


def annotations_of(findings: Iterable[Finding], subject: str) -> list[str]:
    """The commands of findings.

    Args:
        findings: The findings.
        subject: What they are about; it stands in the titles.
    """
    return [
        annotation(
            finding.severity,
            f"{finding.code} in {subject}",
            "\n".join([finding.message, *finding.details]),
            finding.file,
            finding.line,
        )
        for finding in findings
    ]


def annotations_of_error(error: LoopwrightError) -> list[str]:
    """The commands of an error: one for each of its faults or findings."""
    if isinstance(error, SourceError):
        return [
            annotation(
                "error",
                "loopwright",
                "\n".join(filter(None, [": ".join(filter(None, [fault.key, fault.message])), fault.hint])),
                fault.file,
                fault.line,
            )
            for fault in error.faults
        ]
    if isinstance(error, PlanError):
        return annotations_of((found for found in error.findings if isinstance(found, Finding)), "the plan")
    return [annotation("error", "loopwright", str(error))]


def _escaped(text: str, more: str = "") -> str:
    for char in f"%\r\n{more}":
        text = text.replace(char, f"%{ord(char):02X}")
    return text
