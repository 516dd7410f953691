"""An environment of their own for tests that ask a real client, and two ways to hear a model."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pytest

from loopwright.nodes.models.contract import ModelCall, ModelReply, StreamingModel

Parts: TypeAlias = Callable[[StreamingModel, ModelCall], list[str | ModelReply]]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")


def _parts(model: StreamingModel, call: ModelCall, *, awaited: bool = False) -> list[str | ModelReply]:
    """All that a model says, part by part, with blocking or awaited calls."""

    async def gather() -> list[str | ModelReply]:
        return [part async for part in model.astream(call)]

    return asyncio.run(gather()) if awaited else list(model.stream(call))


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def parts_of(request: pytest.FixtureRequest) -> Parts:
    return partial(_parts, awaited=request.param)
