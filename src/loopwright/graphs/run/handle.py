"""A run as its users hold it. It needs no engine until it is told to go on."""

import asyncio
import time
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from typing_extensions import TypeVar

from loopwright.errors import NotWaiting, RunBusy, RunError
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.answers import fitting_answer, question_for, require_alone, require_same
from loopwright.graphs.run.awaiting import rest_event, until_over
from loopwright.graphs.run.bounds import require_more
from loopwright.graphs.run.budgets import accounts_of, budget_of, require_prices
from loopwright.graphs.run.budgets import require_more as require_more_budget
from loopwright.graphs.run.decisions import decision_for
from loopwright.graphs.run.models import AnyModel, Given, adds_to, as_data, models_for
from loopwright.graphs.run.program import Program, Session
from loopwright.graphs.run.record import RunRecord
from loopwright.graphs.run.streams import AsyncStream, Stream
from loopwright.nodes.audience import Listener
from loopwright.nodes.contract import Audience
from loopwright.nodes.events import Event, RunAwaited, RunWaiting
from loopwright.state.records import Answered, Decided, Decision
from loopwright.state.store.lease import quarantined
from loopwright.state.store.runs import RunRow

Result = TypeVar("Result", default=Any)


@dataclass(frozen=True, slots=True)
class _Order:
    """What a session is to do. It fits the run as it was found, and nothing was changed yet."""

    answered: Answered | None
    models: Mapping[str, AnyModel]
    more: Mapping[str, int]
    budget: Mapping[str, float]
    plan: str
    take_over: bool
    decided: Decided | None


class Run(RunRecord[Result]):
    """A run in a store. What it tells is read from the store each time, so it is true for runs of other processes too.

    `Loop.start` and `open_run` give one; nobody else makes one. A notebook shows it as its picture.

    Args:
        store: The store that it is in.
        id: Its id.
        program: Its plan and the plan's live code.
        models: Models by name that are given for this process; the run's own, as they were started with, otherwise.
        kept: The fingerprint of its plan in the store, where the program's own is another one: its code has changed.
    """

    def fork(self, at: int, set: Mapping[str, Any] | None = None) -> Self:
        """A new run that stands where this one stood before a visit, and can be resumed from there. This one stays.

        What came before is not made again: the new run has those visits as its own, and `row.forked_from` tells whose
        they were. `usage` is what the new run takes itself.

        Args:
            at: The visit's index, counted from 0; as many as there are visits for where the run rests now.
            set: New values of channels.

        Returns:
            The new run, which is interrupted until it is resumed.

        Raises:
            RunError: No run can stand there, as between a fork's branches, or a value does not fit its channel.
        """
        row = self._past.fork(at, set or {})
        program = self._program
        if row.fingerprint != self._kept:  # it stands where another plan was in force
            program = Program(Plan.from_data(self.store.registry.plan(row.id)), program.code)
        return type(self)(self.store, row.id, program, self._models, row.fingerprint)

    def prune(self) -> int:
        """Drop the states that the run has left behind. How it rests, its visits and its answers stay.

        It can go on. What can no longer be had is the state at an earlier visit, and a fork from there.

        Returns:
            How many states were dropped.

        Raises:
            RunBusy: It is being run.
        """
        return self._past.prune()

    def resume(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
        budget: Mapping[str, float] | None = None,
        take_over: bool = False,
        effect: Decision | None = None,
        reply: Any = None,
        key: str | None = None,
    ) -> Self:
        """Go on until the run rests again: with the answer it waits for, or by asking again where it stopped.

        An answer without an id is for the question that this object has shown, by `questions` or when it came to rest;
        one that has shown none answers what is open. An answer that was given before changes nothing; where somebody is
        at work on it, what comes of that is waited for, and where they die, the run goes on here. Without an answer, a
        run that waits for an event takes one that has come, and one whose timer is due goes on.

        Args:
            answer: For a question of a person a line of text as on the command line (empty for the default), or the
                answer as the question's `reply` schema wants it.
            question: The question's id, or a prefix of it; needed only when several are open.
            model: A model that from now on answers for every name; or a recording, before the models of the run.
            bounds: More of some bounds, for this run, as `{"rounds": 3}`. A run that ended because a bound was used up
                goes on from there, with all that it holds.
            budget: More of its budgets, as `{"calls": 20, "cost": 0.5}`; of a model's own as `{"strong.calls": 20}`.
            take_over: Whether the run is taken from a process that runs it, as where that one is frozen. It then writes
                nothing more, and ends with `LeaseLost`; a call that it was making is made again.
            effect: What is decided about an effect of which nobody knows whether it happened: `done`, where it has, or
                `again`, where it is to be called again, with the same key.
            reply: What the function would have returned, where it is done.
            key: The effect's key, or a prefix of it, or its node; needed where nobody knows of several.

        Returns:
            This run.

        Raises:
            NotWaiting: It has ended, or the question is not open, or not the one that was shown, or nothing is to be
                decided about an effect.
            RunError: There is no such bound or budget, or word for an effect.
            AlreadyAnswered: The question got another answer before.
            WrongAnswer: The answer is missing, or it does not fit, or the reply; nothing was changed.
            RunBusy: Another process is running it; as `LeaseLost` where one has taken it over meanwhile.
        """
        for _ in self._events(self._order(answer, question, model, bounds, budget, take_over, (effect, reply, key))):
            pass
        return self

    async def aresume(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
        budget: Mapping[str, float] | None = None,
        take_over: bool = False,
        effect: Decision | None = None,
        reply: Any = None,
        key: str | None = None,
    ) -> Self:
        """Go on with awaited calls; see `resume`."""
        async for _ in self._aevents(
            self._order(answer, question, model, bounds, budget, take_over, (effect, reply, key))
        ):
            pass
        return self

    def stream(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
        budget: Mapping[str, float] | None = None,
        take_over: bool = False,
        effect: Decision | None = None,
        reply: Any = None,
        key: str | None = None,
        audience: Audience | None = None,
    ) -> Stream[Self]:
        """Go on, and tell what happens.

        Args:
            answer: With the others as of `resume`.
            audience: Who listens: None to all events without texts; `debug` to all events and, as models say them, all
                texts; `user` to what a person in front should see and nothing else: texts that are for the user,
                questions to a person, and how the run rests.

        Raises:
            RunError: There is no such audience; other errors as of `resume`.
        """
        listener = Listener(audience)
        order = self._order(answer, question, model, bounds, budget, take_over, (effect, reply, key))
        return Stream(self, self._events(order, listener), audience)

    def astream(
        self,
        answer: Any = None,
        *,
        question: str | None = None,
        model: Given | None = None,
        bounds: Mapping[str, int] | None = None,
        budget: Mapping[str, float] | None = None,
        take_over: bool = False,
        effect: Decision | None = None,
        reply: Any = None,
        key: str | None = None,
        audience: Audience | None = None,
    ) -> AsyncStream[Self]:
        """Go on with awaited calls, and tell what happens; arguments as of `stream`."""
        listener = Listener(audience)
        order = self._order(answer, question, model, bounds, budget, take_over, (effect, reply, key))
        return AsyncStream(self, self._aevents(order, listener), audience)

    def _order(
        self,
        answer: Any,
        question: str | None,
        model: Given | None,
        bounds: Mapping[str, int] | None,
        budget: Mapping[str, float] | None,
        take_over: bool,
        decision: tuple[Decision | None, Any, str | None],
    ) -> _Order | None:
        """What is to be done; None where the answer was given before, and its result is there."""
        row = self.row
        if take_over and row.status in ("running", "quarantined"):
            row = replace(row, status="interrupted")
        if row.status == "quarantined":
            raise quarantined(row)
        decided = self._decided(row, *decision)
        if bounds is not None:
            require_more(row, self.plan, bounds, self.store.registry.last_visit(self.id))
            row = replace(row, status="interrupted") if row.status == "finished" else row
        if budget is not None:
            require_more_budget(self.id, accounts_of(row, self.store.registry), budget)
        if question is not None and (not question or not isinstance(question, str)):
            raise NotWaiting(f"run {row.id}: {question!r} is the id of no question; leave it out, or give one")
        repeated = self._repeated(row, answer, question)
        if repeated:
            require_alone(row.id, bounds, budget, decided)
            if row.status != "running":
                return None
        answered = repeated or self._answered(row, answer, question)
        models = models_for(self.plan, model, self._models if adds_to(model) else {}, row.models)
        require_prices(budget_of(row), models)
        return _Order(answered, models, bounds or {}, budget or {}, self._kept, take_over, decided)

    def _repeated(self, row: RunRow, answer: Any, question: str | None) -> Answered | None:
        """The answer that was given before to a question that is not open any more; None where it is, or was none."""
        if not question or any(asked.is_called(question) for asked in row.questions):
            return None
        answers = self.store.registry.answers(self.id, question)
        if len(answers) != 1:
            return None
        require_same(self.id, answers[0], answer)
        return answers[0]

    def _answered(self, row: RunRow, answer: Any, question: str | None) -> Answered | None:
        """The answer that the run goes on with: an event that has come, or what was given; None where it needs none."""
        if answer is None and question is None and (event := self.store.inbox.ready(row)):
            return event
        asked = question_for(row, answer, question or "", self._shown)
        return Answered(asked, fitting_answer(asked, answer)) if asked else None

    def _decided(self, row: RunRow, effect: Decision | None, reply: Any, key: str | None) -> Decided | None:
        """What is decided about an effect; None where nothing is."""
        if effect is not None:
            return decision_for(row, self.plan, self.effects, effect, reply, key)
        if reply is not None or key is not None:
            raise RunError('a reply and a key go with an effect: give effect="done", too')
        return None

    def _events(self, order: _Order | None, listener: Listener | None = None) -> Generator[Event, None, None]:
        for turn in self._turns(order, listener):
            if isinstance(turn, float):
                time.sleep(turn)
            elif isinstance(turn, Event):
                yield from self._told(turn, listener)
            else:
                with closing(turn.advance()) as events:
                    for event in events:
                        yield from self._told(event, listener)

    async def _aevents(self, order: _Order | None, listener: Listener | None = None) -> AsyncGenerator[Event, None]:
        for turn in self._turns(order, listener):
            if isinstance(turn, float):
                await asyncio.sleep(turn)
            elif isinstance(turn, Event):
                for told in self._told(turn, listener):
                    yield told
            else:
                async with aclosing(turn.aadvance()) as events:
                    async for event in events:
                        for told in self._told(event, listener):
                            yield told

    def _turns(self, order: _Order | None, listener: Listener | None) -> Iterator["Session | Event | float"]:
        """A session of the run; where somebody else goes on with the same answer, what to tell and how long to wait.

        One that waits takes the run over where who went on with it is gone, and is one of many that may try.
        """
        session = self._claimed(order, listener) if order else None
        while order and session is None and (row := self.row).status == "running":
            yield RunAwaited(row.id, str(row.holder))
            yield from until_over(self.store, row)
            now = self.row
            if now.token == row.token and (event := rest_event(now)):
                yield event
            if now.token == row.token and now.status == "interrupted":
                with suppress(RunBusy, NotWaiting):  # somebody was quicker
                    session = self._claimed(replace(order, answered=None), listener)
        if session:
            yield session

    def _told(self, event: Event, listener: Listener | None) -> Iterator[Event]:
        """The event as whoever listens is told it, where it is for them."""
        if told := listener.told(event) if listener else event:
            if isinstance(told, RunWaiting):
                self._seen(told.questions)
            yield told

    def _claimed(self, order: _Order, listener: Listener | None) -> Session | None:
        """A session of the run, which this process holds from here on; None where it was given this answer before.

        Nothing was changed if this raises.
        """
        registry = self.store.registry
        machine = self._now(order.more).machine
        data = as_data(order.models, self.row.models, registry.count_visits(self.id))
        more: dict[str, Any] = {"more": order.more, "budget": order.budget, "plan": order.plan}
        more |= {"answered": order.answered, "decided": order.decided}
        row = registry.claim(self.id, models=data, **more, take_over=order.take_over)
        if row is None:
            require_alone(self.id, order.more, order.budget, order.decided)
            return None
        self._models = dict(order.models)
        try:
            row = replace(row, models=data)
            return machine.session(self.store, row, order.models, listener)
        except BaseException:
            registry.interrupt(self.id, token=row.token)
            raise
