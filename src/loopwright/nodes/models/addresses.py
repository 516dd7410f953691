"""What may stand in a reference to a model where a name or an address is asked for.

References are stored and shown, so that nothing secret may be in them. A text that is refused is never quoted: it may
be the very thing that must not be shown.
"""

import re
from urllib.parse import urlsplit

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def model_name(name: str) -> str:
    """A model's name as it is.

    Raises:
        ValueError: It is blank.
    """
    if not name.strip():
        raise ValueError("a model's name must not be blank")
    return name


def variable_name(name: str) -> str:
    """The name of an environment variable, or "", as it is.

    Raises:
        ValueError: It is no such name; a key itself, for instance.

    Example:
        >>> variable_name("TEAM_KEY")
        'TEAM_KEY'
    """
    if name and not _VARIABLE.fullmatch(name):
        raise ValueError(
            "this is no name of an environment variable, which has letters, digits and _; "
            "the key itself stands in that variable, never here"
        )
    return name


def api_address(address: str) -> str:
    """The address of an API as it is.

    Raises:
        ValueError: It is no address, or one that could hold a key.

    Example:
        >>> api_address("http://127.0.0.1:8080/v1")
        'http://127.0.0.1:8080/v1'
    """
    return _checked(address, "http", "https", instead="a key goes into the variable that api_key_env names")


def proxy_address(address: str) -> str:
    """The address of a proxy as it is.

    Raises:
        ValueError: It is no address, or one that could hold a password.
    """
    instead = "leave it out, and set HTTPS_PROXY or HTTP_PROXY in the environment, where user and password may stand"
    return _checked(address, "http", "https", "socks5", "socks5h", instead=instead)


def _checked(address: str, *schemes: str, instead: str) -> str:
    try:
        parts = urlsplit(address)
        complete = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none, or a bracket that does not close
        complete = False
    if not complete or " " in address or not address.isprintable():
        beginnings = [f"{scheme}://" for scheme in schemes]
        begins = f"{', '.join(beginnings[:-1])} or {beginnings[-1]}"
        raise ValueError(f"this is no address: one begins with {begins}, and a host follows, without any space")
    if "@" in parts.netloc or "?" in address or "#" in address:
        raise ValueError(f"this address is stored, so it has no user, no password, and nothing after ? or #; {instead}")
    return address
