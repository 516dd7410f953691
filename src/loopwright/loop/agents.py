"""Agents as users call them: static ones, which only process, and interactive ones, which talk until they stop.

The two kinds are those that were asked for in FLAML issue 1144, from which AutoGen came: a static agent can stand in a
pipeline, an interactive one needs somebody to talk with, and is always bounded.
"""

from dataclasses import KW_ONLY, asdict, dataclass
from typing import Any

from loopwright.errors import Fault, RunError, SourceError
from loopwright.graphs.pipeline import PipelineSettings, Step
from loopwright.graphs.plan import End
from loopwright.graphs.run.handle import Run
from loopwright.graphs.run.models import Given
from loopwright.loop.conversation import Conversation
from loopwright.loop.loop import Loop
from loopwright.loop.plan_builder import PlanBuilder
from loopwright.nodes.conversation.person import HumanMode
from loopwright.nodes.functions import Act
from loopwright.state.channels import Channel
from loopwright.state.schema import TEXT


class StaticAgent(Loop[str]):
    """An agent that processes a message and gives one back. It keeps nothing: no history, no counter.

    It is a loop of one node, and so it stands wherever a loop does: in a `PlanBuilder`, in a `Pipeline`, as an agent of
    a conversation.

    Args:
        name: Its name.
        prompt: What its model is asked, a template with `<{question}>`; one without is a system message, and the
            message is the question.
        system: The system message, a template too.
        do: A function from one text to a text, sync or async, or a LangChain runnable, instead of a model.
        model: Answers for it.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> planner = StaticAgent("planner", prompt="Plan: <{question}>", model=ScriptedModel({"planner": ["Add."]}))
        >>> planner.process("2 + 2?")
        'Add.'
        >>> def loud(text: str) -> str:
        ...     return text.upper()
        >>> StaticAgent("loud", do=loud).process("add")
        'ADD'
    """

    def __init__(
        self,
        name: str,
        prompt: str = "",
        *,
        system: str = "",
        do: Any = None,
        model: Given | None = None,
    ) -> None:
        self.name = name
        self.step = Step(name, prompt=prompt, system=system) if do is None else None
        if self.step is not None:
            settings = PipelineSettings(name, (self.step,))
            if faults := settings.faults():
                raise SourceError(faults)
            builder = settings.builder()
        else:
            if prompt or system:
                raise TypeError(f"the agent {name!r} is a function, which has no prompt")
            builder = _of_function(name, do)
        super().__init__(builder.build(), code=builder.code, model=model)

    def process(self, message: str, *, model: Given | None = None) -> str:
        """The answer to a message.

        Args:
            message: The message.
            model: Answers instead of its own.

        Raises:
            RunError: There is no model, or it failed; the words say how.
        """
        return _processed(self.start({self._input: message}, model=model))

    async def aprocess(self, message: str, *, model: Given | None = None) -> str:
        """The answer to a message, with awaited calls; see `process`."""
        return _processed(await self.astart({self._input: message}, model=model))

    @property
    def _input(self) -> str:
        return self.plan.inputs[0].name


@dataclass(frozen=True)
class InteractiveAgent:
    """An agent that talks with another one until one of them stops, or the messages are used up.

    Args:
        name: Its name.
        prompt: What it is told first, as the system message; a template with the placeholders of a conversation.
        model: The name of one of the models.
        human: When a person is asked to speak for it: `never`, `always`, `at_termination`, or `only`.
        max_replies: The most replies that it gives.
        about: What it is there for, for a model that chooses who speaks.

    Example:
        >>> from loopwright.nodes.models.scripted import ScriptedModel
        >>> ann, bob = InteractiveAgent("ann"), InteractiveAgent("bob", "Say <{stop_word}> when all is said.")
        >>> run = ann.send("Hi.", bob, model=ScriptedModel({"bob": ["Bye.\\nTERMINATE"]}))
        >>> run.result, run.reason
        ('Bye.', 'bob said the stop word')
    """

    name: str
    prompt: str = ""
    _: KW_ONLY
    model: str = "default"
    human: HumanMode = "never"
    max_replies: int | None = None
    about: str = ""

    def to_data(self) -> dict[str, Any]:
        """The agent as a file has it, without what is left out."""
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}

    def talk(self, other: "InteractiveAgent", *, model: Given | None = None, **fields: Any) -> Conversation:
        """The conversation of the two, which this one opens: a loop of its own, for a pipeline or any plan.

        Args:
            other: Whom it talks with.
            model: Answers for both.
            fields: Other fields of a `Conversation`, as `max_messages` and `stop`.
        """
        return Conversation([self.to_data(), other.to_data()], opens=self.name, model=model, **fields)

    def send(
        self, message: str, recipient: "InteractiveAgent", *, model: Given | None = None, **fields: Any
    ) -> Run[str]:
        """Send a message to another agent, and talk until it is over.

        Args:
            message: The message.
            recipient: Who receives it.
            model: Answers for both.
            fields: Other fields of a `Conversation`.

        Returns:
            The run of the conversation, at rest.
        """
        return self.talk(recipient, model=model, **fields).start({"task": message})

    def receive(
        self, message: str, sender: "InteractiveAgent", *, model: Given | None = None, **fields: Any
    ) -> Run[str]:
        """Receive a message from another agent, and talk until it is over; see `send`."""
        return sender.send(message, self, model=model, **fields)

    def process(self, message: str, *, model: Given | None = None) -> str:
        """Its answer to a message by itself, as that of a static agent: nobody replies to it.

        Raises:
            RunError: There is no model, or it failed; or its prompt needs a conversation around it.
        """
        return self.static().process(message, model=model)

    def static(self) -> StaticAgent:
        """The agent as one that only processes."""
        return StaticAgent(self.name, system=self.prompt)


def _of_function(name: str, do: Any) -> PlanBuilder:
    """A plan of one function or runnable.

    Raises:
        SourceError: It does not take one thing.
    """
    try:
        node = Act(name, do, writes="answer")
    except TypeError:  # a runnable that takes one value does not say what it calls it
        node = Act(name, do, reads="question", writes="answer")
    if len(reads := node.contract.reads) != 1:
        told = ", ".join(reads) or "nothing"
        raise SourceError(
            [Fault(f"an agent takes one message, and this takes {told}", ("do",), "wrap it in a function")]
        )
    channels = [Channel(reads[0], TEXT, input=True), Channel("answer", TEXT)]
    return PlanBuilder(name, channels, result="answer").node(node).edge(name, "done", End("finished"))


def _processed(run: Run[str]) -> str:
    if run.status != "finished" or run.result is None:
        raise RunError(f"{run.plan.name} has not answered: {run.reason}")
    return run.result
