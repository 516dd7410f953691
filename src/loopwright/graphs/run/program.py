"""A plan with its live code, and what the engine makes of them when a first run goes on."""

import importlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from loopwright.graphs.plan import Plan


class Program:
    """What all runs of a plan share.

    Args:
        plan: The plan.
        code: Its live code, by the names of its references.
    """

    def __init__(self, plan: Plan, code: Mapping[str, Any]) -> None:
        self.plan, self.code = plan, code

    @cached_property
    def machine(self) -> Any:
        """The engine's graph and limits, made once."""
        return engine().Machine(self.plan, self.code)


def engine() -> Any:
    """The module that needs the engine, loaded when the first run goes on.

    The engine takes half a second to import, and checking, drawing and looking at runs do without it.
    """
    return importlib.import_module("loopwright.graphs.run.session")
