"""What all spans have: when they began, and what the request in their input was."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction

__all__ = ["request", "start"]

_STARTS = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")


def start(span: Mapping[str, object]) -> Fraction:
    """Return when a span began, in units of its own; spans that do not say keep their order at the front."""
    value = next((span[key] for key in _STARTS if span.get(key) is not None), None)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        return Fraction(value[0]) + Fraction(value[1], 10**9)
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        pass
    try:
        return Fraction(datetime.fromisoformat(str(value)).timestamp())
    except (ValueError, OverflowError, OSError):
        return Fraction(0)


def request(value: object) -> str | None:
    """Return what the user asked: a text, the user's message in a chat, or the only text of an object."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if isinstance(value.get("messages"), list):
            return request(value["messages"])
        texts = [each for each in value.values() if isinstance(each, str)]
        return texts[0] if len(texts) == 1 else None
    if isinstance(value, list):
        for message in value:
            if isinstance(message, Mapping) and message.get("role") == "user":
                content = message.get("content")
                return content if isinstance(content, str) else None
    return None
