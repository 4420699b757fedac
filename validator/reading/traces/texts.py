"""Traces in texts that are no JSON as a whole: what stands around the values, between them, or cuts them off.

data: {"choices": [...]}                          server-sent events, as servers stream them
10:00:01 INFO call: {"name": "f", ...}            lines of a log, each with a value behind what the logger says
{"name": "f"} {"name": "g"}                       values that follow each other, on as many lines as they are printed
[{'role': 'assistant', 'content': None}]          what Python prints
```json ... ```                                   a value in a fence
[{"name": "f", ...}, {"name": "g", "argu          a value that is cut off: what of it is whole, and that it is not
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from validator.reading.arguments import printed_value

__all__ = ["has_broken_value", "logged_values", "unfolded", "values_in_text"]

_CUT = "the text ends in the middle of a value"


def values_in_text(text: str) -> tuple[object, tuple[str, ...]] | None:
    """Return the value of a text that is no JSON as a whole, and what of it was not understood; None for any other."""
    bare = _unfenced(text.strip())
    if (events := list(_events(bare))) and _STREAMED.match(bare):
        return events, ()
    if bare[:1] not in ("{", "["):
        return None
    values, end = _one_behind_another(bare)
    if values and end == len(bare):
        return (values[0] if len(values) == 1 else values), ()
    printed = printed_value(bare)
    if isinstance(printed, list | dict):
        return printed, ()
    if len(values) > 1 and (whole := _whole_part(bare[end:])) is not None:
        return [*values, *([whole] if whole else [])], (_CUT,)
    whole = _whole_part(bare) if not values else None
    return None if not whole else (whole, (_CUT,))


_FENCED = re.compile(r"```[^\n`]*+\n(?P<inner>.*)\n[ \t]*+```", re.DOTALL)


def _unfenced(text: str) -> str:
    found = _FENCED.fullmatch(text)
    return text if found is None or "```" in found["inner"] else found["inner"].strip()


# --- server-sent events --------------------------------------------------------------------------

_STREAMED = re.compile(r"(?:event|data|id|retry):|:", re.MULTILINE)


def _events(text: str) -> Iterator[object]:
    """Yield the values of server-sent events; nothing where one of them has none."""
    for line in text.splitlines():
        if line.startswith("data:") and (said := line[5:].strip()) not in ("", "[DONE]"):
            try:
                yield json.loads(said)
            except (ValueError, RecursionError):
                continue


# --- values behind each other, and cut off -------------------------------------------------------

_BETWEEN = re.compile(r"[\s,]*+")
_MOST_VALUES = 100_000


def _one_behind_another(text: str) -> tuple[list[object], int]:
    """Return the objects and lists with which a text begins, and where they end."""
    found: list[object] = []
    place = 0
    decoder = json.JSONDecoder()
    while text[place : place + 1] in ("{", "[") and len(found) < _MOST_VALUES:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        found.append(value)
        place = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]  # it matches everywhere
    return found, place


_SIGNS = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}


def _whole_part(text: str) -> object:
    """Return what of a value is whole that is cut off: the members of its outermost list; None for others.

    The member that is cut off is left out as a whole: half of a call is another call.
    """
    closers: list[str] = []
    members: list[int] = []
    for sign in _SIGNS.finditer(text):
        if sign[0] in _CLOSES:
            closers.append(_CLOSES[sign[0]])
            members.append(0)
        elif sign[0] in ("}", "]"):
            if not closers or closers.pop() != sign[0]:
                return None
            members.pop()
            if not closers:
                return None  # it is closed, and no JSON all the same
            members[-1] = sign.end()
    place = next((place for place, sign in enumerate(closers) if sign == "]"), None)
    if place is None or not members[place]:
        return None
    try:
        return json.loads(text[: members[place]] + "".join(reversed(closers[: place + 1])))
    except (ValueError, RecursionError):
        return None


# --- logs ----------------------------------------------------------------------------------------

_BEGINS = re.compile(r"[{\[]\s*+[\"{\[]")


def logged_values(text: str) -> tuple[list[object], list[str]]:
    """Return the values in lines, between what the logger says, and the lines that have none."""
    found: list[object] = []
    others = []
    for line in text.split("\n"):
        value = None if has_broken_value(line) else _value_in(line)
        if isinstance(value, dict | list):
            found.append(value)
        elif line.strip():
            others.append(line)
    return found, others


_KEYED = re.compile(r"\w[\"']\s*+:")


def has_broken_value(line: str) -> bool:
    """Return whether a value stands in a line that is not whole there: it is cut off, or a sign of it is lost."""
    begins = _BEGINS.search(line)
    if begins is None:
        return _KEYED.search(line) is not None
    try:
        _, end = json.JSONDecoder().raw_decode(line, begins.start())
    except (ValueError, RecursionError):
        return True
    return _KEYED.search(line, 0, begins.start()) is not None or _KEYED.search(line, end) is not None


def _value_in(line: str) -> object:
    """Return the object or list that begins in a line, whatever stands behind it; None where none does."""
    begins = _BEGINS.search(line)
    return None if begins is None else json.JSONDecoder().raw_decode(line, begins.start())[0]


# --- texts inside of values ----------------------------------------------------------------------


def unfolded(value: object) -> object:
    """Return a value with the values that its texts stand for: bodies of requests and of responses, as logs keep them.

    It is the same one where no text stands for an object, a list or a stream.
    """
    if isinstance(value, str):
        return _unfolded_text(value)
    if isinstance(value, Mapping):
        inner = {key: unfolded(each) for key, each in value.items()}
        return inner if any(inner[key] is not each for key, each in value.items()) else value
    if isinstance(value, list | tuple):
        listed = [unfolded(each) for each in value]
        return listed if any(one is not other for one, other in zip(listed, value, strict=True)) else value
    return value


def _unfolded_text(text: str) -> object:
    bare = text.strip()
    if bare[:1] in ("{", "["):
        try:
            return json.loads(bare)
        except (ValueError, RecursionError):
            return text
    return (list(_events(bare)) or text) if _STREAMED.match(bare) and "data:" in bare else text
