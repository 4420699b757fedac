"""What is told of a policy whose text cannot be read: what was expected, where, and the nearest word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.errors import InputError, nearest
from validator.policies.conditions import KEYWORDS

if TYPE_CHECKING:
    from lark import UnexpectedInput

__all__ = ["fault"]

_WORDS = {
    "NAME": "a name",
    "STRING": "a text in quotes",
    "NUMBER": "a number",
    "OPERATOR": "=, !=, <, <=, >, >= or ~",
    "REFERENCE": "?argument",
    "_END": "the end of the line",
    "$END": "the end",
    "COMMA": "','",
    "COLON": "':'",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LESSTHAN": "'<'",
    "LABEL": None,
}
_MOST_EXPECTED = 8
_FIRST = ("allow", "budget", "compare", "cost", "either", "exactly", "never", "order", "read-only")
"""the words that begin a statement"""


def fault(error: UnexpectedInput, text: str, source: str) -> InputError:
    """Return what was expected where a text could not be read, with the nearest word."""
    offset = error.pos_in_stream
    place = len(text) if offset is None or offset < 0 else offset
    if getattr(getattr(error, "token", None), "type", "") == "$END":
        place = len(text.rstrip())
    found = re.match(r"[\w*-]+|.", text[place:], re.DOTALL)
    kinds = (getattr(error, name, None) for name in ("accepts", "expected", "allowed"))
    names = set(next((kind for kind in kinds if kind), ()))
    expected = [word for word in (_expected(name) for name in sorted(names)) if word]
    shown = "the end of the line" if found is None or found[0].isspace() else f"'{found[0]}'"
    said = f"{', '.join(expected[:_MOST_EXPECTED])} was expected, not {shown}" if expected else f"not read: {shown}"
    words = [name for name in KEYWORDS if name.upper().replace("-", "_") in {each.replace("-", "_") for each in names}]
    before = _word_before(text, place)
    near = None if found is None else nearest(found[0], words) or nearest(before, words) or nearest(before, _FIRST)
    return InputError(f"{said}{f' (did you mean {near!r}?)' if near else ''}", source=source, text=text, offset=place)


def _word_before(text: str, place: int) -> str:
    words = text[:place].split()
    return words[-1] if words else ""


def _expected(name: str) -> str | None:
    return _WORDS[name] if name in _WORDS else f"'{name.lower().replace('_', '-')}'"
