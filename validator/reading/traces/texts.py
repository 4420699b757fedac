"""Traces in texts that are no JSON as a whole: what stands around the values, between them, or cuts them off.

data: {"choices": [...]}                          server-sent events, as servers stream them
10:00:01 INFO call: {"name": "f", ...}            lines of a log, each with a value behind what the logger says
{"name": "f"} {"name": "g"}                       values that follow each other, on as many lines as they are printed
[{'role': 'assistant', 'content': None}]          what Python prints
```json ... ```                                   a value in a fence
[{"name": "f", ...}, {"name": "g", "argu          a value that is cut off: what of it is whole, and that it is not

A text in which an agent and its world speak in turn, as ReAct and its descendants print it, gives steps of a trace:

Thought: I have to find the city.
Action: search
Action Input: {"query": "Colosseum"}         or  Action: search[Colosseum]
Observation: The Colosseum is in Rome.

Action:                                      or  Invoking: `search` with `{'query': 'Colosseum'}`
{"action": "search", "action_input": {"query": "Colosseum"}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from validator.reading.calls.objects import Asked, read_object
from validator.reading.calls.wire import begins_call
from validator.reading.plan import Span
from validator.reading.tokens.asides import printed_alone
from validator.reading.tokens.transcripts import Command, transcript
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
    if steps := _steps(text, is_like_json=is_like_json):
        return steps, ()
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


_BRACKETED = re.compile(r"(?P<name>[^\W\d][\w.-]*+)\s*+\[(?P<given>.*+)(?<=\])", re.DOTALL)
_FINISHES = re.compile(r"final[ _-]?answer|finish(?:ed)?|answer|stop|end", re.IGNORECASE)


def _steps(text: str, *, is_like_json: bool) -> list[dict[str, object]]:
    """Return what an agent does in a text, with its thoughts and what is answered; nothing where none is answered.

    Calls in forms of models and frameworks need no answers; only these are taken where the text begins as JSON does.
    """
    text = printed_alone(text)
    talk = transcript(text)
    if talk is None or (is_like_json and not talk.is_wire):
        return []
    steps = [step for command in talk.commands if not command.ends and (step := _step(text, command))]
    return steps if talk.is_wire or any("observation" in step for step in steps) else []


def _step(text: str, command: Command) -> dict[str, object]:
    said, answer = _said(text, command.span), None
    asked, bracketed = command.call or _object(said), _BRACKETED.fullmatch(said)
    step: dict[str, object] = {"action": said}
    name = said
    if asked is not None:
        name = asked.name
        step = {"action": {"tool": name, "tool_input": asked.given}}
    elif command.given is not None:
        given, answer = _input(_said(text, command.given), name)
        step = {"action": {"tool": name, "tool_input": given}}
    elif bracketed is not None:
        name = bracketed["name"]
        step = {"action": {"tool": name, "tool_input": bracketed["given"][:-1]}}
    if _FINISHES.fullmatch(name) is not None:
        return {}  # ReAct's way to end with an answer
    if command.thought is not None:
        step["thought"] = _said(text, command.thought)
    if command.answer is not None:
        answer = _said(text, command.answer)
    return step if answer is None else {**step, "observation": answer}


def _object(said: str) -> Asked | None:
    """Return the call that an object is which stands in place of a name, in a fence or without."""
    start = said.find("{")
    if start < 0 or said[:start].strip().lower() not in ("", "json"):
        return None
    value, end = _value(said[start:])
    asked = read_object(value) if isinstance(value, Mapping) and not said[start + end :].strip(" \t\r\n`") else ""
    return asked if isinstance(asked, Asked) else None


def _input(said: str, name: str) -> tuple[str, str | None]:
    """Return the arguments of a call, and what follows them without a label: the answer of who could not run it."""
    value, end = _value(said) if said.startswith("{") else (None, 0)
    if value is None and (place := said.find(f"{name} is not a valid tool")) >= 0:
        end = place
    rest = said[end:].strip() if end else ""
    return (said[:end].strip(), rest) if rest else (said, None)


def _value(said: str) -> tuple[object, int]:
    """Return the JSON value with which a text begins, and where it ends; None where it begins with none."""
    try:
        return json.JSONDecoder().raw_decode(said)
    except (ValueError, RecursionError):
        return None, 0


def _said(text: str, span: Span) -> str:
    return text[slice(*span)].strip(" \t\r\n`*")
