"""Calls that models without an interface for tools write into their texts, and the answers to them.

Thought: ...\\nAction: search\\nAction Input: {"q": "Rome"}    ReAct

The other forms are those of ``calls.wire``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validator.reading.calls.objects import Asked
from validator.reading.calls.wire import begins_call, wire_calls
from validator.reading.traces.chat.parts import Answer, Run

__all__ = ["answer_in", "missed_in", "runs_in"]

_REACT = re.compile(
    r"^[ \t*]{0,9}Action[ *]{0,9}:[ *]{0,9}(?P<name>[^\n(\[]{1,200})\n[ \t*]{0,9}Action[ _]Input[ *]{0,9}:"
    r"(?P<given>.*?)(?=\n[ \t*]{0,9}(?:Observation|Thought|Action|Final Answer)[ *]{0,9}:|\Z)"
    r"(?:\n[ \t*]{0,9}Observation[ *]{0,9}:(?P<seen>.*?)"
    r"(?=\n[ \t*]{0,9}(?:Thought|Action|Final Answer)[ *]{0,9}:|\Z))?",
    re.DOTALL | re.MULTILINE,
)
_AROUND = " \t\n\r`*"
_MOST = 100_000
"""characters of a text in which calls are looked for"""


def runs_in(text: str) -> Iterator[Run]:
    """Yield the calls that a text asks for, each with the answer that stands in the same text, if one does."""
    if len(text) > _MOST:
        return
    for match in _REACT.finditer(text):
        seen = (match["seen"] or "").strip()
        call = Asked(name=match["name"].strip(_AROUND), given=match["given"].strip(_AROUND))
        yield Run(call=call, answer=Answer(value=seen) if seen else None)
    yield from (Run(call=each.call, answer=None) for each in wire_calls(text) if each.call is not None)


def missed_in(text: str) -> Iterator[str]:
    """Yield what begins as a call of a model does, and cannot be read as one."""
    if len(text) > _MOST or not begins_call(text):
        return
    told = wire_calls(text)
    for each in told:
        if each.call is None:
            yield f"a call that is said, {_short(text[slice(*each.span)])}, was not understood"
    if not told and _REACT.search(text) is None:
        yield f"what begins a call in {_short(text)} was not understood"


def _short(text: str) -> str:
    said = " ".join(text.split())
    return repr(said if len(said) <= _SHOWN else f"{said[:_SHOWN]}...")


_SHOWN = 60


def answer_in(text: str) -> Answer | None:
    """Return the answer that a text of the user or of a tool is, or None."""
    said = text.strip()
    if said.startswith("<tool_response>") and said.endswith("</tool_response>"):
        return Answer(value=said.removeprefix("<tool_response>").removesuffix("</tool_response>").strip())
    head, sign, rest = said.partition(":")
    return Answer(value=rest.strip()) if sign and head.strip(_AROUND) == "Observation" else None
