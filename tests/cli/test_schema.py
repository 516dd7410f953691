"""`schema`: what it prints is the schema, and nothing else."""

import json
from typing import Any

from loopwright.graphs.forms.spec import FORMS
from loopwright.sources.schema import json_schema


def test_the_schema_of_all_kinds(loopwright: Any) -> None:
    done = loopwright("schema")
    assert (done.code, done.err, json.loads(done.out)) == (0, "", json_schema())


def test_the_schema_of_one_kind(loopwright: Any) -> None:
    done = loopwright("schema", "graph")
    assert (done.code, done.err, json.loads(done.out)) == (0, "", json_schema("graph"))


def test_an_unknown_kind(loopwright: Any) -> None:
    done = loopwright("schema", "graf")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err == "error: kind: there is no kind 'graf' (did you mean 'graph'? "
        f"there are: {', '.join(sorted(FORMS))})\n"
    )
