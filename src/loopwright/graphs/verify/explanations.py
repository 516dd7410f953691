"""What every finding means, with a wrong and a right example: the text of `loopwright explain CODE`.

Every example is run by the tests. One in YAML is a whole file where it names its `kind`, and otherwise a part of
`ESSAY`: what it says stands there in place of what the essay says. In Python, `plan` is the builder of the essay.
"""

from textwrap import indent

from loopwright.graphs.verify.findings import Code
from loopwright.graphs.verify.graph_explanations import OF_LANGGRAPH

ESSAY = """\
kind: graph
name: essay
channels: {topic: {type: str, input: true}, draft: str}
nodes:
  write: {type: think, prompt: "Write about <{topic}>", writes: draft}
  review: {type: judge, prompt: "Good? <{draft}>", outcomes: [pass, revise]}
edges:
  - write -> review
  - review [pass] -> end finished
  - review [revise] -> write, at most 3 rounds, then fail max_rounds
result: draft
"""
"""The graph that the examples are a part of."""


def _text(meaning: str, wrong: str, right: str) -> str:
    return f"{meaning}\n\nwrong:\n{indent(wrong, '    ')}\nright:\n{indent(right, '    ')}"


_OF_PLANS: dict[Code, str] = {
    "bad-bound": _text(
        "A bound says how often a way may be taken. It is a number from 0 up; 0 means never.",
        'plan.edge("review", "unreadable", "write", at_most=-1, bound="tries", then=lw.End("finished"))',
        'plan.edge("review", "unreadable", "write", at_most=2, bound="tries", then=lw.End("finished"))',
    ),
    "bad-default": _text(
        "A channel's value before the first write must fit the channel's type.",
        'plan = lw.PlanBuilder("rate", [lw.Channel("score", int, default="none yet")])\n'
        'plan.node(lw.Judge("rate", prompt="Rate.", score=(1, 10))).edge("rate", "done", lw.End("rated"))',
        'plan = lw.PlanBuilder("rate", [lw.Channel("score", int, default=0)])\n'
        'plan.node(lw.Judge("rate", prompt="Rate.", score=(1, 10))).edge("rate", "done", lw.End("rated"))',
    ),
    "bad-node": _text(
        "A node breaks a rule of its own type: outcomes that are missing, stand twice or have the name of a failure, a "
        "judge without room for a score, a person's default that is no action, several channels for an answer without "
        "keys.",
        'plan = lw.PlanBuilder("letter").node(lw.Human("look", text="Send it?", outcomes=["send"], default="yes"))\n'
        'plan.edge("look", "send", lw.End("sent"))',
        'plan = lw.PlanBuilder("letter").node(lw.Human("look", text="Send it?", outcomes=["send"], default="send"))\n'
        'plan.edge("look", "send", lw.End("sent"))',
    ),
    "bad-schema": _text(
        "Types of channels and answers are JSON Schema (draft 2020-12), and this one is not valid.",
        'plan = lw.PlanBuilder("rate", [lw.Channel("score", {"type": "int"})])\n'
        'plan.node(lw.Judge("rate", prompt="Rate.", score=(1, 10))).edge("rate", "done", lw.End("rated"))',
        'plan = lw.PlanBuilder("rate", [lw.Channel("score", {"type": "integer"})])\n'
        'plan.node(lw.Judge("rate", prompt="Rate.", score=(1, 10))).edge("rate", "done", lw.End("rated"))',
    ),
    "bound-circle": _text(
        "When a bound is used up, its `then` is taken. Here the `then` carries a bound whose own `then` leads back to "
        "one that is used up already, so that there is no way on.",
        "from dataclasses import replace\n\n"
        'plan = plan.edge("review", "unreadable", "write", bound="tries").build()\n'
        'tries = lw.Bound("tries", 2, then=lw.Way("write", bound="turns"))\n'
        'turns = lw.Bound("turns", 3, then=lw.Way("write", bound="tries"))\n'
        'plan = replace(plan, bounds={**plan.bounds, "tries": tries, "turns": turns})',
        "from dataclasses import replace\n\n"
        'plan = plan.edge("review", "unreadable", "write", bound="tries").build()\n'
        'tries = lw.Bound("tries", 2, then=lw.Way("write", bound="turns"))\n'
        'turns = lw.Bound("turns", 3, then=lw.Way("max_rounds"))\n'
        'plan = replace(plan, bounds={**plan.bounds, "tries": tries, "turns": turns})',
    ),
    "bound-of-two-loops": _text(
        "A bound counts the rounds of one loop, and starts again when that loop is entered. Ways that lead back to "
        "different nodes are different loops.",
        "edges:\n  - review [unreadable] -> review, bound rounds",
        "edges:\n  - review [unreadable] -> review, at most 2 tries, then fail unreadable",
    ),
    "brace-placeholder": _text(
        "A text has the name of a channel in braces, and no angle brackets around them; or, in a file of kind brain, "
        "any word in braces, since its inputs are what its prompt names. Braces are plain text, so that "
        "JSON can stand in a prompt, and the model is shown the name and not the value.",
        'nodes:\n  write: {type: think, prompt: "Write about {topic}", writes: draft}',
        'nodes:\n  write: {type: think, prompt: "Write about <{topic}>", writes: draft}',
    ),
    "doubtful-node": _text(
        "A node keeps the rules of its type and is hardly meant as it is: the brief of the role that may stop never "
        "says the stop word. A model would not say it either, and every run would go on to the last round.",
        "kind: role_cycle\ntask: Name a risk.\nroles:\n  solver: {}\n  boss: {brief: Stop when the answer is good.}",
        "kind: role_cycle\ntask: Name a risk.\nroles:\n  solver: {}\n"
        '  boss: {brief: "Write <{stop_word}> on a line of its own when the answer is good."}',
    ),
    "empty-name": _text(
        "Nodes, ends, channels and bounds are found by their names, so each needs one.",
        'plan = lw.PlanBuilder("essay").node(lw.Think("", prompt="Write.")).edge("", "done", lw.End("finished"))',
        'plan = lw.PlanBuilder("essay").node(lw.Think("write", prompt="Write."))\n'
        'plan.edge("write", "done", lw.End("finished"))',
    ),
    "empty-plan": _text(
        "A plan needs a node to start at.",
        'plan = lw.PlanBuilder("essay")',
        'plan = lw.PlanBuilder("essay").node(lw.Think("write", prompt="Write."))\n'
        'plan.edge("write", "done", lw.End("finished"))',
    ),
    "misplaced-bound": _text(
        "A bound counts the rounds of a loop, so it stands on the way that leads back to the loop's first node: the "
        "one by which control enters the loop. This way leads on, not back, and is taken once a round at most.",
        "edges:\n  - review [pass] -> end finished, at most 3 rounds, then fail max_rounds",
        "edges:\n  - review [pass] -> end finished",
    ),
    "missing-edge": _text(
        "Every declared outcome needs an edge. Without one a verdict would have nowhere to go, and the run would stop "
        "in the middle.",
        'nodes:\n  review: {type: judge, prompt: "Good? <{draft}>", outcomes: [pass, revise, reject]}',
        'nodes:\n  review: {type: judge, prompt: "Good? <{draft}>", outcomes: [pass, revise, reject]}\n'
        "edges:\n  - review [reject] -> fail rejected",
    ),
    "name-of-two": _text(
        "Nodes and ends share one space of names, so that an edge's target is unambiguous.",
        'plan.node(lw.Think("title", prompt="A title for the essay."))\n'
        'plan.edge("review", "failed", "title").edge("title", "done", lw.End("finished"))\n'
        'plan.edge("review", "unreadable", lw.End("title"))',
        'plan.node(lw.Think("title", prompt="A title for the essay."))\n'
        'plan.edge("review", "failed", "title").edge("title", "done", lw.End("finished"))\n'
        'plan.edge("review", "unreadable", lw.End("untitled"))',
    ),
    "no-end": _text(
        "A run must be able to finish: at least one edge leads to an end.",
        'plan = lw.PlanBuilder("talk").node(lw.Human("ask", text="And now?")).edge("ask", "done", "ask")',
        'plan = lw.PlanBuilder("talk").node(lw.Human("ask", text="And now?", outcomes=["more", "enough"]))\n'
        'plan.edge("ask", "more", "ask").edge("ask", "enough", lw.End("over"))',
    ),
    "no-result": _text(
        "A run can come to a successful end on a way on which nothing was written to the plan's result.",
        "channels: {title: str}\nresult: title",
        "channels: {title: {type: str, default: Untitled}}\nresult: title",
    ),
    "read-before-write": _text(
        "A node reads a channel that is still empty on some way to it. The path shows one. A person may leave a text "
        "empty, so what only a person writes needs a default.",
        'nodes:\n  write: {type: think, prompt: "Improve <{draft}>", writes: draft}',
        "channels: {draft: {type: str, default: nothing yet}}\n"
        'nodes:\n  write: {type: think, prompt: "Improve <{draft}>", writes: draft}',
    ),
    "reserved-channel": _text(
        "The engine keeps its own values beside the channels of a plan, under names that begin with __, branch: or "
        "lw:. A channel of such a name would be taken for one of them.",
        "channels: {__score: int}",
        "channels: {score: int}",
    ),
    "trap": _text(
        "A run that comes here can never reach an end, although there is one. The path leads into the region.",
        'nodes:\n  ask: {type: human, text: "And now? <{draft}>"}\nedges:\n  - review [revise] -> ask\n  - ask -> ask',
        'nodes:\n  ask: {type: human, text: "And now? <{draft}>"}\n'
        "edges:\n  - review [revise] -> ask\n  - ask -> end over",
    ),
    "two-edges": _text(
        "Each outcome leads to exactly one place. What depends on more is another outcome, or a Route node.",
        'nodes:\n  title: {type: think, prompt: "A title for <{draft}>"}\n'
        "edges:\n  - review [pass] -> title\n  - review [pass] -> end finished\n  - title -> end finished",
        'nodes:\n  title: {type: think, prompt: "A title for <{draft}>"}\n'
        "edges:\n  - review [pass] -> title\n  - title -> end finished",
    ),
    "two-entries": _text(
        "A cycle that is entered at two nodes has no first node, and so no rounds that a bound could count. The "
        "way that follows a used-up bound, its `then`, counts as a way in, too.",
        "channels: {draft: {type: str, default: none}}\n"
        "nodes:\n  which: {type: judge, prompt: Which?, outcomes: [new, old]}\n"
        "edges:\n  - which [new] -> write\n  - which [old] -> review\nstart: which",
        "channels: {draft: {type: str, default: none}}\n"
        "nodes:\n  which: {type: judge, prompt: Which?, outcomes: [new, old]}\n"
        "edges:\n  - which [new] -> write\n  - which [old] -> write\nstart: which",
    ),
    "type-mismatch": _text(
        "A node writes values of a type that its channel never takes, or a fork takes its items from what is no list.",
        "channels: {score: str}\n"
        'nodes:\n  rate: {type: judge, prompt: "Rate <{draft}>", score: [1, 10], writes: score}\n'
        "edges:\n  - write -> rate\n  - rate -> review",
        "channels: {score: float}\n"
        'nodes:\n  rate: {type: judge, prompt: "Rate <{draft}>", score: [1, 10], writes: score}\n'
        "edges:\n  - write -> rate\n  - rate -> review",
    ),
    "unbounded-loop": _text(
        "A loop in which models may disagree for ever needs a bound, unless someone outside paces it: a wait node on "
        "every way round.",
        "edges:\n  - review [revise] -> write",
        "edges:\n  - review [revise] -> write, at most 3 rounds, then fail max_rounds",
    ),
    "uncertain-calls": _text(
        "The body of `each` runs once for each item. Without a largest number of items no number of model calls can be "
        "certified.",
        'rater = lw.Think("rater", prompt="Rate <{option}>")\n'
        'plan = lw.PlanBuilder("rate", [lw.Channel("options", list[str], input=True), lw.Channel("ratings", list)])\n'
        'plan.each("rate", over="options", as_="option", do=rater, collect="ratings")\n'
        'plan.edge("rate", "done", lw.End("rated"))',
        'rater = lw.Think("rater", prompt="Rate <{option}>")\n'
        'plan = lw.PlanBuilder("rate", [lw.Channel("options", list[str], input=True), lw.Channel("ratings", list)])\n'
        'plan.each("rate", over="options", as_="option", at_most=5, do=rater, collect="ratings")\n'
        'plan.edge("rate", "done", lw.End("rated"))',
    ),
    "unknown-bound": _text(
        "An edge carries a bound that the plan does not have.",
        'plan.edge("review", "unreadable", "write", bound="round")',
        'plan.edge("review", "unreadable", "write", bound="rounds")',
    ),
    "unknown-channel": _text(
        "A node reads or writes, or the plan returns or resets, a channel that does not exist.",
        'plan = lw.PlanBuilder("title", [lw.Channel("title", str)])\n'
        'plan.node(lw.Think("write", prompt="Write.", writes="titel")).edge("write", "done", lw.End("finished"))',
        'plan = lw.PlanBuilder("title", [lw.Channel("title", str)])\n'
        'plan.node(lw.Think("write", prompt="Write.", writes="title")).edge("write", "done", lw.End("finished"))',
    ),
    "unknown-input": _text(
        "A fork fills an input of its body that the body does not have: no text of it names the item, or what `inputs` "
        "fills.",
        'rater = lw.Think("rater", prompt="Rate the option")\n'
        'plan = lw.PlanBuilder("rate", [lw.Channel("options", list[str], input=True), lw.Channel("ratings", list)])\n'
        'plan.each("rate", over="options", as_="option", at_most=5, do=rater, collect="ratings")\n'
        'plan.edge("rate", "done", lw.End("rated"))',
        'rater = lw.Think("rater", prompt="Rate <{option}>")\n'
        'plan = lw.PlanBuilder("rate", [lw.Channel("options", list[str], input=True), lw.Channel("ratings", list)])\n'
        'plan.each("rate", over="options", as_="option", at_most=5, do=rater, collect="ratings")\n'
        'plan.edge("rate", "done", lw.End("rated"))',
    ),
    "unknown-model": _text(
        "A node asks a model by a name that the plan's models do not have. `default` is always there.",
        'plan = lw.PlanBuilder("essay", models={"strong": lw.ModelRef("gpt-4o")})\n'
        'plan.node(lw.Think("write", prompt="Write.", model="strng"))\n'
        'plan.edge("write", "done", lw.End("finished"))',
        'plan = lw.PlanBuilder("essay", models={"strong": lw.ModelRef("gpt-4o")})\n'
        'plan.node(lw.Think("write", prompt="Write.", model="strong"))\n'
        'plan.edge("write", "done", lw.End("finished"))',
    ),
    "unknown-outcome": _text(
        "An edge is for an outcome that its node never answers. Think and act nodes also have unreadable and "
        "failed, think nodes over_budget too; these may have edges and need none.",
        'plan.edge("review", "Pass.", lw.End("finished"))',
        'plan.edge("review", "unreadable", lw.End("finished"))',
    ),
    "unknown-placeholder": _text(
        "A template asks for a channel that does not exist. The body of a fork may name the channels around it, and of "
        "`each` its item.",
        'nodes:\n  write: {type: think, prompt: "Write about <{topc}>", writes: draft}',
        'nodes:\n  write: {type: think, prompt: "Write about <{topic}>", writes: draft}',
    ),
    "unknown-source": _text(
        "An edge starts at a name that is no node of the plan.",
        'plan.edge("reveiw", "failed", lw.End("finished"))',
        'plan.edge("review", "failed", lw.End("finished"))',
    ),
    "unknown-start": _text(
        "The plan's start is no node of it.",
        'plan = lw.PlanBuilder("essay", start="wrte").node(lw.Think("write", prompt="Write."))\n'
        'plan.edge("write", "done", lw.End("finished"))',
        'plan = lw.PlanBuilder("essay", start="write").node(lw.Think("write", prompt="Write."))\n'
        'plan.edge("write", "done", lw.End("finished"))',
    ),
    "unknown-target": _text(
        "An edge, or the `then` of a bound, leads to a name that is neither a node nor an end.",
        'plan.edge("write", "failed", "no_model")',
        'plan.edge("write", "failed", lw.End("no_model", ok=False))',
    ),
    "unreachable-end": _text(
        "No run can come to this end.",
        "from dataclasses import replace\n\n"
        "plan = plan.build()\n"
        'plan = replace(plan, ends={**plan.ends, "gave_up": lw.End("gave_up", ok=False)})',
        'plan.edge("write", "failed", lw.End("gave_up", ok=False))',
    ),
    "unreachable-node": _text(
        "No run can come to this node: no way leads there from the start.",
        'nodes:\n  polish: {type: think, prompt: "Polish <{draft}>", writes: draft}\n'
        "edges:\n  - polish -> end finished",
        'nodes:\n  polish: {type: think, prompt: "Polish <{draft}>", writes: draft}\n'
        "edges:\n  - review [pass] -> polish\n  - polish -> end finished",
    ),
    "unversioned-code": _text(
        "Runs are resumed only with the code that they were started with. The source of this function cannot be seen, "
        "so that a change of it would go unnoticed.",
        'plan = lw.PlanBuilder("tidy", [lw.Channel("text", str, input=True)])\n'
        'plan.node(lw.Act("tidy", len, reads="text")).edge("tidy", "done", lw.End("done"))',
        'plan = lw.PlanBuilder("tidy", [lw.Channel("text", str, input=True)])\n'
        'plan.node(lw.Act("tidy", len, reads="text", version="1")).edge("tidy", "done", lw.End("done"))',
    ),
    "wrong-bodies": _text(
        "`each` runs exactly one body for its items; `parallel` runs at least one.",
        'plan = lw.PlanBuilder("look", [lw.Channel("reviews", dict)]).parallel("reviews", {})\n'
        'plan.edge("reviews", "done", lw.End("done"))',
        'plan = lw.PlanBuilder("look", [lw.Channel("reviews", dict)])\n'
        'plan.parallel("reviews", {"style": lw.Think("style", prompt="Is it plain?")})\n'
        'plan.edge("reviews", "done", lw.End("done"))',
    ),
}

_ALL: dict[Code, str] = _OF_PLANS | {code: _text(*parts) for code, parts in OF_LANGGRAPH.items()}

EXPLANATIONS: dict[Code, str] = {code: _ALL[code] for code in sorted(_ALL)}
"""What a code means, by code."""
