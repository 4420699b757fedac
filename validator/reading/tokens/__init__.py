"""Plan text to tokens, and back: steps, constraints, what could not be read, what was passed over.

Every character of the text is in exactly one part of the plan; nothing is dropped without a trace.
"""

from __future__ import annotations

import re
from dataclasses import replace

from validator.reading.calls.commas import read_commas
from validator.reading.calls.json_text import read_json_plan
from validator.reading.plan import Dialect, Ignored, Plan, Unparsed
from validator.reading.tokens.layout import MAX_CHARACTERS, MAX_STEPS
from validator.reading.tokens.lines import read_lines
from validator.reading.tokens.render import render
from validator.reading.tokens.structured import looks_like_json, read_json, read_sets
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
    if len(text) <= MAX_CHARACTERS and (found := _structured(text, known, dialect)) is not None:
        return found
    dialect = dialect or looks_like_json(text)
    if dialect in (Dialect.EAI_OBJECT, Dialect.EAI_LIST):
        return read_json(text, dialect)
    if dialect is Dialect.SETS:
        return read_sets(text)
    return read_lines(text, known, dialect)


def _structured(text: str, known: Vocabulary, dialect: Dialect | None) -> Plan | None:
    """Return the plan of a text that is JSON or a line of commas as a whole; None for any other."""
    if dialect not in (None, Dialect.JSON):
        return None
    plan = read_json_plan(text, known, lambda part: tokenize(part, known))
    if plan is None and dialect is Dialect.JSON and text.strip():
        unread = Unparsed(text=text, reason="a list of calls in JSON was expected", span=(0, len(text)))
        return Plan(parts=(unread,), dialect=dialect, text=text)
    return plan if plan is not None or looks_like_json(text) else _commas(text, known)


_SEPARATED = re.compile(r"[,{;→]|->|=>")


def _commas(text: str, known: Vocabulary) -> Plan | None:
    """Return a plan that is a line of commas; a text of one element is left to the lines."""
    if _SEPARATED.search(text) is None or text.count(",") > MAX_STEPS:
        return None
    plan = read_commas(text, known)
    least = 1 if "{" in text else 2
    return None if plan is None or len(plan.tokens) < least else plan
