"""PlanBench's tasks beyond a plan for the instance: prompts, verdicts with reasons, states; beside a brute force."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.depth import some
from tests.support.naive_strips import Fact, Naive, random_strips
from validator.checking.prepared import Prepared, prepare
from validator.cli import main
from validator.errors import InputError
from validator.grading.planbench.prompts import asked, last_statement
from validator.grading.planbench.verification import Reason, compare, compare_state, read_verdict, state_after, truth
from validator.model.conditions import conjuncts
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


def test_a_prompt_says_another_goal_and_the_last_statement_counts(blocks: Prepared) -> None:
    prompt = (
        f"[STATEMENT]\n{INIT}My goal is to have that the blue block is on top of the red "
        f"block.\n\n[PLAN]\nx\n[PLAN END]\n"
        f"[STATEMENT]\n{INIT}My goal is to have that the red block is on top of the blue block and the hand is empty.\n"
        "My plan is as follows:\n\n[PLAN]\n"
    )
    found = asked(prompt, blocks)
    assert {(part.predicate, *part.terms) for part in conjuncts(found.model.model.problem.goal)} == {  # type: ignore[union-attr]
        ("on", "a", "b"),
        ("handempty",),
    }
    assert prepare(DOMAIN, found.problem).model.problem.goal == found.model.model.problem.goal
    assert found.plan is None


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


def steps(*texts: str) -> Plan:
    return Plan(parts=tuple(Step(name=words[0], args=tuple(words[1:])) for words in map(str.split, texts)))


NOT_HELD = steps("stack a b", "pick-up b")


@pytest.mark.parametrize(
    ("answer", "right", "reason"),
    [
        ("The above plan is invalid. The following action at step 1 has an unmet precondition:\nstack the red block on "
         "top of the blue block\nThe unmet precondition is:\nthe hand is currently "
         "holding red block", True, Reason.RIGHT),
        ("The above plan is invalid.\n1. stack the red block on top of the blue block: the red block is not held.",
         True, Reason.RIGHT),
        ("The above plan is invalid. The unmet precondition at step 1 is: (holding a)", True, Reason.RIGHT),
        ("The plan is not valid. The following action has an unmet precondition:\nstack "
         "the red block on top of the blue "
         "block\nThe unmet preconditions are:\nthe blue block is clear and the hand is currently holding red block",
         True, Reason.FALSE),
        ("The above plan is invalid. The following action at step 2 has an unmet "
         "precondition:\npick up the blue block\n"
         "The unmet precondition is:\nthe hand is empty", True, Reason.FALSE),
        ("The above plan is invalid. This is the unmet goal condition:\nthe red block is on top of the blue block",
         True, Reason.FALSE),
        ("The above plan is invalid.", True, Reason.NONE),
        ("The above plan is invalid. The unmet precondition is:\nI am holding the block", True, Reason.OPEN),
        ("The above plan is valid.", False, Reason.NONE),
        ("I do not know.", None, Reason.OPEN),
    ],
)  # fmt: skip
def test_a_verdict_and_its_reason(blocks: Prepared, answer: str, right: bool | None, reason: Reason) -> None:
    found = compare(read_verdict(answer, blocks), truth(blocks, NOT_HELD), blocks)
    assert found[:2] == (right, reason), found


def test_a_reason_for_a_valid_plan_is_false(blocks: Prepared) -> None:
    valid = truth(blocks, steps("pick-up b", "stack b c", "pick-up a", "stack a b"))
    said = read_verdict("The above plan is invalid. This is the unmet goal condition:\n(on a b)", blocks)
    assert compare(said, valid, blocks)[:2] == (False, Reason.FALSE)
    assert compare(read_verdict("Plan is valid.", blocks), valid, blocks)[:2] == (True, Reason.RIGHT)


def facts_said(facts: list[Fact], model: Prepared) -> str:
    return " and ".join(map(model.lexicon.say_fact, facts))


def message(step: Fact | None, number: int, facts: list[Fact], model: Prepared) -> str:
    """Return a reason in the words of PlanBench's own."""
    if step is None:
        return f"The above plan is invalid. These are the unmet goal conditions:\n{facts_said(facts, model)}"
    said = model.lexicon.say(Step(name=step[0], args=step[1:]))
    head = f"The above plan is invalid. The following action at step {number} has unmet preconditions:"
    return f"{head}\n{said}\nThe unmet preconditions are:\n{facts_said(facts, model)}"


@pytest.mark.parametrize("seed", some(range(60), 6))
def test_reasons_are_judged_as_a_brute_force_says(seed: int) -> None:
    naive, model, chance = Naive.of(DOMAIN, PROBLEM), prepare(DOMAIN, PROBLEM, templates=TEMPLATES), Random(seed)
    plan = chance.choices(list(naive.actions), k=chance.randint(1, 6))
    if chance.random() < 0.5:  # one whose steps execute
        plan, state = [], naive.init
        for _ in range(chance.randint(1, 6)):
            plan.append(chance.choice([step for step in naive.actions if naive.applicable(step, state)]))
            state = naive.after(plan[-1], state)
    place, state = naive.run(plan)
    unmet = sorted((naive.actions[plan[place]][0] if place >= 0 else naive.goal) - state)
    known = truth(model, steps(*map(" ".join, plan)))
    assert known.is_valid is naive.is_plan(plan) and known.unmet == set(unmet)
    assert known.step == (place + 1 if place >= 0 else None)
    if known.is_valid:
        return
    step = plan[place] if place >= 0 else None
    met = sorted(state)
    cases = [(message(step, place + 1, unmet, model), Reason.RIGHT)]
    cases += [(message(step, place + 1, [*unmet, fact], model), Reason.FALSE) for fact in met[:3]]
    cases += [(message(step, place + 1, unmet[1:], model), Reason.PART)] if len(unmet) > 1 else []
    cases += [(message(step, place + 2, unmet, model), Reason.FALSE)] if step else []
    cases += [(message(None, 0, unmet, model), Reason.FALSE)] if step else []
    other = next(each for each in naive.actions if each != step)
    cases += [(message(other, place + 1, unmet, model), Reason.FALSE)]
    for text, reason in cases:
        right, found, why = compare(read_verdict(text, model), known, model)
        assert (right, found) == (True, reason), (text, why)


# --- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(1, 61), 6))
def test_states_are_judged_as_a_brute_force_says(seed: int) -> None:
    domain, problem = random_strips(seed) if seed % 2 else (DOMAIN, PROBLEM)
    naive, chance = Naive.of(domain, problem), Random(seed)
    model = prepare(domain, problem, templates=None if seed % 2 else TEMPLATES)
    plan, state = [], naive.init
    for _ in range(chance.randint(0, 5)):
        can = [step for step in naive.actions if naive.applicable(step, state)]
        if can:
            plan.append(chance.choice(can))
            state = naive.after(plan[-1], state)
    known = state_after(model, steps(*map(" ".join, plan)))
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


# --- the command ---------------------------------------------------------------------------------


def test_the_command_grades_every_kind_of_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "instances" / "blocksworld"
    (folder / "generated_basic").mkdir(parents=True)
    (folder / "generated_domain.pddl").write_text(DOMAIN)
    (folder / "generated_basic" / "instance-1.pddl").write_text(PROBLEM)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "blocksworld.yaml").write_text(json.dumps(TEMPLATES))
    plan = "[PLAN]\npick up the red block\n[PLAN END]\n"
    goal = "My goal is to have that the red block is on top of the blue block"
    cases = {
        "task_3_plan_verification": (
            f"[STATEMENT]\n{INIT}{goal}.\nMy plan is as follows:\n{plan}\n[VERIFICATION]",
            "The above plan is invalid. This is the unmet goal condition:\nthe red block is on top of the blue block",
            {"llm_correct_binary": True, "llm_correct_w_expl": True},
        ),
        "task_4_plan_reuse": (
            f"[STATEMENT]\n{INIT}{goal} and the blue block is on the table.\n\n[PLAN]",
            "pick up the red block\nstack the red block on top of the blue block",
            {"llm_correct": True},
        ),
        "task_7_plan_execution": (
            f"[STATEMENT]\n{INIT} I have executed the following action sequence:\n\n[ACTION SEQUENCE]\n"
            "pick up the red block\n[ACTION SEQUENCE END]\n[RESULTING STATE]\n",
            "the blue block is clear and on the table, the orange block is clear and on the table and the hand is "
            "currently holding red block",
            {"llm_correct": False},
        ),
    }
    results = tmp_path / "results"
    results.mkdir()
    for task, (query, said, judged) in cases.items():
        item = {"instance_id": 1, "query": query, "llm_raw_response": said, **judged}
        value = {"task": task, "domain": "blocksworld", "engine": "m", "instances": [item]}
        (results / f"{task}.json").write_text(json.dumps(value))
    given = ["--instances", str(tmp_path / "instances"), "--configs", str(tmp_path / "configs"), "--workers", "1"]
    assert main(["eval", "planbench", str(results), *given, "--format", "json"]) == 0
    grades = {grade["task"]: grade for grade in json.loads(capsys.readouterr().out)}
    assert {task: grade["ours"] for task, grade in grades.items()} == dict.fromkeys(cases, True)
    assert grades["task_3_plan_verification"]["reason"] == "right"
    assert grades["task_7_plan_execution"]["difference"] == "read otherwise"
