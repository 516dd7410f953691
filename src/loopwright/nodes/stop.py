"""How a text says that it is time to stop."""

import re


def says_stop(text: str, word: str, *, anywhere: bool = False) -> bool:
    """Whether a text holds the stop word, case and all.

    The word must be a line of its own; punctuation and Markdown around it do not count. So a sentence that quotes or
    denies the word stops nothing.

    Args:
        text: What was said.
        word: The stop word: one line, not blank.
        anywhere: Whether the word may stand anywhere in the text instead.

    Example:
        >>> says_stop("Good work.\\n\\n**DONE**.", "DONE"), says_stop("We are not yet DONE", "DONE")
        (True, False)
        >>> says_stop("We are not yet DONE", "DONE", anywhere=True)
        True
    """
    word = word.strip()
    if anywhere:
        return word in text
    line = re.compile(rf"(?:\s*\d+[.)])?[\W_]*{re.escape(word)}[\W_]*")
    return any(line.fullmatch(each) for each in text.splitlines())
