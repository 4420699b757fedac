"""One item of a stated plan, read by grammar: a call, the name of a tool, or words that name exactly one known tool."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from validator.reading.calls import Argument, Arguments, read_arguments
from validator.reading.traces.recording import folded
from validator.resources import resource

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

__all__ = ["Known", "Named", "list_items", "parsed_call", "plain_call", "read_call", "read_item"]

Known: TypeAlias = Mapping[str, str]
"""Tools that are known from the trace or a model: folded name to name."""

Named: TypeAlias = tuple[str, Arguments | None]
"""The name of a tool and its arguments; None where only the tool is named."""

_NAME = re.compile(r"[^\W\d][\w./-]*")
_CALL = re.compile(r"(?<![\w./-])[^\W\d][\w./-]*\(")
_ALONE = re.compile(r"\W*([^\W\d][\w./-]*)\W*")
_LABEL = re.compile(r"([^\W\d][\w./-]*)[`*\s]*(?::|=>|->|→|–|—|\s-\s|,|\.\s)\s*")
_GROUP = re.compile(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)")
_JOINED = re.compile(r"[a-z0-9][A-Z]|\w[-_./]\w")
_QUOTED = re.compile(r"`([^\W\d][\w./-]*)`")
_CHAIN = re.compile(r"\s*(?:;|->|=>|→)\s*")
_THEN = re.compile(r",?\s+(?:and\s+)?then\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_BRACKETS = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()]")
_MOST = 2_000
"""characters of an item; a longer one is no item of a plan"""


def read_item(text: str, known: Known) -> tuple[Named, ...]:
    """Return the tools that an item names, in order; none when it names no tool, or leaves open which.

    An item may chain steps by ``then``, ``->`` or ``;``: then each part names one.
    """
    text = text.strip()
    if len(text) > _MOST:
        return ()
    parts = [part for part in _CHAIN.split(text) if part.strip()]
    if len(parts) == 1:
        parts = [part for part in _THEN.split(text) if part.strip()]
        if any(_WORD.fullmatch(part.strip()) and folded(part) not in known for part in parts):
            parts = [text]  # `then choose` tells of no tool, as `-> choose` does
    if len(parts) > 1:
        chained = [named for part in parts if (named := _read_one(part, known)) is not None]
        if len(chained) == len(parts):
            return tuple(chained)
    one = _read_one(text, known)
    return () if one is None else (one,)


def read_call(text: str) -> Named | None:
    """Return the call that a text begins with, such as ``f(a, b="c")``; None when it begins with none."""
    return _call(text, 0) if _CALL.match(text) else None


def _read_one(text: str, known: Known) -> Named | None:
    bare = text.strip(" \t*`\"'.").removeprefix("[ ]").strip()
    if group := _GROUP.fullmatch(bare):
        name, *args = group[1].split()
        return name, tuple(Argument(None, arg) for arg in args)
    calls = [call for match in _CALL.finditer(text) if (call := _call(text, match.start())) is not None]
    calls = [call for call in calls if _may_be_a_name(call[0], known)]
    if calls:
        return calls[0] if len(calls) == 1 else None
    if (alone := _ALONE.fullmatch(text)) and _may_be_a_name(alone[1], known):
        return alone[1].rstrip("."), None
    if (label := _LABEL.match(bare)) and (_JOINED.search(label[1]) or folded(label[1]) in known):
        rest = bare[label.end() :]
        return label[1], read_arguments(rest) if rest.startswith("{") and _is_json(rest) else None
    return _mentioned(text, known)


def _may_be_a_name(word: str, known: Known) -> bool:
    """Return whether a word can be a tool's name: where sentences are written without blanks, only a known one can."""
    return word[0].isascii() or folded(word) in known


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _mentioned(text: str, known: Known) -> Named | None:
    """Return the one known tool of a sentence: in backticks, by a name that is no word, or by its first words."""
    if not known:
        return None
    quoted = {known.get(folded(name), "") for name in _QUOTED.findall(text)} - {""}
    names = (name.rstrip(".") for name in _NAME.findall(text))
    found = quoted | {known[folded(name)] for name in names if _JOINED.search(name) and folded(name) in known}
    if not found:
        words = re.findall(r"\w+", text.lower())
        spoken = ("_".join(words[:length]) for length in range(min(len(words), 6), 0, -1))
        first = next((known[name] for name in spoken if name in known), None)
        return None if first is None else (first, None)
    return (found.pop(), None) if len(found) == 1 else None


# --- calls ---------------------------------------------------------------------------------------


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


def _call(text: str, start: int) -> Named | None:
    """Return the call that begins at a place; None when its parentheses or its arguments cannot be read."""
    plain = plain_call(text, start)
    return parsed_call(text, start) if plain is None else plain


def parsed_call(text: str, start: int) -> Named | None:
    from lark import UnexpectedInput

    end = _closed(text, start)
    if end is None:
        return None
    try:
        tree = _grammar().parse(text[start:end])
    except UnexpectedInput:
        return None
    name, *arguments = tree.children
    return str(name), tuple(_argument(argument) for argument in arguments if not isinstance(argument, str))


def _closed(text: str, start: int) -> int | None:
    """Return the offset behind the parenthesis that closes the first one."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == ")" and depth == 0:
            return match.end()
    return None


def _argument(tree: Tree[Token]) -> Argument:
    *key, value = tree.children
    name = _unquoted(str(key[0]).rstrip().rstrip("=:").rstrip()) if key else None
    if isinstance(value, str) and getattr(value, "type", "") != "STRING":
        text = " ".join(value.split())
        return Argument(name, _WRITTEN.get(text, text))
    plain = _plain(value)
    (argument,) = read_arguments([plain]) or (Argument(None, ""),)
    return Argument(name, argument.text, argument.is_string)


def _plain(value: Tree[Token] | Token) -> object:
    """Return the JSON value of a literal; words are numbers and constants where JSON has them, else texts."""
    if isinstance(value, str):
        if getattr(value, "type", "") == "STRING":
            return _unquoted(str(value))
        try:
            return json.loads(str(value))
        except ValueError:
            return {"None": None, "True": True, "False": False}.get(str(value).strip(), str(value).strip())
    if value.data == "list":
        return [_plain(each) for each in value.children]
    pairs = (pair.children for pair in value.children if not isinstance(pair, str))
    return {_unquoted(str(key).rstrip().rstrip("=:").rstrip()): _plain(each) for key, each in pairs}


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text[1:-1])


# --- lists ---------------------------------------------------------------------------------------

_NUMBER = re.compile(
    r"(?:(?<=\s)|(?<=^)|(?<=\*))(?:step\s+)?(\d{1,3})([.)]|:(?=\s))\**(?=[^\S\n]+\S|\()", re.IGNORECASE
)
_HEADING = re.compile(r"\bplan(?:ned)?\b", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*[-*•+][ \t]+(?:\[[ xX]\][ \t]*)?(.*)")
_BEFORE = 200
"""characters before a number that are looked at: for the word plan, for an open parenthesis"""


def list_items(text: str, *, headed: bool) -> list[str]:
    """Return the items of the first numbered list of a text, or of the first list of bullets under the word plan.

    A list counts 1, 2, 3 and so on, in lines or in one line. ``headed`` asks for the word plan before it.
    """
    found: list[list[tuple[int, int]]] = []
    sign = ""
    for match in _NUMBER.finditer(text):
        number, ending = int(match[1]), match[2]
        if number == 1 and _begins(text, match.start()):
            found.append([])
            sign = ending
        if found and number == len(found[-1]) + 1 and ending == sign and not _closes(text, match):
            found[-1].append((match.start(), match.end()))
    found = [places for places in found if places]
    for places in found:
        if headed and not _is_headed(text, places[0][0]):
            continue
        ends = [start for start, _ in places[1:]] + [len(text)]
        return [
            text[start : min(end, line if (line := text.find("\n", start)) >= 0 else end)].strip()
            for (_, start), end in zip(places, ends, strict=True)
        ]
    return _bullets(text)


def _begins(text: str, place: int) -> bool:
    """Return whether a list can begin at a place: at the beginning of a line, or behind a colon or a full stop."""
    before = text[_line_start(text, place) : place].rstrip(" \t*_#>")
    return not before or before[-1] in ":.!?-–—"


def _closes(text: str, match: re.Match[str]) -> bool:
    """Return whether the sign of a number closes a parenthesis of its line: ``f(1, 2)`` has no second item."""
    start = _line_start(text, match.start())
    return match[2] == ")" and text.rfind("(", start, match.start()) > text.rfind(")", start, match.start())


def _is_headed(text: str, place: int) -> bool:
    """Return whether the word plan stands before a place: in its line, or in the last one before it with a text."""
    end = place
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return bool(_HEADING.search(text, _line_start(text, end), end))


def _line_start(text: str, place: int) -> int:
    """Return where the line of a place begins, at most _BEFORE characters before it."""
    first = max(0, place - _BEFORE)
    return max(first, text.rfind("\n", first, place) + 1)


def _bullets(text: str) -> list[str]:
    """Return the first list of bullets that follows a line with the word plan and a colon at its end."""
    items: list[str] = []
    is_headed = False
    for line in text.splitlines():
        bullet = _BULLET.fullmatch(line)
        if bullet and is_headed:
            items.append(bullet[1].strip())
        elif line.strip():
            if items:
                break
            is_headed = line.rstrip(" *_\t").endswith(":") and bool(_HEADING.search(line))
    return items
