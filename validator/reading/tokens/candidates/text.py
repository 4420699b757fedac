"""The one way from any text to its reading.

    text --asides--> what is visible --notations--> tokens --segments--> selections --> candidates

What stands around the plan, such as thoughts, is left out first. What is left is read once; the lines with steps fall
into runs, and where some of them are no part of the plan, what remains is read again without them.
"""

from __future__ import annotations

import re

from validator.reading.plan import Dialect, Ignored, Plan, Step
from validator.reading.reading import Candidate, NoPlan, Reading, literal
from validator.reading.tokens.around.asides import without_asides
from validator.reading.tokens.around.denials import claims_empty_plan
from validator.reading.tokens.around.inside.connected import unconnected
from validator.reading.tokens.around.inside.wrapped import Unwrapped, unwrapped
from validator.reading.tokens.around.marks import (
    bulleted,
    narrow,
    numbered,
    printed_alone,
    undated,
    unescaped,
    unmarked,
)
from validator.reading.tokens.candidates.candidate import as_written
from validator.reading.tokens.candidates.chats import by_chat
from validator.reading.tokens.candidates.foreign import without_foreign_names
from validator.reading.tokens.candidates.notation import by_notation
from validator.reading.tokens.candidates.orders import orders
from validator.reading.tokens.candidates.turns import by_elements, by_turns
from validator.reading.tokens.mentions import remarks
from validator.reading.tokens.notations.lines.lines import read_lines
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace

__all__ = ["read_any"]


def read_any(text: str, known: Vocabulary, dialect: Dialect | None, is_literal: bool) -> Reading:
    """Read a text of any notation; arguments and errors as in ``validator.reading.tokens.read``."""
    if is_literal and known.lexicon is not None:
        known = replace(known, model=None)
    # Read as blanks, so that no offset moves.
    shown = printed_alone(text)
    shown = shown if is_literal else numbered(bulleted(undated(unmarked(unescaped(narrow(shown))))))
    shown = shown if is_literal or not known.actions else unconnected(shown, known)
    steps = Unwrapped(text=shown) if is_literal or not known.actions else unwrapped(shown, known)
    shown = steps.text
    found, passed_over = _read(shown, known, dialect)
    found = [steps.of(candidate) for candidate in found]
    if shown != text:
        found = [as_written(candidate, shown, text) for candidate in found]
    if is_literal:
        return Reading(candidates=(literal(found[0]),), is_literal=True)
    found = [
        replace(candidate, remarks=remarks(candidate.plan, known), orders=orders(candidate.plan, known))
        for candidate in found
    ]
    if known.lexicon is not None:
        found = [without_foreign_names(candidate, known) for candidate in found]
    no_plan = _no_plan(found[0].plan)
    if no_plan is NoPlan.OTHER and not found[0].missed and claims_empty_plan(text):
        return Reading(candidates=(_empty(found[0]),))
    return Reading(candidates=tuple(found), no_plan=no_plan, passed_over=passed_over)


def _empty(candidate: Candidate) -> Candidate:
    """Return the empty plan that a text says in words."""
    text = candidate.plan.text
    warning = "the text says that nothing has to be done: the empty plan"
    said = (Ignored(kind="comment", text=text, span=(0, len(text))),)
    return replace(candidate, plan=replace(candidate.plan, parts=said, warnings=(*candidate.plan.warnings, warning)))


def _read(text: str, known: Vocabulary, dialect: Dialect | None) -> tuple[list[Candidate], tuple[str, ...]]:
    """Return the plans that a text may mean, and what stands around them and was passed over, in words."""
    if dialect is Dialect.PDDL:
        return [Candidate(plan=read_lines(text, known, dialect))], ()
    if dialect is None and (chat := by_chat(text, known)) is not None:
        return chat
    asides = without_asides(text, with_talk=dialect is None)
    if asides.talk is not None and (found := by_elements(text, asides.visible, asides.talk, known)) is not None:
        return [found], asides.said
    if asides.talk is not None:
        return by_turns(text, asides.visible, asides.talk, known), asides.said
    return by_notation(text, asides.visible, known, dialect), asides.said


_GIVEN_UP = re.compile(
    r"\b(?:no\s+solution|unsolvable\s+problem|search\s+stopped\s+without\s+finding|sorry|"
    r"(?:can\s?not|can't|unable\s+to|won't|not\s+able\s+to)\s+(?:help|assist|comply|provide|answer|do\s+that)|"
    r"as\s+an\s+ai|more\s+information)\b",
    re.IGNORECASE,
)


def _no_plan(plan: Plan) -> NoPlan | None:
    """Return what a text without a step says; None for one with steps, and for the empty text."""
    if any(isinstance(token, Step) for token in plan.tokens) or not plan.is_unreadable:
        return None
    if plan.claims_no_plan is not None:
        return NoPlan.CLAIM
    return NoPlan.GIVEN_UP if _GIVEN_UP.search(plan.text) else NoPlan.OTHER
