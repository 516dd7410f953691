"""What every finding means, with a wrong and a right example: the text of `loopwright explain CODE`."""

from textwrap import indent

from loopwright.graphs.verify.findings import Code


def _text(meaning: str, wrong: str, right: str) -> str:
    return f"{meaning}\n\nwrong:\n{indent(wrong, '    ')}\nright:\n{indent(right, '    ')}"


EXPLANATIONS: dict[Code, str] = {
    "bad-bound": _text(
        "A bound says how often a way may be taken. It is a number from 0 up; 0 means never.",
        "- review [revise] -> write, at most -1 rounds, then fail max_rounds",
        "- review [revise] -> write, at most 3 rounds, then fail max_rounds",
    ),
    "bad-default": _text(
        "A channel's value before the first write must fit the channel's type.",
        "score: {type: int, default: none yet}",
        "score: {type: int, default: 0}",
    ),
    "bad-node": _text(
        "A node breaks a rule of its own type: outcomes that are missing, stand twice or have the name of a failure, a "
        "judge without room for a score, a person's default that is no action, several channels for an answer without "
        "keys.",
        'Judge("review", prompt="Good?", outcomes=["pass", "failed"])',
        'Judge("review", prompt="Good?", outcomes=["pass", "revise"])',
    ),
    "bad-schema": _text(
        "Types of channels and answers are JSON Schema (draft 2020-12), and this one is not valid.",
        'Channel("score", {"type": "int"})',
        'Channel("score", {"type": "integer"})',
    ),
    "bound-circle": _text(
        "When a bound is used up, its `then` is taken. Here the `then` carries a bound whose own `then` leads back to "
        "one that is used up already, so that there is no way on.",
        "bounds a and b, where the then of a carries b and the then of b carries a",
        "bounds a and b, where the then of a carries b and the then of b leads to an end",
    ),
    "bound-of-two-loops": _text(
        "A bound counts the rounds of one loop, and starts again when that loop is entered. Ways that lead back to "
        "different nodes are different loops.",
        "- fix [again] -> fix, at most 2 tries, then review\n- review [revise] -> write, at most 2 tries, then fail",
        "- fix [again] -> fix, at most 2 tries, then review\n- review [revise] -> write, at most 2 rounds, then fail",
    ),
    "brace-placeholder": _text(
        "A text has the name of a channel in braces, and no angle brackets around them. Braces are plain text, so that "
        "JSON can stand in a prompt, and the model is shown the name and not the value.",
        "prompt: Write about {topic}",
        "prompt: Write about <{topic}>",
    ),
    "dead-end": _text(
        "Of a LangGraph graph: a run ends at this node because nothing comes after it, and no edge says that it is "
        "meant. LangGraph takes a forgotten edge for an end.",
        'graph.add_edge("write", "review")  # and no edge from review',
        'graph.add_edge("write", "review")\ngraph.add_edge("review", END)',
    ),
    "double-run": _text(
        "Of a LangGraph graph: ways that run side by side and have different lengths come to a node one after the "
        "other, and it runs once for each, with everything after it.",
        'graph.add_edge("facts", "merge")\ngraph.add_edge("style", "polish")\ngraph.add_edge("polish", "merge")',
        'graph.add_edge("style", "polish")\ngraph.add_edge(["facts", "polish"], "merge")',
    ),
    "doubtful-node": _text(
        "A node keeps the rules of its type and is hardly meant as it is: the brief of the role that may stop never "
        "says the stop word. A model would not say it either, and every run would go on to the last round.",
        "boss: {brief: Stop when the answer is good.}",
        "boss: {brief: Write <{stop_word}> on a line of its own when the answer is good.}",
    ),
    "dropped-join": _text(
        "Of a LangGraph graph: an edge that waits for several nodes waits for one that a router has passed by. The run "
        "ends as a success, without the node behind the join and without all that follows it.",
        'graph.add_conditional_edges("ask", route, ["web", "books"])\ngraph.add_edge(["web", "books"], "answer")',
        'graph.add_conditional_edges("ask", route, ["web", "books"])\n'
        'graph.add_edge("web", "answer")\n'
        'graph.add_edge("books", "answer")',
    ),
    "empty-name": _text(
        "Nodes, ends, channels and bounds are found by their names, so each needs one.",
        'Think("", prompt="Write.")',
        'Think("write", prompt="Write.")',
    ),
    "empty-plan": _text(
        "A plan needs a node to start at.",
        'PlanBuilder("essay").build()',
        'PlanBuilder("essay").node(write).edge("write", "done", End("finished")).build()',
    ),
    "misplaced-bound": _text(
        "A bound counts the rounds of a loop, so it stands on the way that leads back to the loop's first node. This "
        "way leads on, not back, and is taken once a round at most.",
        "- write -> review, at most 3 rounds, then fail\n- review [revise] -> write",
        "- write -> review\n- review [revise] -> write, at most 3 rounds, then fail",
    ),
    "missing-edge": _text(
        "Every declared outcome needs an edge. Without one a verdict would have nowhere to go, and the run would stop "
        "in the middle.",
        "a judge with the outcomes pass and revise, and only\n- review [pass] -> end finished",
        "- review [pass] -> end finished\n- review [revise] -> write, at most 3 rounds, then fail max_rounds",
    ),
    "name-of-two": _text(
        "Nodes and ends share one space of names, so that an edge's target is unambiguous.",
        "a node `finished`, and - review [pass] -> end finished",
        "a node `finish`, and - review [pass] -> end finished",
    ),
    "no-end": _text(
        "A run must be able to finish: at least one edge leads to an end.",
        "- write -> review\n- review -> write",
        "- write -> review\n- review -> end finished",
    ),
    "no-result": _text(
        "A run can come to a successful end on a way on which nothing was written to the plan's result.",
        "result draft, and a way from the start to the end finished that passes no node that writes it",
        "give the channel draft a default, or lead that way to an end that is no success",
    ),
    "open-router": _text(
        "Of a LangGraph graph: it cannot be seen what a router answers, or where a command goes. An answer that is no "
        "node, as Pass. instead of pass, ends the run as a success.",
        'graph.add_conditional_edges("review", lambda state: state["verdict"])',
        'graph.add_conditional_edges("review", lambda state: state["verdict"], {"pass": END, "revise": "write"})\n'
        'def review(state) -> Command[Literal["write", "__end__"]]: ...',
    ),
    "parallel-writers": _text(
        "Of a LangGraph graph: nodes that run in the same step write the same key, and it has no reducer that says "
        "what two writes come to. LangGraph refuses that in the middle of the run.",
        "class State(TypedDict):\n    notes: list[str]",
        "class State(TypedDict):\n    notes: Annotated[list[str], operator.add]",
    ),
    "partly-explored": _text(
        "Of a LangGraph graph: so much can run side by side that not every combination was played. What was found is "
        "so; more may be wrong.",
        "a dozen nodes side by side, each with routers of its own behind it",
        "the same as subgraphs, which are checked one by one",
    ),
    "read-before-write": _text(
        "A node reads a channel that is still empty on some way to it. The path shows one. A person may leave a text "
        "empty, so what only a person writes needs a default.",
        "a start node with the prompt: Improve <{draft}>",
        "a node that writes draft before it, a default, or draft as an input",
    ),
    "reserved-channel": _text(
        "The engine keeps its own values beside the channels of a plan, under names that begin with __, branch: or "
        "lw:. A channel of such a name would be taken for one of them.",
        "channels: {__draft: str}",
        "channels: {draft: str}",
    ),
    "trap": _text(
        "A run that comes here can never reach an end, although there is one. The path leads into the region.",
        "- ask [yes] -> end finished\n- ask [no] -> c\n- c -> d\n- d -> c, at most 3 turns, then c2\n- c2 -> c",
        "- d -> c, at most 3 turns, then fail gave_up",
    ),
    "two-edges": _text(
        "Each outcome leads to exactly one place. What depends on more is another outcome, or a Route node.",
        "- review [pass] -> publish\n- review [pass] -> archive",
        "- review [pass] -> publish\n- publish -> archive",
    ),
    "two-entries": _text(
        "A cycle that is entered at two nodes has no first node, and so no rounds that a bound could count.",
        "- ask [left] -> a\n- ask [right] -> b\n- a -> b\n- b -> a",
        "- ask [left] -> a\n- ask [right] -> a\n- a -> b\n- b [again] -> a, at most 3 rounds, then end",
    ),
    "type-mismatch": _text(
        "A node writes values of a type that its channel never takes, or a fork takes its items from what is no list.",
        'Judge("rate", prompt="Rate.", score=(1, 10), writes="notes") with the channel notes: str',
        'Judge("rate", prompt="Rate.", score=(1, 10), writes="score") with the channel score: float',
    ),
    "unbounded-loop": _text(
        "A loop in which models may disagree for ever needs a bound, unless someone outside paces it: a wait node on "
        "every way round.",
        "- review [revise] -> write",
        "- review [revise] -> write, at most 3 rounds, then fail max_rounds",
    ),
    "uncertain-calls": _text(
        "The body of `each` runs once for each item. Without a largest number of items no number of model calls can be "
        "certified.",
        "rate: {type: each, over: options, as: option, do: ..., collect: ratings}",
        "rate: {type: each, over: options, as: option, at_most: 5, do: ..., collect: ratings}",
    ),
    "unknown-bound": _text(
        "An edge carries a bound that the plan does not have.",
        'Edge("review", "revise", Way("write", bound="round")) with the bound rounds',
        'Edge("review", "revise", Way("write", bound="rounds"))',
    ),
    "unknown-channel": _text(
        "A node reads or writes, or the plan returns or resets, a channel that does not exist.",
        "write: {type: think, prompt: Write., writes: drafts}, with the channel draft",
        "write: {type: think, prompt: Write., writes: draft}",
    ),
    "unknown-input": _text(
        "A fork fills an input of its body that the body does not have: no text of it names the item, or what `inputs` "
        "fills.",
        "as: option, and a body with the prompt: Rate the option.",
        "as: option, and a body with the prompt: Rate <{option}>",
    ),
    "unknown-model": _text(
        "A node asks a model by a name that the plan's models do not have. `default` is always there.",
        "write: {type: think, prompt: Write., model: strng}, with the model strong",
        "write: {type: think, prompt: Write., model: strong}",
    ),
    "unknown-outcome": _text(
        "An edge is for an outcome that its node never answers. Think and act nodes also have unreadable and "
        "failed, which may have edges and need none.",
        "- review [Pass.] -> end finished, for a judge with the outcomes pass and revise",
        "- review [pass] -> end finished",
    ),
    "unknown-placeholder": _text(
        "A template asks for a channel that does not exist. The body of a fork may name the channels around it, and of "
        "`each` its item.",
        "prompt: Write about <{topc}>, with the channel topic",
        "prompt: Write about <{topic}>",
    ),
    "unknown-source": _text(
        "An edge starts at a name that is no node of the plan.",
        "- wrte -> review",
        "- write -> review",
    ),
    "unknown-start": _text(
        "The plan's start is no node of it.",
        'PlanBuilder("essay", start="wrte")',
        'PlanBuilder("essay", start="write")',
    ),
    "unknown-target": _text(
        "An edge, or the `then` of a bound, leads to a name that is neither a node nor an end.",
        "- write -> reveiw",
        "- write -> review",
    ),
    "unreachable-end": _text(
        "No run can come to this end.",
        "an end gave_up that no edge and no bound leads to",
        "- review [revise] -> write, at most 3 rounds, then fail gave_up",
    ),
    "unreachable-node": _text(
        "No run can come to this node: no way leads there from the start.",
        "a node polish that no edge leads to",
        "- review [pass] -> polish",
    ),
    "unversioned-code": _text(
        "Runs are resumed only with the code that they were started with. The source of this function cannot be seen, "
        "so that a change of it would go unnoticed.",
        'Act("save", some_builtin)',
        'Act("save", some_builtin, version="1")',
    ),
    "wrong-bodies": _text(
        "`each` runs exactly one body for its items; `parallel` runs at least one.",
        'plan.parallel("reviews", {})',
        'plan.parallel("reviews", {"style": style, "facts": facts})',
    ),
}
"""What a code means, by code."""
