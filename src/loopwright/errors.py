"""Every error that loopwright raises on purpose. This file imports nothing of the package.

LoopwrightError
├── SourceError        a file or a spec that cannot become a plan; holds all of its Faults
├── PlanError          a plan with findings that are errors; holds all of them
├── ContractError      a node broke what it declared: outcome, writes or types
├── ModelError         a model did not answer
│   ├── FormRefused    a server does not take a question in this form; it is asked in another
│   ├── ScriptEnded    a scripted model was asked more than its script holds
│   ├── NotRecorded    a replay met a question that its recording has no answer to
│   └── Unreadable     a model answered, and no valid value could be read from it
├── StoreError         a store that cannot be opened, read or written
│   ├── DamagedRun     what is kept of a run is damaged, or was tampered with
│   └── UnknownRun     no run, or more than one, has this id
├── RunError           a run that cannot do what was asked of it
│   ├── RunBusy        another process is running it
│   │   └── LeaseLost   another process has taken it over while this one was running it
│   ├── NotWaiting     it has no question that could be answered
│   │   └── AlreadyAnswered  the question got another answer before
│   └── WrongAnswer    the answer does not fit the question
└── DrawError          a picture that cannot be drawn or written: no such format, or no such place
"""

from dataclasses import dataclass


class LoopwrightError(Exception):
    """The root of all errors of this package: catch it to catch them all."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a source, and where it stands.

    Args:
        message: What is wrong, in one sentence.
        path: The place inside the document, as ("roles", "boss", "model"); empty for the whole of it.
        hint: What exists or what to do, or "".
        file: The file's name, or "" for a spec that was made in Python.
        line: The line in that file, counted from 1; 0 where it is not known.

    Example:
        >>> print(Fault("no such role", ("stop", "role"), "there are: boss, solver", "bridge.yaml", 5))
        bridge.yaml:5: stop.role: no such role (there are: boss, solver)
    """

    message: str
    path: tuple[str | int, ...] = ()
    hint: str = ""
    file: str = ""
    line: int = 0

    @property
    def key(self) -> str:
        """The path with dots."""
        return ".".join(str(part) for part in self.path)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part)
        words = [f"{part}:" for part in (place, self.key) if part]
        return " ".join([*words, self.message, *([f"({self.hint})"] if self.hint else [])])


class SourceError(LoopwrightError):
    """A source that cannot become a plan. All faults are reported at once.

    Args:
        faults: What is wrong; `faults` holds it as a tuple.
    """

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in faults))

    def __reduce__(self) -> tuple[type["SourceError"], tuple[list[Fault]]]:
        """It is made of its faults again in another process, not of its text."""
        return type(self), (list(self.faults),)


class PlanError(LoopwrightError):
    """A plan that must not run.

    Args:
        message: What is wrong, as text.
        findings: Everything that `check` found.
    """

    def __init__(self, message: str, findings: tuple[object, ...] = ()) -> None:
        self.findings = findings
        super().__init__(message)


class ContractError(LoopwrightError):
    """A node answered with an outcome, a write or a value that it did not declare."""


class ModelError(LoopwrightError):
    """A model did not answer.

    Args:
        message: What happened, with the model and the address it was asked at.
        retryable: Whether the same question may be asked again with some hope.
        retry_after: Seconds that the server asked us to wait, or None.
    """

    def __init__(self, message: str, *, retryable: bool = False, retry_after: float | None = None) -> None:
        self.retryable = retryable
        self.retry_after = retry_after
        super().__init__(message)


class FormRefused(ModelError):
    """A server does not take a question in the form in which it was put; the model will put it in another one.

    So it may be asked again at once. No model has answered, and this is none of its failures.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True, retry_after=0.0)


class ScriptEnded(ModelError):
    """A scripted model was asked more questions than its script has replies."""


class NotRecorded(ModelError):
    """A replay met a question that its recording has no answer to. No edge handles that: the run is suspended."""


class Unreadable(ModelError):
    """A model answered, but no valid value could be read from its words."""


class StoreError(LoopwrightError):
    """A store that cannot be opened, read or written."""


class DamagedRun(StoreError):
    """What is kept of a run is damaged or was tampered with. The run is quarantined: nothing goes on with it."""


class UnknownRun(StoreError):
    """No run has this id, or a prefix of an id fits more than one run."""


class RunError(LoopwrightError):
    """A run cannot do what was asked of it in the state it is in."""


class RunBusy(RunError):
    """Another living process is running this run."""


class LeaseLost(RunBusy):
    """Another runner has taken this run over, as from a process that was frozen. This one writes nothing more of it."""


class NotWaiting(RunError):
    """The run has no question that this answer could be for."""


class AlreadyAnswered(NotWaiting):
    """The question has been answered before, and otherwise. Nothing was changed."""


class WrongAnswer(RunError):
    """The answer does not fit the shape that the question asks for. Nothing was changed."""


class DrawError(LoopwrightError):
    """A picture cannot be drawn in this format, or not be written to this place."""
