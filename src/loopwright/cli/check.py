"""`loopwright check`: what is wrong with a loop or a LangGraph graph, without asking a model or calling a node."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer

from loopwright.cli.annotations import annotations_of
from loopwright.cli.exits import FINDINGS, OK, WrongUse
from loopwright.cli.options import AsJson, Subject
from loopwright.cli.output import Output, print_json, write_out
from loopwright.cli.phrases import counted, harmless
from loopwright.cli.subjects import subject_at
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.stategraph.check import check_reading
from loopwright.graphs.stategraph.reading import Reading, Unseen
from loopwright.graphs.verify.findings import Findings
from loopwright.loop.loop import Loop

Format = Literal["text", "json", "github"]


def check(
    subject: Subject,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="One of text (the default), json, or github: annotations of a workflow, with file and line.",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Let warnings count as errors do, in the exit code.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check a loop, or a LangGraph graph as it is: what is wrong with it, and of a loop the worst case of a run.

    No model is asked, and nothing of a graph is called. MODULE:NAME is imported: a StateGraph, compiled or not, a Loop,
    a plan, or a function without parameters that returns one. So are Python files and modules whose functions a YAML
    file calls, by every command that reads it.

    The exit code is 1 where a finding is an error, and 2 where there is nothing that could be checked.

    $ loopwright check bridge.yaml
    $ loopwright check bridge.yaml --json
    $ loopwright check app.agents:graph
    $ loopwright check app/agents.py:graph --format github --strict
    """
    if as_json and format not in (None, "json"):
        raise WrongUse(f"--json and --format {format} are two formats; give one of them")
    found = subject_at(subject)
    findings, document, head, foot = _read(found) if isinstance(found, Reading) else _proved(found)
    if as_json or format == "json":
        print_json({"file": subject, **document, "findings": findings.to_data()})
    elif format == "github":
        write_out("".join(f"{line}\n" for line in [*annotations_of(findings, document["name"]), harmless(head)]))
    else:
        _say(findings, head, foot)
    return FINDINGS if findings.errors or (strict and findings) else OK


def _proved(loop: Loop[Any]) -> tuple[Findings, dict[str, Any], str, str]:
    """The findings of a loop, the rest of its document, and what stands above and below them.

    Below is what each brain goes by: a field that its technique has no use for is no finding, and is not there.
    """
    plan, findings = loop.plan, loop.check()
    certificate: Certificate | None = None if findings.errors else loop.certificate
    document = {
        "name": plan.name,
        "fingerprint": plan.fingerprint,
        "certificate": certificate.to_data() if certificate else None,
    }
    parts = (("node", plan.nodes), ("edge", plan.edges), ("end", plan.ends))
    counts = ", ".join(counted(len(found), noun) for noun, found in parts)
    brains = "".join(f"\n{name or plan.name}: {fold.words}" for name, fold in plan.folds.items())
    return findings, document, f"{plan.name}: {counts}", f"{certificate}{brains}" if certificate else ""


def _read(reading: Reading) -> tuple[Findings, dict[str, Any], str, str]:
    """The same of a LangGraph graph, which has no certificate; below stands what cannot be seen of it."""
    unseen = Unseen.of(reading)
    document = {"name": reading.name, "unseen": {name: list(nodes) for name, nodes in asdict(unseen).items()}}
    counts = f"{counted(len(reading.names), 'node')}, {counted(reading.edge_count(), 'edge')}"
    return check_reading(reading), document, f"{reading.name}: {counts}", str(unseen)


def _say(findings: Findings, head: str, foot: str) -> None:
    output = Output(as_json=False)
    output.say(visible(head), "bold")
    output.say(harmless(str(findings)), "red" if findings.errors else "yellow" if findings else "green")
    if foot:
        output.say(harmless(foot))
