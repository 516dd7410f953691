"""Code: what can be seen of a router or a node in its source: where it leads, what it writes and reads.

Only what stands there in so many words counts: constants, names of constants, both sides of a condition, local names
that are only given such values. All else cannot be seen.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias

from typing_extensions import is_typeddict

from loopwright.sources.langgraph.bounds import called, empties, keys_in, limits
from loopwright.sources.langgraph.source import Source, decided, ends, own_nodes
from loopwright.sources.langgraph.straight import straight


@dataclass(frozen=True, slots=True)
class Answer:
    """What a router may answer, or a command go to: all of these at once.

    Args:
        targets: The values; of `Send` its node.
        sent: Whether they are sent.
        many: Whether any number of tasks is sent to each.
    """

    targets: tuple[Any, ...]
    sent: bool = False
    many: bool = False


Answers: TypeAlias = tuple[Answer, ...] | None
"""Everything that an expression may be; None where it cannot be seen."""


@dataclass(frozen=True, slots=True)
class Ways:
    """Where something may lead.

    Args:
        answers: What can be seen of it.
        open: Whether there may be more.
    """

    answers: tuple[Answer, ...] = ()
    open: bool = True


@dataclass(frozen=True, slots=True)
class Written:
    """The keys that a function returns, in mappings of its own or in those of commands; `known` where they are all."""

    sure: frozenset[str]
    may: frozenset[str]
    known: bool


UNSEEN = Written(frozenset(), frozenset(), known=False)


class Code:
    """The source of a router or a node, to be asked.

    Args:
        source: The function and its syntax.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        node = source.node
        body: list[ast.stmt] | ast.expr = [] if node is None else node.body
        self._body = body
        self._nodes = [*own_nodes(source)]
        if isinstance(body, ast.expr):
            self._returned: list[ast.expr | None] = [body]
        else:
            self._returned = [each.value for each in self._nodes if isinstance(each, ast.Return)]
        self._locals = self._assigned()

    @property
    def hangs_on_closure(self) -> bool:
        """Whether a condition on what the function around it knows is left open, so that some answers may never be."""
        free = self.source.function.__code__.co_freevars
        tests = [each.test for each in self._nodes if isinstance(each, ast.If | ast.IfExp)]
        open_tests = [test for test in tests if decided(test, self.source) is None]
        return any(isinstance(each, ast.Name) and each.id in free for test in open_tests for each in ast.walk(test))

    def answers(self) -> Ways:
        """What a router may answer."""
        if self.source.node is None or self._yields:
            return Ways()
        found = [self._options(each) for value in self._returned for each in self._sides(value) if each is not None]
        return Ways(_together(found), open=None in found or not found)

    def gotos(self) -> Ways | None:
        """Where the commands lead that a node returns; None where it returns none that can be seen."""
        commands = [call for call in self._calls("Command") if not _keyword(call, "graph")]
        if not commands:
            return None
        found: list[Answers] = []
        for call in commands:
            goto = _keyword(call, "goto")
            found.append(self._options(goto) if goto else (Answer(()),))
        shown = {id(each) for value in self._returned for each in self._returned_calls(value)}
        hidden = any(id(call) not in shown for call in commands)
        if not hidden and any(not _is_command(each) for value in self._returned for each in self._sides(value)):
            found.append((Answer(()),))
        return Ways(_together(found), open=None in found)

    def leaves_to_parent(self) -> bool:
        """Whether it returns a command for the graph around it."""
        return any(_keyword(call, "graph") for call in self._calls("Command"))

    def written(self) -> Written:
        """The keys that a node returns."""
        if self.source.node is None or self._yields:
            return UNSEEN
        found = self.mappings()
        falls_through = not found or (not isinstance(self._body, ast.expr) and not ends(self._body))
        may = frozenset[str]().union(*(values for values, _ in found))
        sure = frozenset() if falls_through else may.intersection(*(values for values, _ in found))
        return Written(sure, may, known=all(whole for _, whole in found))

    def mappings(self) -> list[tuple[Mapping[str, ast.expr], bool]]:
        """What a node may return: the values by their keys, and whether these are all keys."""
        return [self._mapping(each) for value in self._returned for each in self._sides(value)]

    def reads(self) -> frozenset[str]:
        """The keys that a node reads whenever it runs: `state["key"]`, where no condition stands before it."""
        state = self.source.first_parameter
        if self.source.node is None or not state or state in self._locals:
            return frozenset()
        tested = {
            each.left.value
            for each in self._nodes
            if isinstance(each, ast.Compare) and isinstance(each.left, ast.Constant)
        }
        used = [
            (each.slice.value, isinstance(each.ctx, ast.Load))
            for each in straight(self._body)
            if isinstance(each, ast.Subscript)
            and isinstance(each.value, ast.Name)
            and each.value.id == state
            and isinstance(each.slice, ast.Constant)
        ]
        tested |= {key for key, loaded in used if not loaded}
        return frozenset(key for key, loaded in used if loaded and key not in tested and isinstance(key, str))

    def waits(self) -> bool:
        """Whether it interrupts for someone outside."""
        return any(True for _ in self._calls("interrupt"))

    def limits(self) -> tuple[frozenset[str], ...]:
        """The keys that each of its comparisons looks at which may be that of a counter with its limit."""
        return limits(self._nodes, self._locals)

    def empties(self) -> frozenset[str]:
        """The keys that it looks at whether they hold anything."""
        return empties(self._nodes, self._locals)

    def handed(self, call: ast.Call) -> list[frozenset[str]]:
        """The keys that each argument of a call of it is made of; none where they cannot be seen, or for the state."""
        arguments = [*call.args, *(word.value for word in call.keywords)]
        found = [keys_in(each, self._locals) for each in arguments if not isinstance(each, ast.Constant)]
        return [keys or frozenset() for keys in found]

    @property
    def _yields(self) -> bool:
        return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in self._nodes)

    def _sides(self, value: ast.expr | None) -> Iterator[ast.expr | None]:
        """An expression, or those sides of a condition that may be."""
        if not isinstance(value, ast.IfExp):
            yield value
            return
        known = decided(value.test, self.source)
        if known is not False:
            yield from self._sides(value.body)
        if known is not True:
            yield from self._sides(value.orelse)

    def _returned_calls(self, value: ast.expr | None) -> Iterator[ast.expr]:
        for side in self._sides(value):
            if isinstance(side, ast.List | ast.Tuple):
                yield from side.elts
            elif side is not None:
                yield side

    def _calls(self, name: str) -> Iterator[ast.Call]:
        for each in self._nodes:
            if isinstance(each, ast.Call) and called(each) == name:
                yield each

    def _assigned(self) -> dict[str, list[ast.expr] | None]:
        """The values that local names are given; None for those that get others, too."""
        found: dict[str, list[ast.expr] | None] = {}
        plain: set[int] = set()
        for each in self._nodes:
            match each:
                case ast.Assign([ast.Name(name) as target], value) | ast.AnnAssign(ast.Name(name) as target, _, value):
                    plain.add(id(target))
                    values = found.setdefault(name, [])
                    if value is not None and values is not None:
                        values.append(value)
        for each in self._nodes:
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and id(each) not in plain:
                found[each.id] = None
        return found

    def _options(self, value: ast.expr, depth: int = 0) -> Answers:
        """Everything that an expression may be."""
        match value:
            case ast.Constant(constant):
                return (Answer((constant,)),)
            case ast.Compare() | ast.UnaryOp(ast.Not()):
                return (Answer((True,)), Answer((False,)))
            case ast.IfExp(_, yes, no):
                one, other = self._options(yes, depth), self._options(no, depth)
                return None if one is None or other is None else (*one, *other)
            case ast.List(items) | ast.Tuple(items) | ast.Set(items):
                return self._all_of(items, depth)
            case ast.BinOp(ast.List() | ast.ListComp() as left, ast.Add(), ast.List() | ast.ListComp() as right):
                return self._all_of([left, right], depth)
            case ast.ListComp(item) | ast.GeneratorExp(item):
                sent = self._options(item, depth)
                return None if sent is None or len(sent) != 1 else (Answer(sent[0].targets, sent[0].sent, many=True),)
            case ast.Call():
                return self._sent(value, depth)
            case ast.Name(name):
                return self._named(name, depth)
            case ast.Attribute(ast.Name(name), attribute):
                return _constant(_attribute(self.source.value(name), attribute))
        return None

    def _all_of(self, items: list[ast.expr], depth: int) -> Answers:
        parts = [self._options(item, depth) for item in items]
        found: list[Answer] = []
        for part in parts:
            if part is None or len(part) != 1:
                return None
            found.append(part[0])
        targets = tuple(target for answer in found for target in answer.targets)
        sent = [target for answer in found if answer.sent for target in answer.targets]
        many = any(answer.many for answer in found) or len({*sent}) < len(sent)
        return (Answer(targets, bool(sent), many),)

    def _sent(self, call: ast.Call, depth: int) -> Answers:
        if called(call) != "Send" or not call.args:
            return None
        target = self._options(call.args[0], depth)
        return None if target is None or len(target) != 1 else (Answer(target[0].targets, sent=True),)

    def _named(self, name: str, depth: int) -> Answers:
        code = self.source.function.__code__
        if name in self._locals:
            values = self._locals[name]
            if not values or depth > 5:
                return None
            if name in self._grown:
                return self._gathered(values, self._grown[name], depth)
            found = [self._options(value, depth + 1) for value in values]
            return None if None in found else _together(found)
        if name in code.co_varnames:
            return None
        return _constant(self.source.value(name))

    @cached_property
    def _grown(self) -> dict[str, list[ast.Call]]:
        """The calls of methods of local names: a list may get more items by them."""
        found: dict[str, list[ast.Call]] = {}
        for each in self._nodes:
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
                owner = each.func.value
                if isinstance(owner, ast.Name) and isinstance(self._first(owner.id), ast.List | ast.ListComp):
                    found.setdefault(owner.id, []).append(each)
        return found

    def _first(self, name: str) -> ast.expr | None:
        return next(iter(self._locals.get(name) or []), None)

    def _gathered(self, values: list[ast.expr], calls: list[ast.Call], depth: int) -> Answers:
        """What is appended to an empty list, where that is any number of `Send` to one node."""
        added = [call.args[0] for call in calls if call.args and called(call) == "append"]
        found = _together(self._options(item, depth + 1) or (Answer(()),) for item in added)
        begun_empty = all(isinstance(value, ast.List) and not value.elts for value in values)
        if not begun_empty or len(added) < len(calls) or len(found) != 1 or not found[0].sent:
            return None
        return (Answer(found[0].targets, sent=True, many=True),)

    def _mapping(self, value: ast.expr | None) -> tuple[Mapping[str, ast.expr], bool]:
        """What can be seen of a mapping that stands there, or in a command; and whether that is all of it."""
        match value:
            case None | ast.Constant(None):
                return {}, True
            case ast.Dict(keys, values):
                pairs = zip(keys, values, strict=True)
                seen = {key.value: each for key, each in pairs if isinstance(key, ast.Constant)}
                return {key: each for key, each in seen.items() if isinstance(key, str)}, len(seen) == len(keys)
            case ast.Call(ast.Name(name), [], words) if name == "dict" or is_typeddict(self.source.value(name)):
                named = {word.arg: word.value for word in words if word.arg}
                return named, len(named) == len(words)
            case ast.Call() if _is_command(value):
                update = _keyword(value, "update")
                return self._mapping(update) if update else ({}, True)
            case ast.Name(name) if len(values := self._locals.get(name) or []) == 1 and not self._changed(name):
                return ({}, False) if isinstance(values[0], ast.Name) else self._mapping(values[0])
        return {}, False

    def _changed(self, name: str) -> bool:
        """Whether a local mapping is used otherwise than as a whole: it may get more keys."""
        uses = [each for each in self._nodes if isinstance(each, ast.Name) and each.id == name]
        return len(uses) > 2


def _is_command(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and called(value) == "Command"


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((word.value for word in call.keywords if word.arg == name), None)


def _together(found: Iterable[Answers]) -> tuple[Answer, ...]:
    return tuple(dict.fromkeys(answer for answers in found if answers is not None for answer in answers))


def _attribute(owner: Any, name: str) -> Any:
    """A member of an enumeration, or a name of a module; nothing that would have to be computed."""
    if isinstance(owner, type) and issubclass(owner, Enum):
        return owner.__members__.get(name)
    return vars(owner).get(name) if type(owner).__name__ == "module" else None


def _constant(value: Any) -> Answers:
    if isinstance(value, Enum):
        value = value if isinstance(value, str) else None
    if isinstance(value, str):
        return (Answer((str(value.value) if isinstance(value, Enum) else value,)),)
    if isinstance(value, list | tuple) and value and all(isinstance(item, str) for item in value):
        return (Answer(tuple(value)),)
    return None
