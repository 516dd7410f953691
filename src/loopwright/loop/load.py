"""Loops that files describe."""

from pathlib import Path
from typing import Any

from pydantic import JsonValue

from loopwright.graphs.forms.spec import Spec
from loopwright.graphs.verify.findings import Where
from loopwright.loop.loop import Loop
from loopwright.sources.specs import load_spec


def loop_of(spec: Spec, where: Where | None = None) -> Loop[Any]:
    """The loop of a spec."""
    return Loop(spec.plan(), code=spec.code(), budget=spec.budget, inputs=spec.runs(), where=where)


def load(path: str | Path, **changes: JsonValue) -> Loop[Any]:
    """The loop that a YAML or JSON file describes.

    Args:
        path: The file. Its `kind` says which form it is of, as `graph` or `role_cycle`.
        **changes: Keys that have other values than in the file: the same loop otherwise, to compare the two. Of a file
            of `kind: brain`, `type="multi_eval"` is the technique.

    Raises:
        SourceError: The file is no spec; all faults at once, each with file, line and key.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "bridge.yaml")
        ...     _ = file.write_text("kind: role_cycle\\ntask: Name a risk of a wooden bridge.\\nrounds: {max: 2}\\n")
        ...     print(load(file).certificate)
        worst case: 2 rounds, 8 model calls, 8 visits
    """
    loaded = load_spec(Path(path), changes)
    return loop_of(loaded.spec, loaded.where)
