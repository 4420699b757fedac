"""The one way from a text to its reading.

A text that is a plain list of known steps is read at once; any other one has its candidates looked for, which takes
longer to begin with than such a list takes to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from validator.reading.plan import Candidate, Dialect, Missed, Part, Plan, Reading, Step, Unparsed
from validator.reading.tokens.layout import check_size
from validator.reading.tokens.plain import read_plain, read_stamped
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import places_of
from validator.records import replace
from validator.resources import without_collection


def tokenize(
    text: str, vocabulary: Vocabulary | None = None, dialect: Dialect | None = None, *, strict: bool = False
) -> Plan:
    """Read a plan text, and return the likeliest plan, whose ``reading`` says what else it may be.

    Arguments and errors as in ``read``.
    """
    reading = read(text, vocabulary, dialect, strict=strict)
    return replace(reading.plan, reading=reading)


@without_collection()
def read(
    text: str, vocabulary: Vocabulary | None = None, dialect: Dialect | None = None, *, strict: bool = False
) -> Reading:
    """Read a text in which a plan is said.

    ``vocabulary`` holds the names of a model, by which steps in prose are told from prose; ``dialect`` None means that
    the dialect is recognised. With a dialect, or ``strict``, the reading is literal: what cannot be read is a fault of
    the plan. Raises PlanError when the text is over a stated limit.
    """
    check_size(text)
    dialect = None if dialect is None else Dialect(dialect)
    known = vocabulary or Vocabulary()
    is_literal = strict or dialect is not None
    plain = read_plain(text, known) if dialect is None else None
    if plain is None and known.has_time:
        plain = read_stamped(text, known)
    if plain is not None and dialect in (None, plain.dialect):
        pieces = [part for part in plain.parts if isinstance(part, Unparsed)]
        candidate = Candidate(plan=plain, missed=tuple(places_of(text, pieces)) if pieces else ())
        return spelled(Reading(candidates=(candidate,), is_literal=is_literal), text, known.alike)
    from validator.reading.tokens.text import read_any

    reading = read_any(text, known, dialect, is_literal)
    return spelled(reading if is_literal else _without_phrases(reading, text, known), text, known.alike)


def _without_phrases(reading: Reading, text: str, known: Vocabulary) -> Reading:
    """Return a reading in which phrases are no steps: ``(move r1 to hall)``, ``load: box1`` with objects left out.

    Nor are those with an argument that is no name, and holds that of an object: ``stack(block a, b)``.
    """
    if not known.objects:
        return reading
    from validator.reading.lexicon.english import BETWEEN  # which plain lists of steps do not need

    small = BETWEEN - known.objects

    def is_phrase(name: str) -> bool:
        words = _JOINTS.split(name.lower())
        return len(words) > 1 and name.lower() not in known.objects and not known.objects.isdisjoint(words)

    def part(one: Part) -> Part:
        if not isinstance(one, Step):
            return one
        said, wanted = text[slice(*one.span)], known.actions.get(one.name, 0)
        word = next((word for word in " ".join(one.args).lower().split() if word in small), None)
        word = word or next(filter(is_phrase, one.args), None)
        is_short = len(one.args) < wanted and ":" in said and _SIGNS.isdisjoint(said)
        if word is None and not is_short:
            return one
        why = f"'{one.name}' takes {wanted} arguments" if word is None else f"'{word}' is not an object of the model"
        return Unparsed(text=said.strip(), reason=why, span=one.span)

    return replace(reading, candidates=tuple(_changed(each, text, part) for each in reading.candidates))


_SIGNS = frozenset("()[]{}\"'=")
_JOINTS = re.compile(r"[^\w-]+")
_WORD = re.compile(r"[^\s()\[\]{},;:=\"'`.]+")


def spelled(reading: Reading, text: str, alike: Mapping[str, frozenset[str]]) -> Reading:
    """Return a reading with the names of its steps as the text has them.

    ``alike`` are the names of which there are several, by what they are in lower case. A step that is spelled like none
    of them is not understood.
    """
    if not alike:
        return reading
    return replace(
        reading,
        candidates=tuple(_changed(each, text, lambda part: _part(part, text, alike)) for each in reading.candidates),
    )


def _changed(candidate: Candidate, text: str, change: Callable[[Part], Part]) -> Candidate:
    """Return a candidate with its parts changed; those that are not understood now are missed."""
    parts = tuple(map(change, candidate.plan.parts))
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
        return Unparsed.at(text, part.span, reason)
    for place, word in zip(unclear, said, strict=True):
        names[place] = word
    return replace(part, name=names[0], args=tuple(names[1:]))
