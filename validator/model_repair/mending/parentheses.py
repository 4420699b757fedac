"""Parentheses that are missing or too many, put right section by section and part by part.

Where a section or a part of an action begins is told by its keyword, whatever the parentheses before it say; so each
can be balanced by itself, and a fault in one does not reach into the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from validator.model_repair.mending.grouped import grouped

__all__ = ["balanced"]

_SECTION = re.compile(
    r"\(\s*:(?:requirements|types|constants|predicates?|functions?|action|derived|constraints)\b", re.IGNORECASE
)
_ACTION = re.compile(r"\(\s*:action\b", re.IGNORECASE)
_KEY = re.compile(r"(?<=[\s()]):[a-z][\w-]*", re.IGNORECASE)
_CONDITION = re.compile(r":(?:precond|effect)\w*\s+", re.IGNORECASE)
_COMMENT = re.compile(r";[^\n]*")


def balanced(text: str) -> tuple[str, str]:
    """Return the text of a domain with balanced parentheses, and what was changed, in words."""
    plain = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    said: list[str] = []
    for start, end, wanted in reversed(list(_parts(plain))):
        surplus = wanted - (plain.count("(", start, end) - plain.count(")", start, end))
        key = _CONDITION.match(plain, start)
        if key is not None and wanted <= 0:
            after = grouped(text[key.end() : end], -wanted)
            if after != text[key.end() : end]:
                line = text.count("\n", 0, start) + 1
                said.append(f"the parentheses of {key[0].strip()} of line {line} are put right")
                text = f"{text[: key.end()]}{after}{text[end:]}"
        elif surplus:
            text = _put_right(text, plain, start, end, surplus)
            line = text.count("\n", 0, start + len(plain[start:end].rstrip())) + 1
            kind = "too many" if surplus > 0 else "missing"
            said.append(f"{abs(surplus)} ')' {kind} before the end of line {line}")
    return text, "; ".join(reversed(said))


def _parts(plain: str) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of a text, each with the number of parentheses that it must leave open."""
    starts = [match.start() for match in _SECTION.finditer(plain)]
    if not starts:
        yield 0, len(plain), 0
        return
    yield 0, starts[0], 1
    for start, end in pairwise((*starts, len(plain))):
        closing = -1 if end == len(plain) else 0
        if not _ACTION.match(plain, start):
            yield start, end, closing
            continue
        first = plain.index(":", start) + 1
        keys = [start, *(match.start() for match in _KEY.finditer(plain, first, end)), end]
        for number, (begin, stop) in enumerate(pairwise(keys)):
            is_last = stop == end
            yield begin, stop, (1 if number == 0 else 0) + (closing - 1 if is_last else 0)


def _put_right(text: str, plain: str, start: int, end: int, surplus: int) -> str:
    """Take so many ``)`` from the end of a part, or put them there."""
    if surplus < 0:
        at = start + len(plain[start:end].rstrip())
        return f"{text[:at]}{')' * -surplus}{text[at:]}"
    for _ in range(surplus):
        at = plain.rfind(")", start, end)
        text, plain = f"{text[:at]}{text[at + 1 :]}", f"{plain[:at]}{plain[at + 1 :]}"
        end -= 1
    return text
