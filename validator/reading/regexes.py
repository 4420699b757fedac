"""Regular expressions that come with input: the one place where they are compiled and matched, in linear time.

The syntax is that of ECMA-262 with Unicode, as JSON Schema has it, which RE2 executes without backtracking.
``(?i)`` and ``(?s)`` may stand first. What has no automaton (back references, look-around), and what ECMA-262 and RE2
may read differently, is not understood, and is never run.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Protocol

_LONGEST = 20_000
"""characters of a pattern"""
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


_SPACES = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_NO_SPACES = (
    r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}"
    r"\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}"
)
_ENDS_LINE = r"\n\r\x{2028}\x{2029}"

_ESCAPE = r"\\(?:[dwDWsStnvfr]|[pP]\{[LMNPSZ][a-z]?\}|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[^A-Za-z0-9])"
_MEMBER = re.compile(rf"{_ESCAPE}|[^\\\]]", re.DOTALL)
_CLASS = re.compile(rf"\[\^?+(?P<members>(?:{_MEMBER.pattern})+)\]", re.DOTALL)
_BETWEEN = re.compile(r"(?:\^|\$|\\b|\||\((?:\?:|\?<[A-Za-z_]\w*>|(?!\?)))(?![*+?]|\{\d)", re.ASCII)
"""what cannot be repeated"""
_ATOM = re.compile(rf"{_ESCAPE}|\{{(?!,)|[^\\\[(^$|{{]", re.DOTALL)
_FLAGS = re.compile(r"(?:\(\?([is]{1,2})\))?")


def _translated(pattern: str) -> tuple[str, str]:
    """Return the flags and the pattern as RE2 writes them. Raises _PatternError."""
    flags = _FLAGS.match(pattern)
    assert flags is not None  # it may be empty
    dot = f"[^{_ENDS_LINE}]" if "s" not in (flags[1] or "") else "."
    parts: list[str] = []
    place = flags.end()
    while place < len(pattern):
        if in_class := _CLASS.match(pattern, place):
            members = "".join(_member(each[0]) for each in _MEMBER.finditer(in_class["members"]))
            parts.append(f"[{'^' * pattern.startswith('[^', place)}{members}]")
        found = in_class or _BETWEEN.match(pattern, place) or _ATOM.match(pattern, place)
        if found is None:
            raise _PatternError(f"an escape, a class, a group or a repetition at character {place + 1}")
        if not in_class:
            atom = _member(found[0])
            parts.append(dot if atom == "." else atom if atom == found[0] else f"[{atom}]")
        place = found.end()
    return flags[0], "".join(parts)


def _member(written: str) -> str:
    """Return a character, or what an escape stands for, as RE2 writes it in a class."""
    if written.startswith("\\u"):
        return rf"\x{{{written[2:]}}}"
    return {r"\s": _SPACES, r"\S": _NO_SPACES, "[": r"\["}.get(written, written)
