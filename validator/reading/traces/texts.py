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
from collections.abc import Iterator, Mapping

from validator.reading.calls.objects import Asked, read_object
from validator.reading.plan import Span
from validator.reading.tokens.blocks.asides import printed_alone
from validator.reading.tokens.blocks.transcripts import Command, transcript
from validator.reading.values import printed_value

__all__ = ["logged_values", "steps_of_text", "unfolded", "value_in_line", "values_in_text"]


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
        value, _ = value_in_line(line)
        if isinstance(value, dict | list):
            found.append(value)
        elif line.strip():
            others.append(line)
    return found, others


_KEYED = re.compile(r"\w[\"']\s*+:")


def value_in_line(line: str) -> tuple[object, bool]:
    """Return the object or list that stands in a line, and whether one is not whole there: cut off, or without a sign.

    None stands for the value of a line that has none, and of one in which one is not whole.
    """
    begins = _BEGINS.search(line)
    if begins is None:
        return None, _KEYED.search(line) is not None
    try:
        value, end = json.JSONDecoder().raw_decode(line, begins.start())
    except (ValueError, RecursionError):
        return None, True
    is_broken = _KEYED.search(line, 0, begins.start()) is not None or _KEYED.search(line, end) is not None
    return None if is_broken else value, is_broken


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


_BRACKETED = re.compile(r"(?P<name>[^\W\d][\w.-]*+)\s*+\[(?P<given>.*+)(?<=\])", re.DOTALL)
_FINISHES = re.compile(r"final[ _-]?answer|finish(?:ed)?|answer|stop|end", re.IGNORECASE)


def steps_of_text(text: str, *, is_like_json: bool = False) -> list[dict[str, object]]:
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
