"""Plans of hierarchical models: steps that execute, and a decomposition of the tasks into them, stated or found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path

from validator.checking.prepared import Prepared
from validator.checking.question import Options
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.verdict import left_open, shown
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind
from validator.grounding.limits import Status
from validator.hierarchy.lookahead import Lookahead
from validator.hierarchy.nearest import nearest
from validator.hierarchy.parse import Parsed, Parser
from validator.hierarchy.search import Search
from validator.hierarchy.state_history import StateHistory
from validator.hierarchy.values import Decomposition, Hierarchy, is_listing, read_listing
from validator.hierarchy.verify import Fault, verify
from validator.reading.plan import Plan, Step, Token
from validator.records import replace
from validator.repair import Policy
from validator.repair.diff import step_diffs
from validator.repair.edit import kept_steps
from validator.texts import read_plan_text, without_mark

_ENGINE = "A* over task networks"
_NO_COSTS = "the cheapest plan of a hierarchy is not looked for"
_DEEP = "tasks that may come to nothing nest below themselves more deeply than is followed"
_LATE = "the time limit was met while a decomposition of its steps was looked for"


def decided(
    hierarchy: Hierarchy,
    prepared: Prepared,
    plan: str | Path | Plan,
    options: Options,
    plain: Callable[[Prepared, str | Path | Plan], Report],
) -> Report:
    """Return the report on a plan of a hierarchy, without a repair; ``plain`` checks its steps alone.

    Raises PlanError for a listing that cannot be read, OSError for a file.
    """
    stated: Decomposition | None = None
    if not isinstance(plan, Plan):
        text = without_mark(read_plan_text(plan))
        if is_listing(text):
            stated = read_listing(text, "" if isinstance(plan, str) else str(plan))
            nodes = [stated.nodes[label] for label in stated.steps]
            plan = Plan(parts=tuple(Step(name=node.task, args=node.args) for node in nodes))
    report = replace(plain(prepared, plan), report_type=options.quality)
    if not report.is_understood or report.claims_no_plan or report.no_plan is not None:
        return replace(report, determination=None)
    if report.determination is None:  # where the time was over, no step of the plan may be known
        return report
    steps = _steps(prepared.simulator, report.reference)
    trace = prepared.simulator.run(steps) if steps is not None else None
    if steps is None or trace is None or not trace.is_sound:
        return report
    history = StateHistory(hierarchy.model, hierarchy.model.problem.init, trace.changes)
    try:
        found = _judged(hierarchy, options, stated, steps, history, report)
    except (TimeoutError, RecursionError) as error:
        why = _LATE if isinstance(error, TimeoutError) else _DEEP
        found = replace(report, determination=None, proven=False, reason=why)
    if found.determination and options.quality is Quality.OPTIMAL:
        return replace(found, determination=None, proven=False, reason=_NO_COSTS)
    return found


def _steps(simulator: Simulator, tokens: tuple[Token, ...]) -> list[Step] | None:
    steps = [token for token in simulator.resolved(tokens) if isinstance(token, Step)]
    return steps if len(steps) == len(tokens) else None


def _judged(
    hierarchy: Hierarchy,
    options: Options,
    stated: Decomposition | None,
    steps: list[Step],
    history: StateHistory,
    report: Report,
) -> Report:
    """Return the report with what is said of the decomposition that is stated, or of whether there is one."""
    if stated is not None:
        judged = verify(hierarchy, stated, history)
        if judged.open:
            return replace(report, determination=None, proven=False, reason="; ".join(judged.open))
        if judged.faults:
            return refused(report, judged.faults, "the decomposition is not one of this problem")
        return replace(report, explanations=tuple(stated.lines()))
    found = decomposed(hierarchy, options, steps, history)
    if found.decomposition is None:
        fault = _first_left(found.furthest, steps, is_total=hierarchy.is_total)
        return refused(report, [fault], "no decomposition of the tasks has these steps")
    return replace(report, explanations=tuple(found.decomposition.lines()))


def decomposed(hierarchy: Hierarchy, options: Options, steps: list[Step], history: StateHistory) -> Parsed:
    """Look for a decomposition of steps, which is verified. Raises TimeoutError."""
    kind = Parser if hierarchy.is_total else Search
    look: Parser | Search = kind(
        hierarchy=hierarchy,
        steps=steps,
        history=history,
        lookahead=Lookahead.of(hierarchy),
        tick=lambda: _in_time(options.deadline),
    )
    found = look.run()
    if found.decomposition is not None and (wrong := verify(hierarchy, found.decomposition, history).faults):
        raise AssertionError(f"the decomposition that was found is none: {wrong[0].text}")
    return found


def repaired(hierarchy: Hierarchy, prepared: Prepared, options: Options, report: Report) -> Report:
    """Return the report on a plan, with the nearest one that has the quality where it has not."""
    if report.determination is not False or not options.repair:
        return report
    if options.quality is Quality.OPTIMAL:
        return left_open(report, _NO_COSTS)
    if options.policy is not Policy.EDITS:
        told = f"the nearest plan of a hierarchy is looked for with the policy edits, not with {options.policy.value}"
        return replace(report, warnings=(*report.warnings, told))
    tokens = prepared.simulator.resolved(report.reference)
    with_goal = options.quality is not Quality.SOUND
    found = nearest(
        hierarchy,
        prepared.simulator,
        tokens,
        Lookahead.of(hierarchy),
        with_goal=with_goal,
        is_over=lambda: time.monotonic() > options.deadline,
    )
    status = Status.SOLVED if found.edits is not None else Status.UNSOLVABLE if found.is_proven else Status.TIME_LIMIT
    cost = None if found.edits is None else found.least
    response = PlannerResponse(status=status.value, engine=_ENGINE, cost=cost, lower_bound=found.least)
    report = replace(report, planner_response=response, proven=found.is_proven)
    if found.edits is None:
        why = f"no plan has a decomposition (proven by {_ENGINE})" if found.is_proven else "no nearest plan was found"
        return replace(report, reason=f"{report.reason}; {why}" if found.is_proven else report.reason)
    plan = kept_steps(found.edits)
    if found.least == 0:
        report = replace(report, reason=f"{report.reason}; its steps have another decomposition")
    assert found.decomposition is not None
    return replace(
        shown(report, step_diffs(found.edits), plan, options.context),
        repaired_cost=_verified(hierarchy, prepared.simulator, plan, found.decomposition, with_goal),
        explanations=tuple(found.decomposition.lines()),
    )


def not_repaired(report: Report) -> Report:
    """Return the report on a plan where the search for the nearest one was ended."""
    response = PlannerResponse(status=Status.TIME_LIMIT.value, engine=_ENGINE)
    return replace(report, proven=False, planner_response=response)


def _verified(
    hierarchy: Hierarchy, simulator: Simulator, plan: Sequence[Step], found: Decomposition, with_goal: bool
) -> Fraction | None:
    """Return the cost of a repaired plan, which is executed and verified again."""
    trace = simulator.run(Plan(parts=tuple(plan)))
    faults = verify(hierarchy, found, StateHistory(hierarchy.model, hierarchy.model.problem.init, trace.changes)).faults
    if faults or not (trace.is_valid if with_goal else trace.is_sound):
        raise AssertionError(f"the nearest plan that was found is none: {(*faults, *trace.failures)[0]}")
    return trace.cost


def _in_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError


def _first_left(furthest: int, steps: list[Step], *, is_total: bool) -> Fault:
    """Return the fault of steps that have no decomposition: where every attempt has ended, or looks ahead in vain."""
    if furthest == len(steps):
        return Fault(text="after the last step, every attempt to decompose the tasks leaves some of them open")
    if not is_total:
        return Fault(
            text="the tasks that are open here have no decomposition into the steps from here on", step=furthest
        )
    return Fault(text="every attempt to decompose the tasks ends at this step, or before it", step=furthest)


def refused(report: Report, faults: Iterable[Fault], why: str) -> Report:
    """Return the report on a plan whose steps execute, but whose decomposition has faults."""
    failures = tuple(Failure(step=fault.step, kind=Kind.CONSTRAINT, detail=fault.text) for fault in faults)
    of_goal = [failure for failure in report.failures if failure.kind is Kind.GOAL]
    reason = f"{why}, and {report.reason}" if of_goal and report.reason else why
    failures = (*sorted(failures, key=lambda one: -1 if one.step is None else one.step), *of_goal)
    return replace(report, determination=False, reason=reason, failures=failures, proven=True)
