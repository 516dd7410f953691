"""What may be shown of the words of a library or a server: no key, and not more than can be read."""

import re

from pydantic import ValidationError

SHORTEST_KEY = 8
"""Characters; fewer are a placeholder, of servers that need no key."""

HIDDEN = "***"
"""What stands where a key stood."""

_SHOWN = 600
"""So many characters of an error are shown; a server's body may have any length."""

_USER = re.compile(r"(\w://)[^/\s]*@")
_SECRET_VALUE = re.compile(r"((?:key|token|secret|password|signature)=)[^&\s\"'<>)]+", re.IGNORECASE)


def without_secrets(text: str, key: str = "") -> str:
    """A text without the key, and without what stands in addresses as user, password, key or token.

    Args:
        text: What a library or a server said.
        key: The key. One of fewer than 8 characters is a placeholder of servers that need none, and stays.

    Example:
        >>> without_secrets("no key like sk-12345678 at http://me:pw@host/v1?api_key=abc&n=1", "sk-12345678")
        'no key like *** at http://host/v1?api_key=***&n=1'
    """
    if len(key) >= SHORTEST_KEY:
        text = text.replace(key, HIDDEN)
    return _SECRET_VALUE.sub(rf"\1{HIDDEN}", _USER.sub(r"\1", text))


def showable(text: str, key: str = "") -> str:
    """A text without secrets, and with the beginning only where it is long."""
    text = without_secrets(text, key)  # before it is cut, so that no part of a key is left at the end
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


def words_of(error: Exception) -> str:
    """The words of an error; of pydantic's without the data that it was given, keys among them."""
    if isinstance(error, ValidationError):
        return "; ".join(detail["msg"] for detail in error.errors(include_input=False, include_url=False))
    return str(error)
