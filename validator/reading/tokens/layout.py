"""The terminals of grammars; a plan text cut into the pieces of ``grammars/plan_layout.lark``, and these into lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from validator.errors import PlanError
from validator.reading.plan import MAX_STEPS
from validator.resources import terminals

_GRAMMAR = "plan_layout.lark"
_OF_STEPS = frozenset(("STAMP", "BRACKET", "NEWLINE", "SPACE", "OUTPUTS", "ASSERT"))
_STEPS = frozenset(("GROUP", "CALL", "SCRIPT"))


class Piece(NamedTuple):
    """A token of a grammar: its terminal, its text and the offset of its first character."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_piece = partial(tuple.__new__, Piece)
"""makes a piece of its fields, in half of the time that they take by name"""


@cache
def _pattern() -> re.Pattern[str]:
    """Return the terminals of the grammar as one pattern."""
    return re.compile("|".join(f"(?P<{name}>{each})" for name, each in terminals(_GRAMMAR).items()))


@cache
def terminal(name: str, grammar: str = _GRAMMAR) -> re.Pattern[str]:
    """Return one terminal of a grammar."""
    return re.compile(terminals(grammar)[name])


def pieces(text: str) -> list[Piece]:
    """Return the pieces of a text; their texts, joined, are the text.

    Raises PlanError when the text is over a limit: steps, or pieces that are no steps.
    """
    found: list[Piece] = []
    steps = others = 0
    for match in _pattern().finditer(text):
        kind, start = str(match.lastgroup), match.start()
        if kind in _STEPS:
            steps += 1
        elif kind not in _OF_STEPS:
            others += 1
        if steps > MAX_STEPS or others > MAX_OTHERS:
            what = f"{MAX_STEPS} steps" if steps > MAX_STEPS else f"{MAX_OTHERS} pieces that are not steps"
            raise PlanError(f"the plan text has more than {what}", text=text, offset=start)
        if len(found) == MAX_PIECES:
            raise PlanError(f"the plan text has more than {MAX_PIECES} pieces", text=text, offset=start)
        found.append(_piece((kind, match[0], start)))
    assert sum([len(piece.text) for piece in found]) == len(text)  # the grammar has a terminal for each character
    return found


def check_size(text: str) -> None:
    """Raise PlanError when a plan text has too many characters."""
    if len(text) > MAX_CHARACTERS:
        raise PlanError(f"the plan text has {len(text)} characters; the limit is {MAX_CHARACTERS}")


def lines(found: Sequence[Piece]) -> Iterator[tuple[tuple[Piece, ...], Piece | None]]:
    """Yield the pieces of each line and the NEWLINE that ends it."""
    line: list[Piece] = []
    for piece in found:
        if piece.kind == "NEWLINE":
            yield tuple(line), piece
            line = []
        else:
            line.append(piece)
    if line:
        yield tuple(line), None


MAX_CHARACTERS = 16 * 2**20
"""A plan text may have this many characters (16 Mi)."""

MAX_PIECES = 700_000
"""A plan text may have this many pieces of all kinds: a step has at most seven of its own."""

MAX_OTHERS = 50_000
"""A plan text may have this many pieces that are neither steps nor what belongs to them."""
