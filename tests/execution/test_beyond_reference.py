"""Random models against a second executor that shares no code with the product: ``naive_reference``, ``naive_flow``.

The two must agree on the verdict (open cases included), the cost, the violations of every preference, and the time of
the first fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest

from tests.support.depth import deep
from tests.support.naive_flow import FlowReference
from tests.support.naive_reference import EPSILON, Reference
from tests.support.random_nonclassical import Sample, flowing, sequential, timed
from validator import Report, check
from validator.execution.trace import Kind

Verdict = tuple[bool | None, Fraction | None, dict[str, int]]


def _asked(sample: Sample) -> Report:
    return check(sample.domain, sample.problem, sample.plan, repair=False)


def _ours(sample: Sample) -> Verdict:
    report = _asked(sample)
    if not report.determination:
        return report.determination, None, {}
    violations = {} if report.cost is None else {name: count for name, count in report.violations.items() if count}
    return True, report.cost, violations


def _first_fault(report: Report) -> Fraction | None:
    """Return when the first fault is that is one of steps; the number of the step where there are no times."""
    faults = [
        failure for failure in report.failures if failure.step is not None and failure.kind is not Kind.CONSTRAINT
    ]
    times = [Fraction(fault.step or 0) + 1 if fault.time is None else fault.time for fault in faults]
    return min(times, default=None)


def _agree(ours: Fraction | None, theirs: Fraction | None) -> bool:
    """Of two acts that are too near, the one of the later step is at fault here, and it may be the earlier act."""
    return abs(ours - theirs) < EPSILON if ours is not None and theirs is not None else ours is theirs


def _reference(sample: Sample) -> Verdict:
    found = Reference(sample.domain, sample.problem).verdict(sample.plan)
    if found is None or not found[0]:
        return None if found is None else False, None, {}
    return True, found[1], {} if found[1] is None else found[2]


@pytest.mark.parametrize("seeds", [range(32), deep(range(32, 132))], ids=["few", "many"])
@pytest.mark.parametrize("generator", [sequential, timed])
def test_verdict_cost_and_violations_are_the_references(generator: Callable[[int], Sample], seeds: range) -> None:
    verdicts: Counter[bool | None] = Counter()
    for seed in seeds:
        sample = generator(seed)
        ours = _ours(sample)
        assert ours == _reference(sample), f"seed {seed}: {sample}"
        verdicts[ours[0]] += 1
        reference = Reference(sample.domain, sample.problem)
        reference.verdict(sample.plan)
        assert _agree(_first_fault(_asked(sample)), reference.first_fault), f"seed {seed}: {sample}"
    assert min(verdicts[True], verdicts[False]) >= len(seeds) // 16


@pytest.mark.parametrize("seeds", [range(20), deep(range(20, 60))], ids=["few", "many"])
def test_continuous_change_is_the_references(seeds: range) -> None:
    verdicts: Counter[bool | None] = Counter()
    for seed in seeds:
        sample = flowing(seed)
        report, reference = _asked(sample), FlowReference(sample.domain, sample.problem)
        ours, found = report.determination, reference.verdict(sample.plan)
        assert ours is (None if found is None else found[0]), f"seed {seed}: {sample}"
        assert found is None or _agree(_first_fault(report), reference.first_fault), f"seed {seed}: {sample}"
        verdicts[ours] += 1
    assert min(verdicts[True], verdicts[False], verdicts[None]) >= len(seeds) // 15


# --- the reference itself ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        ("(always (p))", "1 1 1"),
        ("(sometime (p))", "0 1 0"),
        ("(within 1 (p))", "0 1 0"),
        ("(at-most-once (p))", "0 1 1"),
        ("(hold-during 1 2 (p))", "0 1 0"),
        ("(hold-during 0.5 1 (p))", "1 0 0"),
        ("(hold-after 2 (p))", "0 0 1"),
        ("(at end (p))", "0 0 1"),
    ],
)
def test_the_reference_and_the_product_know_the_operators(constraint: str, holds: str) -> None:
    """``holds`` is whether (p) holds at 0, 1 and 2; every other state of (p) at a time that counts breaks it."""
    domain = """(define (domain d) (:predicates (p)) (:constraints %s)
      (:action on :parameters () :precondition (and) :effect (p))
      (:action off :parameters () :precondition (and) :effect (not (p))))"""
    init, *rest = holds.split()
    problem = f"(define (problem n) (:domain d) (:init {'(p)' if init == '1' else ''}) (:goal (and)))"
    plan = "\n".join("(on)" if each == "1" else "(off)" for each in rest)
    kept = Sample(domain % constraint, problem, plan)
    broken = Sample(domain % constraint.replace("(p)", "(not (p))"), problem, plan)
    assert (_ours(kept)[0], _reference(kept)[0]) == (True, True)
    if "most" not in constraint and "some" not in constraint and "within" not in constraint:
        assert (_ours(broken)[0], _reference(broken)[0]) == (False, False)
