"""Traces in texts that are no JSON as a whole: what stands around the values, or between them.

data: {"choices": [...]}                          server-sent events, as servers stream them
10:00:01 INFO call: {"name": "f", ...}            lines of a log, each with a value behind what the logger says
{"name": "f"} {"name": "g"}                       values that follow each other, on as many lines as they are printed
[{'role': 'assistant', 'content': None}]          what Python prints
```json ... ```                                   a value in a fence

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


def loose_value(text: str, is_trace: Callable[[object], bool]) -> tuple[object, tuple[str, ...]] | None:
    """Return the value of a text that is no JSON as a whole, and what of it was not understood; None for any other."""
    inner = text[slice(*unfenced(text))]
    is_like_json = inner.lstrip()[:1] in ("{", "[")
    found = _scan(inner)
    if found.values and not found.others:
        return (found.values[0] if len(found.values) == 1 else found.values), ()
    if found.are_streamed:
        return found.values, ()
    printed = printed_value(inner.strip()) if is_like_json else None
    if isinstance(printed, list | dict):
        return printed, ()
    if any(True for _ in runs_in(text)):
        return [{"role": "assistant", "content": text}], ()
    if any(line[0] in "{[" for line in found.others) or not found.values or not is_trace(found.values):
        return None
    calls = (line for line in found.others if begins_call(line) or _KEYED.search(line) or _BEGINS.search(line))
    missed = found.others if is_like_json else calls
    return found.values, tuple(f"a line between the values may be a call: {line[:100]}" for line in missed)


# --- values in a text ----------------------------------------------------------------------------

_BEGINS = re.compile(r"[{\[]\s*+[\"{\[]")
_MOST_UNREAD = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scanned:
    """The objects and lists in a text, and the lines of what stands between them."""

    values: list[object]
    others: list[str]

    @property
    def are_streamed(self) -> bool:
        """Return whether these are server-sent events."""
        return bool(self.values) and all(map(_FIELD.fullmatch, self.others))


def _scan(text: str) -> _Scanned:
    """Find the values in a text; one that is not whole is passed over with the rest of its line."""
    values: list[object] = []
    others: list[str] = []
    place, unread, decoder = 0, 0, json.JSONDecoder()
    while unread < _MOST_UNREAD and (begins := _BEGINS.search(text, place)):
        end = begins.start()
        try:
            value, after = decoder.raw_decode(text, end)
        except (ValueError, RecursionError):
            unread += 1
            after = end = text.find("\n", end) % (len(text) + 1)
        else:
            values.append(value)
        others += text[place:end].split("\n")
        place = after
    others += text[place:].split("\n")
    return _Scanned(values=values, others=[said for line in others if (said := line.strip(" \t\r,"))])


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
