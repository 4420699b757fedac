"""Regular expressions that come with input: the one place where they are compiled and matched, in linear time.

The syntax is that of ECMA-262 with Unicode, as JSON Schema has it, translated to RE2, whose automata never backtrack.
``(?i)`` and ``(?s)`` may stand first. What has no automaton (back references, look-around), or is read differently by
ECMA-262, Python and RE2, is not understood, and is never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Protocol

__all__ = ["full_match", "refusal", "search"]

_LONGEST = 20_000
"""characters of a pattern"""
_MOST_REPEATED = 1000
"""the most of RE2"""
_MOST_MEMORY = 8 << 20
"""bytes of each automaton"""
_MOST_WORK = 200_000_000
"""instructions of the automaton times bytes of the text, the most that RE2 executes in the worst case"""


def search(pattern: str, text: str) -> bool | None:
    """Return whether a pattern matches some part of a text; None where that is not understood."""
    return _matched(pattern, text, is_whole=False)


def full_match(pattern: str, text: str) -> bool | None:
    """Return whether a pattern matches a whole text; None where that is not understood."""
    return _matched(pattern, text, is_whole=True)


def refusal(pattern: str) -> str | None:
    """Return why a pattern is not understood; None for one that is."""
    found = _compiled(pattern, False)
    return found if isinstance(found, str) else None


def _matched(pattern: str, text: str, *, is_whole: bool) -> bool | None:
    compiled = _compiled(pattern, is_whole)
    if isinstance(compiled, str):
        return None
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return None  # half of a surrogate pair
    if compiled.programsize * len(encoded) > _MOST_WORK:
        return None
    return compiled.search(encoded) is not None


class _Automaton(Protocol):
    programsize: int

    def search(self, text: bytes) -> object: ...


@lru_cache(maxsize=256)
def _compiled(pattern: str, is_whole: bool) -> _Automaton | str:
    """Return a pattern compiled, or why it is not understood."""
    if len(pattern) > _LONGEST:
        return f"it has more than {_LONGEST:,} characters"
    try:
        flags, source = _translated(pattern)
    except _PatternError as error:
        return str(error)
    import re2  # which few runs need

    options: Any = re2.Options()
    options.max_mem, options.never_capture, options.log_errors = _MOST_MEMORY, True, False
    source = rf"\A(?:{source})\z" if is_whole else source
    try:
        compiled: _Automaton = re2.compile((flags + source).encode(), options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
    return compiled


class _PatternError(Exception):
    """A pattern is not understood."""

    def __init__(self, what: str, place: int) -> None:
        super().__init__(f"{what} at character {place + 1}")


# --- translation -----------------------------------------------------------------------------------

_LAST = 0x10FFFF
_DIGITS = ((0x30, 0x39),)
_WORDS = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACES = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_LINE_ENDS = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))


def _ranges(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(rf"\x{{{low:x}}}-\x{{{high:x}}}" for low, high in ranges)


def _complement(ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    first = 0
    for low, high in ranges:
        if first < low:
            yield first, low - 1
        first = high + 1
    yield first, _LAST


_CLASSES = {
    **{letter: _ranges(of) for letter, of in (("d", _DIGITS), ("w", _WORDS), ("s", _SPACES))},
    **{letter: _ranges(_complement(of)) for letter, of in (("D", _DIGITS), ("W", _WORDS), ("S", _SPACES))},
}
_DOTS = {False: f"[{_ranges(_complement(_LINE_ENDS))}]", True: f"[{_ranges(((0, _LAST),))}]"}
"""what a dot stands for, without (?s) and with it"""
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0, "b": 8}

_FLAGS = re.compile(r"\(\?([is]{1,2})\)|")
_OPENS = re.compile(r"\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))", re.ASCII)
_REPEATS = re.compile(r"[*+?]\??|\{(?P<least>[0-9]{1,9})(?:,(?P<most>[0-9]{1,9})?)?\}\??")
_MAY_REPEAT = re.compile(r"[*+?]|\{[0-9]*,?[0-9]*\}")
_BORDERS = {"^": r"\A", "$": r"\z", r"\b": r"\b", "|": "|"}
_CHARACTER = re.compile(
    r"""\\(?:(?P<class>[dwsDWS])|(?P<control>[tnvfr]|0(?!\d))|x(?P<x>[0-9a-fA-F]{2})|c(?P<letter>[A-Za-z])
        |u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})
        |u(?P<u>[0-9a-fA-F]{4})|u\{(?P<long>[0-9a-fA-F]{1,6})\}
        |(?P<category>[pP]\{(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc)\})
        |(?P<sign>[pP])\{(?:Script|sc)=(?P<script>[A-Z][A-Za-z_]*)\}|(?P<itself>[^A-Za-z0-9]))|(?P<plain>[^\\])""",
    re.VERBOSE | re.DOTALL,
)


def _translated(pattern: str) -> tuple[str, str]:
    """Return the flags and the pattern as RE2 writes them. Raises _PatternError."""
    flags = _FLAGS.match(pattern)
    assert flags is not None  # it may be empty
    given, place, depth = flags[1] or "", flags.end(), 0
    parts: list[str] = []
    while place < len(pattern):
        letter = pattern[place]
        border = next((sign for sign in _BORDERS if pattern.startswith(sign, place)), "")
        opens = _OPENS.match(pattern, place)
        atom = None
        if _MAY_REPEAT.match(pattern, place):
            raise _PatternError("a repetition of nothing, or of a repetition", place)
        if border or opens is not None:
            parts.append(_BORDERS[border] if opens is None else "(?:")
            place, depth = place + len(border) if opens is None else opens.end(), depth + (opens is not None)
            continue
        if letter == ")":
            place, depth, atom = place + 1, depth - 1, ""
            parts.append(")")
        elif letter == "[":
            atom, place = _class(pattern, place, given)
        elif letter == ".":
            atom, place = _DOTS["s" in given], place + 1
        elif letter != "(":
            (code, several), place = _character(pattern, place, given)
            atom = f"[{several}]" if several else rf"\x{{{code:x}}}"
        if atom is None or depth < 0:
            raise _PatternError("a look-around, a group of another kind, or one that is not open", place)
        repeated, place = _repeated(atom, pattern, place)
        parts.append(repeated)
    if depth:
        raise _PatternError("a group is not closed", place)
    return "(?i)" if "i" in given else "", "".join(parts)


def _repeated(atom: str, pattern: str, place: int) -> tuple[str, int]:
    """Return an atom, or nothing for the group before it, with the repetition at a place, and where that ends."""
    if not _MAY_REPEAT.match(pattern, place):
        return atom, place
    found = _REPEATS.match(pattern, place)
    least = int((found and found["least"]) or 0)
    most = int((found and found["most"]) or least)
    if found is None or most > _MOST_REPEATED or most < least:
        raise _PatternError("a repetition too often, or at most less often than at least", place)
    return atom + found[0][:1] + found[0][1:].removesuffix("?"), found.end()


def _class(pattern: str, place: int, flags: str) -> tuple[str, int]:
    """Return the class in brackets at a place, and where it ends."""
    negation = "^" if pattern.startswith("^", place + 1) else ""
    start = place = place + 1 + len(negation)
    parts: list[str] = []
    while not pattern.startswith("]", place):
        (code, several), place = _character(pattern, place, flags, in_class=True)
        parts.append(several or rf"\x{{{code:x}}}")
        if pattern.startswith("-", place) and pattern[place + 1 : place + 2] != "]" and not several:
            (last, several), place = _character(pattern, place + 1, flags, in_class=True)
            if not several and last < code:
                raise _PatternError("a range that ends before it begins", place)
            parts.append(rf"\x{{2d}}{several}" if several else rf"-\x{{{last:x}}}")
    if place == start:
        raise _PatternError("an empty class", place)
    return f"[{negation}{''.join(parts)}]", place + 1


def _character(pattern: str, place: int, flags: str, *, in_class: bool = False) -> tuple[tuple[int, str], int]:
    """Return the code point at a place, or RE2's text for several, and where it ends."""
    if in_class and pattern.startswith(r"\b", place):
        return (_CONTROLS["b"], ""), place + 2
    found = _CHARACTER.match(pattern, place)
    if found is None or ("i" in flags and (found["category"] or found["script"])):
        raise _PatternError("an escape, or a class that is not closed,", place)
    if found["class"] or found["category"] or found["script"]:
        several = f"\\{found['category'] or found['sign'] + '{' + found['script'] + '}'}" if not found["class"] else ""
        return (-1, several or _CLASSES[found["class"]]), found.end()
    if found["low"]:
        code = 0x10000 + ((int(found["high"], 16) - 0xD800) << 10) + int(found["low"], 16) - 0xDC00
    elif found["control"]:
        code = _CONTROLS[found["control"]]
    elif found["letter"]:
        code = ord(found["letter"]) % 32
    else:
        written = found["x"] or found["u"] or found["long"]
        code = int(written, 16) if written else ord(found["itself"] or found["plain"])
    if 0xD800 <= code <= 0xDFFF or code > _LAST:
        raise _PatternError("no Unicode character", place)
    return (code, ""), found.end()
