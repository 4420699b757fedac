"""Engines for unified-planning: ``PlanValidator(name="plan-validator")`` and ``PlanRepairer(name="plan-validator")``.

``register`` adds them to an environment. They are one class, because unified-planning finds engines by name alone.
Importing this module imports unified-planning.
"""

from __future__ import annotations

import time
from typing import Any

from unified_planning.engines import (
    Engine,
    FailedValidationReason,
    LogLevel,
    LogMessage,
    OptimalityGuarantee,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.mixins import PlanRepairerMixin, PlanValidatorMixin
from unified_planning.environment import Environment, get_environment
from unified_planning.exceptions import UPProblemDefinitionError
from unified_planning.model import PlanQualityMetric, ProblemKind, State, UPState
from unified_planning.model import Problem as UpProblem
from unified_planning.model.walkers import StateEvaluator
from unified_planning.plans import ActionInstance, Plan, PlanKind, SequentialPlan

from validator.alarms import OutOfTime, alarm
from validator.checking.check import check
from validator.checking.nonclassical.up_kinds import is_other
from validator.checking.prepared import prepare
from validator.checking.report import Report
from validator.errors import PlannerError
from validator.execution.simulator import Simulator
from validator.execution.trace import Kind, Trace
from validator.grounding.limits import DEFAULT_TIME_LIMIT, hard_limit, left_until
from validator.model.values import GroundAtom

NAME = "plan-validator"

_FEATURES = (
    *("ACTION_BASED", "FLAT_TYPING", "HIERARCHICAL_TYPING", "NEGATIVE_CONDITIONS", "DISJUNCTIVE_CONDITIONS"),
    *("EQUALITIES", "EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS", "CONDITIONAL_EFFECTS", "FORALL_EFFECTS"),
    *("STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS", "FLUENTS_IN_BOOLEAN_ASSIGNMENTS", "PLAN_LENGTH"),
    *("ACTIONS_COST", "STATIC_FLUENTS_IN_ACTIONS_COST", "INT_NUMBERS_IN_ACTIONS_COST", "REAL_NUMBERS_IN_ACTIONS_COST"),
    *("OVERSUBSCRIPTION", "INT_NUMBERS_IN_OVERSUBSCRIPTION", "REAL_NUMBERS_IN_OVERSUBSCRIPTION"),
    # Numbers are only in costs (there are no INT_FLUENTS and no REAL_FLUENTS): a static value cannot leave its bounds,
    # and a cost that reads an undefined value is a fault of the step.
    *("BOUNDED_TYPES", "UNDEFINED_INITIAL_NUMERIC"),
)
_KIND_VERSION = 2
"""The version of unified-planning's problem kinds in which these features have their meaning."""

_ENDS = {
    "unsolvable": PlanGenerationResultStatus.UNSOLVABLE_PROVEN,
    "time limit": PlanGenerationResultStatus.TIMEOUT,
    "memory limit": PlanGenerationResultStatus.MEMOUT,
    "interrupt": PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY,
}
"""What a planner without a plan said, as unified-planning says it."""


def register(environment: Environment | None = None) -> None:
    """Add the engines to an environment's factory, the global one by default; twice is the same as once.

    They come last in the order of preference, so that no choice by problem kind changes.
    """
    factory = get_environment(environment).factory
    if NAME not in factory.engines:
        factory.add_engine(NAME, __name__, PlanValidatorEngine.__name__)


class PlanValidatorEngine(Engine, PlanValidatorMixin, PlanRepairerMixin):  # type: ignore[misc]
    """Validates and repairs plans, of whatever kind ``check`` takes; ``time_limit`` is in seconds, for one answer."""

    def __init__(self, time_limit: float = DEFAULT_TIME_LIMIT) -> None:
        Engine.__init__(self)
        PlanRepairerMixin.__init__(self)
        self._time_limit = time_limit

    @property
    def name(self) -> str:
        return NAME

    @staticmethod
    def supported_kind() -> ProblemKind:
        """Return the kind of the problems that are executed completely."""
        return ProblemKind(_FEATURES, version=_KIND_VERSION)

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        return bool(problem_kind <= PlanValidatorEngine.supported_kind())

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """A repaired plan is the nearest valid one, which need not be a cheapest one of the problem."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    def _validate(self, problem: UpProblem, plan: Plan) -> ValidationResult:
        latest = time.monotonic() + self._time_limit
        if len(problem.quality_metrics) > 1:  # as unified-planning's validator
            raise UPProblemDefinitionError("more than one quality metric in the problem")
        metric, is_simple = next(iter(problem.quality_metrics), None), not is_other(plan)
        try:
            with alarm(hard_limit(self._time_limit)):
                prepared = prepare(problem) if is_simple else None
                report = check(prepared or problem, None, plan, repair=False, time_limit=left_until(latest))
        except OutOfTime:  # in what does not look at the clock
            late = [LogMessage(LogLevel.WARNING, "the time limit was met while the problem and the plan were read")]
            return ValidationResult(ValidationResultStatus.UNKNOWN, self.name, late)
        log = _log(report)
        if report.determination is None:
            return ValidationResult(ValidationResultStatus.UNKNOWN, self.name, log)
        has_states = prepared is not None and not prepared.model.features
        states = _states_until(latest, problem, prepared.simulator, report) if prepared and has_states else None
        if report.determination:
            value = None if metric is None else _value(problem, metric, report, None if states is None else states[-1])
            costs = None if metric is None or value is None else {metric: value}
            return ValidationResult(ValidationResultStatus.VALID, self.name, log, costs, trace=states)
        of_steps = (
            failure
            for failure in report.failures
            if failure.is_of_steps and (failure.kind is not Kind.CONSTRAINT or failure.step is not None or is_simple)
        )
        first = next(of_steps, None)  # a constraint may be violated before
        if first is None:
            reason, action = FailedValidationReason.UNSATISFIED_GOALS, None
        else:
            reason, action = FailedValidationReason.INAPPLICABLE_ACTION, _action(plan, first.step)
            states = None if states is None else states[: (first.step or 0) + 1]
        return ValidationResult(
            ValidationResultStatus.INVALID, self.name, log, None, reason, inapplicable_action=action, trace=states
        )

    def _repair(self, problem: UpProblem, plan: Plan) -> PlanGenerationResult:
        """Return the nearest valid plan.

        The status is never SOLVED_OPTIMALLY: that speaks of the problem's metric, the proof here of the changed
        lines. It is among the metrics (``changed_lines``, ``lower_bound``, ``proven``) and in the log.
        """
        try:
            report = check(problem, None, plan, time_limit=self._time_limit)
        except PlannerError as error:
            log = [LogMessage(LogLevel.ERROR, str(error))]
            return PlanGenerationResult(PlanGenerationResultStatus.INTERNAL_ERROR, None, self.name, log_messages=log)
        repaired = plan if report.determination else report.up_plan
        if repaired is None:
            said = "" if report.determination is None else report.planner_response.status
            end = _ENDS.get(said, PlanGenerationResultStatus.UNSUPPORTED_PROBLEM)
            return PlanGenerationResult(end, None, self.name, log_messages=_log(report))
        log = _log(report)
        if report.plan_diff_str:
            known = "proven" if report.proven else "not proven"
            log.append(LogMessage(LogLevel.INFO, f"the nearest valid plan ({known}):\n{report.plan_diff_str}"))
        return PlanGenerationResult(
            PlanGenerationResultStatus.SOLVED_SATISFICING,
            repaired,
            self.name,
            metrics=_nearness(report),
            log_messages=log,
        )


# --- what the report says, in unified-planning's terms -----------------------------------------


def _value(problem: UpProblem, metric: PlanQualityMetric, report: Report, last: State | None) -> Any:
    """Return what a metric says of a valid plan that ends in a state; None where that is not known."""
    if metric.is_oversubscription():
        if last is None:
            return None
        evaluator = StateEvaluator(problem)
        return sum(gain for goal, gain in metric.goals.items() if evaluator.evaluate(goal, last).is_true())
    cost = report.cost
    return cost.numerator if cost is not None and cost.denominator == 1 else cost


def _action(plan: Plan, step: int | None) -> ActionInstance | None:
    """Return an action of a plan by its place in the order of time; None where a plan has no such order."""
    if step is None or is_other(plan):
        return None
    if isinstance(plan, SequentialPlan):
        return plan.actions[step]
    return sorted(plan.timed_actions, key=lambda entry: entry[0])[step][1]


def _states_until(latest: float, problem: UpProblem, simulator: Simulator, report: Report) -> list[State] | None:
    """Return the states of a plan, where there is time for them: the verdict stands without."""
    try:
        with alarm(left_until(latest)):
            return _states(problem, simulator.run(report.reference))
    except OutOfTime:
        return None


def _states(problem: UpProblem, trace: Trace) -> list[State]:
    """Return the initial state and the state after each step; a step at fault changes nothing."""
    manager = problem.environment.expression_manager
    states = [UPState(problem.explicit_initial_values, problem)]
    for change in trace.changes:
        values = {_fluent(problem, atom): manager.FALSE() for atom in change.deleted}
        values |= {_fluent(problem, atom): manager.TRUE() for atom in change.added}
        states.append(states[-1].make_child(values))
    return states


def _fluent(problem: UpProblem, atom: GroundAtom) -> Any:
    return problem.fluent(atom[0])(*(problem.object(name) for name in atom[1:]))


def _log(report: Report) -> list[LogMessage]:
    """Return one message for each fault; where there is none, why nothing more is known."""
    faults = report.faults
    said = [LogMessage(LogLevel.INFO, fault) for fault in faults]
    if report.determination is None or (report.repaired_plan is None and report.planner_response.status != "not asked"):
        said.append(LogMessage(LogLevel.WARNING, report.reason))
    return said + [LogMessage(LogLevel.WARNING, warning) for warning in report.warnings]


def _nearness(report: Report) -> dict[str, str]:
    """Return how near a repaired plan is; what no search has bounded is at least one changed line, or none."""
    changed = sum(diff.diff_type is not None for diff in report.plan_diff_obj)
    response = report.planner_response
    cost = changed if response.cost is None else response.cost
    lower = min(1, changed) if response.lower_bound is None else response.lower_bound
    return {"changed_lines": str(cost), "lower_bound": str(lower), "proven": str(report.proven)}
