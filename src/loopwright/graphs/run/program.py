"""A plan with its live code: what is proved about it, and what the engine makes of it when a first run goes on."""

import importlib
from collections.abc import AsyncGenerator, Generator, Mapping
from functools import cached_property
from typing import Any, Protocol

from loopwright.errors import RunError
from loopwright.graphs.certificate.certify import Certificate, certificate_of
from loopwright.graphs.migrate.classify import Verdict
from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.bounds import raised
from loopwright.graphs.run.models import AnyModel
from loopwright.graphs.run.moments import Reader
from loopwright.graphs.verify.check import verify
from loopwright.graphs.verify.findings import Findings, Where
from loopwright.nodes.audience import Listener
from loopwright.nodes.events import Event
from loopwright.state.records import Suspension
from loopwright.state.store.runs import RunRow
from loopwright.state.store.store import Store
from loopwright.state.values import JsonObject


class Session(Protocol):
    """One session of a run, from where it is to where it next comes to rest; see `session.Session`."""

    def advance(self) -> Generator[Event, None, None]:
        """Go on with blocking calls."""

    def aadvance(self) -> AsyncGenerator[Event, None]:
        """Go on with awaited calls."""


class Machine(Protocol):
    """A plan on the engine; see `session.Machine`."""

    def session(
        self,
        store: Store,
        row: RunRow,
        models: Mapping[str, AnyModel],
        listener: Listener | None,
    ) -> Session:
        """A session of a run that this process holds."""

    def embedded(self, checkpointer: Any, models: Mapping[str, AnyModel]) -> Any:
        """The engine's graph for programs that run it themselves."""


class Past(Reader, Protocol):
    """The past of a run; see `past.Past`."""

    def state(self) -> JsonObject:
        """The plan's channels as they are now."""

    def suspensions(self) -> tuple[Suspension, ...]:
        """What each node is suspended by."""

    def fork(self, at: int, changes: Mapping[str, Any]) -> RunRow:
        """Enter a new run that stands before a visit of this one."""

    def prune(self) -> int:
        """Drop the states that the run has left behind."""


class Mover(Protocol):
    """Leads runs on to a changed plan; see `moving.Mover`."""

    def check(self, run: str, declared: Migration) -> Verdict:
        """What the plan of now means for a run."""

    def move(self, run: str, declared: Migration) -> Verdict:
        """The same, and where the run can go on it has that plan from here on."""


class Program:
    """What all runs of a plan share; each part is made once, when it is first asked for.

    Args:
        plan: The plan.
        code: Its live code, by the names of its references.
        where: The file and the line of a part of the plan, for its findings; None for a plan that was made in Python.
    """

    def __init__(self, plan: Plan, code: Mapping[str, Any], where: Where | None = None) -> None:
        self.plan, self.code, self.where = plan, code, where
        self._raised: dict[frozenset[tuple[str, int]], Program] = {}

    def given_more(self, more: Mapping[str, int]) -> "Program":
        """The same for a run that was given more of some bounds; itself, where it was given none."""
        key = frozenset(more.items())
        if key and key not in self._raised:
            self._raised[key] = Program(raised(self.plan, more), self.code, self.where)
        return self._raised[key] if key else self

    @cached_property
    def findings(self) -> Findings:
        """All that is wrong with the plan."""
        found = verify(self.plan)
        return found.located(self.where) if self.where else found

    @cached_property
    def certificate(self) -> Certificate:
        """The worst case of a run.

        Raises:
            PlanError: The plan has findings that are errors.
        """
        self.findings.raise_for_errors()
        return certificate_of(self.plan)

    @cached_property
    def machine(self) -> Machine:
        """The engine's graph and limits.

        Raises:
            RunError: The plan names code that is not here.

        The engine takes half a second to import, and checking, drawing and looking at runs do without it; so it is
        loaded here, when the first run goes on.
        """
        missing = ", ".join(repr(ref.name) for ref in self.plan.code if ref.name not in self.code)
        if missing:
            raise RunError(
                f"the plan {self.plan.name!r} names code that is not here ({missing}): open the run with loop=, the"
                " loop that it was started from"
            )
        engine = importlib.import_module("loopwright.graphs.run.session")
        machine: Machine = engine.Machine(self.plan, self.code, self.certificate)
        return machine

    def past(self, store: Store, run: str) -> Past:
        """The past of a run, which is read without the plan's code; the engine is loaded for it, too."""
        engine = importlib.import_module("loopwright.graphs.run.past")
        past: Past = engine.Past(self.plan, store, run)
        return past

    def mover(self, store: Store) -> Mover:
        """What leads runs of a store on to this plan; the engine is loaded for it, too."""
        engine = importlib.import_module("loopwright.graphs.run.moving")
        mover: Mover = engine.Mover(self.plan, self.machine, store)
        return mover
