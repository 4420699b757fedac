"""Points in time as logs and traces write them."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

_FINER = ((Fraction(10) ** 17, 1), (Fraction(10) ** 14, 10**3), (Fraction(10) ** 11, 10**6))
"""from which size on a point in time counts nano-, micro- or milliseconds: in seconds it is in the year 5138"""


def instant(time: object) -> int | None:
    """Return a point in time in nanoseconds; None for what is none.

    It is a number since any moment, a pair of seconds and nanoseconds, or a date of ISO 8601, in UTC without a zone.
    """
    if isinstance(time, list) and len(time) == 2 and all(type(part) is int for part in time):
        return int(time[0] * 10**9 + time[1])
    if isinstance(time, bool) or not isinstance(time, int | float | str | Fraction):
        return None
    try:
        number = Fraction(time)
    except (ValueError, OverflowError, ZeroDivisionError):
        return _date(str(time))
    nanoseconds = next((each for size, each in _FINER if abs(number) >= size), 10**9)
    return None if number < 0 else int(number * nanoseconds)


def _date(text: str) -> int | None:
    try:
        date = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    since = (date if date.tzinfo else date.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return None if since.days < 0 else (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
