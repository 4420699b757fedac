"""Values with their places in a text: JSON, and the literals of Python (tuples, single quotes, None).

    [{"name": "stack", "arguments": {"ob": "a", "underob": "b"}}, ("pick-up", "a")]

One reader for all of them. It is lenient: words may stand without quotes, a comma may be one too many, and comments
are passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from validator.reading.plan import Span
from validator.records import dataclass, field

__all__ = [
    "LocatedList",
    "LocatedObject",
    "LocatedText",
    "Value",
    "json_values",
    "span_of",
    "unquoted",
    "value_at",
    "whole_value",
]

_MOST = 1_000_000
"""Characters of one value; a longer one is not read as one."""
_DEEPEST = 40
"""values around a value"""


class LocatedObject(dict[str, Any]):
    """An object with its place in the text."""

    __slots__ = ("span",)
    span: Span


class LocatedList(list[Any]):
    """A list with its place in the text."""

    __slots__ = ("span",)
    span: Span


class LocatedText(str):
    """A text with the place of its quotes."""

    span: Span


def span_of(value: object) -> Span:
    """Return where a value stands in its text; nowhere for one that does not know."""
    span = getattr(value, "span", (0, 0))
    return span if isinstance(span, tuple) else (0, 0)


@dataclass(frozen=True, slots=True)
class Value:
    """A text (numbers and constants as they are written), a list or a mapping, with its place; its keys have theirs."""

    content: str | tuple[Value, ...] | tuple[tuple[str, Value], ...]
    kind: str
    """"text", "list" or "mapping\""""
    span: Span
    is_bare: bool = False
    """Whether a text stands without quotes, so that it may be a number or a constant."""
    is_cut: bool = False
    """Whether the text ends inside of it; what is not whole there is left out."""

    def items(self) -> tuple[Value, ...]:
        return self.content if self.kind == "list" else ()  # type: ignore[return-value]

    def pairs(self) -> tuple[tuple[str, Value], ...]:
        return self.content if self.kind == "mapping" else ()  # type: ignore[return-value]

    @property
    def text(self) -> str:
        return self.content if self.kind == "text" else ""  # type: ignore[return-value]

    @property
    def plain(self) -> Any:
        """Return the value as JSON has it; objects, lists and texts know their place."""
        if self.kind == "mapping":
            return _at(LocatedObject((name, value.plain) for name, value in self.pairs()), self.span)
        if self.kind == "list":
            return _at(LocatedList(value.plain for value in self.items()), self.span)
        return _bare(self.text) if self.is_bare else _at(LocatedText(self.text), self.span)


_Located = TypeVar("_Located", LocatedObject, LocatedList, LocatedText)


def _at(value: _Located, span: Span) -> _Located:
    value.span = span
    return value


def _bare(text: str) -> object:
    """Return what a text without quotes stands for: a number or a constant, else itself."""
    try:
        return json.loads(text)
    except ValueError:
        return {"None": None, "True": True, "False": False}.get(text, text)


_BEGINS = re.compile(r"[\[{(]\s*+[\[{(\"']|[\[{]\s*+\w[\w\-]*+\s*+:")
_TOKEN = re.compile(
    r"""(?:\s++|//[^\n]*+|\#[^\n]*+)*+
        (?:(?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|(?P<bare>-?\w[\w.+-]*+)|(?P<sign>[\[\](){},]))""",
    re.DOTALL | re.VERBOSE,
)
_CUT = re.compile(r"""\s*+(?:"(?:[^"\\]|\\.)*+\\?|'(?:[^'\\]|\\.)*+\\?|-|```\s*+)?\Z""", re.DOTALL)
"""nothing, a text that has no end, a sign, or the end of a fence"""
_COLON = re.compile(r"\s*+:")
_CLOSES = {"[": "]", "(": ")", "{": "}"}


def json_values(text: str, *, may_be_cut: bool = False) -> Iterator[Value]:
    """Yield the outermost lists and mappings of a text, in order; what cannot be read as one is passed over.

    With ``may_be_cut``, one that the text ends in is there as far as its members are whole.
    """
    place = 0
    while (begins := _BEGINS.search(text, place)) is not None:
        found, place = _read(text, begins.start(), may_be_cut=may_be_cut)
        for value in found:
            yield from _outermost(value, text)


def _outermost(value: Value, text: str) -> Iterator[Value]:
    if _BEGINS.match(text, value.span[0]) is not None:
        yield value
        return
    for inner in (*value.items(), *(one for _, one in value.pairs())):
        yield from _outermost(inner, text)


def value_at(text: str, place: int) -> Value | None:
    """Return the value that begins at a place; None where there is none."""
    found, _ = _read(text, place)
    return found[0] if found and found[0].span[0] == place else None


def whole_value(text: str) -> Any:
    """Return the list or the object that a text is as a whole, or within one code fence; None for any other text."""
    fenced = _FENCE.fullmatch(text)
    start, end = fenced.span(1) if fenced else (0, len(text))
    inside = text[start:end].strip()
    if inside[:1] not in ("[", "{") or (_BEGINS.match(inside) is None and inside not in ("[]", "{}")):
        return None
    value = value_at(text, text.index(inside[0], start))
    return None if value is None or text[value.span[1] : end].strip() else value.plain


_FENCE = re.compile(r"\s*```[^\n`]*\n(.*?)```\s*", re.DOTALL)


@dataclass(slots=True)
class _Open:
    """A list or a mapping whose end was not seen yet; ``is_due`` where a member may come next."""

    closes: str
    start: int
    members: list[Any] = field(default_factory=list)
    key: str | None = None
    is_due: bool = True

    def add(self, value: Value) -> None:
        self.members.append(value if self.closes != "}" else (self.key, value))
        self.key, self.is_due = None, False

    def closed(self, end: int, *, is_cut: bool = False) -> Value:
        kind = "mapping" if self.closes == "}" else "list"
        return Value(tuple(self.members), kind, (self.start, end), is_cut=is_cut)

    def values(self) -> Iterator[Value]:
        return (each[1] if self.closes == "}" else each for each in self.members)


def _read(text: str, start: int, *, may_be_cut: bool = False) -> tuple[list[Value], int]:
    """Return the value that begins at a place, and where it ends.

    Where reading breaks off, these are the lists and mappings that are whole by then, and the place where it does: what
    is still open there has no end, so that nothing has to be read twice.
    """
    opened: list[_Open] = []
    place = start
    while (token := _TOKEN.match(text, place)) is not None and token.end() - start <= _MOST:
        sign, end, inside = token["sign"], token.end(), opened[-1] if opened else None
        if inside is not None and sign == inside.closes and inside.key is None:
            value = opened.pop().closed(end)
        elif inside is not None and not inside.is_due:
            if sign != ",":
                break
            inside.is_due, place = True, end
            continue
        elif inside is not None and inside.closes == "}" and inside.key is None:
            if sign is not None:
                break
            if (colon := _COLON.match(text, end)) is None:
                place = end
                break
            key = _text(token)
            inside.key, place = _at(LocatedText(key.text), key.span), colon.end()
            continue
        elif sign in _CLOSES and len(opened) <= _DEEPEST:
            opened.append(_Open(_CLOSES[sign], token.start("sign")))
            place = end
            continue
        elif sign is not None:
            break
        else:
            value = _text(token)
        if not opened:
            return [value], end
        opened[-1].add(value)
        place = end
    if opened and may_be_cut and _CUT.match(text, place) is not None:
        value = opened.pop().closed(len(text), is_cut=True)
        while opened:
            opened[-1].add(value)
            value = opened.pop().closed(len(text), is_cut=True)
        return [value], len(text)
    return [value for each in opened for value in each.values() if value.kind != "text"], place


def _text(token: re.Match[str]) -> Value:
    kind = str(token.lastgroup)
    return Value(token[kind] if kind == "bare" else unquoted(token[kind]), "text", token.span(kind), kind == "bare")


def unquoted(text: str) -> str:
    """Return what a text in quotes says, by the escapes of JSON or of Python."""
    inside = text[1:-1]
    if "\\" not in inside:
        return inside
    for read in (json.loads, _of_python):
        try:
            return str(read(text))
        except (ValueError, SyntaxError):
            continue
    return inside


def _of_python(text: str) -> object:
    import ast  # which few texts need

    return ast.literal_eval(text.replace("\n", "\\n"))
