"""The nodes of a role cycle, without a model: what each role is shown, and what its reply means."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import pytest

from loopwright.errors import Fault
from loopwright.nodes.contract import AskModel, AskOutside, Contract, Node
from loopwright.nodes.role import VERDICT, Review, Role, Rounds, Stop
from loopwright.nodes.wait import answer_from_line
from loopwright.state.values import Json

ORDER = ("solver", "detractor", "master", "boss")
TITLES = {"solver": "Solver", "detractor": "Detractor", "master": "Master", "boss": "Boss"}
WORD = "Fluggaenkoechiebolsen"
Sees = Literal["all", "latest"]


def said(texts: str) -> list[Json]:
    """A transcript: `S1` is what the solver says in round 1, `P1` what a person wrote after it."""
    names = {name[0].upper(): name for name in (*ORDER, "person")}
    return [{"speaker": names[text[0]], "text": text, "round": int(text[1:])} for text in texts.split()]


def shown(role: Role, texts: str) -> str:
    """What a role is shown, as `u brief | a S1 | u D1`."""
    ask = role.ask({"task": "T", "transcript": said(texts)})
    assert isinstance(ask, AskModel)
    return " | ".join(f"{message['role'][0]} {message['content']}" for message in ask.messages)


def role(name: str, *, sees: Sees = "all", labels: bool = False, order: tuple[str, ...] = ORDER) -> Role:
    return Role(name, brief="<{task}>", order=order, titles=TITLES, sees=sees, labels=labels)


MATRIX = [
    ("solver", "", "u T"),
    ("detractor", "S1", "u T | u S1"),
    ("master", "S1 D1", "u T | u S1 | u D1"),
    ("boss", "S1 D1 M1", "u T | u S1 | u D1 | u M1"),
    ("solver", "S1 D1 M1 B1", "u T | a S1 | u D1 | u M1 | u B1 | u Continue"),
    ("detractor", "S1 D1 M1 B1 S2", "u T | u S1 | a D1 | u M1 | u B1 | u Continue | u S2"),
    ("master", "S1 D1 M1 B1 S2 D2", "u T | u S1 | u D1 | a M1 | u B1 | u Continue | u S2 | u D2"),
    ("boss", "S1 D1 M1 B1 S2 D2 M2", "u T | u S1 | u D1 | u M1 | a B1 | u Continue | u S2 | u D2 | u M2"),
    (
        "solver",
        "S1 D1 M1 B1 S2 D2 M2 B2",
        "u T | a S1 | u D1 | u M1 | u B1 | u Continue | a S2 | u D2 | u M2 | u B2 | u Continue",
    ),
]


@pytest.mark.parametrize(("name", "texts", "expected"), MATRIX)
def test_a_role_sees_all_that_was_said(name: str, texts: str, expected: str) -> None:
    assert shown(role(name), texts) == expected


def test_labels_name_the_others_and_never_the_role_itself_nor_continue() -> None:
    expected = "u T | u Solver: S1 | a D1 | u Master: M1 | u Boss: B1 | u Continue | u Solver: S2"
    assert shown(role("detractor", labels=True), "S1 D1 M1 B1 S2") == expected


@pytest.mark.parametrize("name", ORDER)
@pytest.mark.parametrize("labels", [True, False])
def test_what_is_shown_later_begins_with_what_was_shown_before(name: str, labels: bool) -> None:
    texts = ["S1", "D1", "M1", "B1", "S2", "D2", "M2", "B2", "P2", "S3", "D3", "M3", "B3"]
    own = [index for index, text in enumerate(texts) if text[0] == name[0].upper()]
    prompts = [shown(role(name, labels=labels), " ".join(texts[:index])) for index in own]
    assert len(prompts) == 3
    assert all(later.startswith(before + " | a ") for before, later in pairwise(prompts))


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("solver", "S1 D1 M1 B1 P1", "u T | a S1 | u D1 | u M1 | u B1 | u P1"),
        ("detractor", "S1 D1 M1 B1 P1 S2", "u T | u S1 | a D1 | u M1 | u B1 | u P1 | u S2"),
        ("master", "S1 D1 M1 B1 P1 S2 D2", "u T | u S1 | u D1 | a M1 | u B1 | u P1 | u S2 | u D2"),
        ("boss", "S1 D1 M1 B1 P1 S2 D2 M2", "u T | u S1 | u D1 | u M1 | a B1 | u P1 | u S2 | u D2 | u M2"),
    ],
)
def test_a_persons_text_stands_where_continue_would(name: str, texts: str, expected: str) -> None:
    assert shown(role(name), texts) == expected


def test_a_persons_text_has_a_label_too() -> None:
    assert shown(role("solver", labels=True, order=("solver",)), "S1 P1") == "u T | a S1 | u Person: P1"


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("detractor", "S1", "u T | u S1"),
        ("detractor", "S1 D1 M1 B1 S2", "u T | a D1 | u S2"),
        ("master", "S1 D1 M1 B1 S2 D2", "u T | a M1 | u S2 | u D2"),
        ("master", "S1 D1 M1 B1 S2 D2 M2 B2 S3 D3", "u T | a M1 | a M2 | u S3 | u D3"),
        ("boss", "S1 D1 M1 B1 P1 S2 D2 M2", "u T | a B1 | u P1 | u S2 | u D2 | u M2"),
        ("boss", "S1 D1 M1 B1 P1 S2 D2 M2 B2 S3 D3 M3", "u T | a B1 | a B2 | u S3 | u D3 | u M3"),
        ("solver", "", "u T"),
        ("solver", "S1 D1 M1 B1", "u T | a S1 | u Continue"),
        ("solver", "S1 D1 M1 B1 P1", "u T | a S1 | u P1"),
    ],
)
def test_the_latest_is_this_round_and_the_own_replies(name: str, texts: str, expected: str) -> None:
    assert shown(role(name, sees="latest"), texts) == expected


def test_a_round_that_was_cut_short_is_followed_by_a_new_one() -> None:
    order = ("solver", "boss", "detractor")
    assert (
        shown(role("solver", order=order), "S1 B1 D1 S2 B2")
        == "u T | a S1 | u B1 | u D1 | u Continue | a S2 | u B2 | u Continue"
    )
    assert shown(role("boss", order=order, sees="latest"), "S1 B1 D1 S2 B2 P2 S3") == "u T | a B1 | a B2 | u P2 | u S3"


def test_the_task_is_added_to_a_brief_that_lacks_it() -> None:
    without = Role("solver", brief="Solve it.\n", order=ORDER)
    assert shown(without, "") == "u Solve it.\n\nTask:\nT"
    other = Role("boss", brief="You lead.", order=ORDER)
    assert shown(other, "") == "u You lead.\n\nTask:\nT"


def test_all_placeholders_are_filled_in_one_pass() -> None:
    brief = "<{role}> <{round}>/<{rounds_max}> <{stop_word}>: <{task}>"
    node = Role("detractor", brief=brief, order=ORDER, titles=TITLES, rounds=Rounds(1, 7), stop=Stop(word="<{task}>"))
    assert shown(node, "S1 D1 M1 B1 S2").partition(" | ")[0] == "u Detractor 2/7 <{task}>: T"


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [("solver", "", 1), ("boss", "S1 D1 M1", 1), ("solver", "S1 D1 M1 B1 P1", 2), ("detractor", "S1 D1 M1 B1 S2", 2)],
)
def test_the_round_is_counted_by_the_first_role(name: str, texts: str, expected: int) -> None:
    answer = role(name).answer({"task": "T", "transcript": said(texts)}, "words")
    assert answer.update == {"transcript": {"speaker": name, "text": "words", "round": expected}}


def test_the_answering_role_writes_the_answer_too() -> None:
    node = Role("solver", brief="", order=ORDER, answers=True)
    assert node.contract == Contract("think", ("task", "transcript"), ("transcript", "answer"), ("done",))
    answer = node.answer({"task": "T", "transcript": []}, "Wood.")
    assert answer.outcome == "done"
    assert answer.update == {"transcript": {"speaker": "solver", "text": "Wood.", "round": 1}, "answer": "Wood."}


def stopper(stop: Stop, least: int = 1, order: tuple[str, ...] = ORDER) -> Role:
    return Role(stop.role, brief="", order=order, stop=stop, rounds=Rounds(least, 4))


def outcome(node: Role, texts: str, reply: Json) -> tuple[str, str]:
    answer = node.answer({"task": "T", "transcript": said(texts)}, reply)
    return answer.outcome, answer.reason


def test_only_the_stop_role_may_stop() -> None:
    assert stopper(Stop()).contract == Contract("think", ("task", "transcript"), ("transcript",), ("continue", "stop"))
    assert role("solver").contract.outcomes == ("done",)
    assert outcome(role("solver"), "", WORD) == ("done", "")


@pytest.mark.parametrize(
    ("match", "reply", "expected"),
    [
        ("word", f"Good.\n**{WORD}**", ("stop", "boss said the stop word in round 1")),
        ("word", f"not yet {WORD}", ("continue", "")),
        ("word", WORD.lower(), ("continue", "")),
        ("contains", f"not yet {WORD}", ("stop", "boss said the stop word in round 1")),
        ("contains", WORD.lower(), ("continue", "")),
        ("verdict", {"message": "Good.", "stop": True}, ("stop", "boss decided to stop in round 1")),
        ("verdict", {"message": WORD, "stop": False}, ("continue", "")),
    ],
)
def test_what_stops(match: Literal["word", "contains", "verdict"], reply: Json, expected: tuple[str, str]) -> None:
    assert outcome(stopper(Stop(match=match)), "S1 D1 M1", reply) == expected


def test_a_verdict_has_a_closed_shape_and_its_message_is_what_was_said() -> None:
    node = stopper(Stop(match="verdict"))
    view: dict[str, Json] = {"task": "T", "transcript": said("S1 D1 M1")}
    ask = node.ask(view)
    assert isinstance(ask, AskModel)
    assert ask.schema == VERDICT
    answer = node.answer(view, {"message": "Go on.", "stop": False})
    assert answer.update == {"transcript": {"speaker": "boss", "text": "Go on.", "round": 1}}


def test_other_roles_answer_in_text_where_a_verdict_stops() -> None:
    ask = Role("solver", brief="", order=ORDER, model="strong", stop=Stop(match="verdict")).ask(
        {"task": "T", "transcript": []}
    )
    assert isinstance(ask, AskModel)
    assert (ask.schema, ask.model) == (None, "strong")


FULL = "S1 D1 M1 B1 S2 D2 M2"


@pytest.mark.parametrize(
    ("least", "texts", "expected"),
    [
        (2, "S1 D1 M1", ("continue", "boss wished to stop in round 1, before the minimum of 2")),
        (2, FULL, ("stop", "boss said the stop word in round 2")),
        (3, FULL, ("continue", "boss wished to stop in round 2, before the minimum of 3")),
    ],
)
def test_a_wish_before_the_minimum_is_only_noted(least: int, texts: str, expected: tuple[str, str]) -> None:
    assert outcome(stopper(Stop(), least), texts, WORD) == expected


def test_a_round_is_full_only_when_its_last_role_has_spoken() -> None:
    middle = stopper(Stop(), 1, ("solver", "boss", "detractor"))
    assert outcome(middle, "S1", WORD) == ("continue", "boss wished to stop in round 1, before the minimum of 1")
    assert outcome(middle, "S1 B1 D1 S2", WORD) == ("stop", "boss said the stop word in round 2")
    first = stopper(Stop(), 1, ("boss", "solver"))
    assert outcome(first, "", WORD) == ("continue", "boss wished to stop in round 1, before the minimum of 1")
    assert outcome(first, "B1 S1", WORD) == ("stop", "boss said the stop word in round 2")
    alone = stopper(Stop(role="solver"), 1, ("solver",))
    assert outcome(alone, "", WORD) == ("stop", "solver said the stop word in round 1")


REVIEW = Review("review", shows=("solver", "boss"), titles=TITLES)
REVIEW_STOP = Review("review_stop", shows=("solver", "boss"), titles=TITLES, stopped_by="boss")


def question(node: Review, texts: str) -> AskOutside:
    ask = node.ask({"transcript": said(texts)})
    assert isinstance(ask, AskOutside)
    return ask


def test_a_review_shows_the_answer_and_what_the_stop_role_said() -> None:
    ending = "\n\nSolver:\nS2\n\nBoss:\nB2\n\nAccept the answer, reject it, or continue? A text goes to all roles."
    assert question(REVIEW, FULL + " B2").text == "Round 2 is over." + ending
    assert question(REVIEW_STOP, FULL + " B2").text == "Boss wishes to stop in round 2." + ending


def test_the_question_of_the_last_round_says_that_it_is_the_last() -> None:
    node = Review("review", shows=("solver",), titles=TITLES, rounds=Rounds(1, 2))
    asks = "\n\nSolver:\nS{}\n\nAccept the answer, reject it, or continue? "
    last = "This was the last round: anything but accept ends the run as max_rounds."
    assert question(node, "S1 D1").text == "Round 1 is over." + asks.format(1) + "A text goes to all roles."
    assert question(node, "S1 D1 P1 S2 D2").text == "Round 2 is over." + asks.format(2) + last


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("boss", "S1 D1 M1 B1 S2 D2 M2", ("continue", "round 2 of at most 2 is over")),
        ("boss", "S1 D1 M1", ("continue", "")),
        ("master", "S1 D1 M1 B1 S2 D2", ("done", "")),
    ],
)
def test_the_last_role_says_that_the_last_round_is_over(name: str, texts: str, expected: tuple[str, str]) -> None:
    assert outcome(Role(name, brief="", order=ORDER, rounds=Rounds(1, 2)), texts, "Go on.") == expected


@pytest.mark.parametrize(
    ("brief", "stop", "doubted"),
    [
        ("Stop when all is well.", Stop(), True),
        ("Stop when all is well.", Stop(match="contains"), True),
        ("Write <{ stop_word }> when all is well.", Stop(), False),
        ("Write DONE when all is well.", Stop(word=" DONE "), False),
        ("Write done when all is well.", Stop(word="DONE"), True),
        ("Stop when all is well.", Stop(match="verdict"), False),
        ("Stop when all is well.", Stop(role="solver"), False),
    ],
)
def test_a_brief_that_never_says_the_stop_word_is_doubted(brief: str, stop: Stop, doubted: bool) -> None:
    doubt = Fault(
        "the brief does not say the stop word, so a model would go on to the last round",
        ("brief",),
        "have it say when to write <{stop_word}> on a line of its own",
    )
    assert list(Role("boss", brief=brief, order=ORDER, stop=stop).doubts()) == ([doubt] if doubted else [])


@pytest.mark.parametrize(
    ("node", "line", "action", "text"),
    [
        (REVIEW, "", "continue", ""),
        (REVIEW, "accept", "accept", ""),
        (REVIEW, "reject", "reject", ""),
        (REVIEW, "continue", "continue", ""),
        (REVIEW, "use metric units", "continue", "use metric units"),
        (REVIEW, "I accept", "continue", "I accept"),
        (REVIEW_STOP, "", "accept", ""),
        (REVIEW_STOP, "continue", "continue", ""),
        (REVIEW_STOP, "not satisfied: too long", "reject", "not satisfied: too long"),
    ],
)
def test_what_a_line_stands_for(node: Review, line: str, action: str, text: str) -> None:
    ask = question(node, "S1 B1")
    assert answer_from_line(line, ask.default, ask.shorthand) == {"action": action, "text": text}


@pytest.mark.parametrize(
    ("reply", "written", "reason"),
    [
        (
            {"action": "continue", "text": "use metric units"},
            "use metric units",
            "went on after round 1: use metric units",
        ),
        ({"action": "continue", "text": " \n"}, None, "went on after round 1"),
        ({"action": "continue"}, None, "went on after round 1"),
        ({"action": "reject", "text": "too long\n"}, "too long", "rejected the answer of round 1: too long"),
        ({"action": "accept", "text": ""}, None, "accepted the answer of round 1"),
        ({"action": "accept", "text": "thanks"}, "thanks", "accepted the answer of round 1: thanks"),
    ],
)
def test_what_a_person_replies(reply: dict[str, Json], written: str | None, reason: str) -> None:
    answer = REVIEW.answer({"transcript": said("S1 B1")}, reply)
    assert answer.outcome == reply["action"]
    assert answer.update == ({"transcript": {"speaker": "person", "text": written, "round": 1}} if written else {})
    assert answer.reason == f"a person {reason}"


def test_a_review_declares_its_actions() -> None:
    actions = ("continue", "accept", "reject")
    expected = Contract("wait", ("transcript",), ("transcript",), actions, may_write=("transcript",))
    assert REVIEW.contract == expected
    assert question(REVIEW, "S1").reply["properties"] == {
        "action": {"type": "string", "enum": ["continue", "accept", "reject"]},
        "text": {"type": "string"},
    }


NODES: Sequence[Node] = (
    REVIEW_STOP,
    Role(
        "solver",
        brief="<{task}>",
        order=ORDER,
        titles=TITLES,
        sees="latest",
        rounds=Rounds(2, 3),
        stop=Stop(match="verdict"),
    ),
)


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.type)
def test_the_nodes_are_data(node: Node) -> None:
    assert Node.from_data(node.to_data()) == node
