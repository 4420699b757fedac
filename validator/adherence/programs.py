"""Calls that an agent makes by code: tools called from a program that it hands to an interpreter.

Agents that act in code (CodeAct, smolagents' CodeAgent) have one tool, the interpreter; what they do stands in its
argument: ``room = find_room(city="Oslo")``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from functools import lru_cache
from typing import TypeAlias

from validator.reading.arguments import Arguments, read_argument
from validator.reading.calls import Call, CallKind, folded
from validator.reading.traces.recording import Recording
from validator.records import replace

_INTERPRETER = re.compile(r"(?:^|_)(?:i?python\d?|code|jupyter|interpreter|repl|ipython_cell)(?:_|$)")
_MOST = 100_000
"""characters of a program"""
_OPEN = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""expressions of which a part may not be reached, or more than once"""

_Program: TypeAlias = "tuple[list[tuple[str, Arguments | None]], list[str]]"
"""the calls of tools that a program is sure to make, in order, and the tools that it may call beside them"""


def with_programs(recording: Recording, names: Collection[str]) -> Recording:
    """Return a recording with the calls of the tools of these names that programs make, behind the programs.

    It is the same one where no program calls one of them. An interpreter that is one of the tools is called, and runs
    no program. What a program may do or not is missed.
    """
    tools = frozenset(map(folded, names))
    programs = {call.index: found for call in recording.calls if any(found := _program(call, tools))}
    if not programs:
        return recording
    interpreters = {folded(recording.calls[index].name) for index in programs}
    calls: list[Call] = []
    missed, places = [], []
    for call in recording.calls:
        places.append(len(calls))
        runs = call.kind is CallKind.TOOL and folded(call.name) in interpreters
        calls.append(replace(call, index=len(calls), kind=CallKind.PROGRAM if runs else call.kind))
        made, may_call = programs.get(call.index, ([], []))
        if may_call:
            told = ", ".join(dict.fromkeys(may_call))
            missed.append(f"whether, and how often, call {call.index + 1} ({call.name}) calls {told}")
        for name, arguments in made:
            calls.append(Call(index=len(calls), name=name, arguments=arguments, parent=call.name))
        if len(made) == 1 and call.has_result:
            calls[-1] = replace(calls[-1], result=call.result, has_result=True)
    messages = tuple(replace(each, before=[*places, len(calls)][each.before]) for each in recording.messages)
    return replace(recording, calls=tuple(calls), messages=messages, missed=(*recording.missed, *missed))


@lru_cache(maxsize=1024)
def _is_interpreter(name: str) -> bool:
    return _INTERPRETER.search(folded(name)) is not None


def _program(call: Call, tools: Collection[str]) -> _Program:
    """Return what the program that a call hands to an interpreter calls; nothing for any other call.

    A program that failed is sure of nothing, and so is a statement that is more than an expression or an assignment.
    """
    if call.kind is not CallKind.TOOL or not _is_interpreter(call.name) or folded(call.name) in tools:
        return [], []
    code = max((each.text for each in call.arguments or () if each.is_string), key=len, default="")
    if len(code) > _MOST:
        return [], []
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], [name for name in re.findall(r"\b([^\W\d]\w*)\s*\(", code) if folded(name) in tools]
    made: list[tuple[str, Arguments | None]] = []
    may_call: list[str] = []
    for statement in body:
        nodes = list(ast.walk(statement))
        found = [(name, node) for node in nodes if isinstance(node, ast.Call) and (name := _tool(node, tools))]
        found.sort(key=lambda each: (each[1].end_lineno, each[1].end_col_offset))  # the inner ones are made first
        is_plain = isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign)
        if is_plain and call.error is None and not any(isinstance(node, _OPEN) for node in nodes):
            made += [(name, _arguments(node)) for name, node in found]
        else:
            may_call += [name for name, _ in found]
    return made, may_call


def _tool(call: ast.Call, tools: Collection[str]) -> str:
    """Return the name of the tool that is called, ``f`` or ``apis.mail.f``; nothing for what is none."""
    parts = ast.unparse(call.func).split(".") if isinstance(call.func, ast.Name | ast.Attribute) else []
    spellings = (".".join(parts[place:]) for place in range(len(parts)))
    return next((name for name in spellings if folded(name) in tools), "")


def _arguments(call: ast.Call) -> Arguments | None:
    """Return the arguments of a call; None where a value is no literal."""
    try:
        placed = [read_argument(None, ast.literal_eval(value)) for value in call.args]
        named = [read_argument(each.arg, ast.literal_eval(each.value)) for each in call.keywords]
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None
    return None if any(each.arg is None for each in call.keywords) else (*placed, *named)
