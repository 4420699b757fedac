"""Values with their places in a text: JSON, and the literals of Python (tuples, single quotes, None).

    [{"name": "stack", "arguments": {"ob": "a", "underob": "b"}}, ("pick-up", "a")]

One reader for all of them. It is lenient: words may stand without quotes, a comma may be one too many, and comments
are passed over. Two values of JSON are equal where 1 is 1.0 and not "1", true is no number, and the order of keys does
not matter; numbers are compared exactly, and NaN equals nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

from validator.records import dataclass, field
from validator.resources import terminals
from validator.texts import Span

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

    content: str | tuple[Value, ...] | tuple[tuple[str | None, Value], ...]
    kind: str
    """"text", "list", "mapping" or "arguments", whose members may have a key"""
    span: Span
    is_bare: bool = False
    """Whether a text stands without quotes, so that it may be a number or a constant."""
    is_cut: bool = False
    """Whether the text ends inside of it; what is not whole there is left out."""

    def items(self) -> tuple[Value, ...]:
        return self.content if self.kind == "list" else ()  # type: ignore[return-value]

    def pairs(self) -> tuple[tuple[str, Value], ...]:
        return self.content if self.kind == "mapping" else ()  # type: ignore[return-value]

    def arguments(self) -> tuple[tuple[LocatedText | None, Value], ...]:
        return self.content if self.kind == "arguments" else ()  # type: ignore[return-value]

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
_SPACE = r"(?:\s++|//[^\n]*+|\#[^\n]*+)*+"
_WORD = r"""(?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|(?P<bare>-?\w[\w.+-]*+)"""
_SIGN = r"(?P<sign>[\[\](){},])"


@dataclass(frozen=True, slots=True)
class _Syntax:
    """What a key with its sign is, and what a value or a sign between values is."""

    key: re.Pattern[str]
    value: re.Pattern[str]


_DATA = _Syntax(
    re.compile(rf"{_SPACE}(?:{_WORD})\s*+:", re.DOTALL), re.compile(rf"{_SPACE}(?:{_WORD}|{_SIGN})", re.DOTALL)
)


@cache
def _call() -> _Syntax:
    """Return the syntax of a call, by the terminals of its grammar."""
    found = terminals("plan_call.lark")
    bare = "|".join(found[name] for name in ("OPEN", "INNER", "WORDS"))
    return _Syntax(
        re.compile(rf"\s*+(?P<key>{found['STARS']}|{found['KEY']})"),
        re.compile(rf"\s*+(?:(?P<text>{found['STRING']})|(?P<bare>{bare})|{_SIGN})"),
    )


_CUT = re.compile(r"""\s*+(?:"(?:[^"\\]|\\.)*+\\?|'(?:[^'\\]|\\.)*+\\?|-|```\s*+)?\Z""", re.DOTALL)
"""nothing, a text that has no end, a sign, or the end of a fence"""
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


def is_argument(text: str, place: int) -> bool:
    """Return whether a place is among the arguments of a call on its line, or where they begin."""
    line = text.rfind("\n", 0, place) + 1
    opened = text.rfind("(", line, place + 1)
    return opened > line and text[opened - 1].isalnum() and text.find(")", opened, place) < 0


def value_at(text: str, place: int) -> Value | None:
    """Return the value that begins at a place; None where there is none."""
    found, _ = _read(text, place)
    return found[0] if found and found[0].span[0] == place else None


def whole_value(text: str) -> Any:
    """Return the list or the object that a text is as a whole, or within one code fence; None for any other text."""
    start, end = unfenced(text)
    inside = text[start:end].strip()
    if inside[:1] not in ("[", "{") or (_BEGINS.match(inside) is None and inside not in ("[]", "{}")):
        return None
    value = value_at(text, text.index(inside[0], start))
    return None if value is None or text[value.span[1] : end].strip() else value.plain


FENCE = re.compile(
    r"^[ \t>]*+(?P<sign>`{3,}+|~{3,}+)[ \t]*+(?P<language>[A-Za-z]*+)[^\n]*+\n(?P<inside>.*?)(?:^[ \t>]*+(?P=sign)|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""a fenced block; one that is not closed reaches to the end of the text"""


def unfenced(text: str) -> Span:
    """Return the span of what stands in the one fence that a text is, or of the whole text."""
    found = FENCE.search(text)
    if found is None or text[: found.start()].strip() or text[found.end() :].strip(" \t\r\n`~"):
        return 0, len(text)
    return found.span("inside")


def printed_value(text: str) -> Any:
    """Return the object or the list that a text is as a whole, as Python prints it or JSON; None for any other text.

    Its texts and its keys stand in quotes: ``{'city': 'Rome', 'exact': True}``.
    """
    start = len(text) - len(text.lstrip())
    value = value_at(text, start) if text.startswith(("{", "["), start) else None
    if value is None or text[value.span[1] :].strip() or not _is_literal(value, text):
        return None
    return value.plain


def _is_literal(value: Value, text: str) -> bool:
    """Return whether no text and no key of a value stands without quotes."""
    if value.kind == "text":
        return not value.is_bare or not isinstance(_bare(value.text), str)
    keys = (text[span_of(key)[0]] in "\"'" for key, _ in value.pairs())
    return all(keys) and all(_is_literal(each, text) for each in (*value.items(), *(each for _, each in value.pairs())))


def arguments_at(text: str, place: int) -> Value | None:
    """Return the arguments of a call whose parenthesis opens at a place; None where they cannot be read."""
    found, _ = _read(text, place, is_call=True)
    return found[0] if found and found[0].kind == "arguments" else None


@dataclass(slots=True)
class _Open:
    """What has members and has not ended yet; ``is_due`` where a member may come next."""

    kind: str
    closes: str
    start: int
    members: list[Any] = field(default_factory=list)
    key: str | None = None
    is_due: bool = True

    @property
    def may_be_keyed(self) -> bool:
        return self.is_due and self.key is None and self.kind != "list"

    def add(self, value: Value) -> None:
        self.members.append(value if self.kind == "list" else (self.key, value))
        self.key, self.is_due = None, False

    def closed(self, end: int, *, is_cut: bool = False) -> Value:
        return Value(tuple(self.members), self.kind, (self.start, end), is_cut=is_cut)

    def values(self) -> Iterator[Value]:
        return (each if self.kind == "list" else each[1] for each in self.members)


def _read(text: str, start: int, *, may_be_cut: bool = False, is_call: bool = False) -> tuple[list[Value], int]:
    """Return the value that begins at a place, and where it ends.

    Where reading breaks off, these are the lists and mappings that are whole by then, and the place where it does: what
    is still open there has no end, so that nothing has to be read twice.
    """
    syntax = _call() if is_call else _DATA
    opened = [_Open("arguments", ")", start)] if is_call else []
    place = start + is_call
    while True:
        inside = opened[-1] if opened else None
        if inside is not None and inside.may_be_keyed and (key := syntax.key.match(text, place)) is not None:
            inside.key, place = _key(key), key.end()
        token = syntax.value.match(text, place)
        if token is None or token.end() - start > _MOST:
            break
        sign, end = token["sign"], token.end()
        if inside is not None and sign == inside.closes and inside.key is None:
            value = opened.pop().closed(end)
        elif inside is not None and not inside.is_due:
            if sign != ",":
                break
            inside.is_due, place = True, end
            continue
        elif inside is not None and inside.kind == "mapping" and inside.key is None:
            place = end if sign is None else place
            break
        elif sign in _CLOSES and len(opened) <= _DEEPEST:
            opened.append(_Open("mapping" if sign == "{" else "list", _CLOSES[sign], token.start("sign")))
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
    content = token[kind].rstrip() if kind == "bare" else unquoted(token[kind])
    return Value(content, "text", token.span(kind), kind == "bare")


def _key(token: re.Match[str]) -> LocatedText:
    kind = str(token.lastgroup)
    name = token[kind] if kind != "key" else token[kind].rstrip().rstrip("=:").rstrip()
    return _at(LocatedText(unquoted(name) if name[0] in "\"'" else name), token.span(kind))


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


# --- equality --------------------------------------------------------------------------------------


def equal(one: object, other: object) -> bool:
    """Return whether two JSON values are equal; a tuple is a list."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def canonical(value: object) -> str:
    """Return the canonical JSON text of a value: equal values, and no others, have equal texts. NaN stays ``NaN``."""
    return json.dumps(_normal(value), sort_keys=True, ensure_ascii=False, default=str)


def _normal(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _normal(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(each) for each in value]
    return value
