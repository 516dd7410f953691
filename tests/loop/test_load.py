"""Loops of files."""

from pathlib import Path

import pytest

import loopwright as lw

WORD = "Fluggaenkoechiebolsen"
QUICK = {"solver": ["S0"], "detractor": ["D0"], "master": ["M0"], "boss": [WORD]}


def test_a_file_is_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "bridge.yaml"
    path.write_text("kind: role_cycle\nname: bridge\ntask: T\nrounds: {max: 2}\n")
    loop = lw.load(path)
    assert (loop.plan.name, loop.certificate.calls) == ("bridge", 8)
    assert loop.plan.fingerprint == lw.RoleCycle(name="bridge", task="T", rounds=lw.Rounds(max=2)).plan.fingerprint
    assert loop.start(model=lw.ScriptedModel(QUICK)).result == "S0"


def test_a_key_may_have_another_value_than_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "bridge.yaml"
    file.write_text("kind: role_cycle\ntask: Name a risk.\nrounds: {max: 2}\n")
    assert lw.load(file, rounds={"max": 3}).certificate.calls == 12
    assert lw.load(file).certificate.calls == 8
    with pytest.raises(lw.SourceError, match=r"bridge\.yaml:1: type: "):
        lw.load(file, type="zero_shot")
