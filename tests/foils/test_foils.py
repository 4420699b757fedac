"""Questions about plans: foils, conflicts, costs, steps and places, the command."""

from __future__ import annotations

from functools import cache

import pytest

from tests.support.models import WALK, WALK_PROBLEM
from tests.support.places import ROOT
from validator import prepare, tokenize
from validator.alarms import OutOfTime
from validator.checking.prepared import Prepared
from validator.cli import main
from validator.errors import InputError
from validator.foils import Answer, inquiry, instead, read_pattern, solve, why, why_not
from validator.foils.changes import WithoutObject, fallen_goals
from validator.model.values import Atom

pytestmark = pytest.mark.planner

PLAN = "(go a b)(look b)(go b a)"
DELIVERY = ROOT / "domains" / "delivery"


@cache
def _model() -> Prepared:
    return prepare(WALK, WALK_PROBLEM)


# --- whole foils ---------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ("foil", "plan"))
def test_of_a_plan_that_was_not_understood_nothing_is_said(which: str) -> None:
    """A foil with a piece that could not be read was called not valid, and its repair the nearest."""
    answer = why_not(_model(), **{which: "(go a b)\n(look the b\n"}, constraints=["must (look b)"])  # type: ignore[arg-type]
    assert (answer.possible, answer.nearest, answer.foil, answer.facts) == (None, False, None, ())
    assert answer.reason.startswith("not understood: a piece looks like a step and could not be read, on line 2")
    assert answer.reason.endswith(f"(the {which})")


def test_a_question_asks_something() -> None:
    with pytest.raises(InputError, match="a question needs a foil or a constraint"):
        why_not(_model(), plan=PLAN)
    with pytest.raises(TypeError, match="a model is what prepare"):
        why_not(WALK, plan=PLAN)  # type: ignore[arg-type]


def test_one_question_needs_no_list() -> None:
    (asked,) = why_not(_model(), plan=PLAN, constraints="must (look b)").constraints
    assert str(asked) == "(look b) must happen"


def test_a_goal_out_of_reach_is_no_fault_of_the_question() -> None:
    problem = WALK_PROBLEM.replace("(next c b)", "").replace("(at a)))", "(seen c) (at a)))")
    answer = why_not(prepare(WALK, problem), constraints=["must (look c)", "must not (look b)"])
    assert (answer.possible, answer.conflicts) == (False, ((),))
    assert "The goal cannot be reached, whatever is asked (proven)." in answer.sentences


BLOCKS = ROOT / "domains" / "blocks"


@pytest.mark.parametrize(
    ("asked", "why_not_so"),
    [
        ("must (place a a)", "(place a a) can never be executed, whatever the goal is: not even if nothing were "),
        ("sometime (on a a)", "No step ever makes (on a a) true, whatever the goal is."),
        ("sometime (and (held a) (held b))", "(and (held a) (held b)) holds in no state that can be reached, "),
        ("always (on a b)", "It is so from the beginning: (on a b) does not hold initially."),
        ("with goal (on-table c)", "The goals (on c d) and (on-table c) are then out of reach together, "),
        ("without fact (hand-empty)", "The goal (on c d) is then out of reach: "),
        ("with fact (on-table c)", None),
        ("without goal (on a b)", None),
        ("goal (on a c)", None),
        ("(lift a) between (place a b) and (take b d)", None),
    ],
)
def test_what_cannot_be_and_why(asked: str, why_not_so: str | None) -> None:
    answer = why_not(prepare(BLOCKS / "domain.pddl", BLOCKS / "problem.pddl"), constraints=[asked], time_limit=60)
    assert answer.possible is (why_not_so is None)
    assert why_not_so is None or any(sentence.startswith(why_not_so) for sentence in answer.sentences)


def test_what_is_not_executed_is_unknown() -> None:
    domain = WALK.replace("(seen ?x) (increase", "(oneof (seen ?x) (at ?x)) (increase")
    answer = why_not(prepare(domain, WALK_PROBLEM), PLAN)
    assert answer.possible is None
    assert answer.reason.startswith("the model uses what is not executed: ")


def test_a_model_with_constraints_of_its_own_is_asked() -> None:
    problem = WALK_PROBLEM.replace("(:goal (and", "(:constraints (sometime (at b))) (:goal (and")
    answer = why_not(prepare(WALK, problem), plan=PLAN, constraints=["must (look b)"], time_limit=5)
    assert (answer.possible, answer.edits) == (True, 0)


def test_an_exhausted_time_limit_is_no_answer() -> None:
    prepared = prepare(WALK, f"{WALK_PROBLEM} ; not grounded yet")
    answer = why_not(prepared, constraints=["must (look c)"], time_limit=1e-9)
    assert answer.possible is None
    assert "time limit" in answer.reason


def test_that_there_is_no_plan_is_told_where_there_is_no_time_to_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*given: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(inquiry, "why_impossible", endless)
    answer = why_not(_model(), plan=PLAN, constraints=["must not (look b)"])
    assert (answer.possible, answer.reason) == (False, "the time limit was met before it was known why")


@pytest.mark.parametrize(("seconds", "is_looked_for"), [(1.0, False), (60.0, True)])
def test_a_proof_whose_programs_take_long_to_load_is_not_begun_at_the_end(
    seconds: float, is_looked_for: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    monkeypatch.setattr(solve, "HEAD_START", 0.0)
    monkeypatch.setattr(solve, "_is_excluded", lambda *given: begun.append(given))
    assert why_not(_model(), plan=PLAN, constraints=["must not (look b)"], time_limit=seconds).possible is not True
    assert bool(begun) is is_looked_for


# --- partial questions ---------------------------------------------------------------------------


def test_why_a_step_is_there() -> None:
    question = why(_model().simulator, tokenize(PLAN), read_pattern("(go a b)", _model().simulator))
    answer = why_not(_model(), plan=PLAN, constraints=question.constraints, facts=question.facts)
    assert answer.sentences[:2] == (
        "(go a b) provides (at b) for (go b a), (at b) for (look b).",
        "Without (go a b), Step 1 (look b): (at b) is false (nothing made it true).",
    )
    assert answer.possible is False


def _ask_instead(text: str, at: int) -> Answer:
    step = read_pattern(text, _model().simulator)
    question = instead(_model().simulator, tokenize(PLAN), step, at)
    return why_not(_model(), question.foil, plan=PLAN, constraints=question.constraints, facts=question.facts)


def test_another_step_at_a_place() -> None:
    answer = _ask_instead("(go b c)", 2)
    assert answer.foil is not None
    assert list(map(str, answer.foil.steps[:2])) == ["(go a b)", "(go b c)"]
    assert answer.edits == 2
    assert answer.cheapest is not None and answer.cheapest.lower == 9


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("(look a)", 0, "a place from 1 to 4 was expected, not 0"),
        ("(look a)", 5, "a place from 1 to 4 was expected, not 5"),
    ],
)
def test_a_place_and_a_step_that_cannot_be_asked_for(text: str, at: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _ask_instead(text, at)


def test_a_plan_must_lead_to_the_place() -> None:
    step = read_pattern("(look a)", _model().simulator)
    with pytest.raises(InputError, match="the plan does not execute up to step 3"):
        instead(_model().simulator, tokenize("(go a b)(go a b)(look b)"), step, 3)


# --- the command ---------------------------------------------------------------------------------

FILES = [str(DELIVERY / name) for name in ("domain.pddl", "problem.pddl")]
GOOD = ["--plan", str(DELIVERY / "good.plan")]


def test_the_command_says_what_cannot_be_met_together(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("must unload(box1, _, market)", "at most 1 (unload box1 _ _)", "(ride _ ? ?) before (drive _ _ _)")
    assert main(["why-not", *FILES, *GOOD, *(word for each in asked for word in ("--ask", each))]) == 1
    said = capsys.readouterr().out
    assert "No plan does this (proven).\nThese cannot be met together: (unload box1 _ market) must happen; " in said


@pytest.mark.parametrize(
    "goal", ["(forall (?c - crate) (seen ?c))", "(crate b)", "(and (seen b) (not (exists (?c - crate) (crate ?c))))"]
)
def test_a_goal_stays_that_names_a_type_or_a_predicate_as_an_object_is_called(goal: str) -> None:
    domain = """(define (domain d) (:requirements :adl) (:types crate) (:predicates (seen ?x) (crate ?x))
      (:action look :parameters (?x) :effect (seen ?x)))"""
    problem = f"(define (problem p) (:domain d) (:objects crate b - crate) (:init) (:goal (and {goal} (seen crate))))"
    model = prepare(domain, problem).model
    assert list(fallen_goals(model, WithoutObject(name="crate"))) == [Atom("seen", ("crate",))]


def test_a_question_about_a_plan_is_asked_of_a_cheapest_one_where_none_is_given() -> None:
    answer = why_not(_model(), constraints=["why (look b)"])
    assert (answer.possible, answer.constraints) == (
        False,
        why_not(_model(), constraints=["must not (look b)"]).constraints,
    )
    assert any(fact.startswith("Without (look b), ") for fact in answer.facts)
