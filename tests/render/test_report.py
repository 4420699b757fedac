"""Reports as text and JSON: times are told, and the work grows with the number of faults, not with its square."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.pages import report_body
from tests.support.places import CONFORMANCE
from validator import Report, check
from validator.checking.prepared import prepare
from validator.reading.plan import Plan, Step, Token
from validator.reading.tokens import tokenize
from validator.render.json import json_text
from validator.render.states import execution_value
from validator.render.text import report_markdown, report_text

DOMAIN = "(define (domain d) (:predicates (p)) (:action a :parameters () :precondition (p)))"
PROBLEM = "(define (problem q) (:domain d) (:init) (:goal (p)))"


class _Counted(tuple[Token, ...]):
    """Steps that count how often they are walked from one end to the other."""

    walks = 0

    def __iter__(self) -> Iterator[Token]:
        type(self).walks += 1
        return super().__iter__()


def as_json(report: Report) -> str:
    return json_text(report.to_json())


@pytest.mark.parametrize("printer", [report_text, as_json, report_markdown, Report.feedback])
def test_printing_does_not_walk_the_plan_for_every_fault(printer: Callable[[Report], str]) -> None:
    report = check(DOMAIN, PROBLEM, "(a)\n" * 100, repair=False)
    _Counted.walks = 0
    assert printer(replace(report, reference=_Counted(report.reference))).count("(p) is false") >= 100
    assert _Counted.walks < 10


# --- steps with times ----------------------------------------------------------------------------

MUTEX = CONFORMANCE / "durative_mutex"


def test_steps_of_a_plan_over_time_have_their_times() -> None:
    plan = (MUTEX / "bad_before.plan").read_text()
    report = check(MUTEX / "domain.pddl", MUTEX / "problem.pddl", plan)
    value = report.to_json()
    assert value["reference"] == ["0: (produce) [5]", "4: (consume) [2]"]
    assert value["plan_diff_obj"] == [
        {"diff_type": None, "step": "0: (produce) [5]", "time": 0, "duration": 5},
        {"diff_type": "-", "step": "4: (consume) [2]", "time": 4, "duration": 2},
        {"diff_type": "+", "step": "5.001: (consume) [2]", "time": 5.001, "duration": 2},
    ]
    page = report_body(report)
    assert '<li id="step-2"><code>4: (consume) [2]</code></li>' in page
    assert "<code><ins>5.001: (consume) [2]</ins></code>" in page


_TIMES = st.none() | st.decimals(0, 10**6, places=3).map(Fraction)


@given(st.lists(st.tuples(_TIMES, _TIMES), min_size=1, max_size=6))
def test_the_steps_of_a_report_read_again_are_the_plan(times: list[tuple[Fraction | None, Fraction | None]]) -> None:
    steps = tuple(Step(name="a", time=time, duration=duration) for time, duration in times)
    report = check(DOMAIN, PROBLEM, Plan(parts=steps), repair=False)
    lines = report.to_json()["reference"]
    assert isinstance(lines, list)
    assert tokenize("\n".join(lines), prepare(DOMAIN, PROBLEM).vocabulary).steps == Plan(parts=steps).steps


def test_each_goal_is_told_as_it_is_at_the_end() -> None:
    domain = "(define (domain d) (:predicates (p) (q) (r ?x)) (:action a :parameters () :effect (q)))"
    goal = "(and (and (not (q))) (p) (not (not (p))) (forall (?x) (r ?x)) (q) (p))"
    model = prepare(domain, f"(define (problem x) (:domain d) (:objects o) (:init) (:goal {goal}))")
    told = execution_value(model.simulator, check(model, None, "(a)", repair=False))["goals"]
    assert [(one["goal"], one["holds"], one["last_held"]) for one in told] == [
        ("(not (q))", False, -1),
        ("(p)", False, None),
        ("(not (not (p)))", False, None),
        ("(forall (?x) (r ?x))", False, None),
        ("(q)", True, None),
        ("(r o)", False, None),
    ]
