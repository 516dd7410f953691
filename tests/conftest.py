"""The package's door is opened once, so that every node type is known; scenarios are driven in two ways.

Properties are tried with the same examples on every machine, however slow it is.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import settings

import loopwright

settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.load_profile("house")


@dataclass(frozen=True)
class Drive:
    """Starts, resumes and follows runs: with blocking calls, or with awaited ones in an event loop of their own."""

    awaited: bool

    def start(self, loop: Any, *args: Any, **options: Any) -> Any:
        return self._done(loop.astart if self.awaited else loop.start, *args, **options)

    def resume(self, run: Any, *args: Any, **options: Any) -> Any:
        return self._done(run.aresume if self.awaited else run.resume, *args, **options)

    def follow(self, source: Any, *args: Any, **options: Any) -> list[Any]:
        """All events of a loop's new run, or of a run that goes on."""
        if not self.awaited:
            return list(source.stream(*args, **options))

        async def gather() -> list[Any]:
            events: AsyncIterator[Any] = source.astream(*args, **options)
            return [event async for event in events]

        return asyncio.run(gather())

    def _done(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        if not self.awaited:
            return function(*args, **options)
        waiting: Coroutine[Any, Any, Any] = function(*args, **options)
        return asyncio.run(waiting)


@pytest.fixture(params=["sync", "async"])
def drive(request: pytest.FixtureRequest) -> Drive:
    return Drive(request.param == "async")


@pytest.fixture
def store() -> Iterator[loopwright.Store]:
    with loopwright.Store("memory:") as opened:
        yield opened


CFG = '''\
import unpwdkeys

proxy = {{}}

roles = {{'solver': {{'title': '<Solver>', 'role': """Four of you work on one task, in turn.
You answer it. Your role is <Solver>"""}},
         'detractor': {{'title': '<Detractor>', 'role': 'Look for faults. Your role is <Detractor>'}},
         'master': {{'title': '<Master>', 'role': 'Weigh both. Your role is <Master>'}},
         'boss': {{'title': '<Boss>', 'role': 'Steer, and end it by the word "{word}". Your role is <Boss>'}}}}

llms = {{'solver': {{'apikey': unpwdkeys.solver_apikey, 'model': 'small', 'base_url': 'https://api.test/v1'}},
        'detractor': {{'apikey': unpwdkeys.detractor_apikey, 'model': 'small', 'base_url': 'https://api.test/v1'}},
        'master': {{'apikey': unpwdkeys.master_apikey, 'model': 'small', 'base_url': 'https://api.test/v1'}},
        'boss': {{'apikey': unpwdkeys.boss_apikey, 'model': 'small', 'base_url': 'https://api.test/v1'}}}}

tasks = ['How do we test a wooden bridge?', """And
a stone bridge?"""]

min_iterations = {min}
max_iterations = {max}
stop_word = '{word}'
'''


@pytest.fixture
def cfg() -> Callable[..., str]:
    """Makes a `cfg.py` of NeuroBDSM, with texts of our own."""

    def text(*, min: int = 2, max: int = 4, word: str = "Fluggaenkoechiebolsen") -> str:
        return CFG.format(min=min, max=max, word=word)

    return text
