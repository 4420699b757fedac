"""The plans that a text may mean, by the notation that it is in."""

from __future__ import annotations

from validator.reading.plan import Dialect, Plan, Step
from validator.reading.reading import Candidate
from validator.reading.tokens.around.marks import blanked
from validator.reading.tokens.around.programs import comprehended, program
from validator.reading.tokens.candidates.candidate import candidate_of, restored, with_missed
from validator.reading.tokens.candidates.lines import by_lines
from validator.reading.tokens.candidates.values import by_values, commas_of, may_be_values, no_values
from validator.reading.tokens.notations.structured import looks_like_json, read_json, read_sets
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["by_notation"]


def by_notation(text: str, visible: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    """Return the plans that what is visible of a text may mean, in the first notation that explains it."""
    found = _by_notation(text, visible, known, dialect)
    computed = list(comprehended(visible, known.written)) if dialect is None and known.actions else []
    return [with_missed(candidate, computed) for candidate in found] if computed else found


def _by_notation(text: str, visible: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    if dialect is None and may_be_values(visible):
        found = by_values(text, visible, known)
        if found:
            return [_governed(candidate, visible, known) for candidate in found]
    if dialect is None:
        dialect = looks_like_json(visible)
        if dialect is not None and known.actions and not _is_known(read_json(visible, dialect), known):
            dialect = None
    if dialect is None and (commas := commas_of(visible, known)) is not None:
        return [candidate_of(restored(commas, text))]
    if dialect is Dialect.JSON:
        return by_values(text, visible, known, dialect) or [candidate_of(no_values(text))]
    if dialect in (Dialect.EAI_OBJECT, Dialect.EAI_LIST, Dialect.SETS):
        plan = read_sets(visible) if dialect is Dialect.SETS else read_json(visible, dialect)
        return [candidate_of(restored(plan, text))]
    found = by_lines(text, visible, known, dialect)
    if found[0].plan.dialect not in (Dialect.FUNCTIONAL, Dialect.CODE) or dialect is not None:
        return found
    code = program(visible, known.actions)
    if code is None:
        return found
    if code.hidden:
        found = by_lines(text, blanked(visible, list(code.hidden)), known, None)
    return [with_missed(candidate, code.governed) for candidate in found]


def _governed(candidate: Candidate, visible: str, known: Vocabulary) -> Candidate:
    """Return a plan of values with those of its steps that a program adds only if, or as often as, a line says."""
    code = program(visible, known.actions) if candidate.plan.steps else None
    if code is None or not code.governed:
        return candidate
    places = [step.span[0] for step in candidate.plan.steps]
    return with_missed(
        candidate, (one for one in code.governed if any(one.span[0] <= place < one.span[1] for place in places))
    )


def _is_known(plan: Plan, known: Vocabulary) -> bool:
    return any(isinstance(token, Step) and known.action_of(token.name) for token in plan.tokens)
