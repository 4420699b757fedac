"""Written calls, ``search_flights(origin="SFO", destination=JFK)``, by the grammar ``plan_call.lark``."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from validator.reading.arguments import Argument, Arguments, read_argument, read_arguments
from validator.reading.values import unquoted
from validator.resources import resource

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

__all__ = ["CALL", "Named", "parsed_call", "plain_call", "read_call", "read_call_at", "read_calls"]

Named: TypeAlias = tuple[str, Arguments | None]
"""The name of a tool and its arguments; None where only the tool is named."""

CALL = re.compile(r"(?<![\w./-])[^\W\d][\w./-]*\(")
"""How a call begins."""

_BRACKETS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()]")


def read_call(text: str) -> Named | None:
    """Return the call that a text is as a whole; None for any other text."""
    text = text.strip()
    if not text.endswith(")") or CALL.match(text) is None or closed(text, 0) != len(text):
        return None
    return read_call_at(text, 0)


_NEXT = re.compile(r"(?:[\s,;]|#[^\n]*)*+(?:(?P<label>[^\W\d]\w*+)\s*+=\s*+)?+(?P<call>[^\W\d][\w./-]*\()")
_END = re.compile(r"(?:[\s,;]|#[^\n]*)*+")


def read_calls(text: str) -> list[tuple[str | None, Named]] | None:
    """Return the calls of ``[f(x="a"), g(z="c")]``, ``label = f(x=1)``, or one a line; None for any other text."""
    text = text.strip()
    text = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    found: list[tuple[str | None, Named]] = []
    place = 0
    while (begins := _NEXT.match(text, place)) is not None:
        call, end = read_call_at(text, begins.start("call")), closed(text, begins.start("call"))
        if call is None or end is None:
            return None
        found.append((begins["label"], call))
        place = end
    return found if _END.fullmatch(text, place) else None


def read_call_at(text: str, start: int) -> Named | None:
    """Return the call that begins at a place; None when its parentheses or its arguments cannot be read."""
    plain = plain_call(text, start)
    return parsed_call(text, start) if plain is None else plain


@cache
def _grammar() -> Lark:
    from lark import Lark

    grammar = (resource("grammars") / "plan_call.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="call", parser="lalr", lexer="contextual", maybe_placeholders=False)


_ARGUMENT = re.compile(
    r"""\s*(?:(?P<name>[^\W\d][\w.-]*)\s*=\s*)?
        (?:(?P<quote>["'])(?P<text>[^"'\\\n]*)(?P=quote)|(?P<words>[^\s,()\[\]{}"'<$=:][^,()\[\]{}"'=:\n]*))
        \s*(?P<end>[,)])""",
    re.VERBOSE,
)
_WRITTEN = {"None": "null", "True": "true", "False": "false"}


def plain_call(text: str, start: int) -> Named | None:
    """Return a call whose arguments are all plain texts and words, as the grammar reads it; None for any other.

    Most calls are, and the parser takes five times as long for them.
    """
    place = text.index("(", start)
    name, arguments, end = text[start:place], [], ","
    while end == ",":
        match = _ARGUMENT.match(text, place + 1)
        if match is None:
            return None
        key, _, quoted, words, end = match.groups()
        if words is None:
            arguments.append(Argument(key, quoted, True))
        else:
            value = " ".join(words.split())
            arguments.append(Argument(key, _WRITTEN.get(value, value)))
        place = match.end() - 1
    return name, tuple(arguments)


def parsed_call(text: str, start: int) -> Named | None:
    from lark import UnexpectedInput

    end = closed(text, start)
    if end is None:
        return None
    try:
        tree = _grammar().parse(text[start:end])
    except UnexpectedInput:
        return None
    name, *arguments = tree.children
    return str(name), tuple(each for one in arguments if not isinstance(one, str) for each in _arguments(one))


def closed(text: str, start: int) -> int | None:
    """Return the offset behind the parenthesis that closes the first one."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == ")" and depth == 0:
            return match.end()
    return None


def _arguments(tree: Tree[Token]) -> Arguments:
    *key, value = tree.children
    if tree.data == "spread":
        return read_arguments(_plain(value)) or ()
    name = _key(key[0]) if key else None
    if isinstance(value, str) and getattr(value, "type", "") != "STRING":
        text = " ".join(value.split())
        return (Argument(name, _WRITTEN.get(text, text), False if value.type == "INNER" else None),)
    return (read_argument(name, _plain(value)),)


def _plain(value: Tree[Token] | Token) -> object:
    """Return the JSON value of a literal; words are numbers and constants where JSON has them, else texts."""
    if isinstance(value, str):
        if getattr(value, "type", "") == "STRING":
            return unquoted(str(value))
        try:
            return json.loads(str(value))
        except ValueError:
            return {"None": None, "True": True, "False": False}.get(str(value).strip(), str(value).strip())
    if value.data == "list":
        return [_plain(each) for each in value.children]
    pairs = (pair.children for pair in value.children if not isinstance(pair, str))
    return {_key(key): _plain(each) for key, each in pairs}


def _key(token: object) -> str:
    name = str(token).rstrip().rstrip("=:").rstrip()
    return unquoted(name) if name[0] in "\"'" else name
