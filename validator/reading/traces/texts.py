"""Traces in texts that are no JSON as a whole: what stands around the values, between them, or cuts them off.

data: {"choices": [...]}                          server-sent events, as servers stream them
10:00:01 INFO call: {"name": "f", ...}            lines of a log, each with a value behind what the logger says
{"name": "f"} {"name": "g"}                       values that follow each other, on as many lines as they are printed
[{'role': 'assistant', 'content': None}]          what Python prints
```json ... ```                                   a value in a fence
[{"name": "f", ...}, {"name": "g", "argu          a value that is cut off: what of it is whole, and that it is not

A text in which an agent asks for calls, as ReAct prints it or models write them, is its message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from validator.reading.calls.wire import begins_call
from validator.reading.traces.parts import runs_in
from validator.reading.values import printed_value, unfenced
from validator.records import dataclass

__all__ = ["loose_value", "unfolded"]

_FIELD = re.compile(r"(?:event|id|retry):.*|:.*|data:(?:\s*\[DONE\])?")
"""A line of server-sent events without its value."""
_KEYED = re.compile(r"\w[\"']\s*+:")
_MOST_BROKEN = 0.1
_LEAST_WHOLE = 2


def loose_value(text: str, is_trace: Callable[[object], bool]) -> tuple[object, tuple[str, ...]] | None:
    """Return the value of a text that is no JSON as a whole, and what of it was not understood; None for any other."""
    inner = text[slice(*unfenced(text))]
    is_like_json = inner.lstrip()[:1] in ("{", "[")
    found = _scan(inner)
    if found.values and not found.others:
        return (found.values[0] if len(found.values) == 1 else found.values), ()
    if found.are_streamed:
        return found.values, ()
    if is_like_json and (value := _json(inner, found)) is not None:
        return value
    if any(True for _ in runs_in(text)):
        return [{"role": "assistant", "content": text}], ()
    if any(line[0] in "{[" for _, line in found.others) or not found.values or not is_trace(found.values):
        return None
    lines = [line for _, line in found.others if begins_call(line) or _KEYED.search(line) or _BEGINS.search(line)]
    return found.values, tuple(f"a line of the log begins a call: {line[:100]}" for line in lines)


def _json(text: str, found: _Scanned) -> tuple[object, tuple[str, ...]] | None:
    """Return the value of a text that begins as JSON does: printed by Python, with a few broken lines, or cut off."""
    cut = None if found.broken is None else _whole_part(text[found.broken :])
    if cut is not None and not found.before:
        return cut, (_CUT,)
    most = max(1, int(sum(bool(line.strip()) for line in text.split("\n")) * _MOST_BROKEN))
    are_objects = all(isinstance(value, dict) for value in found.values)
    if are_objects and len(found.values) >= _LEAST_WHOLE and len(found.others) <= most:
        return found.values, tuple(f"line {number} is no JSON object" for number, _ in found.others)
    printed = printed_value(text.strip())
    if isinstance(printed, list | dict):
        return printed, ()
    return None if cut is None or found.before < _LEAST_WHOLE else ([*found.values[: found.before], cut], (_CUT,))


_SIGNS = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}
_CUT = "the text ends in the middle of a value"


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


# --- values in a text ----------------------------------------------------------------------------

_BEGINS = re.compile(r"[{\[]\s*+[\"{\[]")
_MOST_UNREAD = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scanned:
    """The objects and lists in a text, and the lines of what stands between them, each with its number.

    ``broken`` is where the first value begins that is not whole, ``before`` how many values stand before it.
    """

    values: list[object]
    others: list[tuple[int, str]]
    broken: int | None = None
    before: int = 0

    @property
    def are_streamed(self) -> bool:
        """Return whether these are server-sent events."""
        return bool(self.values) and all(_FIELD.fullmatch(line) for _, line in self.others)


def _scan(text: str) -> _Scanned:
    """Find the values in a text; one that is not whole is passed over with the rest of its line."""
    values: list[object] = []
    between: list[tuple[int, int]] = []
    broken: list[tuple[int, int]] = []
    place, decoder = 0, json.JSONDecoder()
    while len(broken) < _MOST_UNREAD and (begins := _BEGINS.search(text, place)):
        try:
            value, end = decoder.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            broken.append((begins.start(), len(values)))
            end = text.find("\n", begins.start()) % (len(text) + 1)
            between.append((place, end))
        else:
            values.append(value)
            between.append((place, begins.start()))
        place = end
    others: list[tuple[int, str]] = []
    number, counted = 1, 0
    for start, end in (*between, (place, len(text))):
        number, counted = number + text.count("\n", counted, start), start
        lines = enumerate(text[start:end].split("\n"), number)
        others += [(place, said) for place, line in lines if (said := line.strip(" \t\r,"))]
    first, before = broken[0] if broken else (None, 0)
    return _Scanned(values=values, others=others, broken=first, before=before)


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
    found = _scan(bare) if "data:" in bare else None
    return found.values if found is not None and found.are_streamed else text
