"""Calls that models without an interface for tools write into their texts, and the answers to them.

Thought: ...\\nAction: search\\nAction Input: {"q": "Rome"}              ReAct
<tool_call>{"name": "search", "arguments": {"q": "Rome"}}</tool_call>  Hermes, Qwen
<function=search>{"q": "Rome"}</function>                              Llama
[TOOL_CALLS] [{"name": "search", "arguments": {"q": "Rome"}}]          Mistral
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.chat.parts import Answer, Run
from validator.reading.traces.walk import parsed

__all__ = ["answer_in", "runs_in"]

_REACT = re.compile(
    r"^[ \t*]*Action[ *]*:[ *]*(?P<name>[^\n(\[]+?)[ \t*]*\n[ \t*]*Action[ _]Input[ *]*:[ *]*"
    r"(?P<given>.*?)[ \t]*(?=\n[ \t*]*(?:Observation|Thought|Action|Final Answer)[ *]*:|\Z)"
    r"(?:\n[ \t*]*Observation[ *]*:(?P<seen>.*?)(?=\n[ \t*]*(?:Thought|Action|Final Answer)[ *]*:|\Z))?",
    re.DOTALL | re.MULTILINE,
)
_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_FUNCTION = re.compile(r"<function=([^>\s]+)>\s*(.*?)\s*</function>", re.DOTALL)
_LISTED = re.compile(r"\[TOOL_CALLS\]\s*(\[.*\])", re.DOTALL)
_SEEN = re.compile(
    r"\s*(?:<tool_response>\s*(?P<tagged>.*?)\s*</tool_response>|Observation\s*:\s*(?P<said>.*))\s*", re.DOTALL
)


def runs_in(text: str) -> Iterator[Run]:
    """Yield the calls that a text asks for, each with the answer that stands in the same text, if one does."""
    for match in _REACT.finditer(text):
        seen = (match["seen"] or "").strip()
        call = Asked(name=match["name"].strip().strip("`"), given=match["given"].strip().strip("`"))
        yield Run(call=call, answer=Answer(value=seen) if seen else None)
    for call in (*_of_json(text), *_of_functions(text)):
        yield Run(call=call, answer=None)


def _of_json(text: str) -> Iterator[Asked]:
    for match in (*_TAGGED.finditer(text), *_LISTED.finditer(text)):
        value = parsed(match[1], python=True)
        for each in value if isinstance(value, list) else [value]:
            call = read_object(each)
            if isinstance(call, Asked) and call.given is not None:
                yield call


def _of_functions(text: str) -> Iterator[Asked]:
    for match in _FUNCTION.finditer(text):
        try:
            given = json.loads(match[2])
        except ValueError:
            continue
        yield Asked(name=match[1], given=given)


def answer_in(text: str) -> Answer | None:
    """Return the answer that a text of the user or of a tool is, or None."""
    match = _SEEN.fullmatch(text)
    return None if match is None else Answer(value=match["tagged"] if match["said"] is None else match["said"].strip())
