"""A text in which an agent and its world speak in turn, as ReAct and its descendants print it, as steps of a trace.

Thought: I have to find the city.
Action: search
Action Input: {"query": "Colosseum"}         or  Action: search[Colosseum]
Observation: The Colosseum is in Rome.
"""

from __future__ import annotations

import re

from validator.reading.plan import Span
from validator.reading.tokens.around.transcripts import Command, transcript

__all__ = ["steps_of_text"]

_BRACKETED = re.compile(r"(?P<name>[^\W\d][\w.-]*+)\s*+\[(?P<given>.*+)(?<=\])", re.DOTALL)
_FINISHES = re.compile(r"final[ _-]?answer|finish(?:ed)?|answer|stop|end", re.IGNORECASE)


def steps_of_text(text: str) -> list[dict[str, object]]:
    """Return what an agent does in a text, with its thoughts and what is answered; nothing where none is answered."""
    talk = transcript(text)
    if talk is None or not any(command.answer is not None for command in talk.commands):
        return []
    return [step for command in talk.commands if not command.ends and (step := _step(text, command))]


def _step(text: str, command: Command) -> dict[str, object]:
    said = _said(text, command.span)
    bracketed = _BRACKETED.fullmatch(said)
    if _FINISHES.fullmatch(bracketed["name"] if bracketed else said) is not None:
        return {}  # ReAct's way to end with an answer
    step: dict[str, object] = {"action": said}
    if command.given is not None:
        step |= {"action": {"tool": said, "tool_input": _said(text, command.given)}}
    elif bracketed is not None:
        step |= {"action": {"tool": bracketed["name"], "tool_input": bracketed["given"][:-1]}}
    if command.thought is not None:
        step["thought"] = _said(text, command.thought)
    if command.answer is not None:
        step["observation"] = _said(text, command.answer)
    return step


def _said(text: str, span: Span) -> str:
    return text[slice(*span)].strip(" \t\r\n`*")
