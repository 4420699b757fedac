"""Calls that models without an interface for tools write into their texts, and the answers to them.

Thought: ...\\nAction: search\\nAction Input: {"q": "Rome"}              ReAct
<tool_call>{"name": "search", "arguments": {"q": "Rome"}}</tool_call>  Hermes, Qwen
<function=search>{"q": "Rome"}</function>                              Llama
[TOOL_CALLS] [{"name": "search", "arguments": {"q": "Rome"}}]          Mistral
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.chat.parts import Answer, Run
from validator.reading.traces.walk import parsed

__all__ = ["answer_in", "runs_in"]

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
    for call in (*_of_json(text), *_of_functions(text)):
        yield Run(call=call, answer=None)


def _of_json(text: str) -> Iterator[Asked]:
    tagged = [part.partition("</tool_call>") for part in text.split("<tool_call>")[1:]]
    _, _, listed = text.partition("[TOOL_CALLS]")
    for written in (*(inner for inner, end, _ in tagged if end), listed):
        value = parsed(written.strip(), python=True)
        for each in value if isinstance(value, list) else [value]:
            call = read_object(each)
            if isinstance(call, Asked) and call.given is not None:
                yield call


def _of_functions(text: str) -> Iterator[Asked]:
    for part in text.split("<function=")[1:]:
        name, _, rest = part.partition(">")
        written, end, _ = rest.partition("</function>")
        given = parsed(written.strip())
        if end and isinstance(given, dict) and name.strip():
            yield Asked(name=name.strip(), given=given)


def answer_in(text: str) -> Answer | None:
    """Return the answer that a text of the user or of a tool is, or None."""
    said = text.strip()
    if said.startswith("<tool_response>") and said.endswith("</tool_response>"):
        return Answer(value=said.removeprefix("<tool_response>").removesuffix("</tool_response>").strip())
    head, sign, rest = said.partition(":")
    return Answer(value=rest.strip()) if sign and head.strip(_AROUND) == "Observation" else None
