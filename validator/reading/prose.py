"""Which texts are told in prose, and their clauses beside what the notations could not read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.reading.plan import Dialect, NoPlan, Step
from validator.reading.reading import Reading
from validator.records import replace

if TYPE_CHECKING:
    from validator.reading.lexicon import Lexicon
    from validator.reading.lexicon.clauses import Clause
    from validator.reading.plan import Plan, Span
    from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["clauses_in", "in_prose", "overlap"]

_FORMAL = re.compile(r"\([\w\s?-]*\)|\S*|.*(?:\w[(\[{<]|[={}]|\w\|\w).*", re.DOTALL)
_DIALECTS = (Dialect.WORDS, Dialect.JSON)
_COUNT = re.compile(r"\A\d{1,4}\s+")
_CALL = re.compile(r"\w[({\[=]|^\s*\(|;\s*$", re.MULTILINE)
_LIST = re.compile(r"^\s*[\[{|]", re.MULTILINE)
_OTHER = NoPlan.OTHER


def in_prose(reading: Reading, known: Vocabulary) -> bool:
    """Return whether a text tells its plan in prose: some step was read from words, or none from a notation."""
    if known.model is None or reading.translated_by or reading.passed_over or reading.no_plan not in (None, _OTHER):
        return False
    plan = reading.plan
    if len(reading.candidates) > 1 or any(piece.is_of_structure for piece in reading.missed):
        return False
    if any(step.time is not None or step.concurrent is not None for step in plan.steps):
        return False
    if not plan.steps:
        is_formal_piece = any(piece.text.startswith(("(", "[")) for piece in reading.missed)
        is_open = reading.no_plan is _OTHER or bool(reading.missed)
        return is_open and not is_formal_piece and _CALL.search(plan.text) is None
    if plan.dialect not in _DIALECTS or (plan.dialect is Dialect.JSON and _LIST.search(plan.text) is None):
        return False
    if not all(is_formal(plan.text[slice(*step.span)], step) for step in plan.steps):
        return True
    if known.lexicon is None or _CALL.search(plan.text) is not None:
        return False
    is_mostly_unread = plan.dialect is Dialect.JSON or len(reading.missed) > len(plan.steps)
    return any(_says_more(clause, plan, is_mostly_unread) for clause in clauses_in(plan, known.lexicon))


def _says_more(clause: Clause, plan: Plan, with_unread: bool) -> bool:
    """Return whether a clause names objects, and no token of the plan, or none with as many arguments, stands there.

    ``with_unread``: pieces that were not understood are no such tokens.
    """
    if not clause.is_open or not clause.mentions:
        return False
    here = [token for token in plan.tokens if overlap(clause.span, token.span)]
    steps = [token for token in here if isinstance(token, Step)]
    is_read = len(steps) == len(here) or with_unread
    return is_read and not any(len(step.args) >= len(clause.mentions) for step in steps)


def is_formal(text: str, step: Step) -> bool:
    """Return whether a step is written in a notation: ``(name args)``, ``name(args)``, or its names alone."""
    text = _COUNT.sub("", text.strip().strip("`*"))
    names = {step.name.lower(), *(arg.lower() for arg in step.args)}
    is_names = names.issuperset(text.lower().split()) or _letters(text) == _letters("".join((step.name, *step.args)))
    return is_names or _FORMAL.fullmatch(text) is not None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def clauses_in(plan: Plan, lexicon: Lexicon) -> tuple[Clause, ...]:
    """Return the clauses of a plan's text; what was missed as a step is no remark."""
    from validator.reading.lexicon.clauses import Kind

    found = lexicon.clauses(plan.text)
    missed = [piece.span for piece in plan.reading.missed] if plan.reading is not None else []
    read = [clause.span for clause in found if clause.kind is not Kind.REMARK]
    unread = [span for span in missed if not any(overlap(span, other) for other in read)]
    return tuple(
        replace(clause, kind=Kind.HOLE, reason="no step could be read from it")
        if clause.kind is Kind.REMARK and any(overlap(clause.span, span) for span in unread)
        else clause
        for clause in found
    )


def overlap(one: Span, other: Span) -> bool:
    """Return whether two places of a text share a character."""
    return one[0] < other[1] and other[0] < one[1]
