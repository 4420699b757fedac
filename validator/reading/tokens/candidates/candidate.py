"""What was read, as a candidate: a plan in the signs of its text, and what of it was not understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from validator.reading.plan import Ignored, Part, Plan, Unparsed
from validator.reading.reading import Candidate, places_of
from validator.reading.tokens.around.marks import printed_alone
from validator.reading.tokens.rows import Row, abridged, backwards, branches, gaps, taken_back
from validator.records import replace

__all__ = ["WHOLE", "as_written", "candidate_of", "restored", "warned", "with_missed"]

WHOLE = "the whole text"


def candidate_of(plan: Plan, said: str = WHOLE, is_marked: bool = False, rows: Sequence[Row] = ()) -> Candidate:
    """Return a plan with what was not understood of it: tokens, items of its list without any, steps taken back."""
    pieces = [part for part in plan.parts if isinstance(part, Unparsed)]
    reasons = {row.start: (row, "no step could be read from this item of the list") for row in gaps(rows)}
    reasons |= {row.start: (row, "it stands for steps that are not written out") for row in abridged(rows)}
    reasons |= {row.start: (row, "the items are counted backwards") for row in backwards(rows)}
    reasons |= {row.start: (row, "the plan branches here on what is seen") for row in branches(rows)}
    pieces += (_unread(row, reason) for row, reason in reasons.values())
    for row, step in taken_back(rows):
        reason = f"the author may take it back: {row.text.strip()!r:.120}"
        pieces.append(Unparsed(text=plan.text[slice(*step.span)], reason=reason, span=step.span))
    return Candidate(plan=plan, said=said, is_marked=is_marked, missed=tuple(places_of(plan.text, pieces)))


def _unread(row: Row, reason: str) -> Unparsed:
    return Unparsed(text=row.text.strip(), reason=reason, span=(row.start, row.end))


def with_missed(candidate: Candidate, pieces: Iterable[Unparsed]) -> Candidate:
    """Return a candidate of which some more pieces were not understood."""
    missed = [*candidate.missed, *places_of(candidate.plan.text, pieces)]
    return replace(candidate, missed=tuple(sorted(missed, key=lambda piece: piece.span)))


def as_written(candidate: Candidate, shown: str, text: str) -> Candidate:
    """Return a candidate of a text that was read in other signs of the same length, in those that it has."""
    missed = (
        piece
        if (own := text[slice(*piece.span)]) == shown[slice(*piece.span)]
        else replace(piece, text=" ".join(own.split()))
        for piece in candidate.missed
    )
    return replace(candidate, plan=restored(candidate.plan, text), missed=tuple(missed))


def restored(plan: Plan, text: str) -> Plan:
    """Put back what was blanked before the reading: text that was left out is prose, signs alone are markup."""
    if plan.text == text:
        return plan
    parts: list[Part] = []
    for part in plan.parts:
        if isinstance(part, Ignored | Unparsed) and part.text != (own := text[slice(*part.span)]):
            is_hidden = isinstance(part, Ignored) and part.kind == "space" and bool(printed_alone(own).strip())
            kind = "prose" if any(map(str.isalnum, own)) else "markup"
            part = Ignored(kind=kind, text=own, span=part.span) if is_hidden else replace(part, text=own)
        parts.append(part)
    return replace(plan, parts=tuple(parts), text=text)


def warned(plan: Plan, warnings: list[str]) -> Plan:
    """Return a plan with further warnings."""
    return replace(plan, warnings=(*plan.warnings, *warnings)) if warnings else plan
