"""Which plan is checked, of those that a text may mean, and whether anything can be said of it.

Not understood is not wrong: "not valid" is a statement about the plan that its author meant. Where a piece of the
text looks like a step and was not understood, or where the text may mean several plans of which some have the quality
and some have not, there is no such statement.
"""

from __future__ import annotations

from collections.abc import Callable

from validator.reading.plan import Plan, Step
from validator.reading.reading import Candidate, Completeness, NoPlan, Reading
from validator.records import dataclass

__all__ = ["Understood", "unclear", "understood"]

Decide = Callable[[Plan], bool | None]
"""Says whether a plan has the quality, by execution alone."""
FailsBefore = Callable[[Plan, int], bool]
"""Says whether a plan fails at a step that begins before an offset of its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The plan to check; ``why_not`` says why nothing can be said of it, and is empty where something can.

    ``is_partial`` says that the plan lacks the quality whatever the pieces mean that were not understood: what is
    nearest to it cannot be said then. The first of them is at the offset ``until`` of the text.
    """

    plan: Plan
    why_not: str = ""
    is_partial: bool = False
    until: int = 0


def understood(reading: Reading, decide: Decide, fails_before: FailsBefore) -> Understood:
    """Return the plan of a reading that is to be checked."""
    if reading.completeness is Completeness.NONE:
        return Understood(plan=reading.plan, why_not=_nothing(reading))
    if len(reading.candidates) == 1:
        return _single(reading.candidates[0], fails_before)
    answers = [_answer(candidate, decide, fails_before) for candidate in reading.candidates]
    marked = next((place for place, one in enumerate(reading.candidates) if one.is_marked), None)
    if marked is None and len(set(answers)) > 1:
        return Understood(plan=reading.plan, why_not=_ambiguous(reading, answers))
    return _single(reading.candidates[marked or 0], fails_before)


def unclear(reading: Reading) -> str:
    """Return why nothing can be said of the plan of a reading by itself, before any execution; empty where it can."""
    if reading.is_literal:
        return ""
    if reading.completeness is Completeness.NONE:
        return _nothing(reading)
    if reading.missed:
        return _missed(reading.candidates[0])
    return "" if reading.is_clear else f"not understood: {_several(reading)}"


def _several(reading: Reading) -> str:
    return f"the text may mean {len(reading.candidates)} plans, and none is marked as the answer"


def _answer(candidate: Candidate, decide: Decide, fails_before: FailsBefore) -> bool | None:
    single = _single(candidate, fails_before)
    if single.why_not:
        return None
    return False if single.is_partial else decide(candidate.plan)


def _single(candidate: Candidate, fails_before: FailsBefore) -> Understood:
    plan = candidate.plan
    if not candidate.missed:
        return Understood(plan=plan)
    until = candidate.missed[0].span[0]
    if fails_before(plan, until):
        return Understood(plan=plan, is_partial=True, until=until)
    return Understood(plan=plan, why_not=_missed(candidate))


def _missed(candidate: Candidate) -> str:
    missed, steps = candidate.missed, len(candidate.plan.steps)
    what = "a piece looks like a step" if len(missed) == 1 else f"{len(missed)} pieces look like steps"
    read = "no step was read" if not steps else f"{steps} step{'s were' if steps > 1 else ' was'} read"
    where = f"{'' if len(missed) == 1 else 'the first '}on line {missed[0].line}"
    return f"not understood: {what} and could not be read, {where}; {read}"


def _nothing(reading: Reading) -> str:
    if reading.no_plan is NoPlan.CLAIM:
        return "the text says that there is no plan, which is no question of soundness"
    if reading.no_plan is NoPlan.GIVEN_UP:
        return "the text has no plan: its author has none to give"
    if reading.missed:
        return _missed(reading.candidates[0])
    return "not understood: no step could be read from the text"


def _ambiguous(reading: Reading, answers: list[bool | None]) -> str:
    words = {True: "has the quality", False: "has it not", None: "is not known"}
    said = "; ".join(
        f"{candidate.said} ({len([s for s in candidate.plan.tokens if isinstance(s, Step)])} steps): {words[answer]}"
        for candidate, answer in zip(reading.candidates, answers, strict=True)
    )
    return f"not understood: {_several(reading)}: {said}"
