"""Errors: one tree that is drawn as it is, and faults that say where they stand."""

import copy
import pickle
import re
from collections.abc import Iterator

import pytest

from loopwright import errors
from loopwright.errors import Fault, LoopwrightError, ModelError, PlanError, ScriptEnded, SourceError


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault("it is empty"), "it is empty"),
        (Fault("it is empty", ("tasks", 0)), "tasks.0: it is empty"),
        (Fault("it is empty", hint="write one"), "it is empty (write one)"),
        (Fault("it is empty", file="a.yaml"), "a.yaml: it is empty"),
        (Fault("it is empty", file="a.yaml", line=3), "a.yaml:3: it is empty"),
        (Fault("it is empty", ("a", "b"), "write one", "a.yaml", 3), "a.yaml:3: a.b: it is empty (write one)"),
    ],
)
def test_a_fault_says_where_it_stands_as_far_as_that_is_known(fault: Fault, text: str) -> None:
    assert str(fault) == text


def test_a_source_error_tells_all_faults_a_line_each() -> None:
    error = SourceError([Fault("no name", ("name",)), Fault("no roles")])
    assert str(error) == "name: no name\nno roles"
    assert error.faults == (Fault("no name", ("name",)), Fault("no roles"))


def test_what_an_error_holds() -> None:
    refused = ModelError("429", retryable=True, retry_after=1.5)
    assert (str(refused), refused.retryable, refused.retry_after) == ("429", True, 1.5)
    assert (ScriptEnded("over").retryable, ScriptEnded("over").retry_after) == (False, None)
    assert (PlanError("bad").findings, PlanError("bad", ("a", "b")).findings) == ((), ("a", "b"))


@pytest.mark.parametrize(
    "error",
    [
        SourceError([Fault("no name", ("name",), file="a.yaml", line=1), Fault("no roles")]),
        PlanError("bad", ("a",)),
        ModelError("429", retryable=True, retry_after=1.5),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("carried", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy], ids=["sent", "copy"])
def test_an_error_comes_whole_out_of_another_process(error: LoopwrightError, carried: object) -> None:
    assert callable(carried)
    come = carried(error)
    assert (type(come), str(come), vars(come)) == (type(error), str(error), vars(error))


def drawn() -> Iterator[tuple[str, str]]:
    """The errors of the drawing in the module's docstring, each with the one that it stands under."""
    above = {-1: ""}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"(?P<bars>(?:[│ ] {2} )*)(?P<branch>[├└]── )?(?P<name>[A-Z]\w+)(?: {2,}|$)", line):
            depth = len(found["bars"]) // 4 + bool(found["branch"])
            above[depth] = found["name"]
            yield found["name"], above[depth - 1]


def below(error: type[LoopwrightError]) -> Iterator[tuple[str, str]]:
    for child in error.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child.__name__, error.__name__
            yield from below(child)


def test_the_tree_is_as_it_is_drawn() -> None:
    assert sorted(drawn()) == sorted([("LoopwrightError", ""), *below(LoopwrightError)])
