"""Loops of files."""

from pathlib import Path

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
