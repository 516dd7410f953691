"""The form `role_cycle`: roles speak in a fixed order, round after round.

It goes on until the role that may stop does, a person accepts the answer, or the rounds are used up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from pydantic import ConfigDict, StrictBool

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.forms.briefs import BRIEFS, brief_of
from loopwright.graphs.forms.spec import Spec
from loopwright.graphs.plan import End, Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.contract import Audience
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.prompts import placeholders
from loopwright.nodes.role import PLACEHOLDERS, Review, Role, Rounds, Stop
from loopwright.nodes.summary import Summarise
from loopwright.nodes.transcript import ENTRY, PERSON, SUMMARY
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT
from loopwright.state.values import JsonObject

STOPPED, ACCEPTED, MAX_ROUNDS = End("stopped"), End("accepted"), End("max_rounds", ok=False)
REVIEW, REVIEW_STOP, SUMMARISE = "review", "review_stop", "summarise"
_TAKEN = (REVIEW, REVIEW_STOP, STOPPED.name, ACCEPTED.name, MAX_ROUNDS.name, PERSON)


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """How one role plays its part.

    Args:
        brief: What the role is told first, a template with the form's placeholders. Solver, detractor, master and
            boss have one of their own. Any other brief of the role that may stop has to tell it how.
        sees: `all` that was said, or only the `latest`: the current round, and its own earlier replies.
        model: The name of one of the models.
        title: Its name in prompts; the role's name with a capital letter when left out.
        audience: Whom its texts are for: `user` or `debug`; when left out, those of the role that answers are for the
            user.
        history: How much of what it sees is sent, as `{last: 20}` messages or `{tokens: 4000}`; that of the form when
            left out.
    """

    brief: str = ""
    sees: Literal["all", "latest"] = "all"
    model: str = "default"
    title: str = ""
    audience: Audience | None = None
    history: Window | None = None


class RoleCycleSpec(Spec):
    """Roles that work on a task in rounds.

    Args:
        name: The plan's name.
        task: What is to be solved; where it is left out, each run is given its own.
        tasks: Several of them, instead: each is a run of its own.
        rounds: The fewest and the most full rounds.
        stop: The role that may stop, and how it says so.
        review: When a person is asked: `never`, `after_stop`, or `each_round` (after a stop too).
        labels: Whether what others said begins with their title.
        history: How much of what they see is sent to roles that do not say so themselves; all of it when left out.
            With `summary: true` a summary takes the place of what is left out, for those that see all.
        models: Model references by name; `default` is the one that the run is given when it is not among them.
        roles: The roles by name; solver, detractor, master and boss when left out.
        order: The roles in the order in which they speak; as they stand in `roles` when left out.
        answer: The role whose last text is the result; solver, or the first role where there is none.

    Example:
        >>> spec = RoleCycleSpec(task="How do we test a wooden bridge?", roles={"solver": {}, "boss": {}})
        >>> [(edge.source, edge.outcome, edge.way.target) for edge in spec.plan().edges]
        [('solver', 'done', 'boss'), ('boss', 'continue', 'solver'), ('boss', 'stop', 'stopped')]
    """

    model_config = ConfigDict(revalidate_instances="always")

    kind: Literal["role_cycle"] = "role_cycle"
    task: str | None = None
    tasks: tuple[str, ...] | None = None
    rounds: Rounds = Rounds()
    stop: Stop = Stop()
    review: Literal["never", "each_round", "after_stop"] = "never"
    labels: StrictBool = True
    history: Window | None = None
    models: Mapping[str, ModelRef] = {}
    roles: Mapping[str, RoleSettings] = {}
    order: tuple[str, ...] = ()
    answer: str = ""

    @property
    def speakers(self) -> tuple[str, ...]:
        """The names of the roles, in the order in which they speak."""
        return self.order or tuple(self.roles) or tuple(BRIEFS)

    @property
    def answering(self) -> str:
        """The role whose last text is the result."""
        return self.answer or ("solver" if "solver" in self.speakers else self.speakers[0])

    def faults(self) -> list[Fault]:
        """All that is wrong across the fields."""
        return [
            *_faults_of_tasks(self.task, self.tasks),
            *_faults_of_rounds(self.rounds),
            *_faults_of_order(self),
            *_faults_of_stop(self),
            *(fault for name in self.speakers for fault in _faults_of_name(name)),
            *_faults_of_summary(self),
            *(fault for name, role in self.roles.items() for fault in _faults_of_role(name, role, self)),
        ]

    def runs(self) -> list[JsonObject]:
        """One run for each task; without any, one that takes it as its input."""
        given = self.tasks if self.task is None else (self.task,)
        return [{"task": task} for task in given or ()] or [{}]

    def path_of(self, place: Path) -> Path:
        """The role of a node, and what a review or the rounds hang on."""
        match place:
            case ("nodes", str(name), *field) if name in self.speakers:
                return ("roles", name, *field)
            case ("edges", str(name), *_) if name in self.speakers:
                return ("roles", name)
            case ("nodes" | "edges", "summarise", *_) if self._summed:
                return ("history",)
            case ("nodes" | "edges", *_):
                return ("review",)
            case ("bounds", *_):
                return ("rounds",)
        return ()

    def plan(self) -> Plan:
        """The roles in their order, the way back bounded by the rounds, and the person's reviews."""
        channels = [
            Channel("task", TEXT, input=True),
            Channel("transcript", {"type": "array", "items": dict(ENTRY)}, reduce="append"),
            Channel("answer", TEXT),
        ]
        if self._summed:
            channels.append(Channel("summary", dict(SUMMARY), default={"text": "", "covers": 0}))
        builder = PlanBuilder(self.name or self.kind, channels, result="answer", models=self.models)
        titles = {name: self._settings(name).title or _title(name) for name in self.speakers}
        for name in self.speakers:
            builder.node(self._role(name, titles))
        for name, after in pairwise(self.speakers):
            builder.edge(name, self._goes_on(name), after)
        last = self.speakers[-1]
        if self.review == "each_round":
            builder.edge(last, self._goes_on(last), REVIEW)
            self._reviewed(builder, REVIEW, titles)
        else:
            self._again(builder, last, self._goes_on(last))
        if self.review == "never":
            builder.edge(self.stop.role, "stop", STOPPED)
        else:
            builder.edge(self.stop.role, "stop", REVIEW_STOP)
            self._reviewed(builder, REVIEW_STOP, titles, self.stop.role)
        if self._summed:
            builder.node(self._summarise(titles))
            self._again(builder, SUMMARISE, "done")
        return builder.build()

    @property
    def _summed(self) -> bool:
        return self.history is not None and self.history.summary

    def _history(self, settings: RoleSettings) -> Window | None:
        """Its own, or that of the form; a role that sees the latest only is not shown a summary of the rest."""
        if settings.history or not self.history:
            return settings.history
        return self.history if settings.sees == "all" else replace(self.history, summary=False)

    def _summarise(self, titles: Mapping[str, str]) -> Summarise:
        assert self.history is not None
        model = "summary" if "summary" in self.models else "default"
        first, rounds = self.speakers[0], self.rounds
        return Summarise(SUMMARISE, history=self.history, first=first, titles=titles, model=model, rounds=rounds)

    def _settings(self, name: str) -> RoleSettings:
        return self.roles.get(name, RoleSettings())

    def _role(self, name: str, titles: Mapping[str, str]) -> Role:
        settings = self._settings(name)
        return Role(
            name,
            brief=settings.brief.strip() or brief_of(name, self.stop),
            order=self.speakers,
            titles=titles,
            sees=settings.sees,
            model=settings.model,
            labels=self.labels,
            rounds=self.rounds,
            stop=self.stop,
            answers=name == self.answering,
            audience=settings.audience,
            history=self._history(settings),
        )

    def _goes_on(self, name: str) -> str:
        return "continue" if name == self.stop.role else "done"

    def _again(self, builder: PlanBuilder, source: str, outcome: str) -> None:
        if self._summed and source != SUMMARISE:
            builder.edge(source, outcome, SUMMARISE)
            return
        first, most = self.speakers[0], self.rounds.max
        builder.edge(source, outcome, first, bound="rounds", at_most=most - 1, then=MAX_ROUNDS)

    def _reviewed(self, builder: PlanBuilder, name: str, titles: Mapping[str, str], stopped_by: str = "") -> None:
        shows = tuple(dict.fromkeys((self.answering, self.stop.role)))
        builder.node(Review(name, shows=shows, titles=titles, rounds=self.rounds, stopped_by=stopped_by))
        self._again(builder, name, "continue")
        self._again(builder, name, "reject")
        builder.edge(name, "accept", ACCEPTED)


def _title(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _faults_of_tasks(task: str | None, tasks: tuple[str, ...] | None) -> Iterator[Fault]:
    if task is None and tasks == ():
        yield Fault("the list of tasks is empty", ("tasks",), "leave it out where each run is given its task")
    if task is not None and tasks is not None:
        yield Fault("there are both task and tasks", ("tasks",), "give one of them")
    if task is not None and not task.strip():
        yield Fault("the task is empty", ("task",))
    for index, each in enumerate(tasks or ()):
        if not each.strip():
            yield Fault("the task is empty", ("tasks", index))


def _faults_of_rounds(rounds: Rounds) -> Iterator[Fault]:
    if rounds.min < 1:
        yield Fault(f"{rounds.min} is less than 1", ("rounds", "min"), "nobody can stop before a round is over")
    if rounds.max < 1:
        yield Fault(f"{rounds.max} is less than 1", ("rounds", "max"), "a cycle has at least one round")
    if rounds.min > rounds.max:
        yield Fault(f"{rounds.min} is more than rounds.max, which is {rounds.max}", ("rounds", "min"))


def _faults_of_order(spec: RoleCycleSpec) -> Iterator[Fault]:
    known = {*spec.roles, *BRIEFS}
    for index, name in enumerate(spec.order):
        if name not in known:
            yield Fault(f"there is no role {name!r}", ("order", index), did_you_mean(name, known))
        if name in spec.order[:index]:
            yield Fault(
                f"role {name!r} stands twice in the order", ("order", index), "each role speaks once in a round"
            )
    if spec.answer and spec.answer not in spec.speakers:
        yield Fault(f"no role {spec.answer!r} speaks", ("answer",), did_you_mean(spec.answer, {*spec.speakers}))


def _faults_of_stop(spec: RoleCycleSpec) -> Iterator[Fault]:
    stop = spec.stop
    if stop.role not in spec.speakers:
        yield Fault(f"no role {stop.role!r} speaks", ("stop", "role"), did_you_mean(stop.role, {*spec.speakers}))
    if stop.match == "verdict":
        return
    if not stop.word.strip():
        yield Fault("the stop word is empty", ("stop", "word"), "every reply would hold it")
    elif len(stop.word.strip().splitlines()) > 1:
        yield Fault("the stop word has several lines", ("stop", "word"), "it is one line")


def _faults_of_name(name: str) -> Iterator[Fault]:
    if not name.strip():
        yield Fault("a role has no name", ("roles", name))
    if name in _TAKEN:
        yield Fault(f"no role can be named {name!r}", ("roles", name), f"taken are: {', '.join(_TAKEN)}")


def _faults_of_summary(spec: RoleCycleSpec) -> Iterator[Fault]:
    for name, role in spec.roles.items():
        if role.history and role.history.summary:
            hint = "give summary: true to the history of the form, and none to that of the role"
            yield Fault("a role has no summary of its own", ("roles", name, "history", "summary"), hint)
    if spec.history is None or not spec.history.summary:
        return
    if SUMMARISE in spec.speakers:
        hint = "give the role another name: the node that sums up has this one"
        yield Fault(f"no role can be named {SUMMARISE!r}", ("roles", SUMMARISE), hint)
    settings = [spec.roles.get(name, RoleSettings()) for name in spec.speakers]
    if all(role.history or role.sees == "latest" for role in settings):
        hint = "it is for roles that see all and have no history of their own"
        yield Fault("no role is shown the summary", ("history", "summary"), hint)


def _faults_of_role(name: str, role: RoleSettings, spec: RoleCycleSpec) -> Iterator[Fault]:
    path = ("roles", name)
    if name not in spec.speakers:
        yield Fault(f"role {name!r} never speaks", path, "add it to order, or leave it out of roles")
    if not role.brief.strip() and name not in BRIEFS:
        yield Fault(f"role {name!r} has no brief", (*path, "brief"), f"only {', '.join(BRIEFS)} have one of their own")
    models = {*spec.models, "default"}
    if role.model not in models:
        yield Fault(f"there is no model {role.model!r}", (*path, "model"), did_you_mean(role.model, models))
    for placeholder in placeholders(role.brief):
        if placeholder not in PLACEHOLDERS:
            hint = did_you_mean(placeholder, PLACEHOLDERS)
            yield Fault(f"a brief has no placeholder <{{{placeholder}}}>", (*path, "brief"), hint)
