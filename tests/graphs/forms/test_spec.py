"""What every form's spec is: entered by its kind, closed to keys that it does not know, and frozen."""

from typing import Literal, get_args

import pytest
from pydantic import ValidationError

import loopwright
from loopwright.errors import Fault
from loopwright.graphs.forms.spec import FORMS, Refused, Spec, UnreadSpec, under
from loopwright.state.values import JsonObject


def test_forms_are_found_by_their_kind() -> None:
    assert loopwright.RoleCycle.__name__ == "RoleCycle"
    assert {kind: spec.model_fields["kind"].default for kind, spec in FORMS.items()} == {kind: kind for kind in FORMS}
    assert {"graph", "role_cycle"} <= FORMS.keys()
    for kind, spec in FORMS.items():
        assert get_args(spec.model_fields["kind"].annotation) == (kind,)


def test_a_form_enters_itself_and_a_base_does_not() -> None:
    before, field = dict(FORMS), "size"

    class Base(Spec):
        """Fields that forms share."""

        size: int = 1

    class Ring(Base):
        """A form of somebody else's."""

        kind: Literal["ring (test)"] = "ring (test)"

    try:
        assert set(FORMS.items()) - set(before.items()) == {("ring (test)", Ring)}
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            Ring.model_validate({"kind": "ring (test)", "sise": 3})
        with pytest.raises(ValidationError, match="frozen"):
            setattr(Ring(), field, 2)
    finally:
        del FORMS["ring (test)"]


def test_a_spec_says_nothing_by_itself() -> None:
    spec = Spec(name="bare")
    runs: list[JsonObject] = [{}]
    assert (spec.faults(), spec.code(), spec.path_of(("nodes", "a")), spec.runs()) == ([], {}, (), runs)
    with pytest.raises(TypeError, match="Spec makes no plan"):
        spec.plan()


def test_a_refusal_keeps_its_hint_through_validation() -> None:
    refused = Refused("there is no size 0", "sizes begin with 1")
    assert isinstance(refused, ValueError)
    assert (str(refused), refused.hint, Refused("no").hint) == ("there is no size 0", "sizes begin with 1", "")


def test_faults_of_another_file_stay_as_they_are() -> None:
    fault = Fault("it is empty", ("prompt",), file="a.yaml", line=3)
    assert under(("nodes", 0), [fault]) == [fault]
    assert UnreadSpec(found=(fault,)).faults() == [fault]


def test_faults_of_a_part_keep_all_but_their_path() -> None:
    fault = Fault("it is empty", ("prompt",), "write one", "", 3)
    assert under(("nodes", 0), [fault, Fault("no")]) == [
        Fault("it is empty", ("nodes", 0, "prompt"), "write one", "", 3),
        Fault("no", ("nodes", 0)),
    ]
    assert under((), [fault]) == [fault]
