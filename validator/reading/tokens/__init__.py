"""Plan text to tokens, and back: steps, constraints, what could not be read, what was passed over.

Every character of the text is in exactly one part of the plan; nothing is dropped without a trace.
"""

from __future__ import annotations

from dataclasses import replace

from validator.reading.plan import Dialect, Ignored, Plan, Unparsed
from validator.reading.tokens.lines import read_lines
from validator.reading.tokens.render import render
from validator.reading.tokens.structured import looks_like_json, looks_like_sets, read_json, read_sets
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["Vocabulary", "render", "tokenize"]

_BYTE_ORDER_MARK = "\ufeff"


def tokenize(text: str, vocabulary: Vocabulary | None = None, dialect: Dialect | None = None) -> Plan:
    """Read a plan text.

    ``vocabulary`` holds the names of a model, by which steps in prose are told from prose; ``dialect`` None
    means that the dialect is recognised. Raises PlanError when the text is over a stated limit.
    """
    known = vocabulary or Vocabulary()
    if text.startswith(_BYTE_ORDER_MARK):
        # Read as a blank, so that no offset moves.
        plan = tokenize(" " + text[1:], known, dialect)
        first = plan.parts[0]
        if isinstance(first, Ignored | Unparsed):
            first = replace(first, text=text[slice(*first.span)])
        return replace(plan, parts=(first, *plan.parts[1:]), text=text)
    if dialect is None:
        dialect = looks_like_json(text) or (Dialect.SETS if looks_like_sets(text) else None)
    if dialect in (Dialect.EAI_OBJECT, Dialect.EAI_LIST):
        return read_json(text, dialect)
    if dialect is Dialect.SETS:
        return read_sets(text)
    return read_lines(text, known, dialect)
