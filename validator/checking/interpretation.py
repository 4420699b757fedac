"""Which plan a text means, and the report on it: what was understood is decided, and the rest is said to be open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from validator.alarms import OutOfTime, alarm
from validator.checking.decision import Decision
from validator.checking.question import Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.state_space import executes, is_sequential
from validator.checking.verdict import certain, claim_decided, not_understood, without_repair
from validator.grounding.limits import Status, left_until
from validator.reading.plan import NoPlan, Plan, Reading, tiled
from validator.reading.understood import clauses_in, in_prose, overlap, places_of, understood
from validator.records import replace

if TYPE_CHECKING:
    from validator.checking.words.meaning import Meaning, Readings
    from validator.reading.lexicon.clauses.clause import Clause


_MOST_REREAD = 3
"""times that a plan in words is read anew as its repair has it"""


class Interpretation:
    """One check: which plan the text means, what is decided of it, and what is reported at a limit."""

    def __init__(self, question: Question) -> None:
        self.decision = Decision(question)
        self._read: Callable[[Report], Report] = lambda report: report
        """makes the report on a plan one on the text that it was read from"""

    @property
    def question(self) -> Question:
        return self.decision.question

    def in_time(self, with_repair: bool, latest: float) -> Report:
        """Return the report; where something does not look at the clock, what execution had told by then.

        So it is where the user ends it: the searches take the best that they have then, too.
        """
        try:
            with alarm(left_until(latest)):
                return self.report(with_repair)
        except OutOfTime:
            return self._ended(Status.TIME_LIMIT, "the time limit was met")
        except KeyboardInterrupt:
            if self.decision.known is None:
                raise
            return self._ended(Status.INTERRUPTED, "the check was interrupted")
        except (MemoryError, RuntimeError) as error:  # the latter where there is no memory for a thread
            is_memory = isinstance(error, MemoryError) or "new thread" in str(error)
            if self.decision.known is None or not is_memory:
                raise
            late = self._late("the memory limit was met")
            return replace(late, planner_response=PlannerResponse(status=Status.MEMORY_LIMIT.value))

    def _ended(self, status: Status, why: str) -> Report:
        late = self._late(why)
        if late.repaired_plan is not None:
            return late
        return replace(late, planner_response=PlannerResponse(status=status.value))

    def _late(self, met: str) -> Report:
        """Return what execution told, and a repair that was found already, where a limit ended the rest."""
        found = self.decision.known
        if found is None:
            return replace(self._not_understood(f"{met} while the plan was executed"), is_understood=True)
        if found.repaired_plan is not None:
            return self._read(found)
        if found.determination is not False and found.optimal_cost is not None:
            return self._read(found)  # the cheapest cost was compared with
        found = replace(found, proven=False)
        if found.determination is not False and self.question.quality is Quality.OPTIMAL:
            found = replace(found, determination=None, reason=f"{met} before the cheapest cost was proven")
        elif found.determination is False:
            found = replace(found, reason=f"{found.reason}; {met} before a repaired plan was found")
        return self._read(found)

    def report(self, with_repair: bool) -> Report:
        """Return the report on what was understood, or say that it was not."""
        reading = self.question.plan.reading
        if reading is None or reading.is_literal:
            self._read = partial(_of_text, reading=reading)
            return self._read(self.decision.report(with_repair))
        if reading.no_plan is NoPlan.CLAIM and self.question.quality is not Quality.SOUND:
            self._read = lambda report: replace(claim_decided(report), reading=reading)
            decided = self._read(self.decision.report(with_repair=True))
            return decided if with_repair else without_repair(decided)
        found = understood(reading, self._decided, self._fails_before, cost=self._cost)
        is_told = in_prose(reading, self.question.prepared.vocabulary) and is_sequential(self.question.model)
        if is_told:
            is_right = not found.why_not and not found.is_partial and self._decided(found.plan) is True
            if not is_right or self._is_amended():
                return self._meant(with_repair)
        if found.why_not:
            return self._not_understood(found.why_not, ())
        beside = None if is_told else self._told_beside(replace(found.plan, reading=reading), found.is_partial)
        if beside is not None:
            return self._not_in_words(*beside)
        if rival := self._rival(found.plan, reading):
            return self._not_understood(rival, ())
        if found.plan is not reading.plan:
            self.decision = self.decision.on(replace(self.question, plan=found.plan))
        if found.is_partial:
            self._read = lambda report: replace(certain(report, found.plan, found.until), reading=reading)
        else:
            self._read = partial(_of_text, reading=reading)
        return self._read(self.decision.report(with_repair and not found.is_partial))

    def _told_beside(self, plan: Plan, is_wrong: bool) -> tuple[Meaning, Sequence[Clause]] | None:
        """Return what a plan may mean that is wrong by its steps alone, and may be right with sentences beside them.

        ``is_wrong`` says that it is known to be wrong by its steps.
        """
        question, reading = self.question, plan.reading
        if not _is_one_sequence(question) or reading is None or not reading.is_whole:
            return None
        if plan.ignored.isdisjoint(("prose", "markup")):
            return None
        if not is_wrong and self._decided(plan) is not False:
            return None
        from validator.checking.words.meaning import of_sentences_beside, steps_of

        return of_sentences_beside(
            replace(question, quality=self._by_execution),
            clauses_in(plan, question.prepared.lexicon, is_open=True),
            tuple(steps_of(plan)),
            plan,
        )

    def _rival(self, plan: Plan, reading: Reading) -> str:
        """Return that other steps may be the plan: those of an answer below it, or right ones in other signs."""
        question = self.question
        is_marked = reading.candidates[0].is_marked
        if is_marked or not _is_one_sequence(question) or plan.ignored.isdisjoint(("prose", "markup")):
            return ""
        from validator.checking.words.rivals import other_answer, other_runs, parts_behind

        if start := other_answer(plan, question.prepared.vocabulary):
            return _other_steps(plan, start)
        if self._decided(plan) is not False:
            return ""
        spans = sorted(step.span for step in plan.steps)
        behind = (_from(plan, start) for start in parts_behind(plan.text, spans))
        others = chain(behind, other_runs(plan, question.prepared.vocabulary))
        right = next((other for other in others if self._decided(other) is not False), None)
        return "" if right is None else _other_steps(plan, right.steps[0].span[0])

    def _decided(self, plan: Plan) -> bool | None:
        """Say whether a plan has the quality, by execution alone."""
        return Decision(replace(self.question, plan=plan, quality=self._by_execution)).report(False).determination

    def _is_amended(self) -> bool:
        """Return whether a clause takes back steps, denies one, puts them in another order, or tells one more."""
        from validator.reading.lexicon.clauses.clause import Kind, Reason

        plan = self.question.plan
        first = min((step.span for step in plan.steps), default=(0, 0))
        clauses = clauses_in(plan, self.question.prepared.lexicon)
        behind = [one for one in clauses if one.span > first]
        return any(one.reorders for one in clauses) or any(
            one.retracts or one.kind is Kind.DENIED or one.reason == Reason.OTHER_STEP or one.is_unnamed_hole
            for one in behind
        )

    def _cost(self, plan: Plan) -> object:
        """Return what a plan costs where the cheapest is asked for; else nothing, as any will do."""
        if self.question.quality is not Quality.OPTIMAL:
            return None
        return Decision(replace(self.question, plan=plan, quality=Quality.VALID)).report(False).cost

    @property
    def _by_execution(self) -> Quality:
        """Return the quality that execution alone decides; optimality is left to the planner."""
        return Quality.SOUND if self.question.quality is Quality.SOUND else Quality.VALID

    def _meant(self, with_repair: bool) -> Report:
        """Return the report on a plan that is written in prose, by what its clauses mean in the model."""
        from validator.checking.words.meaning import Readings, of_sentences_beside

        question = self.question
        clauses = clauses_in(question.plan, question.prepared.lexicon)
        reading = question.plan.reading
        with question.clock("execution"):
            readings = Readings(question, clauses, question.plan)
            found = readings.told()
            start = self._other_part(readings, clauses, found.determination)
        if start:
            return self._not_understood(_other_steps(question.plan, start))
        if found.determination is False and reading is not None and (reading.open or reading.candidates[0].place):
            every = clauses_in(question.plan, question.prepared.lexicon, is_open=True)
            if (beside := of_sentences_beside(question, every, clauses, question.plan)) is not None:
                return self._not_in_words(*beside)
        if found.determination is None or found.plan is None:
            return self._not_in_words(found, clauses)
        cut_off = "" if question.plan.reading is None else question.plan.reading.candidates[0].cut_off
        if found.determination is False and cut_off:
            return self._not_understood(f"not understood: {cut_off}", clauses)
        plan, until = found.plan, found.until
        self.decision = self.decision.on(replace(question, plan=plan))
        reading = Reading.understood(plan)
        missed = tuple(places_of(plan.text, found.holes))
        reading = replace(reading, candidates=(replace(reading.candidates[0], missed=missed),))
        if until is not None:
            self._read = lambda report: replace(certain(report, plan, until), reading=reading)
        else:
            self._read = partial(_of_text, reading=reading)
        report = self._read(self.decision.report(with_repair and until is None))
        for _ in range(_MOST_REREAD if report.proven and report.plan_diff_obj else 0):
            nearer = None if found.nearer is None else found.nearer(report.plan_diff_obj)
            if nearer is None or nearer.plan is None:
                break
            decision = self.decision.on(replace(question, plan=nearer.plan))
            other = _of_text(decision.report(with_repair), reading=Reading.understood(nearer.plan))
            if not other.proven or _changes(other) >= _changes(report):
                break
            found, report, self.decision = nearer, other, decision
        return report

    def _other_part(self, readings: Readings, clauses: Sequence[Clause], determination: bool | None) -> int:
        """Return where clauses begin that may be the plan by themselves, as they decide otherwise; 0 if none do.

        They are an answer below a draft, whatever they decide, and parts of a wrong plan that are right.
        """
        from validator.checking.words.meaning import Readings
        from validator.checking.words.rivals import answer_at, parts_behind
        from validator.reading.lexicon.clauses.clause import Kind

        plan = self.question.plan
        answer = answer_at(plan.text) if plan.reading is not None and plan.reading.candidates[0].place is None else 0
        steps = [clause.span for clause in clauses if clause.kind is Kind.STEP]
        behind = parts_behind(plan.text, steps) if determination is False else ()
        for start in (answer, *behind) if answer else behind:
            part = [clause for clause in clauses if clause.span[0] >= start]
            if part and part[0] is not clauses[0] and readings.tells_more(start):
                decided = Readings(self.question, part, plan).told().determination
                if decided is not determination and (decided or start == answer):
                    return start
        return 0

    def _not_in_words(self, found: Meaning, clauses: Sequence[Clause]) -> Report:
        """Return the report on a plan in prose that was not understood, with the clauses that were not."""
        plan = self.question.plan
        assert plan.reading is not None
        unread = plan.reading.missed  # a hole that a notation reads is none that the user must mend
        holes = [hole for hole in found.holes if any(overlap(hole.span, piece.span) for piece in unread)]
        missed = tuple(places_of(plan.text, holes or found.holes)) or unread
        reading = replace(plan.reading, candidates=(replace(plan.reading.candidates[0], missed=missed),))
        return replace(self._not_understood(found.why, clauses), reading=reading)

    def _fails_before(self, plan: Plan, offset: int) -> bool:
        is_timed = any(step.time is not None or step.concurrent is not None for step in plan.steps)
        if is_timed or not is_sequential(self.question.model):  # a piece may belong to any time
            return False
        before = tuple(token for token in plan.tokens if token.span[0] < offset)
        with self.question.clock("execution"):
            return not executes(self.question.simulator, before)

    def _not_understood(self, why: str, clauses: Sequence[Clause] | None = None) -> Report:
        """Return the report that says nothing of the plan; ``clauses`` tell it, or where there are none, its steps."""
        question = self.question
        report = not_understood(question.quality, question.plan, question.tokens, why)
        if clauses is not None and _can_be_settled(question):
            from validator.checking.words.settling import lacking_as_read, settled_by

            with question.clock("execution"):
                settling = settled_by(question, clauses, question.plan)
                lacking = "" if settling else lacking_as_read(question, clauses, question.plan)
            report = replace(report, settled_by=settling, lacking_as_read=lacking)
        warnings = question.model.warnings + question.plan.warnings
        claims = question.plan.claims_no_plan is not None
        return replace(
            report,
            reference=question.tokens,
            warnings=warnings,
            claims_no_plan=claims,
            timings=question.clock.seconds,
        )


def _of_text(report: Report, reading: Reading | None) -> Report:
    """Return the report on a plan with how its text was read."""
    return report if report.reading is reading else replace(report, reading=reading)


def _from(plan: Plan, start: int) -> Plan:
    """Return a plan without the steps that stand before an offset."""
    return replace(plan, parts=tiled(plan.text, [step for step in plan.steps if step.span[0] >= start]))


def _other_steps(plan: Plan, start: int) -> str:
    line = plan.text.count("\n", 0, start) + 1
    return f"not understood: the steps from line {line} on may be the plan instead"


def _changes(report: Report) -> int:
    return sum(diff.diff_type is not None for diff in report.plan_diff_obj)


def _is_one_sequence(question: Question) -> bool:
    """Return whether a text means one plan of a model in which plans are sequences."""
    reading = question.plan.reading
    return reading is not None and len(reading.candidates) == 1 and is_sequential(question.model)


def _can_be_settled(question: Question) -> bool:
    """Return whether a text means one plan without times, such that pieces of it may settle it."""
    is_timed = any(step.time is not None or step.concurrent is not None for step in question.plan.steps)
    return not is_timed and _is_one_sequence(question)
