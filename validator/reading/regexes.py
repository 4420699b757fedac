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

from validator.records import dataclass

__all__ = ["full_match", "refusal", "search"]

_LONGEST = 20_000
"""characters of a pattern"""
_MOST_REPEATED = 20_000
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
        flags, source = _Translation(pattern).translated()
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
_DOT = f"[{_ranges(_complement(_LINE_ENDS))}]"
_ANY = f"[{_ranges(((0, _LAST),))}]"
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}

_FLAGS = re.compile(r"\(\?([is]{1,2})\)")
_GROUP = re.compile(r"\((?:\?:|\?P?<[A-Za-z_]\w*>|(?!\?))", re.ASCII)
_REPEATED = re.compile(r"(?:[*+?]|\{(?P<least>[0-9]{1,9})(?P<several>,(?P<most>[0-9]{1,9})?)?\})(?P<lazy>\??)")
_OPENS_COUNT = re.compile(r"\{[0-9]*,?[0-9]*\}")
_CODE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})")
_LOW_SURROGATE = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_CONTROL = re.compile(r"\\c([A-Za-z])")
_PROPERTY = re.compile(r"\\([pP])\{(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc)\}")
_SCRIPT = re.compile(r"\\([pP])\{(?:Script|sc)=([A-Z][A-Za-z_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Character:
    """A code point, or text of RE2 that stands for several."""

    code: int = -1
    several: str = ""

    @property
    def text(self) -> str:
        return self.several or rf"\x{{{self.code:x}}}"


class _Translation:
    """Translates a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        found = _FLAGS.match(pattern)
        self.flags = found[1] if found else ""
        self.place = found.end() if found else 0
        self.open = 0

    def refused(self, what: str) -> _PatternError:
        return _PatternError(f"{what} at character {self.place + 1}")

    def translated(self) -> tuple[str, str]:
        """Return the flags and the pattern as RE2 writes them. Raises _PatternError."""
        parts: list[str] = []
        while self.place < len(self.pattern):
            parts.append(self.next())
        if self.open:
            raise self.refused("a group is not closed")
        return "(?i)" if "i" in self.flags else "", "".join(parts)

    def next(self) -> str:
        letter = self.pattern[self.place]
        if letter in "*+?" or (letter == "{" and _OPENS_COUNT.match(self.pattern, self.place)):
            return self.repetition()
        if letter == "(":
            found = _GROUP.match(self.pattern, self.place)
            if found is None:
                raise self.refused("a look-around or a group of another kind")
            self.place, self.open = found.end(), self.open + 1
            return "(?:" + self.unrepeated()
        if letter == ")":
            self.place, self.open = self.place + 1, self.open - 1
            if self.open < 0:
                raise self.refused("a group is closed that is not open")
            return ")" + self.repeated("")
        if letter == "|":
            self.place += 1
            return "|" + self.unrepeated()
        if letter in "^$" or self.pattern.startswith(r"\b", self.place):
            self.place += 1 if letter in "^$" else 2
            return {"^": r"\A", "$": r"\z"}.get(letter, r"\b") + self.unrepeated()
        if letter == "[":
            return self.repeated(self.class_())
        if letter == ".":
            self.place += 1
            return self.repeated(_ANY if "s" in self.flags else _DOT)
        character = self.character()
        return self.repeated(f"[{character.several}]" if character.several else character.text)

    # --- repetitions ---

    def repetition(self) -> str:
        raise self.refused("a repetition of nothing, or of a repetition")

    def unrepeated(self) -> str:
        return self.repetition() if self.repeats() else ""

    def repeats(self) -> bool:
        letter = self.pattern[self.place : self.place + 1]
        return letter in ("*", "+", "?") or bool(_OPENS_COUNT.match(self.pattern, self.place))

    def repeated(self, atom: str) -> str:
        """Return an atom, or the group before it where that is empty, with the repetition behind it."""
        if not self.repeats():
            return atom
        found = _REPEATED.match(self.pattern, self.place)
        if found is None:
            return self.repetition()
        least = None if found["least"] is None else int(found["least"])
        most = least if found["several"] is None else None if found["most"] is None else int(found["most"])
        if least is not None and max(least, most or 0) > (_MOST_REPEATED if atom else 1000):
            raise self.refused("a repetition too often")
        if most is not None and least is not None and most < least:
            raise self.refused("a repetition at most less often than at least")
        self.place = found.end()
        if least is None:
            return atom + found[0][0] + self.unrepeated()
        if max(least, most or 0) <= 1000:
            return atom + found[0].removesuffix("?") + self.unrepeated()
        rest = f"{atom}*" if most is None else "".join(_at_most(atom, most - least))
        return f"(?:{''.join(_exactly(atom, least))}{rest})" + self.unrepeated()

    # --- characters ---

    def class_(self) -> str:
        """Return a class in brackets."""
        self.place += 1
        negation = "^" if self.pattern.startswith("^", self.place) else ""
        self.place += len(negation)
        parts: list[str] = []
        while not self.pattern.startswith("]", self.place):
            first = self.character(in_class=True)
            is_range = self.pattern.startswith("-", self.place) and self.pattern[self.place + 1 : self.place + 2] != "]"
            if not is_range or first.several:
                parts.append(first.text)
                continue
            self.place += 1
            last = self.character(in_class=True)
            if last.several:
                parts += [first.text, r"\x{2d}", last.text]
            elif last.code < first.code:
                raise self.refused("a range that ends before it begins")
            else:
                parts.append(f"{first.text}-{last.text}")
        if not parts:
            raise self.refused("an empty class")
        self.place += 1
        return f"[{negation}{''.join(parts)}]"

    def character(self, *, in_class: bool = False) -> _Character:
        if self.place >= len(self.pattern):
            raise self.refused("a class that is not closed")
        letter = self.pattern[self.place]
        if letter == "\\":
            return self.escape(in_class)
        self.place += 1
        return self.plain(ord(letter))

    def plain(self, code: int) -> _Character:
        if 0xD800 <= code <= 0xDFFF or code > _LAST:
            raise self.refused("no Unicode character")
        return _Character(code=code)

    def escape(self, in_class: bool) -> _Character:
        letter = self.pattern[self.place + 1 : self.place + 2]
        if letter in _CLASSES and letter:
            self.place += 2
            return _Character(several=_CLASSES[letter])
        if letter in _CONTROLS and letter:
            self.place += 2
            return _Character(code=_CONTROLS[letter])
        if letter == "b" and in_class:
            self.place += 2
            return _Character(code=8)
        if letter == "0" and not self.pattern[self.place + 2 : self.place + 3].isdigit():
            self.place += 2
            return _Character(code=0)
        if found := _CODE.match(self.pattern, self.place):
            self.place = found.end()
            code = int(found[1] or found[2] or found[3], 16)
            low = _LOW_SURROGATE.match(self.pattern, self.place) if found[2] and 0xD800 <= code <= 0xDBFF else None
            if low:
                self.place = low.end()
                code = 0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00
            return self.plain(code)
        if found := _CONTROL.match(self.pattern, self.place):
            self.place = found.end()
            return _Character(code=ord(found[1]) % 32)
        found = _PROPERTY.match(self.pattern, self.place) or _SCRIPT.match(self.pattern, self.place)
        if found and "i" not in self.flags:
            self.place = found.end()
            return _Character(several=rf"\{found[1]}{{{found[2]}}}")
        if letter.isascii() and (letter.isalnum() or not letter):
            raise self.refused(f"the escape \\{letter}")
        self.place += 2
        return self.plain(ord(letter))


def _exactly(atom: str, times: int) -> Iterator[str]:
    """Yield repetitions of at most 1,000 each, which is the most of RE2."""
    for before in range(0, times, 1000):
        yield f"{atom}{{{min(1000, times - before)}}}"


def _at_most(atom: str, times: int) -> Iterator[str]:
    """Yield repetitions in which the place in a text tells where a match is, so that few states are left open."""
    closing = ""
    while times > 1000:
        yield f"(?:{atom}{{0,999}}|{atom}{{1000}}"
        times, closing = times - 1000, closing + ")"
    yield f"{atom}{{0,{times}}}{closing}"
