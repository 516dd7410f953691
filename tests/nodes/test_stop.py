"""The stop word: what stops, and what only speaks of stopping."""

import pytest

from loopwright.nodes.stop import says_stop

WORD = "Fluggaenkoechiebolsen"


@pytest.mark.parametrize(
    "text",
    [
        WORD,
        f"  {WORD}  ",
        f"Well done.\n\n{WORD}\n",
        f"{WORD}\nThat is all.",
        f"Well done.\r\n{WORD}\r\n",
        f"{WORD}.",
        f"{WORD}!!!",
        f"({WORD})",
        f'"{WORD}"',
        f"\u201e{WORD}\u201c",
        f"**{WORD}**",
        f"__{WORD}__",
        f"`{WORD}`",
        f"```\n{WORD}\n```",
        f"# {WORD}",
        f"> {WORD}",
        f"- {WORD}",
        f"* **{WORD}**.",
        f"1. The answer is good.\n2. {WORD}",
    ],
)
def test_a_line_that_is_the_word_stops(text: str) -> None:
    assert says_stop(text, WORD)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Go on.",
        WORD.lower(),
        WORD.upper(),
        f"not yet {WORD}",
        f"I will not say {WORD} yet.",
        f'I will say "{WORD}" when it is good.',
        f"{WORD}, but not yet",
        f"Stop: {WORD}",
        f"{WORD} {WORD}",
        f"{WORD}s",
        f"un{WORD}",
        f"{WORD}2",
        f"{WORD[:6]}\n{WORD[6:]}",
    ],
)
def test_a_line_with_anything_else_does_not(text: str) -> None:
    assert not says_stop(text, WORD)


@pytest.mark.parametrize(
    ("text", "word", "stops"),
    [
        ("C++", "C++", True),
        ("**C++**", "C++", True),
        ("C", "C++", False),
        ("[END]", "[END]", True),
        ("END", "[END]", False),
        ("the end.", "the end", True),
        ("DONE", " DONE ", True),
        ("axb", "a.b", False),
        ("", "!!!", False),
        ("FERTIG - GRÜN", "FERTIG - GRÜN", True),
    ],
)
def test_signs_in_the_word_are_part_of_it(text: str, word: str, stops: bool) -> None:
    assert says_stop(text, word) is stops


@pytest.mark.parametrize(
    ("text", "stops"),
    [(f"I will not say {WORD} yet.", True), (f"un{WORD}s", True), (WORD.lower(), False), ("Go on.", False)],
)
def test_anywhere_finds_it_in_any_sentence(text: str, stops: bool) -> None:
    assert says_stop(text, WORD, anywhere=True) is stops
