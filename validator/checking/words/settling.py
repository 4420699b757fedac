"""What lines of a plan in words would have to mean for the plan to reach the goal: the question of an UNKNOWN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from validator.checking.question import Question
from validator.checking.report import Quality, Supposed
from validator.checking.words.meaning import MOST_TRIED, Readings, State, TooLargeError, Way, steps_of
from validator.reading.lexicon.clauses.clause import Clause, Kind
from validator.reading.plan import Plan, Step
from validator.records import replace

_MOST_WAYS = 8
"""ways to the goal of which it is asked whether they settle the answer"""
_MOST_SUPPOSED = 3
"""lines that one question speaks of"""
_MOST_HOLES = 30
"""holes on these lines"""
_NOTHING = Step(name="", args=())
"""the step of a clause that is none"""


def settled_by(question: Question, clauses: Sequence[Clause], plan: Plan) -> tuple[Supposed, ...]:
    """Return as few lines, with as few steps, as settle the answer; none where that is not found.

    First a hole may mean nothing or what it names, then any step; other clauses are read tight, then loose.
    """
    is_sound = question.quality is Quality.SOUND
    question = replace(question, quality=Quality.SOUND if is_sound else Quality.VALID)
    readings = Readings(question, clauses or tuple(steps_of(plan)), plan, MOST_TRIED // 10)
    holes = [clause for clause in readings.lines if clause.kind is Kind.HOLE]
    if readings.retracts or len(holes) > _MOST_HOLES:
        return ()
    asked = set[int]()  # lines, each of which is a part of the question
    for hole in holes:
        asked.add(readings.line_of(hole))
        if len(asked) > _MOST_SUPPOSED:
            return ()
    for is_tight, is_free in ((True, False), (True, True), (False, False), (False, True)):
        if is_free and not holes:
            continue
        ends = partial(_ends, readings, is_tight=is_tight, is_free=is_free)
        try:
            layer = readings.followed(readings.lines, ends)
            ways = [way.all() for (state, _), way in layer.items() if way is not None and readings.reaches(state)]
            ways.sort(key=lambda way: sum(one.step is not _NOTHING for one in way))
            found = [lines for way in ways[:_MOST_WAYS] if (lines := _settling(readings, way))]
        except TooLargeError:
            continue
        if found:
            return min(found, key=len)
    return ()


def lacking_as_read(question: Question, clauses: Sequence[Clause], plan: Plan) -> str:
    """Return what the steps that were understood lack, if in no reading they are enough; else nothing."""
    readings = Readings(question, clauses or tuple(steps_of(plan)), plan, MOST_TRIED // 10)
    lines = [clause for clause in readings.lines if clause.kind is not Kind.HOLE]
    if readings.retracts or not lines or len(lines) == len(readings.lines):
        return ""
    try:
        layer = readings.followed(lines, partial(readings.ends, is_tight=False))
    except TooLargeError:
        return ""
    if not layer:
        return "" if readings.stuck is None else f"line {readings.line_of(readings.stuck)} cannot be executed"
    return "" if any(readings.reaches(state) for state, _ in layer) else "the goal is not reached"


def _ends(
    readings: Readings, clause: Clause, state: State, *, is_tight: bool, is_free: bool
) -> Iterator[tuple[Step, State]]:
    """Yield the steps that a clause can be in a state; a hole is no step, or one that it may tell."""
    if clause.kind is not Kind.HOLE:
        yield from readings.ends(clause, state, is_tight=is_tight)
        return
    yield _NOTHING, state
    if is_free:
        clause = replace(clause, actions=tuple(readings.simulator.model.domain.actions), mentions=())
    if is_free or clause.mentions or clause.actions:
        yield from readings.ends(clause, state, is_tight=False)


def _settling(readings: Readings, way: Sequence[Way]) -> tuple[Supposed, ...]:
    """Return the clauses of a way that settle the answer if they mean its steps: the holes, one clause, or all open."""
    holes = [one for one in way if one.clause.kind is Kind.HOLE]
    open_ones = [one for one in way if one.clause.kind is Kind.HOLE or one.rivals or not one.clause.is_certain]
    for supposed in (holes, *([one] for one in open_ones), open_ones):
        with_steps = {readings.line_of(one.clause) for one in supposed if one.step is not _NOTHING}
        lines = [one for one in supposed if one.step is not _NOTHING or readings.line_of(one.clause) not in with_steps]
        if 0 < len(lines) <= _MOST_SUPPOSED and _is_settled(readings, way, supposed):
            return tuple(_supposed(readings, one) for one in lines)
    return ()


def _is_settled(readings: Readings, way: Sequence[Way], supposed: Sequence[Way]) -> bool:
    """Return whether the plan reaches the goal, read tight, if some clauses mean the steps that a way takes."""
    meant = frozenset(supposed)
    lines = [
        replace(one.clause, kind=Kind.STEP, exact=(one.step,)) if one in meant else one.clause
        for one in way
        if one.step is not _NOTHING
    ]
    readings.left -= len(lines)
    if readings.left < 0:
        raise TooLargeError
    found = readings.tight(lines)
    return found is not None and found.determination is True


def _supposed(readings: Readings, way: Way) -> Supposed:
    text = " ".join(way.clause.text.split())
    step = "" if way.step is _NOTHING else str(way.step)
    return Supposed(line=readings.line_of(way.clause), text=text, step=step)
