"""`loopwright check`: what is wrong with a loop, and the worst case of a run, without asking a model."""

from loopwright.cli.exits import FINDINGS, OK
from loopwright.cli.options import AsJson, SpecFile
from loopwright.cli.output import Output, print_json
from loopwright.cli.phrases import counted, harmless
from loopwright.graphs.certificate.certify import Certificate
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.plan import Plan
from loopwright.graphs.verify.findings import Findings
from loopwright.loop import load


def check(file: SpecFile, as_json: AsJson = False) -> int:
    """Check a loop without asking a model: what is wrong with it, and the worst case of a run.

    The exit code is 1 where a finding is an error, and 2 where the file cannot become a loop. Python files and modules
    whose functions the file calls are imported, by every command that reads it.

      $ loopwright check bridge.yaml
      $ loopwright check bridge.yaml --json
    """
    loop = load(file)
    findings = loop.check()
    certificate = None if findings.errors else loop.certificate
    if as_json:
        print_json(
            {
                "file": str(file),
                "name": loop.plan.name,
                "fingerprint": loop.plan.fingerprint,
                "findings": findings.to_data(),
                "certificate": certificate.to_data() if certificate else None,
            }
        )
    else:
        _say(loop.plan, findings, certificate)
    return FINDINGS if findings.errors else OK


def _say(plan: Plan, findings: Findings, certificate: Certificate | None) -> None:
    output = Output(as_json=False)
    parts = (("node", plan.nodes), ("edge", plan.edges), ("end", plan.ends))
    counts = ", ".join(counted(len(found), noun) for noun, found in parts)
    output.say(visible(f"{plan.name}: {counts}"), "bold")
    output.say(harmless(str(findings)), "red" if findings.errors else "yellow" if findings else "green")
    if certificate:
        output.say(harmless(str(certificate)))
