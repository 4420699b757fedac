"""Plans of which a reader understood several ways, with arguments that are open."""

from __future__ import annotations

from collections.abc import Sequence

from validator.reading.plan import Plan, Step, Unparsed
from validator.reading.reading import Candidate, Reading, places_of

__all__ = ["open_plan"]


def open_plan(pieces: Sequence[Sequence[Step]]) -> Plan:
    """Return a plan of so many pieces, each a question mark on its line that may be any of some open steps."""
    text = "\n".join("?" for _ in pieces)
    parts = tuple(
        Unparsed(text="?", reason="", ways=tuple(ways), span=(2 * place, 2 * place + 1))
        for place, ways in enumerate(pieces)
    )
    candidate = Candidate(plan=Plan(parts=parts, text=text), missed=tuple(places_of(text, parts)))
    return Plan(parts=parts, text=text, reading=Reading(candidates=(candidate,)))
