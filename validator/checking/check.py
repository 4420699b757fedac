"""``check``: a model and an observed plan in, a report out. All the other ways in call this one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from validator.alarms import OutOfTime, alarm
from validator.checking.interpretation import Interpretation
from validator.checking.prepared import SOURCES, Prepared, prepare
from validator.checking.question import Clock, Options, Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.state_space import is_sequential
from validator.errors import HierarchicalModelError, PlanError
from validator.grounding.limits import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    Limits,
    Status,
    deadline_of,
    hard_limit,
    left_until,
)
from validator.model.values import Domain, Model, Problem
from validator.nondeterminism import is_listing
from validator.reading.plan import Dialect, NoPlan, Plan, Reading, Step
from validator.reading.tokens import tokenize
from validator.reading.understood import literal
from validator.records import replace
from validator.repair import Policy
from validator.texts import Number, decimal, exact, read_written_plan, refuse_missing, without_mark
from validator.up import is_up

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem
    from unified_planning.plans import Plan as UpPlan

    from validator.hierarchy.values import Hierarchy
    from validator.reading.lexicon import TemplateSource
    from validator.repair.incumbent import Progress
    from validator.up.planner import UpPlanner

__all__ = ["Prepared", "check", "prepare", "reading_in"]

_Domain: TypeAlias = "str | Path | Domain | Model | Prepared | UpProblem"
_Problem: TypeAlias = "str | Path | Problem | None"
_Plan: TypeAlias = "str | Path | Plan | UpPlan | Sequence[str] | Sequence[Step] | None"


def check(
    domain: str | Path | Domain | Model | Prepared | UpProblem,
    problem: str | Path | Problem | None = None,
    plan: str | Path | Plan | UpPlan | Sequence[str] | Sequence[Step] | None = None,
    *,
    quality: Quality | str = Quality.VALID,
    policy: Policy | str | None = None,
    repair: bool = True,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    dialect: Dialect | str | None = None,
    context: int | None = None,
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
    if context is not None and context < 0:
        raise ValueError(f"context must be a number of lines, 0 or more, not {context!r:.60}")
    options = Options(
        quality=quality if isinstance(quality, Quality) else Quality(quality),
        policy=Policy(policy) if policy else Policy.EDITS,
        repair=repair,
        deadline=deadline_of(time_limit, memory_limit),
        latest=time.monotonic() + hard_limit(time_limit),
        memory_limit=memory_limit,
        dialect=Dialect(dialect) if dialect else None,
        context=context,
        progress=progress,
        planner=planner,
        epsilon=None if epsilon is None else _from_zero("epsilon", epsilon),
        tolerance=None if tolerance is None else _from_zero("tolerance", tolerance),
        trace=trace,
        strict=strict,
        strict_pddl=strict_pddl,
        templates=templates,
        certify=certify,
    )
    report = _of_any_kind(domain, problem, plan, options)
    return _with_up_plan(report, domain, plan) if is_up(plan) else report


# --- kinds of models and plans ---------------------------------------------------------------------


def _of_any_kind(domain: _Domain, problem: _Problem, plan: _Plan, options: Options) -> Report:
    """Return the report on a plan: of unified-planning of any kind, of a hierarchy, a policy, or steps of a model."""
    if hasattr(domain, "task_network") and type(plan).__name__ != "HierarchicalPlan":
        return _of_up_hierarchy(domain, plan, options)
    if is_up(plan):
        from validator.checking.nonclassical.up_kinds import is_other, of_other_kind

        if is_other(plan):
            plain = partial(_plain, options)
            try:
                with alarm(left_until(options.latest)):
                    return of_other_kind(domain, plan, options.quality, plain, deadline=options.deadline)
            except OutOfTime:
                return _unread(options.quality, Clock())
    clock = Clock()
    try:
        with alarm(left_until(options.latest)):
            with clock("model"):
                prepared = prepare(domain, problem, templates=options.templates, strict_pddl=options.strict_pddl)
            with clock("tokens"):
                written = plan.text if isinstance(plan, Plan) else ""
                text, warnings = read_written_plan(plan) if isinstance(plan, SOURCES) else (written, ())
                if is_listing(text):
                    found = _of_policy(prepared, plan, without_mark(text), options)
                    return replace(found, warnings=(*found.warnings, *warnings))
                observed = _observed(plan, text, prepared, options)
                observed = replace(observed, warnings=(*warnings, *observed.warnings)) if warnings else observed
    except OutOfTime:
        return _unread(options.quality, clock)
    except HierarchicalModelError:
        if plan is None or not isinstance(plan, str | Path | Plan):
            raise
        return _of_hddl(domain, problem, plan, options)
    return _of_model(domain, prepared, observed, options, clock)


def _of_up_hierarchy(domain: Any, plan: Any, options: Options) -> Report:
    from validator.checking.nonclassical.up_kinds import hierarchy_of

    hierarchy = hierarchy_of(domain)
    if isinstance(hierarchy, str):
        return Report(report_type=options.quality, determination=None, reason=hierarchy)
    if is_up(plan):
        plan = _observed(plan, "", prepare(hierarchy.model), options)
    return _of_hierarchy(hierarchy, plan, options)


def _of_hddl(domain: Any, problem: Any, plan: str | Path | Plan, options: Options) -> Report:
    from validator.hierarchy.hddl import read_hddl

    with alarm(left_until(options.latest)):
        hierarchy = read_hddl(domain, problem, strict=options.strict_pddl)
    return _of_hierarchy(hierarchy, plan, options)


def _of_hierarchy(hierarchy: Hierarchy, plan: str | Path | Plan, options: Options) -> Report:
    from validator.checking.nonclassical.hierarchies import decided, not_repaired, repaired

    least = Quality.SOUND if options.quality is Quality.SOUND else Quality.VALID
    found: Report | None = None
    try:
        with alarm(left_until(options.latest)):
            prepared = prepare(hierarchy.model)
            found = decided(hierarchy, prepared, plan, options, partial(_plain, replace(options, quality=least)))
            return repaired(hierarchy, prepared, options, found)
    except OutOfTime:
        if found is not None:
            return not_repaired(found)
        return Report(report_type=options.quality, determination=None, reason="the time limit was met")


def _of_policy(prepared: Prepared, plan: object, text: str, options: Options) -> Report:
    """Return the report on a policy as planners print it."""
    from validator.checking.nonclassical.nondeterministic import check_policy

    source = str(plan) if isinstance(plan, SOURCES) and plan is not text else "<plan>"
    found = check_policy(prepared.model, text, source, options.quality, options.deadline, repair=options.repair)
    return replace(found, no_certificate="policies have none") if options.certify else found


def _plain(options: Options, model: Prepared, plan: str | Path | Plan) -> Report:
    """Return the report on steps of a model alone, without a repair."""
    return _of_any_kind(model, None, plan, replace(options, repair=False, planner=None, certify=False))


def _of_model(domain: object, prepared: Prepared, observed: Plan, options: Options, clock: Clock) -> Report:
    """Return the report on steps of a model, which another planner is given as a problem of unified-planning."""
    if prepared.model.problem.undefined:
        from validator.checking.nonclassical.up_kinds import completed

        found = completed(prepared, observed, options.quality, partial(_plain, options))
        if found is not None:
            return found
    question = Question(
        prepared=prepared,
        plan=observed,
        quality=options.quality,
        policy=options.policy,
        limits=Limits(deadline=options.deadline, memory=options.memory_limit),
        clock=clock,
        context=options.context,
        progress=options.progress,
        epsilon=options.epsilon,
        tolerance=options.tolerance,
        trace=options.trace,
    )
    checked = Interpretation(question)
    if options.planner is not None:
        checked.decision.engine = _engine(options.planner, domain, prepared)
    report = checked.in_time(options.repair, options.latest)
    if not options.certify:
        return report
    from validator.checking.certified import certified

    return certified(report, checked.question)


# --- what is given, and what is given back -----------------------------------------------------------


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


def _observed(plan: _Plan, text: str, prepared: Prepared, options: Options) -> Plan:
    """Return a plan as a value; ``text`` is what a text or a file says."""
    if isinstance(plan, Plan):
        return _literal(plan) if options.strict else plan
    if plan is None:
        raise PlanError("a plan is needed beside the model")
    if isinstance(plan, list | tuple) and plan and all(isinstance(step, Step) for step in plan):
        return Plan(parts=tuple(plan))
    if isinstance(plan, list | tuple) and all(isinstance(step, str) for step in plan):
        text = "".join(f"{step}\n" for step in plan)
    elif not isinstance(plan, SOURCES):
        from validator.up.problems import plan_from_up

        return plan_from_up(plan)
    read = tokenize(text, prepared.vocabulary, options.dialect, strict=options.strict)
    if isinstance(plan, str) and not read.tokens:
        refuse_missing(plan)
    return read


def _literal(plan: Plan) -> Plan:
    """Return a plan that was read from a text as what the text says, whatever was not understood of it."""
    if plan.reading is None or plan.reading.is_literal:
        return plan
    read = literal(plan.reading.candidates[0])
    return replace(plan, parts=read.plan.parts, reading=Reading(candidates=(read,), is_literal=True))


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
        raise ValueError(f"{name} must be a number, 0 or more, not {decimal(found)}")
    return found


def _engine(name: str, domain: object, prepared: Prepared) -> UpPlanner:
    """Return an engine of unified-planning that looks for the cheapest cost and the repair. Raises PlannerError."""
    if not is_up(domain) and prepared.sources is None:
        raise ValueError("another planner needs a unified-planning problem, or a domain and a problem as PDDL")
    from validator.up.pddl import read_up
    from validator.up.planner import UpPlanner

    problem = domain if prepared.sources is None else read_up(*prepared.sources)
    return UpPlanner(name, cast("UpProblem", problem), prepared.model)


def reading_in(prepared: Prepared, reading: Reading) -> Reading:
    """Return how a text was read, with what a check does not understand of it: what its clauses mean in the model."""
    if reading.is_literal or not is_sequential(prepared.model) or reading.no_plan not in (None, NoPlan.OTHER):
        return reading
    return check(prepared, None, replace(reading.plan, reading=reading), repair=False).reading or reading
