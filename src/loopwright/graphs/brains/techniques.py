"""The plans of the four techniques. All have the same ports: `done`, `none`, and the failures.

zero_shot        decide
single_eval      generate -> choose, unless one option came back
multi_eval       generate -> rate, each -> pick
tree_of_thought  expand, each -> gather -> rate, each -> keep, so many times -> pick
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from loopwright.errors import Fault, SourceError
from loopwright.graphs.brains.settings import ANSWER, BrainSettings
from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.plan import End
from loopwright.hints import did_you_mean
from loopwright.nodes.brains.judging import OPTION, RATING, RATING_OR_NONE, RATINGS, Choose, Line, Rate
from loopwright.nodes.brains.options import CHOSEN, EXPANDED, EXPANSION, OPTIONS, PATH, PATHS, Decide, Expand, Generate
from loopwright.nodes.brains.picking import EXPANSIONS, PATHS_KEPT, STEPS, Gather, Keep, Pick
from loopwright.state.channels import Channel
from loopwright.state.schema import as_list
from loopwright.state.values import Json

DONE, NONE = End("done"), End("none", ok=False)
"""The ends of a brain: it has an answer, or none that is good enough."""

RATED, ABSENT = End("rated"), End("absent")
"""The ends of a rating: an unreadable one is absent, and does not hold up the others."""

EXPANDED_END = End("expanded")

ASKING_NODES = re.compile(
    r"decide|generate|choose|judge|expand|pick|rate/judge|rate \d+/judge|expand \d+/expand|keep \d+"
)
"""What the nodes that ask models are called, in any technique; after a resume `pick` and `keep` may ask, too."""

_PLACE: Mapping[str, Json] = {"type": "integer", "minimum": 0}
_AGAIN = (
    "These are answers to it:\n\n<{options}>\n\nRate each from 1 (of no use) to 10 (could hardly be better), in order."
)


def brain(technique: str, given: Mapping[str, Any]) -> PlanBuilder:
    """The plan of a brain, and its live code, as a builder has them.

    Args:
        technique: One of `TECHNIQUES`.
        given: Fields of `BrainSettings`.

    Raises:
        SourceError: Something of it cannot be; all faults at once.

    Example:
        >>> plan = brain("multi_eval", {"n": 2}).build()
        >>> [(edge.source, edge.outcome, edge.way.target) for edge in plan.edges]
        [('generate', 'options', 'rate'), ('rate', 'done', 'pick'), ('pick', 'done', 'done'), ('pick', 'none', 'none')]
    """
    known = BrainSettings.__dataclass_fields__.keys() - {"_"}
    if unknown := [name for name in given if name not in known]:
        raise SourceError(
            [Fault(f"there is no field {name!r}", (name,), did_you_mean(name, known)) for name in unknown]
        )
    settings = BrainSettings(**given)
    if faults := settings.faults():
        raise SourceError(faults)
    return _MAKERS[technique](settings, technique)


def _zero_shot(settings: BrainSettings, technique: str) -> PlanBuilder:
    plan = _builder(settings, technique, technique, [])
    plan.node(Decide("decide", writes=ANSWER, **_asking(settings)))
    return _ports(plan, "decide")


def _single_eval(settings: BrainSettings, technique: str) -> PlanBuilder:
    channels = [Channel(OPTIONS, as_list(settings.answer_schema)), Channel(CHOSEN, _PLACE)]
    plan = _builder(settings, technique, f"{technique} n={settings.n}", channels)
    plan.node(Generate("generate", writes=ANSWER, asks=settings.options_prompt, n=settings.n, **_asking(settings)))
    _ports(plan, "generate")
    if settings.n > 1:
        plan.node(Choose("choose", writes=ANSWER, asks=settings.choose_prompt, **_judging(settings)))
        plan.edge("generate", OPTIONS, "choose").edge("choose", "done", DONE)
    return plan


def _multi_eval(settings: BrainSettings, technique: str) -> PlanBuilder:
    rated = settings.n > 1 or settings.threshold is not None
    words = f"{technique} n={settings.n}{_threshold(settings)}"
    if not rated:
        return _single_eval(settings, technique)
    channels = [
        Channel(OPTIONS, as_list(settings.answer_schema)),
        Channel(RATINGS, as_list(RATING_OR_NONE)),
        Channel(CHOSEN, _PLACE),
    ]
    plan = _builder(settings, technique, words, channels)
    asking = {**_asking(settings), "asks": settings.options_prompt, "n": settings.n}
    plan.node(Generate("generate", writes=ANSWER, judged=True, **asking))
    plan.edge("generate", OPTIONS, "rate")
    if settings.its_role.required:
        plan.edge("generate", "none", NONE)
    _rate(plan, settings, "rate", settings.n, line="")
    plan.edge("rate", "done", "pick")
    plan.node(Pick("pick", writes=ANSWER, asks=_AGAIN, threshold=settings.threshold, **_judging(settings)))
    return _ports(plan, "pick")


def _tree_of_thought(settings: BrainSettings, technique: str) -> PlanBuilder:
    n, depth, breadth = settings.n, settings.depth, settings.breadth
    words = f"{technique} n={n} breadth={breadth} depth={depth}{_threshold(settings)}"
    channels = [
        Channel(PATHS_KEPT, PATHS, default=[[]]),
        Channel(EXPANSIONS, as_list(EXPANSION)),
        Channel(OPTIONS, PATHS),
        Channel(RATINGS, as_list(RATING_OR_NONE)),
        Channel(CHOSEN, _PLACE),
        Channel(STEPS, {"type": "array", "items": {"type": "string"}}),
    ]
    plan = _builder(settings, technique, words, channels)
    kept = 1
    for step in range(1, depth + 1):
        _expand(plan, settings, step, kept)
        _rate(plan, settings, f"rate {step}", kept * n, line="part" if step < depth else "whole")
        kept = min(breadth, kept * n)
        if step == depth:
            plan.edge(f"rate {step}", "done", "pick")
            continue
        keeping = {"asks": _AGAIN, "line": "part", "breadth": breadth, **_judging(settings)}
        plan.node(Keep(f"keep {step}", **keeping)).edge(f"rate {step}", "done", f"keep {step}")
        plan.edge(f"keep {step}", "done", f"expand {step + 1}")
    picking = {"asks": _AGAIN, "line": "whole", "threshold": settings.threshold, **_judging(settings)}
    plan.node(Pick("pick", writes=ANSWER, **picking))
    return _ports(plan, "pick")


_MAKERS: Mapping[str, Callable[[BrainSettings, str], PlanBuilder]] = {
    "zero_shot": _zero_shot,
    "single_eval": _single_eval,
    "multi_eval": _multi_eval,
    "tree_of_thought": _tree_of_thought,
}


def _builder(settings: BrainSettings, technique: str, words: str, channels: list[Channel]) -> PlanBuilder:
    all_channels = [*settings.channels, *channels]
    return PlanBuilder(settings.name or technique, all_channels, result=ANSWER, models=settings.models, fold=words)


def _ports(plan: PlanBuilder, name: str) -> PlanBuilder:
    """The ways out of a node with an answer; that for none is there where no visit takes it, too."""
    return plan.edge(name, "done", DONE).edge(name, "none", NONE)


def _expand(plan: PlanBuilder, settings: BrainSettings, step: int, kept: int) -> None:
    """The fork that makes each line of thought that is kept into several, and their list."""
    whole = step == settings.depth
    asks = settings.options_prompt if settings.depth == 1 else settings.steps_prompt
    if whole and settings.depth > 1:
        asks = f"The steps so far:\n\n<{{steps}}>\n\n{settings.options_prompt}"
    expand = Expand("expand", asks=asks, n=settings.n, step=step, depth=settings.depth, **_asking(settings))
    plan.each(
        f"expand {step}",
        over=PATHS_KEPT,
        as_=PATH,
        do=_body(
            settings, expand, EXPANDED, Channel(PATH, {"type": "array"}, input=True), Channel(EXPANDED, EXPANSION)
        ),
        collect=EXPANSIONS,
        at_most=kept,
    )
    closing = bool(settings.its_role.required)
    gather = f"gather {step}"
    plan.edge(f"expand {step}", "done", gather).node(Gather(gather, closing=closing, tells=closing and settings.tells))
    plan.edge(gather, OPTIONS, f"rate {step}")
    if closing:
        plan.edge(gather, "none", NONE)


def _rate(plan: PlanBuilder, settings: BrainSettings, name: str, at_most: int, *, line: Line) -> None:
    """The fork that rates each option by itself."""
    judge = Rate("judge", asks=settings.judge_prompt, line=line, **_judging(settings))
    rating = Channel(RATING, RATING_OR_NONE, default=None)
    body = _body(settings, judge, RATING, Channel(OPTION, input=True), rating)
    body.edge("judge", "unreadable", ABSENT)
    plan.each(name, over=OPTIONS, as_=OPTION, do=body, collect=RATINGS, at_most=at_most)


def _body(settings: BrainSettings, node: Rate | Expand, result: str, *own: Channel) -> PlanBuilder:
    """A fork's body of one node; it reads what the brain is given."""
    reads = node.contract.reads
    inputs = [channel for channel in settings.channels if channel.input and channel.name in reads]
    plan = PlanBuilder("rating" if isinstance(node, Rate) else "expansion", [*inputs, *own], result=result)
    return plan.node(node).edge(node.name, "done", RATED if isinstance(node, Rate) else EXPANDED_END)


def _asking(settings: BrainSettings) -> Mapping[str, Any]:
    """The fields of the nodes that generate."""
    return {
        "prompt": settings.question,
        "system": settings.system,
        "model": settings.model_name,
        "output": settings.answers,
        "sees": settings.sections,
        "role": settings.role,
        "tells": settings.tells,
    }


def _judging(settings: BrainSettings) -> Mapping[str, Any]:
    """The fields of the nodes that judge."""
    return {**_asking(settings), "model": settings.judge_model_name or settings.model_name}


def _threshold(settings: BrainSettings) -> str:
    return "" if settings.threshold is None else f" threshold={settings.threshold:g}"
