"""The nearest run that keeps a policy and that a model executes."""

from __future__ import annotations

import pytest

from validator.guard import PlanGuard
from validator.model.bundled import bundle
from validator.policies import conform

DOMAIN = """(define (domain letters) (:predicates (p) (q) (r))
  (:action a :effect (p))
  (:action b :precondition (p) :effect (and (q) (not (p))))
  (:action c :precondition (q) :effect (and (r) (p)))
  (:action d :precondition (or (p) (r)) :effect (not (q))))"""
PROBLEM = "(define (problem one) (:domain letters) (:init) (:goal (r)))"
TRIP = bundle("trip")


def _edits(policy: str, names: str, model: object) -> tuple[list[str], bool]:
    calls = [{"name": name, "arguments": {}, "result": 1} for name in names]
    repair = conform(policy, calls, model=model).repair  # type: ignore[arg-type]
    assert repair is not None
    return [edit.said for edit in repair.edits or () if edit.kind != "keep"], repair.proven


def test_what_the_model_does_not_know_is_no_proof() -> None:
    assert _edits("verify before b", "ab", (DOMAIN, PROBLEM)) == (["add (verify) before call 2"], False)


def test_the_rest_keeps_the_rules_and_can_be_executed() -> None:
    guard = PlanGuard("ask_card before book_flight", (TRIP.domain, TRIP.problem))
    decision = guard.before("book_flight", {"f": "fl-noon", "from": "oslo", "to": "rome"})
    rest = decision.repaired(60)
    assert rest is not None and rest.steps is not None and rest.proven
    assert "(ask-card c=work-card)" in rest.steps and "(ask-user o=fl-noon)" in rest.steps
    assert rest.steps[-1] == "(book_flight f=fl-noon from=oslo to=rome)"


@pytest.mark.deep
def test_no_plan_is_proposed_that_the_rules_deny() -> None:
    guard = PlanGuard("never c", (DOMAIN, PROBLEM))
    rest = guard.before("c", {}).repaired(60)
    assert rest is not None and (rest.steps, rest.proven) == (None, False) and "does not keep the policy" in rest.reason
