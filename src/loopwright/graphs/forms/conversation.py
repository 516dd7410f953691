"""The form `conversation`: agents that talk in turn until one of them stops it, or the messages are used up."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from loopwright.documents.document import Path
from loopwright.errors import Fault
from loopwright.graphs.forms.code_entries import CallField
from loopwright.graphs.forms.conversation_agents import AgentEntry, faults_of_agent
from loopwright.graphs.forms.conversation_plan import ASKS, NEXT, SUM_UPS, TAKEN, Layout, conversation_plan
from loopwright.graphs.forms.descriptions import describe
from loopwright.graphs.forms.node_entries import Name
from loopwright.graphs.forms.spec import Refused, Spec, under
from loopwright.graphs.plan import Plan
from loopwright.hints import did_you_mean
from loopwright.nodes.conversation.next_speaker import CHOOSE
from loopwright.nodes.conversation.sum_up import SUM_UP
from loopwright.nodes.conversation.talk import Note, StopRule, Talk
from loopwright.nodes.history import Window
from loopwright.nodes.models.reference import ModelRef
from loopwright.nodes.prompts import placeholders
from loopwright.state.values import JsonObject

KIND = "conversation"

Speaks = Literal["round_robin", "chosen"]


class CalledEntry(BaseModel):
    """A function.

    Args:
        call: The function: `tools.py:name`, by the path of its file from this one, or `package.module:name`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=describe)

    call: CallField

    @property
    def live(self) -> tuple[str, Any]:
        """Its name in a plan, and the function; there are no faults."""
        found = self.call.found
        assert not isinstance(found, Refused)
        return found


class ConversationFields(Spec):
    """A conversation, but for the word that says that it is one.

    Args:
        name: The plan's name.
        task: The opening message; where it is left out, each run is given its own.
        agents: The agents, in the order in which they speak.
        opens: The agent whose message the task is; where it is left out it comes from outside, and the first agent
            speaks first.
        max_messages: The most messages, the opening one included.
        stop: What ends it before that: a `word`, with how it is matched and who may say it; null for nothing.
        speaker: Who speaks next: `round_robin`, the next one in the order, `chosen`, by a model, or a function as
            `{call: tools.py:next_one}`, which is given `task` and `transcript` and says a name, or `nobody`.
        transitions: Who may speak after whom, by the names of agents; an agent without any, or that is not named, is
            the end of it. All after all when left out.
        disallowed: Who may not, instead.
        repeat: Whether an agent may be chosen twice in a row.
        choose_prompt: What the model is told that chooses; `<{eligible}>` are the names.
        choose_model: The name of that model.
        summary: What the result is: the `last` message, without the stop word, what a `model` sums up, or what a
            function says, as `{call: tools.py:sum_up}`, which is given `task` and `transcript`.
        summary_prompt: What the model is told that sums up.
        summary_model: The name of that model.
        notes: Messages that are there from the beginning and want no reply: texts, or `{text, sender, to}`.
        labels: Whether what others said begins with their name; so it is from three agents on, when left out.
        history: How much of what they hear is sent to agents that do not say so themselves; all of it when left out.
        models: Model references by name.
    """

    model_config = ConfigDict(revalidate_instances="always")

    task: str | None = None
    agents: tuple[AgentEntry, ...] = Field(min_length=1)
    opens: str = ""
    max_messages: int = Field(10, ge=2, strict=True)
    stop: StopRule | None = StopRule()
    speaker: Speaks | CalledEntry = "round_robin"
    transitions: Mapping[Name, tuple[Name, ...]] | None = None
    disallowed: Mapping[Name, tuple[Name, ...]] | None = None
    repeat: StrictBool = False
    choose_prompt: str = CHOOSE
    choose_model: str = "default"
    summary: Literal["last", "model"] | CalledEntry = "last"
    summary_prompt: str = SUM_UP
    summary_model: str = "default"
    notes: tuple[Note | str, ...] = ()
    labels: StrictBool | None = None
    history: Window | None = None
    models: Mapping[str, ModelRef] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the agents."""
        return tuple(agent.name for agent in self.agents)

    def runs(self) -> list[JsonObject]:
        """One run, with the task where there is one."""
        return [{} if self.task is None else {"task": self.task}]

    def code(self) -> Mapping[str, Any]:
        """The live code: functions, and that of agents that are whole plans."""
        return conversation_plan(self.layout).code

    def faults(self) -> list[Fault]:
        """All that is wrong across the fields."""
        found = [
            *_faults_of_names(self.names),
            *_faults_of_choice(self),
            *_faults_of_texts(self),
            *_faults_of_calls(self),
            *(
                fault
                for index, agent in enumerate(self.agents)
                for fault in under(("agents", index), faults_of_agent(agent, self.names, self.models))
            ),
        ]
        return found or [*_faults_of_silence(self)]

    def path_of(self, place: Path) -> Path:
        """The agent of a node, and what the choice and the bound hang on."""
        match place:
            case ("nodes" | "edges", str(node), *field):
                for index, agent in enumerate(self.agents):
                    if node == agent.name:
                        return ("agents", index, *(field if field[:1] in (["prompt"], ["model"]) else ()))
                    if node.startswith((f"{agent.name}/", f"{agent.name} ")):
                        return ("agents", index, *(("plan",) if agent.plan else ()))
                    if node == f"{ASKS} {agent.name}":
                        return ("agents", index, "human")
                return ("speaker",) if node == NEXT else ("summary",)
            case ("bounds", *_):
                return ("max_messages",)
        return ()

    def plan(self) -> Plan:
        """Who speaks next in the middle, the agents around it, and the person where one may speak."""
        return conversation_plan(self.layout).build()

    @property
    def layout(self) -> Layout:
        """What its plan is made of."""
        stop = self.stop
        told = stop is None or stop.match == "verdict" or any(_says(agent, stop) for agent in self.agents)
        talk = Talk(
            agents=self.names,
            most=self.max_messages,
            opens=self.opens,
            notes=tuple(Note(note) if isinstance(note, str) else note for note in self.notes),
            labels=len(self.agents) > 2 if self.labels is None else self.labels,
            stop=stop,
            told=told,
        )
        return Layout(
            name=self.name or KIND,
            talk=talk,
            agents=self.agents,
            follows=self._follows(),
            chooses=self.choose_model if self.speaker == "chosen" else "",
            choose_prompt=self.choose_prompt,
            sums_up=self.summary_model if self.summary == "model" else "",
            decides=self.speaker.live if isinstance(self.speaker, CalledEntry) else None,
            sums=self.summary.live if isinstance(self.summary, CalledEntry) else None,
            summary_prompt=self.summary_prompt,
            history=self.history,
            models=self.models,
        )

    def _follows(self) -> dict[str, tuple[str, ...]]:
        """For each agent, and for the opening message from outside, those who may speak after it."""
        names = self.names
        if self.transitions is not None:
            after = {name: tuple(self.transitions.get(name, ())) for name in names}
        elif self.disallowed is not None:
            barred = self.disallowed
            after = {name: tuple(each for each in names if each not in barred.get(name, ())) for name in names}
        elif self.speaker != "round_robin":
            after = {name: tuple(each for each in names if self.repeat or each != name) for name in names}
        else:
            after = {name: (names[(place + 1) % len(names)],) for place, name in enumerate(names)}
        free = self.speaker != "round_robin" and self.transitions is None and self.disallowed is None
        return after if self.opens else {"": names if free else names[:1], **after}


class ConversationSpec(ConversationFields):
    """Agents that talk with each other.

    Args:
        name: The plan's name.
        task: The opening message; where it is left out, each run is given its own.
        agents: The agents, in the order in which they speak.
        opens: The agent whose message the task is; where it is left out it comes from outside, and the first agent
            speaks first.
        max_messages: The most messages, the opening one included.
        stop: What ends it before that: a `word`, with how it is matched and who may say it; null for nothing.
        speaker: Who speaks next: `round_robin`, the next one in the order, `chosen`, by a model, or a function as
            `{call: tools.py:next_one}`, which is given `task` and `transcript` and says a name, or `nobody`.
        transitions: Who may speak after whom, by the names of agents; an agent without any, or that is not named, is
            the end of it. All after all when left out.
        disallowed: Who may not, instead.
        repeat: Whether an agent may be chosen twice in a row.
        choose_prompt: What the model is told that chooses; `<{eligible}>` are the names.
        choose_model: The name of that model.
        summary: What the result is: the `last` message, without the stop word, what a `model` sums up, or what a
            function says, as `{call: tools.py:sum_up}`, which is given `task` and `transcript`.
        summary_prompt: What the model is told that sums up.
        summary_model: The name of that model.
        notes: Messages that are there from the beginning and want no reply: texts, or `{text, sender, to}`.
        labels: Whether what others said begins with their name; so it is from three agents on, when left out.
        history: How much of what they hear is sent to agents that do not say so themselves; all of it when left out.
        models: Model references by name.

    Example:
        >>> spec = ConversationSpec(agents=[{"name": "ann"}, {"name": "bob"}], max_messages=4)
        >>> [(edge.source, edge.outcome, edge.way.target) for edge in spec.plan().edges][:4]
        [('next', 'ann', 'ann'), ('next', 'bob', 'bob'), ('ann', 'said', 'next'), ('bob', 'said', 'next')]
    """

    kind: Literal["conversation"] = "conversation"


def _says(agent: AgentEntry, stop: StopRule) -> bool:
    return bool(agent.plan) or "stop_word" in placeholders(agent.prompt) or stop.word.strip() in agent.prompt


def _faults_of_names(names: tuple[str, ...]) -> Iterator[Fault]:
    for index, name in enumerate(names):
        path = ("agents", index, "name")
        if name in names[:index]:
            yield Fault(f"there are two agents {name!r}", path, "give each a name of its own")
        if name.strip() != name or not name.strip() or "/" in name or not name.isprintable():
            yield Fault(
                f"{name!r} is no name of an agent", path, "it has no / and no line end, and begins with a letter"
            )
        elif name in TAKEN or name.startswith((f"{ASKS} ", f"{SUM_UPS} ")) or name.endswith((" hears", " says")):
            yield Fault(f"no agent can be named {name!r}", path, "a node or an end of the conversation is called so")


def _faults_of_choice(spec: ConversationFields) -> Iterator[Fault]:
    if spec.transitions is not None and spec.disallowed is not None:
        yield Fault("there are both transitions and disallowed", ("disallowed",), "give one of them")
    for name, path in _named(spec):
        if name not in spec.names:
            yield Fault(f"there is no agent {name!r}", path, did_you_mean(name, spec.names))


def _named(spec: ConversationFields) -> Iterator[tuple[str, Path]]:
    """The agents that are named somewhere, with the places."""
    if spec.opens:
        yield spec.opens, ("opens",)
    for field, given in (("transitions", spec.transitions or {}), ("disallowed", spec.disallowed or {})):
        for source, targets in given.items():
            yield from ((name, (field, source)) for name in (source, *targets))
    yield from ((name, ("stop", "by", index)) for index, name in enumerate(spec.stop.by if spec.stop else ()))
    for index, note in enumerate(spec.notes):
        if not isinstance(note, str):
            yield from ((name, ("notes", index)) for name in (note.sender, *note.to) if name)


def _faults_of_texts(spec: ConversationFields) -> Iterator[Fault]:
    if spec.task is not None and not spec.task.strip():
        yield Fault("the opening message is empty", ("task",), "leave it out where each run is given its own")
    stop = spec.stop
    if stop and stop.match != "verdict" and (not stop.word.strip() or len(stop.word.strip().splitlines()) > 1):
        what = "empty" if not stop.word.strip() else "of several lines"
        yield Fault(f"the stop word is {what}", ("stop", "word"), "it is one line; stop: null where nothing stops it")
    models = {*spec.models, "default"}
    for field, used in (("choose_model", spec.speaker == "chosen"), ("summary_model", spec.summary == "model")):
        model = getattr(spec, field)
        if used and model not in models:
            yield Fault(f"there is no model {model!r}", (field,), did_you_mean(model, models))


def _faults_of_calls(spec: ConversationFields) -> Iterator[Fault]:
    for field in ("speaker", "summary"):
        entry = getattr(spec, field)
        if not isinstance(entry, CalledEntry):
            continue
        found = entry.call.found
        if isinstance(found, Refused):
            yield Fault(str(found), (field, "call"), found.hint)
        elif not callable(found[1]):
            yield Fault(f"{entry.call.text} is no function", (field, "call"))
    if isinstance(spec.speaker, CalledEntry):
        for index, agent in enumerate(spec.agents):
            if agent.human == "at_termination" or agent.max_replies is not None:
                key = "human" if agent.human == "at_termination" else "max_replies"
                hint = "let the function see to it, by what was said"
                yield Fault("a function says who is next, and looks at no such thing", ("agents", index, key), hint)
        if spec.transitions is not None or spec.disallowed is not None:
            key = "transitions" if spec.transitions is not None else "disallowed"
            yield Fault("a function says who is next, whoever may follow whom", (key,), "leave it out")


def _faults_of_silence(spec: ConversationFields) -> Iterator[Fault]:
    """Agents to whom it never comes."""
    reached = spec.layout.speakers()
    for index, agent in enumerate(spec.agents):
        if agent.name not in reached and agent.name != spec.opens:
            hint = "raise max_messages, or let a transition lead to it"
            yield Fault(f"agent {agent.name!r} never speaks", ("agents", index), hint)
    if not reached:
        yield Fault("nobody ever speaks", ("agents",), "let a transition lead on from the agent that opens")
