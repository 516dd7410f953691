"""Scripted models that keep what they were asked, and assertions on the path that a run took."""

import difflib
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeAlias

from loopwright.graphs.run.handle import Run
from loopwright.nodes.contract import Message
from loopwright.nodes.models.contract import Model, ModelCall, ModelReply, StreamingModel
from loopwright.nodes.models.price import Price
from loopwright.nodes.models.scripted import ScriptedModel
from loopwright.state.values import Json

Answers: TypeAlias = Mapping[str, Any] | Callable[[ModelCall], Json | ModelReply] | Model


class RecordingModel:
    """A model that keeps every call, those that fail included.

    It goes on where it is, whatever run asks: a run that is resumed with it takes the next reply of its script.

    Args:
        answers: The replies of a script by node, as `ScriptedModel` takes them; or a function from the call to the
            reply, a value or a `ModelReply`; or a model that answers.
        label: A name to show.

    Example:
        >>> model = RecordingModel({"write": ["a draft"]})
        >>> model.ask(ModelCall("write", [{"role": "user", "content": "Write."}])).content
        'a draft'
        >>> model.asked, model.prompts("write")
        (['write'], [[{'role': 'user', 'content': 'Write.'}]])
    """

    def __init__(self, answers: Answers, *, label: str = "recording") -> None:
        self._model: Model
        if isinstance(answers, Mapping):
            self._model = ScriptedModel(answers)
        elif isinstance(answers, Model):
            self._model = answers
        else:
            self._model = _Answering(answers)
        self.label = label
        self.retries = self._model.retries
        self.price: Price | None = getattr(self._model, "price", Price(input=0, output=0))
        self.calls: list[ModelCall] = []

    @property
    def asked(self) -> list[str]:
        """The nodes that asked, in the order of their calls."""
        return [call.node for call in self.calls]

    def prompts(self, node: str) -> list[list[Message]]:
        """What a node asked, call by call: the messages of each."""
        return [list(call.messages) for call in self.calls if call.node == node]

    def ask(self, call: ModelCall) -> ModelReply:
        """Keep the call, and answer it."""
        self.calls.append(call)
        return self._model.ask(call)

    async def aask(self, call: ModelCall) -> ModelReply:
        """Keep the call, and answer it with an awaited call."""
        self.calls.append(call)
        return await self._model.aask(call)

    def stream(self, call: ModelCall) -> Generator[str | ModelReply, None, None]:
        """Keep the call, and answer it in parts, where the model behind can."""
        self.calls.append(call)
        if isinstance(self._model, StreamingModel):
            yield from self._model.stream(call)
        else:
            yield self._model.ask(call)

    async def astream(self, call: ModelCall) -> AsyncGenerator[str | ModelReply, None]:
        """Keep the call, and answer it in parts with awaited calls, where the model behind can."""
        self.calls.append(call)
        if not isinstance(self._model, StreamingModel):
            yield await self._model.aask(call)
            return
        async with aclosing(self._model.astream(call)) as parts:
            async for part in parts:
                yield part


class _Answering:
    """A model that a function answers for."""

    label, retries = "function", 0

    def __init__(self, answer: Callable[[ModelCall], Json | ModelReply]) -> None:
        self._answer = answer
        self._lock = threading.Lock()

    def ask(self, call: ModelCall) -> ModelReply:
        with self._lock:
            said = self._answer(call)
        return said if isinstance(said, ModelReply) else ModelReply(said)

    async def aask(self, call: ModelCall) -> ModelReply:
        return self.ask(call)


def path_of(run: Run) -> list[str]:
    """The path that a run took.

    Args:
        run: The run.

    Returns:
        For each visit a line, `NODE OUTCOME -> TARGET`.
    """
    return [f"{visit.node} {visit.outcome} -> {visit.target}" for visit in run.visits]


def assert_path(run: Run, expected: Sequence[str]) -> None:
    """Hold the path that a run took against the one that was expected.

    Args:
        run: The run.
        expected: A line for each visit: `NODE OUTCOME`, or `NODE OUTCOME -> TARGET`, as each line likes.

    Raises:
        AssertionError: They differ; the message shows both paths, line against line.

    Example:
        >>> from loopwright.loop.role_cycle import RoleCycle
        >>> loop = RoleCycle(task="Bridge?", roles={"solver": {}, "boss": {}})
        >>> run = loop.start(model=ScriptedModel({"solver": ["Wood."], "boss": ["Fluggaenkoechiebolsen"]}))
        >>> assert_path(run, ["solver done", "boss stop -> stopped"])
        >>> assert_path(run, ["solver done", "boss continue", "solver done"])
        Traceback (most recent call last):
        AssertionError: the run took another path (- expected, + taken):
          solver done
        + boss stop
        - boss continue
        - solver done
    """
    taken = [
        line if index < len(expected) and " -> " in expected[index] else line.partition(" -> ")[0]
        for index, line in enumerate(path_of(run))
    ]
    if taken != list(expected):
        lines = [line for line in difflib.ndiff(list(expected), taken) if not line.startswith("?")]
        raise AssertionError("the run took another path (- expected, + taken):\n" + "\n".join(lines))
