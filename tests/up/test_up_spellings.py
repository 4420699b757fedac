"""Plan texts of problems of unified-planning whose names only their case tells apart."""

from __future__ import annotations

import pytest
from unified_planning.model import InstantaneousAction, Problem
from unified_planning.shortcuts import UserType

from validator import check

pytestmark = [pytest.mark.up, pytest.mark.planner]


def doors() -> Problem:
    """Return a problem of two things ``a`` and ``A``, of which ``A`` is to be reached by ``go``, then ``Go``."""
    problem, thing = Problem("doors"), UserType("thing")
    near, there = (problem.add_fluent(name, x=thing, default_initial_value=False) for name in ("at", "At"))
    go, then = (InstantaneousAction(name, x=thing) for name in ("go", "Go"))
    go.add_effect(near(go.x), True)
    then.add_precondition(near(then.x))
    then.add_effect(there(then.x), True)
    problem.add_actions([go, then])
    problem.add_object("a", thing)
    problem.add_goal(there(problem.add_object("A", thing)))
    return problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(go A)\n(Go A)", True),
        ("1. go(A)\n2. Go(A)", None),
        ("(go a)\n(Go A)", False),
        ("(go A)\n(go A)", False),
        ("(GO A)\n(Go A)", None),
        ("1. GO(A)\n2. Go(A)", None),
    ],
)
def test_a_text_says_which_of_names_that_are_alike_it_means(text: str, expected: bool | None) -> None:
    report = check(doors(), None, text)
    assert report.determination is expected
    assert report.is_understood is (expected is not None) and report.proven is (expected is not None)


def test_names_that_are_not_alike_are_read_whatever_their_case() -> None:
    problem, put = Problem("one"), InstantaneousAction("Put")
    put.add_effect(problem.add_fluent("Done", default_initial_value=False), True)
    problem.add_action(put)
    problem.add_goal(problem.fluent("Done"))
    assert check(problem, None, "(PUT)").determination is True
