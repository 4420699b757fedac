"""How far a text was understood: which of its plans is checked, and whether anything can be said of it.

Not understood is not wrong: "not valid" is a statement about the plan that its author meant. Where a piece of the
text looks like a step and was not understood, or where the text may mean several plans of which some have the quality
and some have not, there is no such statement. Plans in prose are in ``prose``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from validator.reading.plan import (
    Candidate,
    Completeness,
    Ignored,
    Missed,
    NoPlan,
    Part,
    Plan,
    Reading,
    Span,
    Step,
    Unparsed,
)
from validator.records import dataclass, replace

if TYPE_CHECKING:
    pass

__all__ = [
    "Understood",
    "literal",
    "places_of",
    "unclear",
    "understood",
]

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


def understood(
    reading: Reading,
    decide: Decide,
    fails_before: FailsBefore,
    cost: Callable[[Plan], object] = lambda plan: None,
) -> Understood:
    """Return the plan of a reading that is to be checked.

    Plans that the text may mean are alike where they all have the quality at one ``cost``, or all lack it.
    """
    if reading.completeness is Completeness.NONE:
        return Understood(plan=reading.plan, why_not=_nothing(reading))
    marked = next((candidate for candidate in reading.candidates if candidate.is_marked), reading.candidates[0])
    if marked.is_marked or len(reading.candidates) == 1:
        return _otherwise(marked, _single(marked, fails_before), decide, fails_before)
    singles = [_single(candidate, fails_before) for candidate in reading.candidates]
    answers = [_answer(single, decide) for single in singles]
    if marked.is_joined and answers[0] is True:
        return singles[0]  # its parts follow each other
    if marked.is_joined and set(answers[1:]) == {True}:
        singles, answers = singles[1:], answers[1:]  # plans of which each is right are no parts of one that is not
    costs = {cost(single.plan) for single in singles} if set(answers) == {True} else set()
    if len({*answers}) > 1 or len(costs) > 1 or (answers[0] is False and decide(_in_a_row(reading)) is True):
        return Understood(plan=reading.plan, why_not=_ambiguous(reading, answers))
    if answers[0] is not False:
        return singles[0]
    pairs = zip(reading.candidates[:_MOST_ALONE], singles, strict=False)
    otherwise = (_otherwise(candidate, single, decide, fails_before) for candidate, single in pairs)
    return next((found for found in otherwise if found.why_not), singles[0])


def unclear(plan: Plan) -> str:
    """Return why nothing can be said of a plan by its text itself, before any execution; empty where it can."""
    reading = plan.reading
    if reading is None or reading.is_literal:
        return ""
    if reading.completeness is Completeness.NONE:
        return _nothing(reading)
    if reading.missed:
        return _missed(reading.candidates[0])
    return "" if reading.is_clear else f"not understood: {_several(reading)}"


def _in_a_row(reading: Reading) -> Plan:
    """Return the plan whose parts the candidates may be: their tokens, each once, in the order of the text."""
    tokens = {token.span: token for candidate in reading.candidates for token in candidate.plan.tokens}
    return Plan(parts=tuple(tokens[span] for span in sorted(tokens)), text=reading.plan.text)


def _several(reading: Reading) -> str:
    return f"the text may mean {len(reading.candidates)} plans, and none is marked as the answer"


def _answer(single: Understood, decide: Decide) -> bool | None:
    if single.why_not:
        return None
    return False if single.is_partial else decide(single.plan)


def _single(candidate: Candidate, fails_before: FailsBefore) -> Understood:
    plan = candidate.plan
    if not candidate.missed:
        return Understood(plan=plan)
    until = candidate.missed[0].span[0]
    if fails_before(plan, until):
        return Understood(plan=plan, is_partial=True, until=until)
    return Understood(plan=plan, why_not=_missed(candidate))


def _otherwise(candidate: Candidate, found: Understood, decide: Decide, fails_before: FailsBefore) -> Understood:
    """Return what is to be checked where a step may be a remark or in another order, or a remark a step.

    It is nothing where that decides.
    """
    is_open = bool(candidate.mentions or candidate.remarks or candidate.strange)
    if found.why_not or not is_open or _answer(found, decide) is not False:
        return found

    def is_wrong(plan: Plan) -> bool:
        return fails_before(plan, found.until) if found.is_partial else decide(plan) is False

    if candidate.strange:
        named = f"the arguments of {candidate.strange[0]} have names that are not the model's"
        return Understood(plan=found.plan, why_not=f"not understood: {named}, and may be meant in another order")
    steps = {(step.name, step.args) for step in found.plan.steps}
    new = tuple(step for step in candidate.mentions if (step.name, step.args) not in steps)
    alone = [(step,) for step in candidate.mentions[:_MOST_ALONE]]
    for left_out in dict.fromkeys(((), candidate.remarks)):
        for meant in dict.fromkeys(((), new, candidate.mentions, *alone)):
            if (left_out or meant) and not is_wrong(_changed(found.plan, left_out, meant)):
                return Understood(plan=found.plan, why_not=_may_be(left_out, meant))
    return found


_MOST_ALONE = 20


def _changed(plan: Plan, left_out: tuple[Step, ...], added: tuple[Step, ...]) -> Plan:
    without = {step.span for step in left_out}
    tokens = (*(token for token in plan.tokens if token.span not in without), *added)
    return Plan(parts=tuple(sorted(tokens, key=lambda token: token.span)), text=plan.text)


def _may_be(left_out: tuple[Step, ...], meant: tuple[Step, ...]) -> str:
    """Say which steps may be remarks, and which remarks may be steps."""
    kinds = (left_out, "a remark, and no step"), (meant, "a step, which the text names beside its steps")
    said = " and ".join(f"{steps[0]}{_more(steps)} may be {what}" for steps, what in kinds if steps)
    return f"not understood: {said}"


def _more(steps: tuple[Step, ...]) -> str:
    return f" and {len(steps) - 1} more" if len(steps) > 1 else ""


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
    told = reading.candidates[-len(answers) :]
    said = "; ".join(
        f"{candidate.said} ({len([s for s in candidate.plan.tokens if isinstance(s, Step)])} steps): {words[answer]}"
        for candidate, answer in zip(told, answers, strict=True)
    )
    costs = "; they cost more or less" if set(answers) == {True} else ""
    return f"not understood: {_several(reading)}: {said}{costs}"


# --- what is missed -------------------------------------------------------------------------------


def literal(candidate: Candidate) -> Candidate:
    """Return a candidate in which each piece that looks like a step, and that nothing was read of, is in the plan.

    There it is a fault: a literal reading takes all that was not understood for the plan.
    """
    owned = [part.span for part in candidate.plan.parts if not isinstance(part, Ignored)]
    unread = [piece for piece in candidate.missed if not _overlaps(piece, owned)]
    if not unread:
        return candidate
    parts = tuple(part for whole in candidate.plan.parts for part in _cut(whole, unread))
    return replace(candidate, plan=replace(candidate.plan, parts=parts))


def _overlaps(piece: Missed, owned: Sequence[Span]) -> bool:
    start, end = piece.span
    place = bisect_left(owned, (end, 0))
    return place > 0 and owned[place - 1][1] > start


def _cut(part: Part, unread: Sequence[Missed]) -> Iterator[Part]:
    """Yield a part without what the pieces take of it, and each piece that begins in it."""
    if not isinstance(part, Ignored):
        yield part
        return
    place, end = part.span
    first = bisect_left(unread, place, key=lambda piece: piece.span[1])
    for piece in unread[first:]:
        if piece.span[0] >= end:
            break
        if place < piece.span[0]:
            yield _between(part, place, piece.span[0])
        if piece.span[0] >= part.span[0]:
            yield Unparsed(text=piece.text, reason=piece.reason, nearest=piece.nearest, span=piece.span)
        place = max(place, min(piece.span[1], end))
    if place < end:
        yield _between(part, place, end)


def _between(part: Ignored, start: int, end: int) -> Ignored:
    before = part.span[0]
    return replace(part, text=part.text[start - before : end - before], span=(start, end))


def places_of(text: str, pieces: Iterable[Unparsed | Missed]) -> list[Missed]:
    """Return pieces of a text in its order, each with its line and column, in one pass over it."""
    found: list[Missed] = []
    line, counted = 1, 0
    for piece in sorted(pieces, key=lambda piece: piece.span):
        start = piece.span[0]
        line += text.count("\n", counted, start)
        counted = start
        column = start - text.rfind("\n", 0, start)
        found.append(
            Missed(
                text=" ".join(piece.text.split()),
                reason=piece.reason,
                span=piece.span,
                line=line,
                column=column,
                nearest=piece.nearest,
                is_of_structure=piece.is_of_structure,
            )
        )
    return found
