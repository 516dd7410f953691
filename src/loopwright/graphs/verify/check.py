"""The door of the proofs: one function that finds everything at once."""

from collections.abc import Callable, Iterator, Sequence

from loopwright.graphs.plan import Plan
from loopwright.graphs.verify.bodies import bodies, forks
from loopwright.graphs.verify.bounds import counts, cycles, places
from loopwright.graphs.verify.boxes import from_outside
from loopwright.graphs.verify.channels import known, schemas, types
from loopwright.graphs.verify.data import written_before_read
from loopwright.graphs.verify.findings import Finding, Findings
from loopwright.graphs.verify.names import edges, outcomes, own_rules, place_names, references
from loopwright.graphs.verify.reach import dead_parts, traps
from loopwright.graphs.verify.templates import braces

Check = Callable[[Plan], Iterator[Finding]]

NAMES: tuple[Check, ...] = (place_names, edges, references)
"""The checks that what is named exists. A plan that was written in a file is held to them when it is read."""

CHECKS: tuple[Check, ...] = (
    *NAMES,
    outcomes,
    own_rules,
    known,
    braces,
    schemas,
    types,
    dead_parts,
    traps,
    counts,
    cycles,
    places,
    written_before_read,
    forks,
)
"""Every check: a pure function of a plan that raises nothing, whatever the plan holds."""


def verify(plan: Plan, checks: Sequence[Check] = CHECKS) -> Findings:
    """All that is wrong with a plan and with the bodies of its forks.

    Args:
        plan: The plan.
        checks: What is looked for.

    Returns:
        The findings, none when all is well; it never raises.

    Example:
        >>> from loopwright.graphs.builder import PlanBuilder
        >>> from loopwright.nodes.think import Judge
        >>> builder = PlanBuilder("essay").node(Judge("review", prompt="Good?", outcomes=["pass", "revise"]))
        >>> verify(builder.edge("review", "revise", "review").build())
        error  missing-edge    'review' [pass] leads nowhere
                               add an edge from 'review' for 'pass'
        error  no-end          the plan 'essay' has no end
                               lead at least one edge to an End
        error  unbounded-loop  the loop of 'review' has no bound: 'review' [revise] leads back to it
                               give it a bound, as in: review [revise] -> review, at most 3 rounds, then fail max_rounds
                               path: review -> review
        3 errors
    """
    return Findings.of(from_outside(plan, _found(plan, checks)))


def _found(plan: Plan, checks: Sequence[Check]) -> Iterator[Finding]:
    for check in checks:
        yield from check(plan)
    for body in bodies(plan):
        yield from _found(body, checks)
