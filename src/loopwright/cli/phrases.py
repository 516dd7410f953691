"""Phrases: how texts, times and counts are written on a terminal. Nothing here knows of consoles."""

import json
import textwrap
from collections.abc import Mapping, Sequence

from loopwright.graphs.draw.lettering import columns_of, visible
from loopwright.graphs.run.budgets import Spending
from loopwright.nodes.budget import amount_words, money_words
from loopwright.state.records import Usage, Visit
from loopwright.state.values import Json

LEAST_TEXT = 16
"""Columns that a row must leave for what is said in its last cell; on a narrower terminal that gets its own line."""


def is_text(word: str) -> bool:
    """Whether a word is text. One that came from outside holds surrogates in the place of bytes that are none.

    Example:
        >>> is_text("caf\\u00e9"), is_text("caf\\udce9")
        (True, False)
    """
    return not any("\ud800" <= char <= "\udfff" for char in word)


def harmless(text: str) -> str:
    """A text with its lines, and with nothing that a terminal would obey.

    Example:
        >>> harmless("one\\ntwo\\x1b[2J")
        'one\\ntwo\\ufffd[2J'
    """
    return "\n".join(visible(line) for line in text.splitlines())


def one_line(value: Json) -> str:
    """The first line that says something, or a value as JSON on one line.

    Example:
        >>> one_line("\\nWood rots.\\nSo paint it."), one_line({"outcome": "pass"})
        ('Wood rots.', '{"outcome": "pass"}')
    """
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return next((visible(line.strip()) for line in text.splitlines() if line.strip()), "")


def whole(value: Json) -> str:
    """A value in full: a text as it is, anything else as JSON."""
    return harmless(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2))


def said_in(visit: Visit) -> str:
    """What a visit came to, on one line: a text, a score, a reason or a value, and never the outcome once more.

    Example:
        >>> said_in(Visit(0, "boss", "think", "continue", reply={"message": "Go on.", "stop": False}))
        'Go on.'
        >>> said_in(Visit(0, "rate", "think", "done", reply={"score": 8, "reason": "Short."}, reason="Short."))
        'score 8: Short.'
        >>> said_in(Visit(0, "ask", "wait", "send", reply={"action": "send", "text": ""}))
        ''
        >>> said_in(Visit(0, "ask", "think", "call", reply={"answer": "", "calls": [{"name": "now", "args": {}}]}))
        'now()'
    """
    match visit.reply:
        case str(said) | {"message": str(said), "stop": bool()}:
            return one_line(said)
        case {"answer": answer, "calls": list(calls), **rest} if not rest:
            return one_line(", ".join(map(_call_words, calls)) or answer)
        case {"score": int() | float() as score, **rest} if rest.keys() <= {"reason"}:
            return ": ".join(filter(None, [f"score {score:g}", one_line(visit.reason)]))
    return one_line(visit.reason) or _value_in(visit)


def _call_words(call: Json) -> str:
    """A call of a tool, as Python writes it."""
    match call:
        case {"name": str(name), "args": dict(args)}:
            return (
                f"{name}({', '.join(f'{key}={json.dumps(value, ensure_ascii=False)}' for key, value in args.items())})"
            )
    return json.dumps(call, ensure_ascii=False)


def _value_in(visit: Visit) -> str:
    """What a visit that gave no reason came to beside its outcome."""
    match visit.reply:
        case {"action": visit.outcome, **rest} if rest.keys() <= {"text"}:
            return one_line(str(rest.get("text") or ""))
        case {"outcome": visit.outcome, **rest} if rest.keys() <= {"reason"}:
            return ""
        case {"outcome": visit.outcome, "update": dict(update), "reason": ""}:
            return ", ".join(f"{name}: {one_line(value)}" for name, value in update.items())
    return one_line(visit.reply)


def counted(count: int, noun: str) -> str:
    """A count and what is counted.

    Example:
        >>> counted(1, "end"), counted(2, "end"), counted(0, "end")
        ('1 end', '2 ends', '0 ends')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def cut(text: str, width: int) -> str:
    """A line of at most so many columns; what is too much is left out at its end.

    Example:
        >>> cut("a long line", 7), cut("short", 7)
        ('a long…', 'short')
    """
    if columns_of(text) <= width:
        return text
    kept = ""
    for char in text:
        if columns_of(kept + char) > width - 1:
            break
        kept += char
    return f"{kept}…" if width > 0 else ""


def padded(text: str, width: int) -> str:
    """A line of exactly so many columns.

    Example:
        >>> padded("boss", 6), padded("detractor", 6)
        ('boss  ', 'detra…')
    """
    line = cut(text, width)
    return line + " " * (width - columns_of(line))


def stacked(cells: Sequence[str], text: str, width: int) -> str:
    """A row for a terminal that is too narrow for columns: its cells, broken where they must be, and a line of text.

    Args:
        cells: The cells; empty ones are left out.
        text: What is said in the row's last cell.
        width: Columns of the terminal.

    Example:
        >>> print(stacked(["12", "detractor", "", "continue"], "The rope is too short.", 18))
        12 detractor
          continue
          The rope is too…
    """
    lines = textwrap.wrap(" ".join(filter(None, cells)), max(width, 1), subsequent_indent="  "[: width - 1])
    return "\n".join([*lines, *([cut(f"  {text}", width)] if text else [])])


def seconds_words(seconds: float) -> str:
    """A time that something took.

    Example:
        >>> seconds_words(0.04), seconds_words(12.34), seconds_words(125)
        ('0.0 s', '12.3 s', '2 min 5 s')
    """
    if round(seconds, 1) < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def age_words(seconds: float) -> str:
    """How long ago something was.

    Example:
        >>> age_words(4), age_words(130), age_words(7300), age_words(200000)
        ('4 s ago', '2 min ago', '2 h ago', '2 days ago')
    """
    for size, word in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {word.removesuffix('s') if count == 1 and word == 'days' else word} ago"
    return f"{max(0, int(seconds))} s ago"


def of_at_most(noun: str, count: int, most: int | None) -> str:
    """A count against its bound.

    Example:
        >>> of_at_most("visits", 5, 17), of_at_most("visits", 5, None)
        ('visits 5 of at most 17', 'visits 5')
    """
    return f"{noun} {count:,}" + (f" of at most {most:,}" if most is not None else "")


def usage_words(visits: int, usage: Usage, most_visits: int | None, most_calls: int | None) -> str:
    """What a run took so far, against its certificate.

    Example:
        >>> usage_words(5, Usage(calls=4, tokens_in=1200, tokens_out=34, repeats=2), 17, 16)
        'visits 5 of at most 17, calls 4 of at most 16, tokens 1,234, repeats 2'
        >>> usage_words(2, Usage(calls=2, cost=0.00021, unpriced=1), None, None)
        'visits 2, calls 2, cost $0.00021 without 1 call of unknown price'
        >>> usage_words(2, Usage(calls=1, cached=1), None, None)
        'visits 2, calls 1, cached 1'
    """
    again = (
        ("retries", usage.retries),
        ("repairs", usage.repairs),
        ("repeats", usage.repeats),
        ("failed", usage.failed),
    )
    counts = (("cached", usage.cached), ("tokens", usage.tokens), *again)
    parts = [of_at_most("visits", visits, most_visits), of_at_most("calls", usage.calls, most_calls)]
    costs = [f"cost {cost_words(usage)}"] if usage.cost else []
    return ", ".join([*parts, *(f"{noun} {count:,}" for noun, count in counts if count), *costs])


def cost_words(usage: Usage) -> str:
    """What calls cost, and how many of them nobody knows the price of.

    Example:
        >>> cost_words(Usage(calls=3, cost=1.5, unpriced=2))
        '$1.50 without 2 calls of unknown price'
    """
    without = f" without {counted(usage.unpriced, 'call')} of unknown price" if usage.unpriced else ""
    return money_words(usage.cost) + without


def budget_words(spending: Mapping[str, Spending]) -> str:
    """What is spent of each budget.

    Example:
        >>> budget_words({"calls": Spending(12, 40), "cost": Spending(0.12, 0.5)})
        'calls 12 of 40, cost $0.12 of $0.50'
    """
    return ", ".join(
        f"{name} {amount_words(name, each.spent)} of {amount_words(name, each.limit)}"
        for name, each in spending.items()
    )
