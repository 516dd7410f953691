"""Channels: what is read, written, reset and returned exists; its types are types, and nothing contradicts them."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache

from loopwright.graphs.folds import fold_around
from loopwright.graphs.plan import Fork, Plan, PlanNode
from loopwright.graphs.verify.findings import Finding, edge_words, error
from loopwright.graphs.verify.templates import unknown_placeholders
from loopwright.hints import did_you_mean
from loopwright.nodes.code import CodeNode
from loopwright.state.channels import MISSING, Channel
from loopwright.state.schema import check_for, fault_in_schema, word_of
from loopwright.state.values import Json, JsonSchema

_KINDS = frozenset({"string", "integer", "number", "boolean", "array", "object", "null"})


def known(plan: Plan) -> Iterator[Finding]:
    """Channels that are named anywhere exist. What several nodes of one fold ask for is told once."""
    told: set[tuple[str, str]] = set()
    for name, placed in plan.nodes.items():
        own, contract = placed.node.contract, placed.contract
        for inner, channel in zip(own.reads, contract.reads, strict=True):
            place = (fold_around(name, plan.folds) or name, channel)
            if channel not in plan.channels and place not in told:
                told.add(place)
                yield from _unknown_read(plan, placed, inner, channel)
        for channel in contract.writes:
            if channel not in plan.channels:
                hint = did_you_mean(channel, plan.channels)
                yield error("unknown-channel", f"{name!r} writes {channel!r}, which is no channel", hint, (name,))
    for move in plan.moves:
        for channel in move.way.resets:
            if channel not in plan.channels:
                message = f"{edge_words(move.source, move.outcome)} resets {channel!r}, which is no channel"
                yield error("unknown-channel", message, did_you_mean(channel, plan.channels), (move.source,))


def _unknown_read(plan: Plan, placed: PlanNode, inner: str, channel: str) -> Iterator[Finding]:
    asked = tuple(unknown_placeholders(plan, placed, inner))
    yield from asked
    if not asked or (isinstance(placed.node, Fork) and inner == placed.node.over):
        hint = did_you_mean(channel, plan.channels)
        if isinstance(placed.node, CodeNode) and inner == "state":
            hint = f"the parameters of a function are the single channels that it reads; {hint}"
        message = f"{placed.name!r} reads {channel!r}, which is no channel"
        yield error("unknown-channel", message, hint, (placed.name,))


RESERVED = ("__", "branch:", "lw:")
"""How the names begin that the engine, or our own part of it, keeps for itself among the channels."""


def schemas(plan: Plan) -> Iterator[Finding]:
    """Channels have names of their own and types that are valid JSON Schema, and their first values fit."""
    for channel in plan.channels.values():
        if channel.name.startswith(RESERVED):
            message = f"the channel {channel.name!r} has a name that the engine keeps for itself"
            hint = f"names that begin with {', '.join(RESERVED)} are taken"
            yield error("reserved-channel", message, hint, about=("channels", channel.name))
        fault = _fault(channel.type)
        if fault:
            message = f"the type of the channel {channel.name!r} is no JSON Schema: {fault}"
            yield error("bad-schema", message, about=("channels", channel.name))
        elif channel.first_value is not MISSING:
            yield from _first_value(channel)
    for name, placed in plan.nodes.items():
        fault = None if isinstance(placed.node, Fork) else _fault(placed.node.value_type)
        if fault:
            yield error("bad-schema", f"what {name!r} asks for is no JSON Schema: {fault}", nodes=(name,))


def _first_value(channel: Channel) -> Iterator[Finding]:
    try:
        check_for(channel.type)(channel.first_value)
    except ValueError as fault:
        what = "default" if channel.reduce == "replace" else f"first value ({channel.reduce} starts with it)"
        message = f"the {what} of the channel {channel.name!r} does not fit its type {word_of(channel.type)}: {fault}"
        yield error("bad-default", message, "change the default or the type", about=("channels", channel.name))


def _fault(schema: JsonSchema) -> str | None:
    return _fault_in_text(json.dumps(dict(schema)))


@lru_cache(maxsize=1024)
def _fault_in_text(text: str) -> str | None:
    return fault_in_schema(json.loads(text))


def types(plan: Plan) -> Iterator[Finding]:
    """What a node is known to write is not of another type than its channel."""
    for name, placed in plan.nodes.items():
        node, contract = placed.node, placed.contract
        if isinstance(node, Fork):
            written: JsonSchema = {"type": "array" if node.kind == "each" else "object"}
            yield from _items_of(plan, name, placed.channels.get(node.over, node.over))
        else:
            written = node.value_type
        # With several writes a value is spread over them by its keys, and what each gets is not told.
        if len(contract.writes) == 1 and contract.writes[0] in plan.channels:
            channel = plan.channels[contract.writes[0]]
            if _contradict(written, channel.write_schema):
                message = (
                    f"{name!r} writes {word_of(written)} to {channel.name!r}, "
                    f"which takes {word_of(channel.write_schema)}"
                )
                yield error("type-mismatch", message, "change the type of one of them", (name,))


def _items_of(plan: Plan, fork: str, over: str) -> Iterator[Finding]:
    channel = plan.channels.get(over)
    if channel and _contradict({"type": "array"}, channel.type):
        message = f"{fork!r} takes its items from {over!r}, which is {word_of(channel.type)} and no list"
        yield error("type-mismatch", message, "name a list channel in `over`", (fork,))


def _contradict(one: JsonSchema, other: JsonSchema) -> bool:
    """Whether no value fits both, as far as their `type` words tell."""
    return not _kinds(one) & _kinds(other)


def _kinds(schema: Json | JsonSchema) -> frozenset[str]:
    """The kinds of JSON value that a schema may let through."""
    if not isinstance(schema, Mapping):
        return _KINDS
    words = schema.get("type")
    options = schema.get("anyOf")
    kinds = _KINDS
    if isinstance(words, str | list):
        kinds = _KINDS.intersection([words] if isinstance(words, str) else map(str, words)) or _KINDS
    if isinstance(options, list) and options:
        kinds &= frozenset[str]().union(*map(_kinds, options))
    return kinds | {"integer", "number"} if kinds & {"integer", "number"} else kinds
