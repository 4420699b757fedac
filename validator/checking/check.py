"""``check``: a model and an observed plan in, a report out. All the other ways in call this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from validator.alarms import OutOfTime, alarm
from validator.checking.decision import Decision
from validator.checking.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, left_until, with_patience
from validator.checking.prepared import SOURCES, Prepared, prepare
from validator.checking.question import Clock, Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.state_space import executes, is_sequential
from validator.checking.verdict import (
    certain,
    claim_decided,
    not_understood,
    without_repair,
)
from validator.errors import HierarchicalModelError, PlanError
from validator.grounding.limits import Limits, Status
from validator.model.values import Domain, Model, Problem
from validator.reading.plan import Dialect, Ignored, NoPlan, Plan, Reading, Step
from validator.reading.prose import clauses_in, in_prose, overlap
from validator.reading.tokens import tokenize
from validator.reading.understood import literal, places_of, understood
from validator.records import replace
from validator.repair.policy import Policy
from validator.texts import Number, decimal, exact, read_written_plan, refuse_missing
from validator.up import is_up

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem
    from unified_planning.plans import Plan as UpPlan

    from validator.checking.meaning import Meaning
    from validator.hierarchy.values import Hierarchy
    from validator.reading.lexicon import TemplateSource
    from validator.reading.lexicon.clauses import Clause
    from validator.repair.incumbent import Progress

__all__ = ["Prepared", "check", "prepare", "reading_in"]

_POLICIES = ("f holds:", "%%", "SON:", "(CS")
"""of which each policy that a planner prints has one"""
_MOST_REREAD = 3
"""times that a plan in words is read anew as its repair has it"""


def check(
    domain: str | Path | Domain | Model | Prepared | UpProblem,
    problem: str | Path | Problem | None = None,
    plan: str | Path | Plan | UpPlan | Sequence[str] | None = None,
    *,
    quality: Quality | str = Quality.VALID,
    policy: Policy | str | None = None,
    repair: bool = True,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    dialect: Dialect | str | None = None,
    context: int | None = None,
    cache: str | Path | None = None,
    progress: Progress | None = None,
    planner: str | None = None,
    epsilon: Number | None = None,
    tolerance: Number | None = None,
    trace: bool = False,
    strict: bool = False,
    strict_pddl: bool = False,
    templates: TemplateSource | None = None,
    certify: bool = False,
) -> Report:
    """Decide whether a plan has a quality, find its faults, and find the nearest plan that has the quality.

    - ``domain``, ``problem``, ``plan``: paths, texts or values. A ``Prepared`` model, a ``Model`` or a unified-planning
      ``Problem`` replaces the first two (``problem`` is None then). For a unified-planning plan, ``up_plan`` of the
      report is the repaired plan.
    - ``quality``: sound, valid or optimal; ``policy``: what "nearest" means; ``repair``: whether to look for a repair.
    - ``time_limit``: seconds of wall clock; ``memory_limit``: bytes for each planner process.
    - ``dialect`` names the notation; ``strict`` takes the text literally, as a named ``dialect`` does: what cannot be
      read is then a fault of the plan, and otherwise a reason for UNKNOWN.
    - ``templates``: how the plan puts the model into words, as a path, a YAML text or its value.
    - ``context``: the number of unchanged lines around each change of the diff; None shows all.
    - ``cache``: a directory for grounded models and proven costs.
    - ``progress`` is called while a repair is searched (see ``validator.repair.nearest.repair``).
    - ``planner``: a unified-planning engine that finds the cheapest cost and the repair in place of our searches.
    - ``epsilon``: the minimum separation between interfering actions of a plan over time (default 0.001), taken exactly
      as written. ``tolerance`` instead means what VAL's ``-t`` means: actions at most a tenth of it apart happen at
      once, others never interfere, and durations may differ by all of it; plans over time are not repaired then.
    - ``trace`` adds the timeline to the report.
    - ``strict_pddl`` refuses models that break the PDDL grammar, even in ways that published models do.
    - ``certify`` asks for a certificate, which ``plan-certify`` checks.

    An invalid plan is a result. Raises ModelError for a model that cannot be read, InputError for templates that do not
    fit it, PlanError for a plan text over a limit, PlannerError if a planner fails, OSError for a file.
    """
    if epsilon is not None and tolerance is not None:
        raise ValueError("epsilon and tolerance are two ways to say how far apart acts must be; give one of them")
    deadline = time.monotonic() + time_limit

    def of_hierarchy(hierarchy: Hierarchy, plan: str | Path | Plan) -> Report:
        from validator.checking.beyond.hierarchies import HierarchyQuestion, check_hierarchy

        def plain(model: Prepared, plan: str | Path | Plan) -> Report:
            least = Quality.SOUND if quality == Quality.SOUND else Quality.VALID
            left = max(deadline - time.monotonic(), 0.0)
            return check(
                model,
                None,
                plan,
                quality=least,
                repair=False,
                time_limit=left,
                dialect=dialect,
                strict=strict,
                templates=templates,
                trace=trace,
            )

        asked = HierarchyQuestion(
            hierarchy=hierarchy,
            quality=Quality(quality),
            plain=plain,
            deadline=deadline,
            policy=Policy(policy) if policy else Policy.EDITS,
            repair=repair,
            context=context,
        )
        try:
            with alarm(with_patience(time_limit)):
                return check_hierarchy(asked, plan)
        except OutOfTime:
            return Report(report_type=asked.quality, determination=None, reason="the time limit was met")

    def again(model: Any, plan: Plan, with_repair: bool) -> Report:
        return check(
            model,
            None,
            plan,
            quality=quality,
            policy=policy,
            repair=with_repair,
            time_limit=max(deadline - time.monotonic(), 0.0),
            memory_limit=memory_limit,
            context=context,
            cache=cache,
            progress=progress,
            planner=planner if is_up(model) else None,
            epsilon=epsilon,
            tolerance=tolerance,
            trace=trace,
        )

    if hasattr(domain, "task_network") and type(plan).__name__ != "HierarchicalPlan":
        from validator.checking.beyond.up_kinds import hierarchy_of

        hierarchy = hierarchy_of(domain)
        if isinstance(hierarchy, str):
            return Report(report_type=Quality(quality), determination=None, reason=hierarchy)
        observed = _observed(plan, prepare(hierarchy.model), dialect, strict) if is_up(plan) else plan
        return _with_up_plan(of_hierarchy(hierarchy, cast("str | Path | Plan", observed)), domain, plan)
    if is_up(plan):
        from validator.checking.beyond.up_kinds import is_other, of_other_kind

        if is_other(plan):
            try:
                with alarm(with_patience(time_limit)):
                    report = of_other_kind(domain, plan, Quality(quality), again, with_repair=repair, deadline=deadline)
            except OutOfTime:
                return _unread(Quality(quality), Clock())
            return _with_up_plan(report, domain, plan)
    clock = Clock()
    limits = Limits(deadline=time.monotonic() + time_limit, memory=memory_limit)
    unkept, latest = _unkept(cache), time.monotonic() + with_patience(time_limit)
    quality = quality if isinstance(quality, Quality) else Quality(quality)
    try:
        with alarm(left_until(latest)):
            with clock("model"):
                prepared = prepare(domain, problem, templates=templates, strict_pddl=strict_pddl)
            if isinstance(plan, SOURCES) and any(sign in read_written_plan(plan)[0] for sign in _POLICIES):
                from validator.checking.beyond.nondeterministic import check_policy

                found = check_policy(prepared.model, plan, quality, limits.deadline, repair=repair)
                if found is not None:
                    return found
            with clock("tokens"):
                observed = _observed(plan, prepared, dialect, strict)
    except OutOfTime:
        return _unread(quality, clock)
    except HierarchicalModelError:
        from validator.hierarchy.hddl import read_hddl

        if plan is None or not isinstance(plan, str | Path | Plan):
            raise
        with alarm(left_until(latest)):
            hierarchy = read_hddl(cast("str | Path", domain), cast("str | Path", problem), strict=strict_pddl)
        return of_hierarchy(hierarchy, plan)
    if prepared.model.problem.undefined:
        from validator.checking.beyond.up_kinds import completed

        found = completed(prepared, observed, quality, again)
        if found is not None:
            return found
    question = Question(
        prepared=prepared,
        plan=observed,
        quality=quality,
        policy=Policy(policy) if policy else Policy.EDITS,
        limits=limits,
        clock=clock,
        context=context,
        cache=None if cache is None or unkept else Path(cache),
        progress=progress,
        epsilon=None if epsilon is None else _from_zero("epsilon", epsilon),
        tolerance=None if tolerance is None else _from_zero("tolerance", tolerance),
        trace=trace,
    )
    checked = _Check(question)
    if planner is not None:
        checked.decision.seeker.use(planner, domain if problem is None else _as_up(domain, problem))
    report = checked.in_time(repair, latest)
    report = replace(report, warnings=(*report.warnings, *unkept)) if unkept else report
    if certify:
        from validator.checking.certified import certified

        report = certified(report, checked.question, domain, problem, plan)
    return _with_up_plan(report, domain, plan) if is_up(plan) else report


def _with_up_plan(report: Report, domain: object, observed: object) -> Report:
    """Return a report with its repaired plan as one of unified-planning, where the model is a problem of that.

    It has times where the observed plan has.
    """
    if report.repaired_plan is None or not is_up(domain):
        return report
    from validator.up.problems import plan_to_up

    steps = (token for token in report.repaired_plan if isinstance(token, Step))
    is_timed = type(observed).__name__ == "TimeTriggeredPlan"
    return replace(report, up_plan=plan_to_up(steps, cast("UpProblem", domain), is_timed=is_timed))


def _observed(
    plan: str | Path | Plan | UpPlan | Sequence[str] | None,
    prepared: Prepared,
    dialect: Dialect | str | None,
    strict: bool,
) -> Plan:
    if isinstance(plan, Plan):
        return _literal(plan) if strict else plan
    if plan is None:
        raise PlanError("a plan is needed beside the model")
    if isinstance(plan, list | tuple) and all(isinstance(step, str) for step in plan):
        plan = "".join(f"{step}\n" for step in plan)
    if not isinstance(plan, SOURCES):
        from validator.up.problems import plan_from_up

        return plan_from_up(plan)
    text, warnings = read_written_plan(plan)
    read = tokenize(text, prepared.vocabulary, Dialect(dialect) if dialect else None, strict=strict)
    if isinstance(plan, str) and not read.tokens:
        refuse_missing(plan)
    return replace(read, warnings=(*warnings, *read.warnings)) if warnings else read


def _literal(plan: Plan) -> Plan:
    """Return a plan that was read from a text as what the text says, whatever was not understood of it."""
    if plan.reading is None or plan.reading.is_literal:
        return plan
    read = literal(plan.reading.candidates[0])
    return replace(plan, parts=read.plan.parts, reading=Reading(candidates=(read,), is_literal=True))


def _unkept(cache: str | Path | None) -> tuple[str, ...]:
    """Return a warning where nothing can be kept in a directory: the answers are the same without."""
    if cache is None:
        return ()
    from validator.repair.cache import why_unwritable

    why = why_unwritable(Path(cache))
    return (f"nothing is kept in {cache}: {why}",) if why else ()


def _itself(report: Report) -> Report:
    return report


def _of_text(report: Report, reading: Reading | None) -> Report:
    """Return the report on a plan with how its text was read."""
    return report if report.reading is reading else replace(report, reading=reading)


def _unread(quality: Quality, clock: Clock) -> Report:
    """Return the report where not even the model and the plan were read in time."""
    return Report(
        report_type=quality,
        determination=None,
        reason="the time limit was met while the model and the plan were read",
        reference=(),
        planner_response=PlannerResponse(status=Status.TIME_LIMIT.value),
        timings=clock.seconds,
    )


def _from_zero(name: str, given: Number) -> Fraction:
    found = exact(given)
    if found < 0:
        raise ValueError(f"{name} is a number from 0, not {decimal(found)}")
    return found


def _as_up(domain: object, problem: object) -> UpProblem:
    """Read PDDL once more, with unified-planning."""
    if not _is_pddl(domain, problem):
        raise ValueError("another planner needs a unified-planning problem, or a domain and a problem as PDDL")
    from validator.up.pddl import read_up

    return read_up(cast("str | Path", domain), cast("str | Path", problem))


def _is_pddl(domain: object, problem: object) -> bool:
    return isinstance(domain, SOURCES) and isinstance(problem, SOURCES)


def reading_in(prepared: Prepared, reading: Reading) -> Reading:
    """Return how a text was read; of one that tells its plan in words, what its clauses mean in the model."""
    if reading.is_literal or not is_sequential(prepared.model) or not in_prose(reading, prepared.vocabulary):
        return reading
    return check(prepared, None, replace(reading.plan, reading=reading), repair=False).reading or reading


def _changes(report: Report) -> int:
    return sum(diff.diff_type is not None for diff in report.plan_diff_obj)


def _is_prose(part: object) -> bool:
    return isinstance(part, Ignored) and part.kind in ("prose", "markup")


def _can_be_settled(question: Question) -> bool:
    """Return whether a text means one plan, a sequence of a classical model, such that pieces of it may settle it."""
    reading = question.plan.reading
    is_timed = any(step.time is not None or step.concurrent is not None for step in question.plan.steps)
    return reading is not None and len(reading.candidates) == 1 and not is_timed and is_sequential(question.model)


# --- the check -----------------------------------------------------------------------------------


class _Check:
    """One check: which plan the text means, what is decided of it, and what is reported at a limit."""

    def __init__(self, question: Question) -> None:
        self.decision = Decision(question)
        self._read: Callable[[Report], Report] = _itself
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
            if self.decision.so_far is None:
                raise
            return self._ended(Status.INTERRUPTED, "the check was interrupted")
        except (MemoryError, RuntimeError) as error:  # the latter where there is no memory for a thread
            is_memory = isinstance(error, MemoryError) or "new thread" in str(error)
            if self.decision.so_far is None or not is_memory:
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
        if self.decision.so_far is None:
            return replace(self._not_understood(f"{met} while the plan was executed"), is_understood=True)
        found = self.decision.so_far()
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
        if in_prose(reading, self.question.prepared.vocabulary) and is_sequential(self.question.model):
            is_right = not found.why_not and not found.is_partial and self._decided(found.plan) is True
            if not is_right:
                return self._meant(with_repair)
        if found.why_not:
            return self._not_understood(found.why_not, ())
        if not found.is_partial and (beside := self._told_beside(reading)) is not None:
            return self._not_in_words(*beside)
        if found.plan is not reading.plan:
            self.decision = self.decision.on(replace(self.question, plan=found.plan))
        if found.is_partial:
            self._read = lambda report: replace(certain(report, found.plan, found.until), reading=reading)
        else:
            self._read = partial(_of_text, reading=reading)
        return self._read(self.decision.report(with_repair and not found.is_partial))

    def _told_beside(self, reading: Reading) -> tuple[Meaning, Sequence[Clause]] | None:
        """Return what a plan may mean that is wrong by its steps alone, and right with the sentences beside them."""
        plan, question = reading.plan, self.question
        if not _can_be_settled(question) or reading.passed_over or not any(_is_prose(part) for part in plan.parts):
            return None
        if self._decided(plan) is not False:
            return None
        from validator.checking.meaning import of_sentences_beside

        return of_sentences_beside(
            replace(question, quality=self._by_execution),
            clauses_in(plan, question.prepared.lexicon),
            plan,
        )

    def _decided(self, plan: Plan) -> bool | None:
        """Say whether a plan has the quality, by execution alone."""
        return Decision(replace(self.question, plan=plan, quality=self._by_execution)).report(False).determination

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
        from validator.checking.meaning import meaning_of

        question = self.question
        clauses = clauses_in(question.plan, question.prepared.lexicon)
        with question.clock("execution"):
            found = meaning_of(question, clauses, question.plan)
        if found.determination is None or found.plan is None:
            return self._not_in_words(found, clauses)
        plan, until = found.plan, found.until
        self.decision = self.decision.on(replace(question, plan=plan))
        reading = Reading.understood(plan)
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
            from validator.checking.settling import settled_by

            with question.clock("execution"):
                report = replace(report, settled_by=settled_by(question, clauses, question.plan))
        warnings = question.model.warnings + question.plan.warnings
        claims = question.plan.claims_no_plan is not None
        return replace(
            report,
            reference=question.tokens,
            warnings=warnings,
            claims_no_plan=claims,
            timings=question.clock.seconds,
        )
