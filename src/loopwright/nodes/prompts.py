"""Prompts: texts with `<{name}>` placeholders, rendered in one pass.

Braces and angle brackets on their own are plain text, so JSON can stand in a prompt. A value that itself contains
`<{x}>` stays as it is: nothing is expanded twice.
"""

import json
import re

from loopwright.nodes.contract import View
from loopwright.state.values import Json

_PLACEHOLDER = re.compile(r"<\{([^{}<>]+)\}>")
_WORD = re.compile(r"(?<![\w\\}{$^])\{\{?\s*([^\W\d]\w+)\s*\}\}?(?![{\w])")
_BRACES = re.compile(r"\{\{?\s*([^{}]+?)\s*\}\}?")


def placeholders(template: str) -> tuple[str, ...]:
    """The names that a template asks for, each once, in order.

    Example:
        >>> placeholders('Write {"about": "<{topic}>"}. Notes: <{notes}>. Again: <{topic}>')
        ('topic', 'notes')
    """
    return tuple(dict.fromkeys(name.strip() for name in _PLACEHOLDER.findall(template)))


def in_braces(template: str) -> dict[str, str]:
    """What stands in braces alone, as it is written, and the name between them. It is plain text, whatever was meant.

    Example:
        >>> in_braces('About {topic} or {{ topic }}, not <{topic}>')
        {'{topic}': 'topic', '{{ topic }}': 'topic'}
    """
    return {found[0]: found[1] for found in _BRACES.finditer(_PLACEHOLDER.sub("", template))}


def names_in_braces(template: str) -> set[str]:
    """The names in braces alone that look as if a placeholder was meant: words, and not the arguments of a command.

    Example:
        >>> sorted(names_in_braces('In {place} on {{ day }}: \\frac{top}{low}, {"key": 1}, {x}, <{topic}>'))
        ['day', 'place']
    """
    return set(_WORD.findall(_PLACEHOLDER.sub(" ", template)))


def render(template: str, values: View) -> str:
    """The template with every placeholder replaced by its value.

    Text stands as it is, a list of texts becomes one line each with a dash, everything else its JSON.

    Raises:
        KeyError: A placeholder has no value; `check` finds this before a run.

    Example:
        >>> render("About <{topic}>:\\n<{notes}>", {"topic": "<{notes}>", "notes": ["a", "b"]})
        'About <{notes}>:\\n- a\\n- b'
    """
    return _PLACEHOLDER.sub(lambda match: as_text(values[match.group(1).strip()]), template)


def as_text(value: Json) -> str:
    """A value as it stands in a prompt."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(f"- {item}" for item in value)
    return json.dumps(value, ensure_ascii=False)
