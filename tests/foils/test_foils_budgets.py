"""Budgets beside other questions: which wishes and goals fit, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from validator import prepare
from validator.foils import Answer, solve, why_not
from validator.foils.solve import Oracle
from validator.model.values import Formula

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain shop) (:requirements :strips :action-costs) (:predicates (p) (q) (r))
 (:functions (total-cost) - number)
 (:action cheap :parameters () :precondition () :effect (and (p) (increase (total-cost) 1)))
 (:action dear :parameters () :precondition () :effect (and (p) (increase (total-cost) 5)))
 (:action other :parameters () :precondition () :effect (and (q) (increase (total-cost) 1)))
 (:action far :parameters () :precondition () :effect (and (r) (increase (total-cost) 9))))"""

PROBLEM = """(define (problem one) (:domain shop) (:init (= (total-cost) 2)) (:goal (and (p) (q)))
 (:metric minimize (total-cost)))"""


def _ask(*questions: str) -> Answer:
    return why_not(prepare(DOMAIN, PROBLEM), constraints=questions, time_limit=60)


def _sets(sets: tuple[tuple[object, ...], ...]) -> set[frozenset[str]]:
    return {frozenset(map(str, each)) for each in sets}


def test_a_goal_that_was_asked_for_is_a_goal_among_the_others_and_no_wish_of_its_own() -> None:
    answer = _ask("with goal (r)", "within cost 6")
    assert answer.possible is False and answer.all_conflicts
    assert _sets(answer.conflicts) == {frozenset({"the goal (r)"})}
    assert _sets(answer.fitting) == {frozenset({"the goal (p)", "the goal (q)"})}


def test_a_budget_below_what_was_paid_at_the_beginning_leaves_no_plan() -> None:
    """A goal that holds at once was reached by a plan of cost 0, which is more than less than nothing."""
    problem = PROBLEM.replace("(:init", "(:init (p)").replace("(and (p) (q))", "(or (p) (q))")
    answer = why_not(prepare(DOMAIN, problem), constraints=["must (other)", "within cost 1"], time_limit=60)
    assert (answer.possible, answer.conflicts, answer.all_conflicts) == (False, ((),), True)


def test_what_the_time_was_too_short_to_leave_out_is_not_said_to_be_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    possible = Oracle.possible

    def hurried(oracle: Oracle, wishes: Sequence[solve.Wish], goals: Sequence[Formula] | None = None) -> bool | None:
        found = possible(oracle, wishes, goals)
        return None if found and wishes else found

    monkeypatch.setattr(Oracle, "possible", hurried)
    answer = _ask("must not (cheap)", "within cost 7")
    assert "The goals (p) and (q) then cost more together." in answer.sentences
