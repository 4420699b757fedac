"""PlanBench's tasks beyond a plan for the instance: prompts, verdicts, states; beside a brute force."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.support.depth import some
from tests.support.naive_strips import Fact, Naive
from tests.support.random_worlds import random_moves, with_goal_in_reach
from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.grading.planbench.prompts import asked, last_statement
from validator.grading.planbench.verification import compare_state, said_valid, state_after
from validator.reading.plan import Plan, Step

pytestmark = pytest.mark.usefixtures("in_threads")

DOMAIN = """(define (domain blocks) (:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
(:action pick-up :parameters (?ob) :precondition (and (clear ?ob) (ontable ?ob) (handempty))
 :effect (and (holding ?ob) (not (clear ?ob)) (not (ontable ?ob)) (not (handempty))))
(:action put-down :parameters (?ob) :precondition (holding ?ob)
 :effect (and (clear ?ob) (handempty) (ontable ?ob) (not (holding ?ob))))
(:action stack :parameters (?ob ?underob) :precondition (and (clear ?underob) (holding ?ob))
 :effect (and (handempty) (clear ?ob) (on ?ob ?underob) (not (clear ?underob)) (not (holding ?ob))))
(:action unstack :parameters (?ob ?underob) :precondition (and (on ?ob ?underob) (clear ?ob) (handempty))
 :effect (and (holding ?ob) (clear ?underob) (not (on ?ob ?underob)) (not (clear ?ob)) (not (handempty)))))"""
PROBLEM = """(define (problem two) (:domain blocks) (:objects a b c)
(:init (handempty) (clear a) (clear b) (clear c) (ontable a) (ontable b) (ontable c))
(:goal (and (on a b) (on b c))))"""
TEMPLATES: dict[str, Any] = {
    "actions": {
        "pick-up": "pick up the {}",
        "put-down": "put down the {}",
        "stack": "stack the {} on top of the {}",
        "unstack": "unstack the {} from on top of the {}",
    },
    "predicates": {
        "ontable": "the {} is on the table",
        "clear": "the {} is clear",
        "handempty": "the hand is empty",
        "holding": "the hand is currently holding {}",
        "on": "the {} is on top of the {}",
    },
    "encoded_objects": {"a": "red block", "b": "blue block", "c": "orange block"},
    "objects": ["red block", "blue block"],
}
INIT = (
    "As initial conditions I have that, the red block is clear, the blue block is clear, the orange block is clear, "
    "the hand is empty, the red block is on the table, the blue block is on the table and the orange block is on the "
    "table.\n"
)


@pytest.fixture
def blocks() -> Prepared:
    return prepare(DOMAIN, PROBLEM, templates=TEMPLATES)


# --- prompts -------------------------------------------------------------------------------------


def test_an_event_changes_the_state_behind_the_step(blocks: Prepared) -> None:
    prompt = (
        f"[STATEMENT]\n{INIT}My goal is to have that the red block is on top of the blue "
        f"block.\nMy plan is as follows:\n\n"
        "[PLAN]\npick up the red block\nstack the red block on top of the blue block\n[PLAN END]\n\n"
        "During execution, an unexpected event has occurred.\nAfter executing the action "
        '"pick up the red block" at step '
        "1 in the plan, the following facts unexpectedly became true: the red block is "
        "clear, the hand is empty and the "
        "red block is on top of the orange block\nThe following facts became "
        "unexpectedly false: the orange block is clear "
        "and the hand is currently holding red block\nAfter re-planning from the new "
        "state, the plan is as follows:\n[PLAN]"
    )
    init = asked(prompt, blocks).model.model.problem.init
    assert init == {
        ("clear", "a"),
        ("clear", "b"),
        ("handempty",),
        ("on", "a", "c"),
        ("ontable", "b"),
        ("ontable", "c"),
    }


def test_a_prompt_about_another_instance_is_refused(blocks: Prepared) -> None:
    prompt = "[STATEMENT]\nAs initial conditions I have that, the red block is clear.\nMy goal is to have that x.\n"
    with pytest.raises(InputError, match="not that of the instance"):
        asked(prompt, blocks)
    assert last_statement("no statement") is None


# --- verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "valid"),
    [
        ("The above plan is invalid. The following action at step 1 has an unmet precondition:\nstack", False),
        ("The plan is not valid.", False),
        ("The above plan is valid.\n[STATEMENT]\nThe plan is invalid.", True),
        ("**Verdict: invalid**", False),
        ("Plan is valid.", True),
        ("To see whether the plan is valid, I execute it. Step 2 fails. The plan is invalid.", False),
        ("The plan is invalid. If step 2 came first, then the plan is valid.", False),
        ("The plan is valid. Wait: step 2 fails, so the plan is invalid.", None),
        ("If the plan is valid, all steps execute.", None),
        ("I do not know.", None),
    ],
)
def test_a_verdict_is_read(answer: str, valid: bool | None) -> None:
    assert said_valid(answer) is valid


def facts_said(facts: list[Fact], model: Prepared) -> str:
    return " and ".join(map(model.lexicon.say_fact, facts))


# --- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(1, 61), 6))
def test_states_are_judged_as_a_brute_force_says(seed: int) -> None:
    domain, problem = with_goal_in_reach(random_moves(seed), Random(seed)) if seed % 2 else (DOMAIN, PROBLEM)
    naive, chance = Naive(domain, problem), Random(seed)
    model = prepare(domain, problem, templates=None if seed % 2 else TEMPLATES)
    plan, state = [], naive.init
    for _ in range(chance.randint(0, 5)):
        can = [step for step in naive.actions if step in naive.following(state)]
        if can:
            plan.append(chance.choice(can))
            state = naive.following(state)[plan[-1]]
    known = state_after(model, Plan(parts=tuple(Step(name=name, args=tuple(args)) for name, *args in plan)))
    assert known == state
    facts = sorted(state)
    false = sorted(set(naive.changing) - state)
    assert compare_state(facts_said(facts, model), known, model)[0] is (True if facts else None)
    if len(facts) > 1:
        assert compare_state(facts_said(facts[1:], model), known, model) == (False, f"missing: ({' '.join(facts[0])})")
    for fact in false[:3]:
        assert compare_state(facts_said([*facts, fact], model), known, model)[0] is False
    denied = f"{facts_said(facts[1:], model)}, it is not so: I am lost in near"
    assert compare_state(denied, known, model)[0] is not True


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("(clear a), on(a, b), (ontable b) and (handempty), (not (holding a))", True),
        ("(clear a), on(a, b), (ontable b), (not (handempty))", False),
        ("(clear a), on(a, d), (ontable b), (handempty)", None),
        ("the red block is clear and on top of the blue block, (ontable b), the hand is empty", True),
        ("(on a b), (ontable b), (handempty), the red block is clear is currently false", False),
        ("(clear a), (on a b), (ontable b), the hand is empty: false", None),
        ("(clear a), (on a b), (ontable b), (handempty), (clear c) is false", None),
        ("(clear a), (on a b), (ontable b), (handempty), (not (and (clear c) (ontable c)))", None),
        ("(clear a), (on a b), (handempty), it is not the case that the orange block is clear", None),
        ("(clear a), (on a b), (ontable b), (handempty), the orange block is neither clear nor on the table", True),
    ],
)
def test_states_are_read_in_pddl_and_denied_by_false(blocks: Prepared, text: str, right: bool | None) -> None:
    known = frozenset((("clear", "a"), ("on", "a", "b"), ("ontable", "b"), ("handempty",)))
    assert compare_state(text, known, blocks)[0] is right


def test_what_is_not_read_of_a_clause_is_no_other_fact() -> None:
    domain = "(define (domain d) (:predicates (at ?a ?b) (near ?a ?b) (open ?a)) (:action a :effect (open o1)))"
    model = prepare(domain, "(define (problem p) (:domain d) (:objects o1 o2) (:init (near o1 o2)) (:goal (open o1)))")
    known = frozenset((("near", "o1", "o2"), ("open", "o1")))
    assert compare_state("o1 is near o2 and o1 is open", known, model)[0] is None  # "near" may say either predicate
