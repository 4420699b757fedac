"""The reading of a text, by the names of its values, and where in the text the pieces stand that it missed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from validator.reading.plan import Candidate, Completeness, Ignored, Missed, NoPlan, Part, Reading, Unparsed
from validator.records import replace

__all__ = ["Candidate", "Completeness", "Missed", "NoPlan", "Reading", "literal", "places_of"]


def literal(candidate: Candidate) -> Candidate:
    """Return a candidate in which each piece that looks like a step, and that nothing was read of, is in the plan.

    There it is a fault: a literal reading takes all that was not understood for the plan.
    """
    owned = [part.span for part in candidate.plan.parts if not isinstance(part, Ignored)]
    unread = [piece for piece in candidate.missed if not _overlaps(piece, owned)]
    if not unread:
        return candidate
    parts = tuple(part for whole in candidate.plan.parts for part in _cut(whole, unread))
    return replace(candidate, plan=replace(candidate.plan, parts=parts))


def _overlaps(piece: Missed, owned: Sequence[tuple[int, int]]) -> bool:
    start, end = piece.span
    place = bisect_left(owned, (end, 0))
    return place > 0 and owned[place - 1][1] > start


def _cut(part: Part, unread: Sequence[Missed]) -> Iterator[Part]:
    """Yield a part without what the pieces take of it, and each piece that begins in it."""
    if not isinstance(part, Ignored):
        yield part
        return
    place, end = part.span
    first = bisect_left(unread, place, key=lambda piece: piece.span[1])
    for piece in unread[first:]:
        if piece.span[0] >= end:
            break
        if place < piece.span[0]:
            yield _between(part, place, piece.span[0])
        if piece.span[0] >= part.span[0]:
            yield Unparsed(text=piece.text, reason=piece.reason, nearest=piece.nearest, span=piece.span)
        place = max(place, min(piece.span[1], end))
    if place < end:
        yield _between(part, place, end)


def _between(part: Ignored, start: int, end: int) -> Ignored:
    before = part.span[0]
    return replace(part, text=part.text[start - before : end - before], span=(start, end))


def places_of(text: str, pieces: Iterable[Unparsed]) -> list[Missed]:
    """Return pieces of a text in its order, each with its line and column, in one pass over it."""
    found: list[Missed] = []
    line, counted = 1, 0
    for piece in sorted(pieces, key=lambda piece: piece.span):
        start = piece.span[0]
        line += text.count("\n", counted, start)
        counted = start
        column = start - text.rfind("\n", 0, start)
        found.append(
            Missed(
                text=str(piece),
                reason=piece.reason,
                span=piece.span,
                line=line,
                column=column,
                nearest=piece.nearest,
                is_of_structure=piece.is_of_structure,
            )
        )
    return found
