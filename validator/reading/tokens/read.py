"""The one way from a text to its reading.

A text that is a plain list of known steps is read at once; any other one has its candidates looked for, which takes
longer to begin with than such a list takes to read.
"""

from __future__ import annotations

from validator.reading.plan import Dialect, Plan
from validator.reading.reading import Candidate, Reading
from validator.reading.tokens.plain import read_plain
from validator.reading.tokens.spellings import spelled
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace
from validator.resources import without_collection

__all__ = ["read", "tokenize"]


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
    known = vocabulary or Vocabulary()
    is_literal = strict or dialect is not None
    plain = read_plain(text, known) if dialect is None else None
    if plain is not None:
        return spelled(Reading(candidates=(Candidate(plan=plain),), is_literal=is_literal), text, known.alike)
    from validator.reading.tokens.candidates.text import read_any

    return spelled(read_any(text, known, dialect, is_literal), text, known.alike)
