"""Letters: how wide a text is, how a long one is shortened, and what is shown for characters that have no shape."""

import unicodedata
from collections.abc import Iterable

NAME_SIZE = 13.0
"""Font size of names, in pixels."""

SMALL_SIZE = 11.0
"""Font size of labels and second lines."""

LONGEST = 36
"""Characters of a name or label that are shown; the middle of a longer one is left out."""

TIMES = "\u00d7"
"""The sign before a count."""

_NARROW = frozenset("ijl.,;:'|!fIt()[]{}/\\ r-`")
_WIDE = frozenset("mwMW@%&—≤→")


def visible(text: str) -> str:
    """The text on one line, with a mark for each character that has no shape or would turn the line around.

    Example:
        >>> visible("two\\nlines\\x00")
        'two lines\\ufffd'
    """
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    if char in "\t\n\r":
        return " "
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Cs", "Co", "Cn") and char != "\u200d":
        return "\ufffd"
    return " " if category in ("Zl", "Zp") else char


def shorten(text: str, most: int = LONGEST) -> str:
    """The text, or its two ends around an ellipsis where it has more than `most` characters.

    Example:
        >>> shorten("a rather long name", 11)
        'a rat… name'
    """
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes.

    Example:
        >>> columns_of("wide"), columns_of("日本")
        (4, 4)
    """
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
        for char in text
    )


def wrapped(words: Iterable[str], most: int = LONGEST) -> tuple[str, ...]:
    """Words on lines of at most `most` characters; a longer word is shortened.

    Example:
        >>> wrapped(["accept,", "reject,", "continue", "(rounds ≤ 3)"], 16)
        ('accept, reject,', 'continue', '(rounds ≤ 3)')
    """
    lines: list[str] = []
    for word in words:
        shown = shorten(visible(word), most)
        if lines and len(lines[-1]) + 1 + len(shown) <= most:
            lines[-1] += f" {shown}"
        else:
            lines.append(shown)
    return tuple(line for line in lines if line)


def text_width(text: str, size: float = NAME_SIZE) -> float:
    """How wide a text will be at most, in pixels, in the usual sans-serif fonts.

    Example:
        >>> text_width("will") < text_width("with") < text_width("warm")
        True
    """
    return size * sum(_char_width(char) for char in text)


def _char_width(char: str) -> float:
    if char in _NARROW:
        return 0.38
    if char in _WIDE:
        return 0.92
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 1.05
    if unicodedata.combining(char):
        return 0.0
    return 0.72 if char.isupper() else 0.6
