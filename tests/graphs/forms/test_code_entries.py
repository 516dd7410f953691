"""Acts and routes as a file has them: what the signature says, what the fields say, and where they do not fit."""

import functools
from typing import Any

import pytest
from pydantic import ValidationError

from loopwright.graphs.forms.code_entries import ActEntry, RouteEntry
from loopwright.graphs.forms.spec import Refused, Spec
from loopwright.nodes.code import CodeRef
from loopwright.nodes.effects import effect
from loopwright.nodes.functions import node


def tidy(text: str) -> str:
    return text.strip()


def keyed(*, text: str, size: int = 3) -> str:
    return text[:size]


def loose(*texts: str, **more: str) -> None:
    del texts, more


async def later(text: str) -> str:
    return text


@node(writes="text", may_write="note", outcomes=["short", "long"], kind="route", version="7")
def length(text: str) -> str:
    return "long" if len(text) > 3 else "short"


FUNCTIONS: dict[str, Any] = {"tidy": tidy, "keyed": keyed, "loose": loose, "later": later, "length": length}
FUNCTIONS["dict"] = dict


class Here:
    """Finds the functions of this file."""

    def function(self, call: str) -> tuple[str, Any]:
        if call not in {f"x.py:{name}" for name in FUNCTIONS}:
            raise Refused(f"no {call}", "there is tidy")
        return call, FUNCTIONS[call.rpartition(":")[2]]

    def spec(self, file: str) -> Spec:
        raise Refused(f"there is no {file}")


def act(name: str, **fields: Any) -> ActEntry:
    return ActEntry.model_validate({"type": "act", "call": f"x.py:{name}", **fields}, context=Here())


def route(name: str, **fields: Any) -> RouteEntry:
    return RouteEntry.model_validate({"type": "route", "call": f"x.py:{name}", **fields}, context=Here())


def test_a_function_by_its_signature() -> None:
    found = act("tidy", writes="text").body("n")
    contract = found.contract
    assert (contract.kind, contract.reads, contract.writes, contract.outcomes) == (
        "act",
        ("text",),
        ("text",),
        ("done",),
    )
    assert (found.name, found.declared.code.name, found.function) == ("n", "x.py:tidy", tidy)
    assert act("keyed").body("n").contract.reads == ("text", "size")


def test_a_function_by_the_fields() -> None:
    found = act("keyed", reads="text", writes=["a"], may_write="b", outcomes=["x", "y"])
    contract = found.body("n").contract
    assert found.faults() == []
    assert (contract.reads, contract.writes, contract.may_write, contract.outcomes) == (
        ("text",),
        ("a", "b"),
        ("b",),
        ("x", "y"),
    )
    assert found.model_dump()["call"] == "x.py:keyed"


def test_a_function_that_says_it_all_by_itself() -> None:
    found = route("length")
    contract = found.body("n").contract
    assert found.faults() == []
    assert (contract.kind, contract.reads, contract.writes, contract.may_write, contract.outcomes) == (
        "route",
        ("text",),
        ("text", "note"),
        ("note",),
        ("short", "long"),
    )
    assert found.body("n").declared.code == CodeRef("x.py:length", "7")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (functools.partial(act, "tidi"), "call: no x.py:tidi (there is tidy)"),
        (
            functools.partial(act, "tidy", reads=["draft"]),
            "reads: the function does not fit: missing a required argument: 'text' "
            "(it is x.py:tidy(text: str) -> str, and is called with what the node reads, by name)",
        ),
        (
            functools.partial(act, "loose"),
            "call: x.py:loose(*texts: str, **more: str) -> None cannot be called by names "
            "(say its reads, or give it parameters with the names of channels)",
        ),
        (functools.partial(act, "dict"), "reads: x.py:dict does not tell its parameters (say its reads)"),
        (
            functools.partial(route, "tidy"),
            "outcomes: a route needs its outcomes (as in outcomes: [long, short]; the function returns one of them)",
        ),
        (
            functools.partial(route, "later", outcomes=["a", "b"]),
            "type: x.py:later is async, and a route only decides (write type: act)",
        ),
        (
            functools.partial(route, "length", writes="text"),
            "writes: @node says the writes of x.py:length in its place (leave it out here)",
        ),
        (
            functools.partial(act, "tidy", outcomes=["a", "a"]),
            "outcomes.1: the outcome 'a' stands twice (declare it once)",
        ),
        (functools.partial(act, "length"), "type: @node makes x.py:length one of type route (write type: route)"),
    ],
)
def test_what_does_not_fit_is_told_at_its_key(entry: Any, told: str) -> None:
    assert [str(fault) for fault in entry().faults()] == [told]


def test_reads_are_enough_where_a_function_tells_nothing() -> None:
    assert act("dict", reads=["text"], writes="pair").faults() == []
    assert act("loose", reads=["text"]).faults() == []


def test_only_a_file_names_functions() -> None:
    found = ActEntry.model_validate({"type": "act", "call": "x.py:tidy"})
    assert [str(fault) for fault in found.faults()] == [
        "call: only a file names functions (in Python, give the function to a PlanBuilder, by @node)"
    ]
    with pytest.raises(Refused):
        found.body("n")


@pytest.mark.parametrize("call", [3, "tidy", ":tidy", "x.py:"])
def test_a_name_has_two_parts(call: Any) -> None:
    with pytest.raises(ValueError, match="name"):
        ActEntry.model_validate({"type": "act", "call": call}, context=Here())


@effect
def charge(text: str, idempotency_key: str) -> str:
    return text + idempotency_key


FUNCTIONS["charge"] = charge
FUNCTIONS["charging"] = node(writes="text")(charge)


@pytest.mark.parametrize(
    ("name", "fields", "care"),
    [
        ("tidy", {}, None),
        ("tidy", {"effect": "once"}, "once"),
        ("charge", {}, "once"),
        ("charge", {"effect": "repeatable"}, "repeatable"),
        ("charge", {"reads": "text"}, "once"),
    ],
)
def test_an_effect(name: str, fields: dict[str, Any], care: str | None) -> None:
    entry = act(name, writes="text", **fields)
    assert entry.faults() == []
    found = entry.body("n")
    assert (found.declared.effect, found.contract.reads) == (care, ("text",))


def test_an_effect_that_says_it_by_itself() -> None:
    assert act("charging").body("n").declared.effect == "once"
    (fault,) = act("charging", effect="repeatable").faults()
    assert str(fault) == "effect: @node says the effect of x.py:charging in its place (leave it out here)"


def test_the_key_of_an_effect_is_not_read() -> None:
    (fault,) = act("charge", reads=["text", "idempotency_key"], writes="text").faults()
    assert str(fault) == "reads: idempotency_key is given by the ledger of effects (leave it out of the reads)"


def test_a_route_is_no_effect() -> None:
    (fault,) = route("charge", outcomes=["a"], reads="text").faults()
    assert str(fault) == "type: x.py:charge is an effect, and a route only decides (write type: act)"
    with pytest.raises(ValidationError, match="effect"):
        act("tidy", effect="twice")
