"""Lines of calls, ``stack(a, b), wait()``, and of names, ``a1, {a2, a3}``, as metrics are mostly given them.

They are read in one pass, or not at all.

Anything else is left to ``validator.reading.tokens``. Both read the same steps of what is read here; a test compares
them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from validator.reading.arguments import Argument
from validator.reading.plan import Step, Token
from validator.reading.tokens.layout import MAX_CHARACTERS, MAX_STEPS
from validator.records import replace

__all__ = ["read_calls", "read_names"]

_NAME = r"[A-Za-z_][\w-]*+"
_CALL = re.compile(rf"[ \t]*+({_NAME})\([ \t]*+((?:{_NAME}[ \t]*+(?:,[ \t]*+(?!$))?+)*+)", re.ASCII)
"""A call without its last parenthesis."""
_SET = rf"\{{[ \t]*+{_NAME}[ \t]*+(?:,[ \t]*+{_NAME}[ \t]*+)*+\}}"
_ONE = rf"[ \t]*+(?:{_NAME}|{_SET})[ \t]*+"
_NAMES = re.compile(rf"{_ONE}(?:,{_ONE})++", re.ASCII)
_ALONE = re.compile(r"[a-z][a-z0-9_-]*+")
"""A name that stands alone, in lower case: a name in upper case is read as the same in lower case then."""
_MEMBERS = re.compile(r"[{}]|[^\s,{}]++", re.ASCII)
_LISTED = re.compile(rf"[ \t]*+({_NAME})[ \t]*+", re.ASCII)
_FEW = 64
"""calls up to which to count them as texts is not worth it"""
_SHORT = 4_096
"""characters of a line whose names are looked up one by one"""


def read_calls(text: str) -> tuple[tuple[Step, ...], Counter[Token] | None] | None:
    """Return the steps of a line of calls with plain names, and of a long one how often each occurs.

    Steps that are written alike are one value, which has no span. None for any other text.
    """
    if text.rstrip(" \t")[-1:] != ")" or len(text) > MAX_CHARACTERS:
        return None
    pieces = text.rstrip()[:-1].split("),")
    if len(pieces) > MAX_STEPS:
        return None
    if len(pieces) == 1:  # not a line of commas: its arguments are told without their notation
        only = _step(pieces[0])
        return None if only is None else ((replace(only, written=None),), None)
    if len(pieces) < _FEW:
        listed = tuple(map(_step, pieces))
        return (listed, None) if all(listed) else None  # type: ignore[return-value]
    counts = Counter(pieces)
    steps: dict[str, Step] = {}
    for piece in counts:
        step = _step(piece)
        if step is None:
            return None
        steps[piece] = step
    found = Counter[Token]()
    for piece, count in counts.items():
        found[steps[piece]] = found.get(steps[piece], 0) + count
    return tuple(map(steps.__getitem__, pieces)), found


@lru_cache(maxsize=4096)
def _step(piece: str) -> Step | None:
    found = _CALL.fullmatch(piece)
    if found is None:
        return None
    args = tuple(map(str.strip, found[2].split(","))) if found[2] else ()
    if any(" " in arg or "\t" in arg for arg in args):
        return None
    written = tuple(Argument(name=None, text=arg) for arg in args)
    return Step(name=found[1], args=args, written=written)


def read_names(text: str) -> tuple[Step | frozenset[Step], ...] | None:
    """Return the elements of one name, or of several and sets of them with commas between; None for any other text.

    Steps that are written alike are one value, which has no span.
    """
    if "," not in text:
        is_one = len(text) <= MAX_CHARACTERS and _ALONE.fullmatch(text) is not None
        return (_named(text),) if is_one else None
    if len(text) < _SHORT and "{" not in text:
        listed = tuple(map(_listed, text.split(",")))
        return listed if all(listed) else None  # type: ignore[return-value]
    if _NAMES.fullmatch(text) is None or len(text) > MAX_CHARACTERS or text.count(",") >= MAX_STEPS:
        return None
    if "{" not in text:
        return tuple(map(_named, map(str.strip, text.split(","))))
    found: list[Step | frozenset[Step]] = []
    members: list[Step] | None = None
    for piece in _MEMBERS.findall(text):
        if piece == "{":
            members = []
        elif members is None:
            found.append(_named(piece))
        elif piece == "}":
            found.append(frozenset(members))
            members = None
        else:
            members.append(_named(piece))
    return tuple(found)


@lru_cache(maxsize=4096)
def _listed(piece: str) -> Step | None:
    """Return the name between two commas as a step; None for anything else."""
    found = _LISTED.fullmatch(piece)
    return None if found is None else _named(found[1])


@lru_cache(maxsize=4096)
def _named(name: str) -> Step:
    return Step(name=name)
