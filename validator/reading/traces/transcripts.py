"""A text in which an agent and its world speak in turn, as ReAct and its descendants print it, as steps of a trace.

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
from collections.abc import Mapping

from validator.reading.calls.objects import Asked, read_object
from validator.reading.plan import Span
from validator.reading.tokens.around.marks import printed_alone
from validator.reading.tokens.around.transcripts import Command, transcript

__all__ = ["steps_of_text"]

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
