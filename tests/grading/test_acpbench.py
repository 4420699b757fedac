"""Answers to questions about action and change: grades beside a brute force that shares no code with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.support.depth import some
from tests.support.naive_strips import Fact, Naive
from tests.support.random_worlds import random_moves, with_goal_in_reach
from validator.cli import main
from validator.grading.acpbench.evaluation import Prover, judge, letter, prover_of, yes_no
from validator.grading.acpbench.grades import counted, grade, read_answers
from validator.grading.acpbench.questions import Form, Question, Task

SEEDS = range(1, 25)
SECONDS = 60.0


def asked(task: Task, domain: str = "", problem: str = "", plan: list[Fact] | None = None) -> Question:
    text = f'What of "{" ".join(map(shown_step, plan or []))}"?'
    return Question(id="1", task=task, form=Form.OPEN, question=text, domain=domain, problem=problem)


def shown_step(step: Fact) -> str:
    return f"({' '.join(step)})"


def shown(facts: list[Fact]) -> str:
    return f"The answer is: {' '.join(map(shown_step, facts)) or 'None'}"


def answers_to(naive: Naive, task: Task, plan: list[Fact]) -> Iterator[tuple[str, bool]]:
    """Yield answers to an open question, each with whether brute force says that it is right."""
    states = naive.ways(naive.init)
    steps = naive.actions
    match task:
        case Task.APPLICABILITY:
            can = sorted(step for step in steps if step in naive.following(naive.init))
            yield shown(can), True
            yield from ((shown([step for step in can if step != gone]), False) for gone in can)
            yield from ((shown([*can, step]), False) for step in steps if step not in can)
        case Task.REACHABILITY:
            for fact in naive.changing[:4]:
                yield shown([fact]), all(fact not in state for state in states)
        case Task.ACTION_REACHABILITY:
            for step in steps[:4]:
                yield shown([step]), not any(step in naive.following(state) for state in states)
        case Task.VALIDATION:
            first = naive.run(plan)[0]
            yield from ((str(place), place == first) for place in range(len(plan)))
            yield "None", first == -1
        case Task.JUSTIFICATION:
            yield shown(plan), False
            for size in (1, 2):
                for place in range(len(plan) - size + 1):
                    if rest := plan[:place] + plan[place + size :]:
                        yield shown(rest), naive.is_plan(rest)
        case Task.LANDMARKS:
            free = [fact for fact in naive.changing if fact not in naive.init | naive.goal]
            yield from ((shown([fact]), naive.shortest(naive.init, avoiding=fact) is None) for fact in free[:4])
            yield from ((shown([fact]), False) for fact in sorted(naive.init & set(naive.changing))[:1])
        case Task.NEXT_ACTION:
            for step in steps[:4]:
                is_first = step in naive.following(naive.init)
                rest = naive.shortest(naive.following(naive.init)[step]) if is_first else None
                yield shown([step]), rest is not None and len(rest) == len(plan) - 1


@pytest.mark.planner
@pytest.mark.parametrize("seed", some(SEEDS, 1))
def test_grades_without_a_key_are_those_of_a_brute_force(seed: int) -> None:
    domain, problem = with_goal_in_reach(random_moves(seed), Random(seed))
    naive, prover = Naive(domain, problem), prover_of(domain, problem, SECONDS)
    plan = naive.shortest(naive.init)
    needs_goal = (Task.JUSTIFICATION, Task.LANDMARKS, Task.NEXT_ACTION)
    for task in Task:
        if task is Task.PROGRESSION or (not plan and task in needs_goal):
            continue
        for steps in (plan or [], [*(plan or []), *naive.actions[:2]]):
            for answer, right in answers_to(naive, task, steps if task in _ABOUT_PLANS else plan or []):
                found = judge(asked(task, domain, problem, steps), answer, prover)
                assert found.right is right, (task, answer, found)


_ABOUT_PLANS = (Task.VALIDATION, Task.JUSTIFICATION)


RICH = """(define (domain rich) (:requirements :adl :derived-predicates)
  (:types place box) (:constants depot - place)
  (:predicates (at ?b - box ?p - place) (road ?p ?q - place) (wet ?b - box) (near ?p ?q - place) (dry))
  (:derived (near ?p ?q - place) (or (road ?p ?q) (exists (?m - place) (and (road ?p ?m) (near ?m ?q)))))
  (:derived (dry) (forall (?b - box) (not (wet ?b))))
  (:action move :parameters (?b - box ?p ?q - place)
    :precondition (and (at ?b ?p) (near ?p ?q) (not (= ?p ?q)) (or (dry) (= ?q depot)))
    :effect (and (at ?b ?q) (not (at ?b ?p)) (forall (?o - box) (when (at ?o ?q) (wet ?o)))))
  (:action wipe :parameters (?b - box) :precondition (not (dry)) :effect (not (wet ?b))))"""
RICH_PROBLEM = """(define (problem rich-1) (:domain rich) (:objects a b - box p q - place)
  (:init (at a p) (at b depot) (road p q) (road q depot) (wet b)) (:goal (at a q)))"""


@pytest.mark.deep
@pytest.mark.planner
def test_conditions_of_any_kind_and_derived_facts_are_asked_about() -> None:
    prover = prover_of(RICH, RICH_PROBLEM, SECONDS)
    can = [("move", "a", "p", "depot"), ("wipe", "a"), ("wipe", "b")]
    for task, said, right in (
        (Task.APPLICABILITY, can, True),
        (Task.APPLICABILITY, can[1:], False),
        (Task.REACHABILITY, [("at", "b", "p")], True),
        (Task.REACHABILITY, [("wet", "a")], True),
        (Task.REACHABILITY, [("at", "a", "depot")], False),
        (Task.REACHABILITY, [("near", "p", "q")], False),
        (Task.REACHABILITY, [("at", "p", "a")], False),
        (Task.ACTION_REACHABILITY, [("move", "b", "depot", "p")], True),
        (Task.ACTION_REACHABILITY, [("move", "a", "p", "q")], False),
        (Task.ACTION_REACHABILITY, [("move", "p", "a", "q")], False),
        (Task.NEXT_ACTION, [("wipe", "b")], True),
        (Task.NEXT_ACTION, [("move", "a", "p", "depot")], False),
    ):
        found = judge(asked(task), shown(said), prover)
        assert found.right is right, (task, said, found)


def test_a_key_of_the_data_decides_only_where_there_is_no_proof() -> None:
    domain, problem = with_goal_in_reach(random_moves(5), Random(5))
    naive, prover = Naive(domain, problem), prover_of(domain, problem, SECONDS)
    states = naive.ways(naive.init)
    fact = min(fact for state in states for fact in state - naive.init)
    question = replace(asked(Task.REACHABILITY), key=[shown_step(fact)])
    late = Prover(model=prover.model, seconds=1e-9)
    assert judge(question, shown([fact]), late).why == "by the key of the data"
    assert judge(question, shown([fact]), prover).right is False
    assert judge(question, "None", prover).right is False
    assert judge(replace(question, key=None), "None", prover).right is None


def test_an_effect_is_right_with_both_lists() -> None:
    question = replace(asked(Task.PROGRESSION), key={"pos": ["(empty-ferry)", "(at c2 l1)"], "neg": ["(on c2)"]})
    prover = prover_of(*random_moves(0), SECONDS)
    assert judge(question, "[(at c2 l1) (empty-ferry)] [(on c2)]", prover).right is True
    said = "**Positive Effects:** (at c2 l1), (empty-ferry)\n**Negative Effects:** (on c2)"
    assert judge(question, said, prover).right
    assert judge(question, "[(at c2 l1)] [(on c2)]", prover).right is False
    assert judge(question, "It becomes empty.", prover).is_understood is False


# --- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The answer is yes.", True),
        ("**Final Answer**: No", False),
        ("Yes, because no other car is on board.", True),
        ("No car leaves it, so yes.", None),
        ("It could be yes or no.", None),
        ("<think>no, wait</think> yes", True),
        ("The answer: it cannot be told", None),
    ],
)
def test_yes_and_no(text: str, said: bool | None) -> None:
    assert yes_no(text) is said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("B", 1),
        ("The answer is (C).", 2),
        ("**Answer:** D. the ferry is empty", 3),
        ("A is wrong and B is wrong. The answer is C", 2),
        ("I cannot tell.", None),
        ("A. or B.", None),
        ("I think A or B", None),
        ("The ferry is at l0", 0),
    ],
)
def test_a_letter(text: str, said: int | None) -> None:
    choices = ("The ferry is at l0", "the car is at l1", "none", "the ferry is empty")
    assert letter(text, choices) == said


# --- files ---------------------------------------------------------------------------------------


def test_missing_answers_count_and_two_questions_of_one_id_need_their_group(tmp_path: Path) -> None:
    one = Question(
        id="7", task=Task.APPLICABILITY, form=Form.BOOL, question="?", key="yes", group="applicable_actions_bool"
    )
    other = replace(one, task=Task.LANDMARKS, key="no", group="landmarks_bool")
    path = tmp_path / "m.jsonl"
    path.write_text('{"id": 7, "answer": "yes"}\n{"id": 7, "group": "landmarks_bool", "answer": "yes"}\n')
    answers, wrong = read_answers([path], [one, other])
    assert len(wrong) == 1 and "'group' tells them apart" in wrong[0]
    assert [(each.question.task, each.text) for each in answers] == [
        (Task.LANDMARKS, "yes"),
        (Task.APPLICABILITY, None),
    ]
    rows = counted(map(grade, answers), ("model",)).rows
    assert rows[0][:7] == ("m", 2, 0, 1, 0, 0, 1)


def acpbench(folder: Path, *more: str) -> int:
    return main(["eval", "acpbench", str(folder / "m.jsonl"), "--questions", str(folder / "questions.json"), *more])


@pytest.mark.usefixtures("in_threads")
def test_the_command_reads_the_data_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = {"context": "", "PDDL_domain": "", "PDDL_problem": ""}
    questions = [
        {**common, "id": 1, "group": "applicable_actions_bool", "question": "Is it?", "answer": "yes"},
        {
            **common,
            "id": 2,
            "group": "landmarks_mcq",
            "question": "Which?",
            "answer": "B",
            "choices": {"text": ["it", "that"], "label": ["A", "B"]},
        },
        {
            **common,
            "id": 3,
            "group": "validation_gen",
            "question": 'Where does "(lift a) (lower a)" fail?',
            "PDDL_domain": Path("domains/blocks/domain.pddl").read_text(),
            "PDDL_problem": Path("domains/blocks/problem.pddl").read_text(),
        },
    ]
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    said = {1: "The answer is no.", 2: "B", 3: "It is 0."}
    lines = [json.dumps({"id": name, "model": "m", "answer": text}) for name, text in said.items()]
    (tmp_path / "answers.jsonl").write_text("\n".join((*lines, "{torn")))
    results = str(tmp_path / "results.jsonl")
    words = [str(tmp_path / "answers.jsonl"), "--questions", str(tmp_path / "questions.json"), "-o", results]
    assert main(["eval", "acpbench", *words, "--format", "json"]) == 0
    printed, before = capsys.readouterr(), sorted(Path(results).read_text().splitlines())
    assert "lines that are not answers to these questions: 1; the first: " in printed.err
    assert [each["outcome"] for each in json.loads(printed.out)] == ["wrong", "right", "right"]
    for kept in (3, 1):
        Path(results).write_text("".join(f"{line}\n" for line in before[:kept]))
        assert main(["eval", "acpbench", *words, "--format", "json", "--workers", "2"]) == 0
        assert capsys.readouterr().out == printed.out
        assert sorted(Path(results).read_text().splitlines()) == before
    assert main(["summary", results, "--by", "form"]) == 0
    assert "mcq" in capsys.readouterr().out
