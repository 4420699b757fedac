"""Calls that an agent makes by code: tools called from a program that it hands to an interpreter.

Agents that act in code (CodeAct, smolagents' CodeAgent) have one tool, the interpreter; what they do stands in its
argument:

    room = find_room(city="Oslo")
    book_room(room=room, nights=2)
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from validator.reading.calls import Call, CallKind, folded
from validator.reading.traces.recording import Recording
from validator.records import replace

__all__ = ["with_programs"]

_INTERPRETER = re.compile(r"(?:^|_)(?:i?python\d?|code|jupyter|interpreter|repl|ipython_cell)(?:_|$)")
_MOST = 100_000
"""characters of a program"""


def with_programs(recording: Recording, names: Collection[str]) -> Recording:
    """Return a recording with the calls of the tools of these names that programs make, in place of the programs.

    It is the same one where no program calls one of them. An interpreter that is one of the tools is called, and runs
    no program. What a program may do or not is missed.
    """
    if not any(_is_interpreter(call.name) for call in recording.calls):
        return recording
    from validator.reading.traces.python import program  # which few runs need

    tools = frozenset(map(folded, names))
    programs = {}
    for call in recording.calls:
        code = _code(call, tools)
        if code and (found := program(code, tools, is_whole=call.error is None)):
            programs[call.index] = found
    interpreters = {folded(recording.calls[index].name) for index in programs}
    calls: list[Call] = []
    missed = []
    for call in recording.calls:
        runs = call.kind is CallKind.TOOL and folded(call.name) in interpreters
        calls.append(replace(call, index=len(calls), kind=CallKind.PROGRAM if runs else call.kind))
        if call.index not in programs:
            continue
        found = programs[call.index]
        if found.may_call:
            missed.append(
                f"whether, and how often, call {call.index + 1} ({call.name}) calls {', '.join(found.may_call)}"
            )
        is_alone = len(found.calls) == 1 and call.has_result
        for name, arguments in found.calls:
            made = Call(index=len(calls), name=name, arguments=arguments, parent=call.name)
            calls.append(replace(made, result=call.result, has_result=True) if is_alone else made)
    return replace(recording, calls=tuple(calls), missed=(*recording.missed, *missed)) if programs else recording


@lru_cache(maxsize=1024)
def _is_interpreter(name: str) -> bool:
    return _INTERPRETER.search(folded(name)) is not None


def _code(call: Call, tools: Collection[str]) -> str:
    """Return the program that a call hands to an interpreter; nothing for what is none."""
    if call.kind is not CallKind.TOOL or not _is_interpreter(call.name) or folded(call.name) in tools:
        return ""
    texts = [each.text for each in call.arguments or () if each.is_string]
    code = max(texts, key=len, default="")
    return code if len(code) <= _MOST else ""
