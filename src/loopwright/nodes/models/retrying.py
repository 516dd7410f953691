"""When a call that failed may be made again, and after how long."""

import math
from email.utils import parsedate_to_datetime

LONGEST_ASKED = 300.0
"""Seconds that a server may ask us to wait; where it asks for more, the run is suspended and can be resumed then."""

_MAY_PASS = (408, 409, 425, 429)
"""Statuses below 500 after which the same question may be asked again."""


def may_pass(status: int) -> bool:
    """Whether what a server said with this status may be otherwise the next time.

    Example:
        >>> may_pass(429), may_pass(503), may_pass(401)
        (True, True, False)
    """
    return status in _MAY_PASS or status >= 500


def seconds_to_wait(header: str, now: float) -> float | None:
    """What a Retry-After header asks for, in seconds from now; None where it is neither a number nor a date.

    Example:
        >>> seconds_to_wait("1.5", now=0.0), seconds_to_wait("soon", now=0.0)
        (1.5, None)
        >>> seconds_to_wait("Thu, 01 Jan 1970 00:01:00 GMT", now=50.0)
        10.0
    """
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - now
        except (ValueError, OverflowError):  # the date of no calendar
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
