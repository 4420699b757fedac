"""Plans on problems, as repairs are asked for: which must be valid, and which must not be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from validator.alarms import OutOfTime
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Report
from validator.errors import ModelError, PlanError
from validator.execution.trace import Failure, Kind
from validator.grounding.limits import Status
from validator.model.pddl import read_problem
from validator.model.values import Domain, Model, Problem
from validator.reading.plan import Plan, Step
from validator.records import dataclass

PlanSource: TypeAlias = str | Path | Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A problem with its plans, each a path or a text, or values read before."""

    problem: str | Path | Problem
    plans: Sequence[PlanSource] = ()
    must_fail: Sequence[PlanSource] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One plan as steps (action, arguments). ``name`` is what it is called in what is said of it."""

    name: str
    model: Model
    steps: tuple[tuple[str, tuple[str, ...]], ...]
    must_fail: bool = False
    is_right: bool = False
    """whether the domain as it is does with it as it must"""
    malformed: str = ""
    """why no condition and no effect makes it valid: an unknown name, the wrong number or types of arguments"""


def read_cases(domain: Domain, given: Sequence[Given], *, strict: bool = False) -> list[Case]:
    """Read problems, literally where ``strict``, and plans.

    Raises ModelError, PlanError for a plan that was not understood as steps, OutOfTime where one takes too long.
    """
    if not any(one.plans or one.must_fail for one in given):
        raise PlanError("a plan is needed beside the model")
    return [case for one in given for case in _cases(domain, one, strict)]


def _cases(domain: Domain, given: Given, strict: bool) -> Iterator[Case]:
    problem = given.problem
    if not isinstance(problem, Problem):
        problem = read_problem(problem, domain, strict=strict)
    prepared = prepare(Model(domain=domain, problem=problem))
    for must_fail, plans in ((False, given.plans), (True, given.must_fail)):
        for number, plan in enumerate(plans, 1):
            name = _name(plan, f"{'plan that must fail' if must_fail else 'plan'} {number}")
            yield _case(prepared, plan, name, must_fail)


def _name(plan: PlanSource, otherwise: str) -> str:
    return str(plan) if isinstance(plan, Path) else otherwise


def _case(prepared: Prepared, plan: PlanSource, name: str, must_fail: bool) -> Case:
    report = _executed(prepared, plan)
    if not report.is_understood:
        raise PlanError(f"{name} was not understood: {report.reason}")
    if report.determination is None:
        raise ModelError(f"{name}: {report.reason}")
    steps = tuple(
        (step.name, step.args) for step in map(prepared.simulator.resolve, report.reference) if isinstance(step, Step)
    )
    if any(step.concurrent is not None for step in report.reference if isinstance(step, Step)):
        raise PlanError(f"{name}: steps that happen at once are not repaired; one after the other is")
    unread = [token for token in report.reference if not isinstance(token, Step)]
    if unread:
        raise PlanError(f"{name} was not understood: {unread[0]} is not a step")
    return Case(
        name=name,
        model=prepared.model,
        steps=steps,
        must_fail=must_fail,
        is_right=report.determination is not must_fail,
        malformed=_malformed(report),
    )


_MALFORMED = frozenset((Kind.SYNTAX, Kind.UNKNOWN_ACTION, Kind.WRONG_ARITY, Kind.UNKNOWN_OBJECT, Kind.WRONG_TYPE))


def _malformed(report: Report) -> str:
    """Say which step is none of the model whatever its conditions and effects are."""
    return next((line for failure, line in _told(report) if failure.kind in _MALFORMED), "")


def _told(report: Report) -> Iterator[tuple[Failure, str]]:
    return zip(report.failures, report.faults, strict=True)


def is_admitted(domain: Domain, case: Case) -> bool:
    """Return whether a plan is valid in another version of its domain."""
    model = Model(domain=domain, problem=case.model.problem)
    plan = Plan(parts=tuple(Step(name=name, args=args) for name, args in case.steps))
    return _executed(model, plan).determination is True


def _executed(model: Prepared | Model, plan: PlanSource) -> Report:
    """Return what a plan comes to. Raises OutOfTime where that takes too long to be known."""
    report = check(model, None, plan, repair=False)
    if report.planner_response.status == Status.TIME_LIMIT.value:
        raise OutOfTime
    return report
