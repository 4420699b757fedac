"""Names that only their case tells apart, as problems of unified-planning may have them: which one a text says.

Texts are read whatever their case. Where a model has two names for that, the spelling decides, if it is one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from validator.reading.plan import Missed, Part, Step, Unparsed
from validator.reading.reading import Candidate, Reading, places_of
from validator.records import replace

__all__ = ["spelled"]

_WORD = re.compile(r"[^\s()\[\]{},;:=\"'`.]+")


def spelled(reading: Reading, text: str, alike: Mapping[str, frozenset[str]]) -> Reading:
    """Return a reading with the names of its steps as the text has them.

    ``alike`` are the names of which there are several, by what they are in lower case. A step that is spelled like none
    of them is not understood.
    """
    if not alike:
        return reading
    return replace(reading, candidates=tuple(_respelled(candidate, text, alike) for candidate in reading.candidates))


def _respelled(candidate: Candidate, text: str, alike: Mapping[str, frozenset[str]]) -> Candidate:
    parts = tuple(_part(part, text, alike) for part in candidate.plan.parts)
    pieces = [part for part, old in zip(parts, candidate.plan.parts, strict=True)
              if isinstance(part, Unparsed) and part is not old]  # fmt: skip
    missed: tuple[Missed, ...] = tuple(
        sorted((*candidate.missed, *places_of(text, pieces)), key=lambda each: each.span)
    )
    return replace(candidate, plan=replace(candidate.plan, parts=parts), missed=missed)


def _part(part: Part, text: str, alike: Mapping[str, frozenset[str]]) -> Part:
    if not isinstance(part, Step):
        return part
    names = [part.name, *part.args]
    unclear = [place for place, name in enumerate(names) if name.lower() in alike]
    said = [word for word in _WORD.findall(text[slice(*part.span)]) if word.lower() in alike]
    if not unclear:
        return part
    if [names[place].lower() for place in unclear] != list(map(str.lower, said)) or not all(
        word in alike[word.lower()] for word in said
    ):
        several = sorted(alike[names[unclear[0]].lower()])
        reason = f"'{names[unclear[0]]}' may be {' or '.join(several)}"
        return Unparsed(text=text[slice(*part.span)], reason=reason, span=part.span)
    for place, word in zip(unclear, said, strict=True):
        names[place] = word
    return replace(part, name=names[0], args=tuple(names[1:]))
