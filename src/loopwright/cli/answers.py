"""Answers: how a question is shown, and how a person at a terminal is asked."""

from collections.abc import Mapping
from typing import Any

from loopwright.cli.output import Output
from loopwright.cli.phrases import harmless, is_text
from loopwright.errors import WrongAnswer
from loopwright.nodes.wait import TEXT_KEY
from loopwright.state.records import Question
from loopwright.state.schema import word_of


def show_question(output: Output, question: Question) -> None:
    """The question, and what may be answered."""
    output.say()
    output.say(harmless(question.text), "bold")
    output.say(choices(question), "dim")


def choices(question: Question) -> str:
    """What may be answered, in a line.

    Example:
        >>> actions = {word: {"action": word, "text": ""} for word in ("accept", "reject")}
        >>> words = {**actions, "": actions["reject"]}
        >>> print(choices(Question("1", "review", "Good?", default=actions["accept"], shorthand=words)))
        accept (or an empty line), reject; any other text: reject, with the text
        >>> print(choices(Question("1", "ask", "How many?", {"type": "integer"})))
        the answer: int
    """
    words = {word: answer for word, answer in question.shorthand.items() if word != TEXT_KEY}
    if question.due is not None:
        return "an empty line ends the pause"
    if not words:
        return f"the {'payload' if question.event else 'answer'}: {word_of(question.reply)}"
    first = [f"{word} (or an empty line)" for word, answer in words.items() if answer == question.default]
    named = [*first, *(word for word, answer in words.items() if answer != question.default)]
    text = question.shorthand.get(TEXT_KEY)
    rest = f"; any other text: {_action(text)}, with the text" if isinstance(text, dict) else ""
    return ", ".join(named) + rest


def _action(answer: Mapping[str, Any]) -> str:
    return str(answer.get("action", "answer"))


def ask_person(output: Output) -> str | None:
    """A line that a person types, or None where they leave (Ctrl-D or Ctrl-C).

    Raises:
        WrongAnswer: What they typed is no text.
    """
    try:
        line = output.console.input("> ")
    except (EOFError, KeyboardInterrupt):
        output.say()
        return None
    except UnicodeDecodeError:
        line = "\udcff"
    if not is_text(line):
        raise WrongAnswer("this is no text in UTF-8; type it again")
    return line
