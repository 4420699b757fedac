"""Planning with predicted operators, executing under gold ones, and one operator at a time."""

from __future__ import annotations

import pytest

from tests.support.transition_data import GOOD, answer, operator, write_data
from validator.grading.eai.answers import Answer
from validator.grading.eai.transition_modeling.benchmark import Benchmark, read_benchmark
from validator.grading.eai.transition_modeling.grade import grade_answer
from validator.grading.eai.transition_modeling.planning import Allowance, Answered, Planning

pytestmark = pytest.mark.planner

ALLOWANCE = Allowance(seconds=60, memory=2 * 2**30)


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return read_benchmark(write_data(tmp_path_factory.mktemp("lamps")))


def _planned(benchmark: Benchmark, text: str, *, compat: bool = False) -> Planning:
    done = grade_answer(benchmark, Answer(identifier="1_1", text=text), compat=compat, allowance=ALLOWANCE)
    assert done.planning is not None
    return done.planning


@pytest.mark.parametrize("compat", [False, True])
def test_a_plan_of_a_laxer_operator_is_no_plan(lamps: Benchmark, compat: bool) -> None:
    planning = _planned(lamps, answer(operator("wipe", "()", "(lit ?l)")), compat=compat)
    assert (planning.answered, planning.valid) == (Answered.FOUND, False)
    assert planning.reason.startswith("step 1: precondition (at bob ")


@pytest.mark.parametrize(
    ("precondition", "message"),
    [
        ("(shiny ?l)", "undeclared predicate 'shiny'"),
        ("(at ?p)", "predicate 'at' takes 2 arguments, got 1"),
        ("(lit ?lamp)", "unbound variable '?lamp'"),
        ("(lit green)", "undeclared object 'green'"),
        ("(> (f) 1)", "undeclared function 'f'"),
    ],
)
def test_an_ill_formed_operator_is_not_planned_with(lamps: Benchmark, precondition: str, message: str) -> None:
    planning = _planned(lamps, answer(operator("wipe"), operator("walk", precondition)))
    assert planning.answered is Answered.UNREADABLE
    assert planning.fault is not None
    assert message in planning.fault.message
    assert planning.fault.line == 7


def test_too_little_time_is_no_proof(lamps: Benchmark) -> None:
    done = grade_answer(
        lamps, Answer(identifier="1_1", text=GOOD), allowance=Allowance(seconds=0.001, memory=2 * 2**30)
    )
    assert done.planning is not None
    assert done.planning.answered is Answered.LIMIT


# --- one operator at a time ----------------------------------------------------------------------


def test_parameters_in_another_order_and_under_other_names_are_no_fault(lamps: Benchmark) -> None:
    walk = operator("walk").replace("?p - person ?l - lamp", "?to - lamp ?who - person")
    text = answer(walk.replace("?p", "?who").replace("?l", "?to"), operator("wipe"), operator("light-up"))
    found = grade_answer(lamps, Answer(identifier="1_1", text=text), allowance=ALLOWANCE, sensitivity=True)
    assert found.planning is not None and (found.planning.answered, found.planning.valid) == (Answered.FOUND, True)
    assert next(iter(found.trials.values())).valid
