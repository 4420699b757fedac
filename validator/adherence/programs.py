"""Calls that an agent makes by code: tools called from a program that it hands to an interpreter.

Agents that act in code (CodeAct, smolagents' CodeAgent) have one tool, the interpreter; what they do stands in its
argument:

    room = find_room(city="Oslo")
    book_room(room=room, nights=2)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from validator.reading.arguments import Argument, Arguments, read_argument
from validator.reading.calls import Call, CallKind, folded
from validator.reading.traces.recording import Recording
from validator.records import dataclass, replace

__all__ = ["Program", "program", "with_programs"]


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
    tools = frozenset(map(folded, names))
    programs = {}
    for call in recording.calls:
        code = _code(call, tools)
        if code and (found := program(code, tools, is_whole=call.error is None)):
            programs[call.index] = found
    interpreters = {folded(recording.calls[index].name) for index in programs}
    calls: list[Call] = []
    missed, places = [], []
    for call in recording.calls:
        places.append(len(calls))
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
    if not programs:
        return recording
    messages = tuple(replace(each, before=[*places, len(calls)][each.before]) for each in recording.messages)
    return replace(recording, calls=tuple(calls), messages=messages, missed=(*recording.missed, *missed))


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


@dataclass(frozen=True, slots=True)
class Program:
    """The calls of tools that a program is sure to make, in order, and the tools that it may call beside them."""

    calls: tuple[tuple[str, Arguments | None], ...]
    may_call: tuple[str, ...]


def program(code: str, tools: Collection[str], *, is_whole: bool = True) -> Program | None:
    """Return what a program calls of some tools, given by their folded names; None where it calls none of them.

    One that was not executed as a ``whole`` is sure of nothing.
    """
    reader = _Reader(tools)
    try:
        reader.read(ast.parse(code).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        said = dict.fromkeys(re.findall(r"\b([^\W\d]\w*)\s*\(", code))
        reader.calls, reader.may_call = [], [name for name in said if folded(name) in tools]
    if not is_whole:
        reader.calls, reader.may_call = [], [*(name for name, _ in reader.calls), *reader.may_call]
    found = Program(tuple(reader.calls), tuple(dict.fromkeys(reader.may_call)))
    return found if found.calls or found.may_call else None


class _Reader:
    """Collects the calls of tools in statements, in the order in which they are executed."""

    def __init__(self, tools: Collection[str]) -> None:
        self.tools = tools
        self.calls: list[tuple[str, Arguments | None]] = []
        self.may_call: list[str] = []
        self._known: dict[str, object] = {}

    def read(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.With | ast.AsyncWith):
                for item in statement.items:
                    self._expression(item.context_expr)
                self.read(statement.body)
            elif isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign):
                if statement.value is not None:
                    self._expression(statement.value)
                self._assigned(statement)
            elif not isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass):
                self.may_call += self._names(statement)
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        self._known.pop(node.id, None)

    def _assigned(self, statement: ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """Note the value of a name that is given a literal, and forget that of one that is given another value."""
        if isinstance(statement, ast.Expr):
            return
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        for name in names:
            self._known.pop(name, None)
        if isinstance(statement, ast.AugAssign) or statement.value is None:
            return
        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            try:
                self._known[targets[0].id] = ast.literal_eval(statement.value)
            except (ValueError, TypeError, MemoryError, RecursionError):
                return

    def _expression(self, value: ast.expr) -> None:
        """Take down the calls in an expression, the inner ones first; those that may not be reached may be made."""
        if isinstance(value, ast.IfExp | ast.BoolOp | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp):
            self.may_call += self._names(value)
            return
        if isinstance(value, ast.GeneratorExp):
            self.may_call += self._names(value)
            return
        for child in ast.iter_child_nodes(value):
            inner = child.value if isinstance(child, ast.keyword) else child
            if isinstance(inner, ast.expr):
                self._expression(inner)
        if isinstance(value, ast.Call) and (name := self._tool(value)):
            self.calls.append((name, self._arguments(value)))

    def _names(self, node: ast.AST) -> Iterator[str]:
        """Yield the tools that are called anywhere inside a node."""
        return (name for each in ast.walk(node) if isinstance(each, ast.Call) and (name := self._tool(each)))

    def _tool(self, call: ast.Call) -> str:
        """Return the name of the tool that is called, ``f`` or ``apis.mail.f``; nothing for what is none."""
        parts: list[str] = []
        node: ast.expr = call.func
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            parts.insert(0, node.id)
        spellings = (".".join(parts[place:]) for place in range(len(parts)))
        return next((name for name in spellings if folded(name) in self.tools), "")

    def _arguments(self, call: ast.Call) -> Arguments | None:
        """Return the arguments of a call; None where a value is none that the program tells."""
        found: list[Argument] = []
        for name, value in ((None, each) for each in call.args):
            if not self._add(found, name, value):
                return None
        for keyword in call.keywords:
            if keyword.arg is None or not self._add(found, keyword.arg, keyword.value):
                return None
        return tuple(found)

    def _add(self, found: list[Argument], name: str | None, value: ast.expr) -> bool:
        if isinstance(value, ast.Name) and value.id in self._known:
            found.append(read_argument(name, self._known[value.id]))
            return True
        try:
            found.append(read_argument(name, ast.literal_eval(value)))
        except (ValueError, TypeError, MemoryError, RecursionError):
            return False
        return True
