"""``check``: a model and an observed plan in, a report out. All the other ways in call this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

from validator.diff import step_diffs, unified
from validator.edit import Policy, bare
from validator.errors import PlanError, PlannerError, UnsupportedError
from validator.execute import Kind, Trace
from validator.model import Domain, Model, Problem
from validator.pddl.write import decimal
from validator.plan import Dialect, Plan, Step, Token
from validator.planner import Limits, Status
from validator.prepared import Prepared, prepare, read_plan_text
from validator.report import Interval, PlannerResponse, Quality, Report
from validator.task import Task
from validator.tokens import tokenize
from validator.up import is_up, plan_from_up, plan_to_up
from validator.up_pddl import read_up

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem
    from unified_planning.plans import SequentialPlan

    from validator.repair import Optimum, Progress, Repair
    from validator.timeline import Timeline
    from validator.up_planner import UpPlanner

__all__ = ["Prepared", "check", "prepare"]

DEFAULT_TIME_LIMIT = 30.0
DEFAULT_MEMORY_LIMIT = 4 * 2**30
ENGINE = "Fast Downward (up-fast-downward)"

_MALFORMED = frozenset(
    (
        Kind.SYNTAX,
        Kind.UNKNOWN_ACTION,
        Kind.WRONG_ARITY,
        Kind.UNKNOWN_OBJECT,
        Kind.WRONG_TYPE,
        Kind.WRONG_ARGUMENT,
        Kind.WRONG_OUTPUT,
        Kind.CONSTRAINT,
    )
)


def check(
    domain: str | Path | Domain | Model | Prepared | UpProblem,
    problem: str | Path | Problem | None = None,
    plan: str | Path | Plan | SequentialPlan | None = None,
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
    epsilon: Fraction | None = None,
    trace: bool = False,
) -> Report:
    """Say whether a plan has a quality, what is wrong with it, and which nearest plan has the quality.

    ``domain``, ``problem`` and ``plan`` are paths or texts, or values read before. A ``Prepared`` model, a ``Model`` or
    a unified-planning ``Problem`` stands for the first two (``problem`` is None then); a ``SequentialPlan`` may stand
    for the plan, and then ``up_plan`` of the report is the repaired one. ``time_limit`` is in seconds of wall clock,
    ``memory_limit`` in bytes for each planner process. ``context`` is the number of unchanged lines around a change
    of the diff; None shows all. ``cache`` is a directory in which proven cheapest costs are kept.
    ``progress`` is called while a repair is looked for; see ``validator.repair.repair``. ``planner`` names a
    unified-planning engine that looks for the cheapest cost and the repair in place of our own search; the model is
    then a unified-planning problem, or PDDL that unified-planning can read as well. ``epsilon`` is how far apart acts
    must be that interfere, in a plan over time (default 0.001); ``trace`` puts the timeline into the report.

    Raises ModelError for a model that cannot be read, PlanError for a plan text over a stated limit, PlannerError
    when a planner fails in a way that is no answer, OSError for a file. An invalid plan is a result.
    """
    clock = _Clock()
    quality = Quality(quality)
    limits = Limits(deadline=time.monotonic() + time_limit, memory=memory_limit)
    with clock("model"):
        prepared = prepare(domain, problem)
    with clock("tokens"):
        observed = _observed(plan, prepared, dialect)
    checked = _Check(
        prepared,
        observed,
        quality,
        Policy(policy or Policy.EDITS),
        limits,
        clock,
        context,
        None if cache is None else Path(cache),
        progress,
        epsilon,
        trace,
    )
    if planner is not None:
        checked.use(planner, domain if problem is None else _as_up(domain, problem))
    elif is_up(domain) or _is_pddl(domain, problem):
        checked.as_up = lambda: domain if is_up(domain) else _as_up(domain, problem)
    report = checked.report(repair)
    if is_up(plan) and is_up(domain) and report.repaired_plan is not None:
        steps = (token for token in report.repaired_plan if isinstance(token, Step))
        return replace(report, up_plan=plan_to_up(steps, cast("UpProblem", domain)))
    return report


class _Clock:
    """Adds up wall-clock seconds by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = round(self.seconds.get(phase, 0.0) + time.monotonic() - start, 6)


def _observed(
    plan: str | Path | Plan | SequentialPlan | None, prepared: Prepared, dialect: Dialect | str | None
) -> Plan:
    if isinstance(plan, Plan):
        return plan
    if plan is None:
        raise PlanError("a plan is needed beside the model")
    if not isinstance(plan, str | Path):
        return plan_from_up(plan)
    return tokenize(read_plan_text(plan), prepared.vocabulary, Dialect(dialect) if dialect else None)


def _as_up(domain: object, problem: object) -> UpProblem:
    """Read PDDL once more, with unified-planning."""
    if not _is_pddl(domain, problem):
        raise ValueError("another planner needs a unified-planning problem, or a domain and a problem as PDDL")
    return read_up(cast("str | Path", domain), cast("str | Path", problem))


def _is_pddl(domain: object, problem: object) -> bool:
    return isinstance(domain, str | Path) and isinstance(problem, str | Path)


@dataclass(frozen=True, slots=True)
class _NoTask:
    """Why a model could not be grounded: a status for programs and a reason for people."""

    status: str
    reason: str


# --- the check -----------------------------------------------------------------------------------


class _Check:
    """One check: decides by execution, then asks the planner for what only a planner can tell."""

    def __init__(
        self,
        prepared: Prepared,
        plan: Plan,
        quality: Quality,
        policy: Policy,
        limits: Limits,
        clock: _Clock,
        context: int | None,
        cache: Path | None,
        progress: Progress | None,
        epsilon: Fraction | None,
        trace: bool,
    ) -> None:
        self.prepared = prepared
        self.simulator = prepared.simulator
        self.plan = plan
        self.quality = quality
        self.policy = policy
        self.limits = limits
        self.clock = clock
        self.context = context
        self.cache = cache
        self.progress = progress
        self.epsilon = epsilon
        self.trace = trace
        self.engine = ENGINE
        self.scale = 1
        """what the planner's costs are multiplied by"""
        self.other: UpPlanner | None = None
        self.as_up: Callable[[], UpProblem] | None = None
        """reads the model for the engines of unified-planning"""
        self.tokens: tuple[Token, ...] = tuple(map(self.simulator.resolve, plan.tokens or plan.unread))

    def use(self, engine: str, problem: object) -> None:
        """Let a unified-planning engine look for the cheapest cost and the repair. Raises PlannerError for its name."""
        if not is_up(problem):
            raise ValueError("another planner needs a unified-planning problem, or a domain and a problem as PDDL")
        from validator.up_planner import UpPlanner

        self.engine, self.other = engine, UpPlanner(engine, problem)

    def report(self, with_repair: bool) -> Report:
        if self.prepared.model.features:
            return self._beyond(with_repair)
        with self.clock("execution"):
            trace = self.simulator.run(self.plan)
        has_quality = trace.is_sound if self.quality is Quality.SOUND else trace.is_valid
        optimum: Optimum | None = None
        determination: bool | None = has_quality
        reason = "" if has_quality else self._summary(trace)
        response = PlannerResponse()
        repaired: Repair | None = None
        if self.quality is Quality.OPTIMAL and (has_quality or with_repair):
            optimum, determination, reason, response = self._optimal(trace, has_quality, reason, with_repair)
        if with_repair and determination is False:
            repaired, response, reason = self._repair(optimum, response, reason)
        return self._result(trace, determination, reason, optimum, response, repaired, with_repair)

    def _beyond(self, with_repair: bool) -> Report:
        """Answer for a model with numbers, time or soft conditions."""
        from validator.temporal.execution import not_executed

        if not_executed(self.prepared.model):
            return self._unsupported(not_executed(self.prepared.model))
        from validator.beyond import Asked, decided
        from validator.installed_engines import Engines
        from validator.temporal.execution import EPSILON

        asked = Asked(
            simulator=self.simulator,
            plan=self.plan,
            tokens=self.tokens,
            quality=self.quality,
            policy=self.policy,
            limits=self.limits,
            epsilon=EPSILON if self.epsilon is None else self.epsilon,
            trace=self.trace,
            context=self.context,
            progress=self.progress or (lambda lower, best: None),
            engines=Engines(self.as_up, self.other),
            classical=self._nearest_in,
        )
        with self.clock("execution"):
            report, execution = decided(asked)
        if self.quality is Quality.OPTIMAL or (with_repair and report.determination is not True):
            from validator.beyond_cost import further

            with self.clock("repair"):
                report = further(asked, report, execution, with_repair=with_repair)
        return replace(report, timings=self.clock.seconds)

    def _nearest_in(self, part: Model) -> Report:
        """Check and repair the plan on another model, without its time stamps."""
        steps = tuple(bare(token) if isinstance(token, Step) else token for token in self.plan.tokens)
        other = _Check(
            prepare(part),
            Plan(parts=steps, claims_no_plan=self.plan.claims_no_plan),
            self.quality,
            self.policy,
            self.limits,
            self.clock,
            self.context,
            self.cache,
            self.progress,
            None,
            trace=False,
        )
        return other.report(with_repair=True)

    def _unsupported(self, features: Mapping[str, str]) -> Report:
        """Answer for a model that is read, not executed: only steps that no execution could save are decided."""
        faults = tuple(
            failure
            for place, token in zip(self.plan.places, self.plan.tokens, strict=True)
            for failure in self.simulator.malformed(place, self.simulator.resolve(token))
            # A number is no object that is known, and may be the right argument all the same.
            if failure.kind is not Kind.UNKNOWN_OBJECT or "parameters-that-are-numbers" not in features
        )
        said = ", ".join(f"{name} ({place})" for name, place in features.items())
        return Report(
            report_type=self.quality,
            determination=False if faults else None,
            reason=f"the model uses what is not executed: {said}",
            reference=self.tokens,
            failures=faults,
            proven=bool(faults),
            claims_no_plan=self.plan.claims_no_plan is not None,
            warnings=self.prepared.model.warnings + self.plan.warnings,
            timings=self.clock.seconds,
        )

    def _summary(self, trace: Trace) -> str:
        said = "; the text says that there is no plan" if self.plan.claims_no_plan else ""
        return f"{self._worst(trace)}{said}"

    def _worst(self, trace: Trace) -> str:
        kinds = {failure.kind for failure in trace.failures}
        if self.plan.is_unreadable:
            return "no step could be read from the text"
        if kinds & _MALFORMED:
            return "some steps do not fit the model"
        return "some steps cannot be executed" if kinds - {Kind.GOAL} else "the goal is not reached"

    # --- planner -------------------------------------------------------------------------------

    def _task(self) -> Task | _NoTask:
        """Return the grounded task, or why there is none."""
        with self.clock("grounding"):
            try:
                matter = self.quality is Quality.OPTIMAL or self.policy is Policy.KEEP
                task = self.prepared.task(self.limits, costs_matter=matter)
            except ValueError as error:
                return _NoTask("unsupported", f"the planner cannot be given the model: {error}")
        if isinstance(task, Status):
            return _NoTask(task.value, f"the {task.value} was met while the model was grounded")
        return task

    def _optimal(
        self, trace: Trace, has_quality: bool, reason: str, with_repair: bool
    ) -> tuple[Optimum | None, bool | None, str, PlannerResponse]:
        """Compare the plan's cost with the cheapest one."""
        undecided = None if has_quality else False
        if self.simulator.measure is None:
            why = "the metric is not the minimum of total-cost, which is all that is executed"
            return None, undecided, why if has_quality else reason, PlannerResponse()
        steps = tuple(bare(token) for token in self.tokens if isinstance(token, Step)) if has_quality else None
        found = self._cheapest(steps, only_compare=has_quality and not with_repair)
        if isinstance(found, _NoTask):
            return None, undecided, found.reason if has_quality else reason, PlannerResponse(status=found.status)
        optimum, self.scale = found
        response = replace(_response(optimum), engine=self.engine)
        if not has_quality:
            return optimum, False, reason, response
        assert trace.cost is not None
        known = (trace.cost - self.simulator.initial_cost) * self.scale
        if optimum.upper is not None and optimum.upper < known:
            cheaper = decimal(self._plain(optimum.upper))
            return optimum, False, f"a plan of cost {cheaper} exists", response
        if optimum.lower >= known:
            return optimum, True, "", response
        return optimum, None, self._unproven(optimum), response

    def _cheapest(self, steps: tuple[Step, ...] | None, *, only_compare: bool) -> tuple[Optimum, int] | _NoTask:
        """Return what is known of the cheapest cost, given a valid plan or none, and what costs are scaled by."""
        if self.other is not None:
            with self.clock("optimum"):
                try:
                    optimum, scale = self.other.optimum(None if steps is None else Plan(parts=steps), self.limits)
                except UnsupportedError as error:
                    return _NoTask("unsupported", str(error))
            if optimum.plan is not None:
                self._execute(optimum.plan, with_goal=True)
            return optimum, scale
        task = self._task()
        if isinstance(task, _NoTask):
            return task
        with self.clock("optimum"):
            optimum = self.prepared.optimum(task, steps, self.limits, self.cache, only_compare=only_compare)
        return optimum, task.encoding.scale

    def _unproven(self, optimum: Optimum) -> str:
        """Say why the cheapest cost is not known."""
        if optimum.status is Status.SOLVED:
            return f"the engine '{self.engine}' does not prove that its plans are cheapest"
        return f"the {optimum.status.value} was met before the cheapest cost was proven"

    def _repair(
        self, optimum: Optimum | None, response: PlannerResponse, reason: str
    ) -> tuple[Repair | None, PlannerResponse, str]:
        found = self._nearest(optimum, response)
        if isinstance(found, _NoTask):
            return None, replace(response, status=found.status), f"{reason}; {found.reason}"
        if found.status is Status.UNSOLVABLE:
            return self._no_plan(found, reason)
        plan = found.plan
        said = PlannerResponse(
            status=found.status.value,
            engine=self.engine,
            plan=tuple(map(str, plan or ())),
            cost=found.cost,
            lower_bound=found.lower_bound,
        )
        if plan is None:
            return None, said, f"{reason}; the {found.status.value} was met before a repaired plan was found"
        return found, said, reason

    def _nearest(self, optimum: Optimum | None, response: PlannerResponse) -> Repair | _NoTask:
        """Return the nearest plan that the planner finds, or why it could not be asked."""
        from validator.repair import Repair, repair  # a plan that has the quality never needs it

        if self.quality is Quality.OPTIMAL:
            if optimum is None:
                return _NoTask(response.status, "no cheapest cost to repair for")
            if optimum.status is Status.UNSOLVABLE:
                return Repair(status=Status.UNSOLVABLE, proven=True)
            if not optimum.is_proven or optimum.plan is None:
                return _NoTask(optimum.status.value, self._unproven(optimum))
        if self.other is not None:
            return self._asked(self.other, optimum)
        task = self._task()
        if isinstance(task, _NoTask):
            return task
        with self.clock("repair"):
            try:
                found = repair(
                    task,
                    self.simulator,
                    self.tokens,
                    self.policy,
                    self.limits,
                    with_goal=self.quality is not Quality.SOUND,
                    optimum=optimum if self.quality is Quality.OPTIMAL else None,
                    progress=self.progress,
                )
            except OverflowError as error:
                return _NoTask(Status.COST_LIMIT.value, str(error))
        self.clock.seconds.update((f"repair: {phase}", seconds) for phase, seconds in found.seconds.items())
        return found

    def _asked(self, other: UpPlanner, optimum: Optimum | None) -> Repair | _NoTask:
        """Return what another planner finds."""
        with_goal = self.quality is not Quality.SOUND
        with self.clock("repair"):
            try:
                if optimum is None:
                    found = other.repair(self.plan, self.policy, self.limits, with_goal=with_goal)
                else:
                    found = other.repair_to_cheapest(self.plan, optimum, self.limits)
            except UnsupportedError as error:
                return _NoTask("unsupported", str(error))
        if found.edits is None:
            return found
        # The engine has read the model in its own way, and perhaps spells it in another.
        edits = tuple(replace(edit, token=self.simulator.resolve(edit.token)) for edit in found.edits)
        found = replace(found, edits=edits)
        self._execute(found.plan or (), with_goal=with_goal)
        return found

    def _execute(self, steps: tuple[Step, ...], *, with_goal: bool) -> None:
        """Execute what another planner found. Raises PlannerError when it lacks the quality."""
        trace = self.simulator.run(steps)
        if not (trace.is_valid if with_goal else trace.is_sound):
            faults = "; ".join(map(str, trace.failures[:3]))
            raise PlannerError(f"the answer of the engine '{self.engine}' does not execute: {faults}")

    def _no_plan(self, found: Repair, reason: str) -> tuple[Repair, PlannerResponse, str]:
        proof = f"no plan is {self.quality.value}: the goal cannot be reached (proven)"
        return found, PlannerResponse(status=Status.UNSOLVABLE.value, engine=self.engine), f"{reason}; {proof}"

    # --- result --------------------------------------------------------------------------------

    def _result(
        self,
        trace: Trace,
        determination: bool | None,
        reason: str,
        optimum: Optimum | None,
        response: PlannerResponse,
        repaired: Repair | None,
        with_repair: bool,
    ) -> Report:
        failures = trace.failures
        if self.quality is Quality.SOUND:
            failures = tuple(failure for failure in failures if failure.kind is not Kind.GOAL)
        plan = repaired.plan if repaired is not None else None
        diffs = step_diffs(repaired.edits) if repaired is not None and repaired.edits is not None else ()
        proven = determination is not None
        if determination is False and with_repair:
            proven = repaired is not None and repaired.proven
        return Report(
            report_type=self.quality,
            determination=determination,
            reason=reason,
            reference=self.tokens,
            failures=failures,
            unmet_goals=trace.unmet_goals,
            cost=trace.cost if trace.is_sound else None,
            optimal_cost=self._interval(optimum),
            plan_diff_obj=diffs,
            plan_diff_str=unified(diffs, self.context),
            repaired_plan=plan,
            repaired_cost=None if plan is None else self.simulator.run(Plan(parts=plan)).cost,
            planner_response=response,
            proven=proven,
            timeline=self._timeline(trace),
            claims_no_plan=self.plan.claims_no_plan is not None,
            warnings=self.prepared.model.warnings + self.plan.warnings + self._sequence_warning(diffs),
            timings=self.clock.seconds,
        )

    def _timeline(self, trace: Trace) -> Timeline | None:
        if not self.trace or self.plan.is_unreadable:
            return None
        from validator.temporal.course import classical_timeline

        return classical_timeline(trace, self.tokens, self.plan.places)

    def _sequence_warning(self, diffs: object) -> tuple[str, ...]:
        """Say that a repaired plan is a sequence, when the observed one has steps at one time."""
        times = [token.time for token in self.plan.steps if token.time is not None]
        concurrent = len(times) != len(set(times)) or any(token.concurrent is not None for token in self.plan.steps)
        return ("the repaired plan is a sequence: steps at one time follow each other",) if diffs and concurrent else ()

    def _interval(self, optimum: Optimum | None) -> Interval | None:
        if optimum is None or optimum.status is Status.UNSOLVABLE:
            return None
        upper = None if optimum.upper is None else self._plain(optimum.upper)
        return Interval(lower=self._plain(optimum.lower), upper=upper)

    def _plain(self, cost: int) -> Fraction:
        """Return a cost of the planner's as the metric's value."""
        return Fraction(cost, self.scale) + self.simulator.initial_cost


def _response(optimum: Optimum) -> PlannerResponse:
    return PlannerResponse(
        status=optimum.status.value,
        engine=ENGINE,
        plan=tuple(map(str, optimum.plan or ())),
        cost=optimum.upper,
        lower_bound=optimum.lower,
    )
