"""What a run tells of itself, read from its store. It needs no engine."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, overload

from typing_extensions import TypeVar, Unpack

from loopwright.errors import RunError
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.draw.formats import Look, TextFormat, picture, write_picture
from loopwright.graphs.draw.theme import ThemeName
from loopwright.graphs.plan import End, Plan
from loopwright.graphs.run.bounds import sums_of
from loopwright.graphs.run.budgets import Accounts, Spending, accounts_of
from loopwright.graphs.run.models import Given, by_name
from loopwright.graphs.run.moments import History
from loopwright.graphs.run.program import Past, Program
from loopwright.nodes.budget import Budget
from loopwright.state.rebuilt import rebuilt_result
from loopwright.state.records import Extension, Grant, Question, Status, Suspension, Usage, Visit
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject

Result = TypeVar("Result", default=Any)


class RunRecord(Generic[Result]):
    """What a run tells; see `Run`.

    Args:
        store: The store that it is in.
        id: Its id.
        program: Its plan and the plan's live code.
        models: Models by name that are given for this process.
        kept: The fingerprint of its plan in the store, where the program's own is another one.
    """

    def __init__(
        self, store: Store, id: str, program: Program, models: Mapping[str, Given] | None = None, kept: str = ""
    ) -> None:
        self.store, self.id, self._kept = store, id, kept or program.plan.fingerprint
        self._program, self._models = program, by_name(models)
        self._shown: set[str] = set()

    @property
    def plan(self) -> Plan:
        """Its plan; where it was given more of a bound, with that."""
        return self._now().plan

    @property
    def certificate(self) -> Certificate:
        """The worst case of its plan."""
        return self._now().certificate

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """What it was given more of than its plan says."""
        return self.store.registry.extensions(self.id)

    @property
    def budget(self) -> Budget | None:
        """What it may spend, with all that it was given; None where nothing limits it."""
        return self._accounts.run.budget if self._accounts.run else None

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What it was given more of than its budgets said when it was started."""
        return self.store.registry.grants(self.id)

    @property
    def spending(self) -> Mapping[str, Spending]:
        """What is spent, and the limit, of everything that is limited: `calls`, or `strong.calls` of a model."""
        return self._accounts.spending

    @property
    def row(self) -> RunRow:
        """All that the registry knows of it."""
        return self.store.registry.get(self.id)

    @property
    def status(self) -> Status:
        """`running`, `waiting` for an answer, `suspended` by a failure, `interrupted` in the middle, or `finished`."""
        return self.row.status

    @property
    def questions(self) -> tuple[Question, ...]:
        """What it waits for."""
        return self._seen(self.row.questions)

    @property
    def end(self) -> End | None:
        """The end that it came to; None before that."""
        row = self.row
        return End(row.end, bool(row.ok)) if row.status == "finished" else None

    @property
    def reason(self) -> str:
        """Why it ended, or what it is suspended by."""
        return self.row.reason

    @property
    def suspensions(self) -> tuple[Suspension, ...]:
        """What each node that is suspended was asked last, and what it said; none where no node is."""
        at = set(self.row.at) if self.status in ("suspended", "waiting") else set()
        return tuple(each for each in self._past.suspensions() if each.node in at) if at else ()

    @property
    def result(self) -> Result:
        """The result of a run that has ended, in the type that its loop declares for it; None before that.

        Raises:
            RunError: It does not fit that type, as when the class was changed meanwhile.
        """
        try:
            result: Result = rebuilt_result(self._program.code, self.store.registry.result(self.id))
        except ValueError as error:
            raise RunError(
                f"the result of run {self.id} does not fit the type that the loop declares: {error}; a run of a plan "
                "without code has it as JSON when it is opened without loop="
            ) from error
        return result

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The completed visits, in the order in which they were completed."""
        return self.store.registry.visits(self.id)

    @property
    def usage(self) -> Usage:
        """What all visits took, those included that were not completed and are made again."""
        return self.store.registry.usage(self.id)

    @property
    def state(self) -> JsonObject:
        """The plan's channels as they are now."""
        return self._past.state()

    @property
    def history(self) -> History:
        """The visits as moments, each with the question, what was written, and the states before and after it.

        A sequence that reads a moment when it is asked for; `run.history[-1].asked`, for one.
        """
        registry = self.store.registry
        return History(self._past, partial(registry.count_visits, self.id), partial(registry.visits, self.id))

    @overload
    def draw(self, path: None = None, *, format: TextFormat = "svg", **look: Unpack[Look]) -> str: ...
    @overload
    def draw(self, path: None = None, *, format: Literal["png"], **look: Unpack[Look]) -> bytes: ...
    @overload
    def draw(self, path: str | Path, **look: Unpack[Look]) -> str | bytes: ...
    def draw(
        self,
        path: str | Path | None = None,
        *,
        format: str = "svg",
        theme: ThemeName = "light",
        opened: bool = False,
        legend: bool = False,
        scale: float = 2.0,
    ) -> str | bytes:
        """The picture with the path that was taken and the places where it rests; arguments as of `Loop.draw`."""
        look: Any = {"theme": theme, "opened": opened, "legend": legend, "scale": scale}
        look |= {"visits": self.visits, "at": self.row.at}
        return picture(self.plan, format, **look) if path is None else write_picture(self.plan, Path(path), **look)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.draw(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        row = self.row
        end = f", end={row.end!r}" if row.end else ""
        return f"Run({self.id!r}, {row.name!r}, status={row.status!r}{end})"

    @property
    def _accounts(self) -> Accounts:
        return accounts_of(self.row, self.store.registry)

    @property
    def _past(self) -> Past:
        return self._now().past(self.store, self.id)

    def _now(self, more: Mapping[str, int] | None = None) -> Program:
        """Its plan with what it was given beyond it, and is given now."""
        given = [Extension(bound, number, 0) for bound, number in (more or {}).items()]
        return self._program.given_more(sums_of([*self.extensions, *given]))

    def _seen(self, questions: tuple[Question, ...]) -> tuple[Question, ...]:
        self._shown.update(question.id for question in questions)
        return questions
