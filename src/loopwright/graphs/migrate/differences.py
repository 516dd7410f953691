"""What differs between two plans, in words: part by part, with the nodes concerned."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from loopwright.graphs.migrate.migration import Migration
from loopwright.graphs.plan import Plan, Way


def differences(before: Plan, now: Plan, declared: Migration | None = None) -> tuple[str, ...]:
    """What differs, each part once; nothing for plans that are the same.

    Args:
        before: The plan that was.
        now: The plan that is.
        declared: What is called otherwise now.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.nodes.think import Think
        >>> was, now = (one_node_plan(Think("greet", prompt=text)) for text in ("Hello", "Hi"))
        >>> differences(was, now)
        ("node 'greet' differs in its prompt",)
    """
    return tuple(_Comparison(before, now, declared or Migration()).all())


class _Comparison:
    def __init__(self, before: Plan, now: Plan, declared: Migration) -> None:
        self._before, self._now, self._declared = before, now, declared
        self._old: dict[str, Any] = dict(before.to_data())
        self._new: dict[str, Any] = dict(now.to_data())
        self._names: Mapping[str, Callable[[str], str | None]] = {
            "nodes": declared.node,
            "ends": declared.end,
            "bounds": declared.bound,
            "channels": declared.channel,
            "models": str,
        }

    def all(self) -> Iterator[str]:
        names = self._declared
        if self._before.name != self._now.name:
            yield f"it is called {self._now.name!r}, and was {self._before.name!r}"
        for part in self._names:
            yield from self._gone_and_new(part)
        if names.node(self._before.start) != self._now.start:
            yield f"it starts at {self._now.start!r}, and did at {self._before.start!r}"
        for old, new in self._paired("nodes"):
            yield from self._node(old, new)
        yield from self._edges()
        for old, new in self._paired("bounds"):
            yield from self._bound(old, new)
        for part in ("ends", "channels", "models"):
            yield from self._plain(part)
        result = self._declared.channel(self._before.result) if self._before.result else ""
        if result != self._now.result:
            yield f"its result is {self._now.result!r}, and was {self._before.result!r}"

    def _gone_and_new(self, part: str) -> Iterator[str]:
        before, now = getattr(self._before, part), getattr(self._now, part)
        moved = {name: self._names[part](name) for name in before}
        word = part[:-1]
        for old, new in moved.items():
            if new is None or new not in now:
                yield f"{word} {old!r} is gone"
            elif new != old:
                yield f"{word} {old!r} is {new!r} now"
        for new in now:
            if new not in moved.values():
                yield f"{word} {new!r} is new"

    def _paired(self, part: str) -> Iterator[tuple[str, str]]:
        now = getattr(self._now, part)
        for old in getattr(self._before, part):
            new = self._names[part](old)
            if new is not None and new in now:
                yield old, new

    def _node(self, old: str, new: str) -> Iterator[str]:
        was, is_now = self._old["nodes"][old], self._new["nodes"][new]
        node, other = was["node"], is_now["node"]
        keys = [key for key in dict.fromkeys([*node, *other]) if key != "name" and node.get(key) != other.get(key)]
        moved = {name: self._declared.channel(outer) for name, outer in was.get("channels", {}).items()}
        keys += ["channels"] if moved != is_now.get("channels", {}) else []
        if keys:
            yield f"node {new!r} differs in its {', '.join(keys)}"

    def _edges(self) -> Iterator[str]:
        names = self._declared
        was = {(names.node(source), outcome): edge.way for (source, outcome), edge in self._before.routes.items()}
        for key, edge in self._now.routes.items():
            if key in was and self._way(was[key]) != self._plainly(edge.way):
                led, leads = self._way(was[key]), self._plainly(edge.way)
                if led[0] != leads[0]:
                    yield f"{key[0]} [{key[1]}] leads to {leads[0]!r}, and led to {led[0]!r}"
                elif led[1] != leads[1]:
                    yield f"{key[0]} [{key[1]}] spends {leads[1] or 'no bound'!r}, and spent {led[1] or 'no bound'!r}"
        for source, outcome in was:
            if source in self._now.nodes and (source, outcome) not in self._now.routes:
                yield f"{source} [{outcome}] leads nowhere any more"
        for source, outcome in self._now.routes:
            if source in map(names.node, self._before.nodes) and (source, outcome) not in was:
                yield f"{source} [{outcome}] is new"

    def _bound(self, old: str, new: str) -> Iterator[str]:
        was, is_now = self._before.bounds[old], self._now.bounds[new]
        if was.at_most != is_now.at_most:
            yield f"bound {new!r} is {is_now.at_most} now, and was {was.at_most}"
        if self._way(was.then)[0] != is_now.then.target:
            yield f"bound {new!r} leads to {is_now.then.target!r} when it is used up, and led to {was.then.target!r}"

    def _plain(self, part: str) -> Iterator[str]:
        for old, new in self._paired(part):
            was, is_now = ({**data[part][name], "name": ""} for data, name in ((self._old, old), (self._new, new)))
            keys = [key for key in dict.fromkeys([*was, *is_now]) if was.get(key) != is_now.get(key)]
            if keys:
                yield f"{part[:-1]} {new!r} differs in its {', '.join(keys)}"

    def _way(self, way: Way) -> tuple[str, str]:
        target = self._declared.end(way.target) if way.target in self._before.ends else self._declared.node(way.target)
        return target, (self._declared.bound(way.bound) or "") if way.bound else ""

    def _plainly(self, way: Way) -> tuple[str, str]:
        return way.target, way.bound
