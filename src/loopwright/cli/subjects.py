"""Subjects: what a command is about. A file is read; a target is imported, because the user named it just now."""

import contextlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loopwright.cli.exits import WrongUse
from loopwright.graphs.builder import HasPlan, PlanBuilder
from loopwright.graphs.forms.spec import Spec
from loopwright.graphs.plan import Plan
from loopwright.graphs.stategraph.reading import Reading
from loopwright.loop.load import load, loop_of
from loopwright.loop.loop import Loop
from loopwright.sources.targets import Found, find, refused, target_of

_LOOPS = "a Loop, a Plan or a PlanBuilder"

_FUNCTIONAL = "what @entrypoint and @task make has no edges that could be read"


def loop_at(text: str) -> Loop[Any]:
    """The loop that a file describes, or that stands at a target.

    Raises:
        SourceError: There is none.
    """
    target = target_of(text)
    if target is None:
        return load(text)
    found = find(target)
    loop = _loop_of(found.value)
    if loop is None:
        wanted = f"{_LOOPS}; a LangGraph graph is checked and drawn here, and run by its own invoke"
        raise refused(target, found, wanted, ("loopwright",))
    return loop


def subject_at(text: str) -> Loop[Any] | Reading:
    """The loop that a file describes, or the loop or the LangGraph graph that stands at a target.

    Raises:
        SourceError: There is none.
    """
    target = target_of(text)
    if target is None:
        return load(text)
    found = find(target)
    subject = _loop_of(found.value) or _reading_of(found, target.attribute)
    if subject is None:
        wanted = f"a graph: {_LOOPS}, a StateGraph, a compiled one, or a function that returns one"
        functional = type(found.value).__name__ in ("Pregel", "_TaskFunction")
        raise refused(target, found, f"{wanted}; {_FUNCTIONAL}" if functional else wanted)
    return subject


def contenders_at(subjects: Sequence[str], types: str = "") -> dict[str, Loop[Any]]:
    """The loops that are compared, by the names that they have in tables.

    Args:
        subjects: Files and targets.
        types: The types of which each file is a contender, with commas between them; "" for the file as it is.

    Raises:
        WrongUse: Two would have the same name, or a type is given to what is no file.
        SourceError: There is no such loop, or a file has faults.
    """
    chosen = [each.strip() for each in types.split(",")] if types else []
    if not all(chosen) or len(set(chosen)) < len(chosen):
        raise WrongUse(f"--as {types}: write each type once, with a comma between two")
    if targets := [subject for subject in subjects if chosen and target_of(subject)]:
        raise WrongUse(f"--as is for files, and {', '.join(targets)} is made in Python")
    names = [_short(subject) for subject in subjects]
    if len(set(names)) < len(names):
        names = [*subjects]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise WrongUse(f"{twice} is given twice; contenders differ")
    if not chosen:
        return {name: loop_at(subject) for name, subject in zip(names, subjects, strict=True)}
    one = len(subjects) == 1
    return {
        (type_ if one else f"{name}:{type_}"): load(subject, type=type_)
        for name, subject in zip(names, subjects, strict=True)
        for type_ in chosen
    }


def _short(subject: str) -> str:
    """What a contender is called: the name of its file, or what it is called in its module."""
    target = target_of(subject)
    return target.attribute or target.module if target else Path(subject).stem


def _loop_of(value: Any) -> Loop[Any] | None:
    match value:
        case Loop():
            return value
        case Plan():
            return Loop(value)
        case PlanBuilder():
            return Loop(value.build(), code=value.code)
        case Spec():
            return loop_of(value)
        case HasPlan() if isinstance(value.plan, Plan):
            return Loop(value.plan, code=value.code)
    return None


def _reading_of(found: Found, name: str) -> Reading | None:
    """What was read of a LangGraph graph; LangGraph is loaded only where it made what was found."""
    if not any(base.__module__.startswith("langgraph.") for base in type(found.value).__mro__):
        return None
    stategraph = importlib.import_module("loopwright.stategraph")
    with contextlib.suppress(TypeError):
        reading: Reading = stategraph.read(found.value, name, file=found.file, line=found.line)
        return reading
    return None
