"""Written calls, ``search_flights(origin="SFO", destination=JFK)``, by the grammar ``plan_call.lark``."""

from __future__ import annotations

import re
from typing import TypeAlias

from validator.reading.arguments import Argument, Arguments, read_argument, read_arguments
from validator.reading.values import LocatedText, Value, arguments_at

__all__ = ["CALL", "Named", "closed", "read_call", "read_call_at", "read_calls"]

Named: TypeAlias = tuple[str, Arguments | None]
"""The name of a tool and its arguments; None where only the tool is named."""

CALL = re.compile(r"(?<![\w./-])[^\W\d][\w./-]*\(")
"""How a call begins."""

_BRACKETS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()]")


def read_call(text: str) -> Named | None:
    """Return the call that a text is as a whole; None for any other text."""
    text = text.strip()
    if not text.endswith(")") or CALL.match(text) is None:
        return None
    found = _call_at(text, 0)
    return found[0] if found is not None and found[1] == len(text) else None


_NEXT = re.compile(r"(?:[\s,;]|#[^\n]*)*+(?:(?P<label>[^\W\d]\w*+)\s*+=\s*+)?+(?P<call>[^\W\d][\w./-]*\()")
_END = re.compile(r"(?:[\s,;]|#[^\n]*)*+")


def read_calls(text: str) -> list[tuple[str | None, Named]] | None:
    """Return the calls of ``[f(x="a"), g(z="c")]``, ``label = f(x=1)``, or one a line; None for any other text."""
    text = text.strip()
    text = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    found: list[tuple[str | None, Named]] = []
    place = 0
    while (begins := _NEXT.match(text, place)) is not None:
        call = _call_at(text, begins.start("call"))
        if call is None:
            return None
        found.append((begins["label"], call[0]))
        place = call[1]
    return found if _END.fullmatch(text, place) else None


def read_call_at(text: str, start: int) -> Named | None:
    """Return the call that begins at a place; None when its parentheses or its arguments cannot be read."""
    found = _call_at(text, start)
    return None if found is None else found[0]


def _call_at(text: str, start: int) -> tuple[Named, int] | None:
    """Return the call that begins at a place, and where it ends."""
    opens = text.index("(", start)
    found = arguments_at(text, opens)
    if found is None:
        return None
    arguments = [each for key, value in found.arguments() for each in _arguments(text, key, value)]
    return (text[start:opens], tuple(arguments)), found.span[1]


def _arguments(text: str, key: LocatedText | None, value: Value) -> Arguments:
    """Return what an argument gives; another call stands as it is written."""
    if key is not None and text[key.span[0]] == "*":
        return read_arguments(value.plain) or ()
    name = None if key is None else str(key)
    if not value.is_bare:
        return (read_argument(name, value.text if value.kind == "text" else value.plain),)
    words = " ".join(value.text.split())
    return (Argument(name, _WRITTEN.get(words, words), False if words.endswith(")") else None),)


_WRITTEN = {"None": "null", "True": "true", "False": "false"}


def closed(text: str, start: int) -> int | None:
    """Return the offset behind the parenthesis that closes the first one."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == ")" and depth == 0:
            return match.end()
    return None
