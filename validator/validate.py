"""``check``: a model and an observed plan in, a report out. All the other ways in call this one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

from validator.diff import step_diffs, unified
from validator.edit import Policy, bare
from validator.errors import PlanError
from validator.execute import Kind, Trace
from validator.model import Domain, Model, Problem
from validator.pddl.write import decimal
from validator.plan import Dialect, Plan, Step, Token
from validator.planner import Limits, Status
from validator.prepared import Prepared, prepare, read_plan_text
from validator.repair import Optimum, Progress, Repair, plan_cost, repair
from validator.report import Interval, PlannerResponse, Quality, Report
from validator.task import Task
from validator.tokens import tokenize
from validator.up import is_up, plan_from_up, plan_to_up

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem
    from unified_planning.plans import SequentialPlan

__all__ = ["Prepared", "check", "prepare"]

DEFAULT_TIME_LIMIT = 30.0
DEFAULT_MEMORY_LIMIT = 4 * 2**30
ENGINE = "Fast Downward (up-fast-downward)"

_MALFORMED = frozenset(
    (Kind.SYNTAX, Kind.UNKNOWN_ACTION, Kind.WRONG_ARITY, Kind.UNKNOWN_OBJECT, Kind.WRONG_TYPE, Kind.CONSTRAINT)
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
) -> Report:
    """Say whether a plan has a quality, what is wrong with it, and which nearest plan has the quality.

    ``domain``, ``problem`` and ``plan`` are paths or texts, or values read before. A ``Prepared`` model, a ``Model`` or
    a unified-planning ``Problem`` stands for the first two (``problem`` is None then); a ``SequentialPlan`` may stand
    for the plan, and then ``up_plan`` of the report is the repaired one. ``time_limit`` is in seconds of wall clock,
    ``memory_limit`` in bytes for each planner process. ``context`` is the number of unchanged lines around a change
    of the diff; None shows all. ``cache`` is a directory in which proven cheapest costs are kept.
    ``progress`` is called while a repair is looked for; see ``validator.repair.repair``. ``planner`` names a
    unified-planning engine that looks for the repair in place of Fast Downward; the model must be a unified-planning
    problem then, and the quality SOUND or VALID.

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
    )
    if planner is not None:
        checked.use(planner, domain)
    report = checked.report(repair)
    if is_up(plan) and is_up(domain) and report.repaired_plan is not None:
        return replace(report, up_plan=plan_to_up(report.repaired_plan, cast("UpProblem", domain)))
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
        self.engine = ENGINE
        self.solve: Callable[[], Repair] | None = None
        self.tokens: tuple[Token, ...] = tuple(map(self.simulator.resolve, plan.tokens or plan.unread))

    def use(self, engine: str, problem: object) -> None:
        """Let a unified-planning engine look for the repair."""
        if not is_up(problem) or self.quality is Quality.OPTIMAL:
            raise ValueError("another planner needs a unified-planning problem, and the quality sound or valid")
        from validator.edit_problem import edit_problem
        from validator.up_planner import solve_with

        def solve() -> Repair:
            with_goal = self.quality is not Quality.SOUND
            modified = edit_problem(problem, self.plan, with_goal=with_goal, policy=self.policy)
            return solve_with(engine, modified, self.limits.seconds)

        self.engine, self.solve = engine, solve

    def report(self, with_repair: bool) -> Report:
        if self.prepared.model.features:
            return self._unsupported()
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

    def _unsupported(self) -> Report:
        """Answer for a model that is read, not executed: only steps that no execution could save are decided."""
        features = ", ".join(f"{name} ({place})" for name, place in self.prepared.model.features.items())
        faults = tuple(
            failure
            for place, token in zip(self.plan.places, self.plan.tokens, strict=True)
            for failure in self.simulator.malformed(place, self.simulator.resolve(token))
        )
        return Report(
            report_type=self.quality,
            determination=False if faults else None,
            reason=f"the model uses what is not executed: {features}",
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
        task = self._task()
        if isinstance(task, _NoTask):
            return None, undecided, task.reason if has_quality else reason, PlannerResponse(status=task.status)
        steps = tuple(bare(token) for token in self.tokens if isinstance(token, Step)) if has_quality else None
        with self.clock("optimum"):
            optimum = self.prepared.optimum(
                task, steps, self.limits, self.cache, only_compare=has_quality and not with_repair
            )
        response = _response(optimum)
        if not has_quality:
            return optimum, False, reason, response
        known = plan_cost(task, steps or ())
        if optimum.upper is not None and optimum.upper < known:
            cheaper = decimal(_plain(optimum.upper, task, self.simulator.initial_cost))
            return optimum, False, f"a plan of cost {cheaper} exists", response
        if optimum.lower >= known:
            return optimum, True, "", response
        why = f"the {optimum.status.value} was met before the cheapest cost was proven"
        return optimum, None, why, response

    def _repair(
        self, optimum: Optimum | None, response: PlannerResponse, reason: str
    ) -> tuple[Repair | None, PlannerResponse, str]:
        if self.solve is not None:
            with self.clock("repair"):
                found = self.solve()
        else:
            answer = self._nearest(optimum, response)
            if isinstance(answer, _NoTask):
                return None, replace(response, status=answer.status), f"{reason}; {answer.reason}"
            found = answer
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
        """Return the nearest plan that Fast Downward finds, or why it could not be asked."""
        task = self._task()
        if isinstance(task, _NoTask):
            return task
        if self.quality is Quality.OPTIMAL:
            if optimum is None:
                return _NoTask(response.status, "no cheapest cost to repair for")
            if optimum.status is Status.UNSOLVABLE:
                return Repair(status=Status.UNSOLVABLE, proven=True)
            if not optimum.is_proven or optimum.plan is None:
                limit = optimum.status.value
                return _NoTask(limit, f"the {limit} was met before the cheapest cost was proven")
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
            claims_no_plan=self.plan.claims_no_plan is not None,
            warnings=self.prepared.model.warnings + self.plan.warnings + self._sequence_warning(diffs),
            timings=self.clock.seconds,
        )

    def _sequence_warning(self, diffs: object) -> tuple[str, ...]:
        """Say that a repaired plan is a sequence, when the observed one has steps at one time."""
        times = [token.time for token in self.plan.steps if token.time is not None]
        concurrent = len(times) != len(set(times)) or any(token.concurrent is not None for token in self.plan.steps)
        return ("the repaired plan is a sequence: steps at one time follow each other",) if diffs and concurrent else ()

    def _interval(self, optimum: Optimum | None) -> Interval | None:
        if optimum is None or optimum.status is Status.UNSOLVABLE:
            return None
        task = self.prepared.task(self.limits)
        assert isinstance(task, Task)
        initial = self.simulator.initial_cost
        upper = None if optimum.upper is None else _plain(optimum.upper, task, initial)
        return Interval(lower=_plain(optimum.lower, task, initial), upper=upper)


def _plain(cost: int, task: Task, initial: Fraction) -> Fraction:
    """Return a cost of the planner's as the metric's value."""
    return Fraction(cost, task.encoding.scale) + initial


def _response(optimum: Optimum) -> PlannerResponse:
    return PlannerResponse(
        status=optimum.status.value,
        engine=ENGINE,
        plan=tuple(map(str, optimum.plan or ())),
        cost=optimum.upper,
        lower_bound=optimum.lower,
    )
