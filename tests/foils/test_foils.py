"""Questions about plans: foils, conflicts, costs, steps and places, the command."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from tests.support.models import WALK, WALK_PROBLEM
from tests.support.places import ROOT
from validator import prepare, tokenize
from validator.alarms import OutOfTime
from validator.automata.constraints import violations
from validator.checking.prepared import Prepared
from validator.cli import main
from validator.errors import InputError
from validator.foils import (
    Answer,
    AtMost,
    Before,
    Must,
    inquiry,
    instead,
    read_pattern,
    solve,
    why,
    why_not,
)
from validator.foils.changes import WithoutObject, fallen_goals
from validator.model.values import Atom
from validator.reading.plan import Step

pytestmark = pytest.mark.planner

PLAN = "(go a b)(look b)(go b a)"
DELIVERY = ROOT / "domains" / "delivery"


@cache
def _model() -> Prepared:
    return prepare(WALK, WALK_PROBLEM)


def test_wishes_of_which_two_clash() -> None:
    asked = ["must (go ?x c)", "must not (go c _)", "must (look c)", "at most 1 (look ?x)"]
    answer = why_not(_model(), plan=PLAN, constraints=asked, time_limit=60)
    first, second, third, fourth = answer.constraints
    assert answer.possible is False
    assert set(map(frozenset, answer.conflicts)) == {
        frozenset((first, second)),
        frozenset((second, third)),
        frozenset((third, fourth)),
    }
    assert any(sentence.startswith("These cannot be met together: ") for sentence in answer.sentences)


# --- whole foils ---------------------------------------------------------------------------------


def test_a_foil_at_fault_is_made_valid_with_the_fewest_changes() -> None:
    answer = why_not(_model(), "(go a b)(look c)(go b a)", plan=PLAN)
    assert (answer.possible, answer.edits, answer.nearest) == (True, 2, True)
    assert answer.foil is not None and answer.foil.cost == 5
    assert answer.sentences[:2] == (
        "The foil is not valid.",
        "Step 2 (look c): (at c) is false (nothing made it true)",
    )
    assert answer.diff_text.startswith("--- foil\n+++ foil (repaired)\n")


def test_a_dearer_foil_is_told_beside_the_plan() -> None:
    answer = why_not(_model(), "(go a b)(go b c)(go c b)(look b)(go b a)", plan=PLAN)
    assert (answer.edits, answer.nearest) == (0, True)
    assert "The foil is valid and costs 9." in answer.sentences
    assert "The plan costs 5, 4 less than that." in answer.sentences
    assert [str(diff) for diff in answer.diff if diff.diff_type] == ["+(go b c)", "+(go c b)"]
    assert "+(go b c) provides (at c) for (go c b)." in answer.sentences


@pytest.mark.parametrize("which", ("foil", "plan"))
def test_of_a_plan_that_was_not_understood_nothing_is_said(which: str) -> None:
    """A foil with a piece that could not be read was called not valid, and its repair the nearest."""
    answer = why_not(_model(), **{which: "(go a b)\n(look the b\n"}, constraints=["must (look b)"])  # type: ignore[arg-type]
    assert (answer.possible, answer.nearest, answer.foil, answer.facts) == (None, False, None, ())
    assert answer.reason.startswith("not understood: a piece looks like a step and could not be read, on line 2")
    assert answer.reason.endswith(f"(the {which})")


def test_without_a_plan_a_cheapest_one_stands_there() -> None:
    answer = why_not(_model(), constraints=["must (look c)"], time_limit=60)
    assert answer.plan is not None and answer.plan.cost == 5
    assert answer.cheapest is not None and answer.cheapest.lower == Fraction(10)


def test_a_foil_may_have_to_keep_to_constraints_as_well() -> None:
    answer = why_not(_model(), PLAN, constraints=["must (look c)"])
    assert "The foil does not keep to this: (look c) must happen." in answer.sentences
    assert (answer.possible, answer.edits) == (True, 3)


def test_a_question_asks_something() -> None:
    with pytest.raises(InputError, match="a question needs a foil or a constraint"):
        why_not(_model(), plan=PLAN)


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
    monkeypatch.setattr(solve._Race, "exclude", lambda *given: begun.append(given))
    assert why_not(_model(), plan=PLAN, constraints=["must not (look b)"], time_limit=seconds).possible is not True
    assert bool(begun) is is_looked_for


@pytest.mark.parametrize(
    ("effect", "axiom", "goal"),
    [
        ("(when (lit ?x) (done ?x))", "", "(done b)"),
        ("(done ?x)", "(:derived (ready) (done b))", "(ready)"),
        ("(done ?x)", "", "(or (done b) (lit c))"),
    ],
)
def test_conditional_effects_axioms_and_disjunctive_goals(effect: str, axiom: str, goal: str) -> None:
    domain = f"""(define (domain d) (:requirements :adl :derived-predicates)
      (:constants b) (:predicates (lit ?x) (done ?x) (ready)) {axiom}
      (:action light :parameters (?x) :precondition (not (lit ?x)) :effect (lit ?x))
      (:action do :parameters (?x) :effect {effect}))"""
    problem = f"(define (problem p) (:domain d) (:objects a c) (:init) (:goal {goal}))"
    prepared = prepare(domain, problem)
    names = prepared.simulator
    before = Before(first=read_pattern("(light a)", names), second=read_pattern("(do _)", names))
    asked = [Must(step=read_pattern("(do c)", names)), before, AtMost(number=1, step=read_pattern("(light _)", names))]
    steps = [Step(name=name, args=(arg,)) for name, arg in product(("light", "do"), "abc")]
    lengths = [
        length
        for length in range(5)
        for plan in product(steps, repeat=length)
        if prepared.simulator.run(plan).is_valid and not any([*violations(each, plan)] for each in asked)
    ]
    answer = why_not(prepared, constraints=asked)
    assert answer.possible is bool(lengths)
    if lengths:
        assert answer.cheapest is not None
        assert answer.cheapest.lower == answer.cheapest.upper == min(lengths)


# --- partial questions ---------------------------------------------------------------------------


def _ask_why(text: str) -> Answer:
    question = why(_model().simulator, tokenize(PLAN), read_pattern(text, _model().simulator))
    return why_not(_model(), plan=PLAN, constraints=question.constraints, facts=question.facts)


def test_why_a_step_is_there() -> None:
    answer = _ask_why("(go a b)")
    assert answer.sentences[:2] == (
        "(go a b) provides (at b) for (go b a), (at b) for (look b).",
        "Without (go a b), Step 1 (look b): (at b) is false (nothing made it true).",
    )
    assert answer.possible is False


def test_why_a_step_that_is_not_there() -> None:
    assert _ask_why("(look c)").sentences[0] == "(look c) is not in the plan."


def test_a_step_that_is_not_needed() -> None:
    plan = tokenize("(look a)" + PLAN)
    question = why(_model().simulator, plan, read_pattern("(look a)", _model().simulator))
    assert question.facts == (
        "(look a) makes nothing true that is needed later.",
        "Without (look a), the plan is valid.",
    )


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


def test_another_step_that_cannot_be_done_there_is_done_elsewhere() -> None:
    answer = _ask_instead("(look c)", 2)
    assert "It cannot be done there. Step 2 (look c): (at c) is false (nothing made it true)." in answer.sentences
    assert answer.foil is not None and "(look c)" in map(str, answer.foil.steps)


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


def test_the_command_answers_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["why-not", *FILES, *GOOD, "--ask", "must not (drive _ depot market)", "--format", "json"])
    value = json.loads(capsys.readouterr().out)
    assert (code, value["possible"], value["nearest"]) == (0, True, True)
    assert (value["plan"]["cost"], value["optimum"], value["cheapest"]) == (
        15,
        {"lower": 15, "upper": 15},
        {"lower": 23, "upper": 23},
    )


def test_the_command_says_what_cannot_be_met_together(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("must unload(box1, _, market)", "at most 1 (unload box1 _ _)", "(ride _ ? ?) before (drive _ _ _)")
    assert main(["why-not", *FILES, *GOOD, *(word for each in asked for word in ("--ask", each))]) == 1
    said = capsys.readouterr().out
    assert "No plan does this (proven).\nThese cannot be met together: (unload box1 _ market) must happen; " in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ask", "must (drve _ _ _)"], "question:1:1: unknown step 'drve' (did you mean 'drive'?)"),
        (["--ask", "at most -1 (drive _ _ _)"], "'at most -1 (drive _ _ _)' is no question"),
        *((["--ask", text], f"'{text.strip(' .')}' is no question") for text in ("", " ", "?", "...")),
        ([], "a question needs a foil or a constraint"),
    ],
)
def test_what_cannot_be_asked(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why-not", *FILES, *options]) == 2
    assert said.replace(":1:1:", ":1:2:") in capsys.readouterr().err


@pytest.mark.parametrize(
    "goal", ["(forall (?c - crate) (seen ?c))", "(crate b)", "(and (seen b) (not (exists (?c - crate) (crate ?c))))"]
)
def test_a_goal_stays_that_names_a_type_or_a_predicate_as_an_object_is_called(goal: str) -> None:
    domain = """(define (domain d) (:requirements :adl) (:types crate) (:predicates (seen ?x) (crate ?x))
      (:action look :parameters (?x) :effect (seen ?x)))"""
    problem = f"(define (problem p) (:domain d) (:objects crate b - crate) (:init) (:goal (and {goal} (seen crate))))"
    model = prepare(domain, problem).model
    assert list(fallen_goals(model, WithoutObject(name="crate"))) == [Atom("seen", ("crate",))]
