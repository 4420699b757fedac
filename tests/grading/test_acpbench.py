"""Questions and answers about action and change: keys and grades beside a brute force that shares no code with them."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

from tests.support.depth import some
from tests.support.naive_strips import Fact, Naive, random_strips
from tests.support.places import ROOT, SHARED
from validator.checking.prepared import Prepared, prepare
from validator.cli import main
from validator.grading.acpbench.benchmark import make_benchmark
from validator.grading.acpbench.grades import Answered, counted, grade, read_answers
from validator.grading.acpbench.judge import effects, groups, index, is_none, judge, letter, prover_of, yes_no
from validator.grading.acpbench.prover import Prover
from validator.grading.acpbench.questions import Form, Question, Task, question_of, question_value, read_questions
from validator.grading.acpbench.space import Space
from validator.model.bundled import bundle
from validator.reading.plan import Plan, Step

SEEDS = range(1, 25)


def atom(text: str) -> Fact:
    return tuple(text.strip("()").split())


def atoms(texts: list[str]) -> set[Fact]:
    return set(map(atom, texts))


def quoted(question: Question) -> list[Fact]:
    return [tuple(words) for words in groups(question.question.split('"')[1])]


# --- the keys of open questions ------------------------------------------------------------------


def true_key(naive: Naive, question: Question) -> object:
    """Return the key of an open question by brute force."""
    states = naive.distances(naive.init)
    steps = list(naive.actions)
    match question.task:
        case Task.APPLICABILITY:
            return {step for step in steps if naive.applicable(step, naive.init)}
        case Task.REACHABILITY:
            return {fact for fact in naive.changing if not any(fact in state for state in states)}
        case Task.ACTION_REACHABILITY:
            return {step for step in steps if not any(naive.applicable(step, state) for state in states)}
        case Task.VALIDATION:
            return naive.run(quoted(question))[0]
        case Task.JUSTIFICATION:
            return set(removable(naive, quoted(question)))
        case Task.LANDMARKS:
            free = [fact for fact in naive.changing if fact not in naive.init | naive.goal]
            return {fact for fact in free if naive.shortest(naive.init, fact) is None}
        case Task.NEXT_ACTION:
            best = naive.shortest(naive.init)
            assert best is not None
            can = [step for step in steps if naive.applicable(step, naive.init)]
            return {step for step in can if naive.shortest(naive.after(step, naive.init)) == best - 1}
    raise AssertionError(question.task)


def removable(naive: Naive, plan: list[Fact]) -> Iterator[tuple[Fact, ...]]:
    for size in (1, 2):
        for place in range(len(plan) - size + 1):
            if naive.is_plan(plan[:place] + plan[place + size :]):
                yield tuple(plan[place : place + size])


def own_key(question: Question) -> object:
    key = question.key
    match question.task:
        case Task.VALIDATION:
            return key
        case Task.JUSTIFICATION:
            return {tuple(map(atom, cut[:-1])) for cut in key}
        case Task.LANDMARKS | Task.NEXT_ACTION:
            return atoms(key["yes"])
    return atoms(key)


def assert_open_keys(naive: Naive, questions: list[Question]) -> None:
    open_ones = [question for question in questions if question.form is Form.OPEN]
    assert {question.task for question in open_ones} >= {
        Task.APPLICABILITY,
        Task.REACHABILITY,
        Task.ACTION_REACHABILITY,
    }
    for question in open_ones:
        if question.task is Task.PROGRESSION:
            said = re.search(r"this action: (.*?)\?", question.question)
            assert said is not None
            step = next(step for step in naive.actions if words_of_step(question)[step] == said[1])
            after = naive.after(step, naive.init)
            assert atoms(question.key["pos"]) == after - naive.init, question.id
            assert atoms(question.key["neg"]) == naive.init - after, question.id
        elif question.task is Task.PLAN:
            assert question.proof == f"the shortest plan has {naive.shortest(naive.init)} steps"
        else:
            assert own_key(question) == true_key(naive, question), question.id


@cache
def _lexicon(domain: str, problem: str):  # type: ignore[no-untyped-def]
    return prepare(domain, problem).lexicon


def words_of_step(question: Question) -> dict[Fact, str]:
    lexicon = _lexicon(question.domain, question.problem)
    naive = Naive.of(question.domain, question.problem)
    return {step: lexicon.say(Step(name=step[0], args=step[1:])) for step in naive.actions}


def words_of_fact(question: Question) -> dict[str, Fact]:
    lexicon = _lexicon(question.domain, question.problem)
    naive = Naive.of(question.domain, question.problem)
    return {lexicon.say_fact(fact): fact for fact in naive.changing}


# --- the keys of the other forms -----------------------------------------------------------------


def is_so(naive: Naive, question: Question, said: str) -> bool:
    """Return by brute force whether what a yes-no question asks, or a choice says, is so."""
    facts = words_of_fact(question)
    steps = {text: step for step, text in words_of_step(question).items()}
    states = naive.distances(naive.init)
    match question.task:
        case Task.APPLICABILITY:
            return naive.applicable(steps[said], naive.init)
        case Task.PROGRESSION:
            done = re.search(r"after the action '(.*?)'", question.question)
            assert done is not None
            return facts[said] in naive.after(steps[done[1]], naive.init)
        case Task.REACHABILITY:
            pair = {facts[text] for text in said.split(" and ")}
            return any(pair <= state for state in states)
        case Task.ACTION_REACHABILITY:
            return any(naive.applicable(steps[said], state) for state in states)
        case Task.LANDMARKS:
            return naive.shortest(naive.init, facts[said]) is None
        case Task.JUSTIFICATION:
            place = int(said.split()[0]) - 1
            plan = quoted(question)
            return naive.is_plan(plan[:place] + plan[place + 2 :])
        case Task.VALIDATION:
            place, state = naive.run(quoted(question))
            kind = "cannot be executed" if place >= 0 else "is a plan" if naive.goal <= state else "does not reach"
            return kind in said
    raise AssertionError(question.task)


_ASKED = {
    Task.APPLICABILITY: r"executed now: (.*?)\? Answer",
    Task.PROGRESSION: r"after the action '.*?': (.*?)\? Answer",
    Task.REACHABILITY: r"now or later: (.*?)\? Answer",
    Task.ACTION_REACHABILITY: r"at some time: (.*?)\? Answer",
    Task.LANDMARKS: r"in every plan: (.*?)\? Answer",
    Task.JUSTIFICATION: r"Can steps (.*?) be left out",
}


def assert_other_keys(naive: Naive, questions: list[Question]) -> None:
    for question in questions:
        if question.form is Form.BOOL and question.task is Task.VALIDATION:
            assert (question.key == "yes") is naive.is_plan(quoted(question)), question.id
        elif question.form is Form.BOOL:
            said = re.search(_ASKED[question.task], question.question)
            assert said is not None, question.question
            assert (question.key == "yes") is is_so(naive, question, said[1]), question.id
        elif question.form is Form.CHOICE:
            right = [chr(ord("A") + n) for n, text in enumerate(question.choices) if is_so(naive, question, text)]
            assert right == [question.key], question.id


# --- grades --------------------------------------------------------------------------------------


def answers_to(naive: Naive, question: Question) -> Iterator[tuple[str, bool]]:
    """Yield answers to an open question, each with whether brute force says that it is right."""
    states = naive.distances(naive.init)
    match question.task:
        case Task.APPLICABILITY:
            can = sorted(step for step in naive.actions if naive.applicable(step, naive.init))
            rest = sorted(set(naive.actions) - set(can))
            yield shown(can), True
            yield (shown([*can, rest[0]]), False) if rest else (shown(can[1:]), False)
            if can:
                yield shown(can[1:]), False
        case Task.REACHABILITY:
            yield from ((shown([fact]), all(fact not in state for state in states)) for fact in naive.changing)
        case Task.ACTION_REACHABILITY:
            for step in naive.actions:
                yield shown([step]), not any(naive.applicable(step, state) for state in states)
        case Task.VALIDATION:
            first = naive.run(quoted(question))[0]
            yield from ((str(place), place == first) for place in range(len(quoted(question))))
            yield "None", first == -1
        case Task.JUSTIFICATION:
            plan = quoted(question)
            yield shown(plan), False
            for size in (1, 2):
                for place in range(len(plan) - size + 1):
                    rest = plan[:place] + plan[place + size :]
                    if rest:
                        yield shown(rest), naive.is_plan(rest)
        case Task.LANDMARKS:
            free = [fact for fact in naive.changing if fact not in naive.init | naive.goal]
            yield from ((shown([fact]), naive.shortest(naive.init, fact) is None) for fact in free[:6])
            yield from ((shown([fact]), False) for fact in sorted(naive.init & set(naive.changing))[:1])
        case Task.NEXT_ACTION:
            yield from ((shown([step]), step in true_set(naive, question)) for step in list(naive.actions)[:8])
        case Task.PLAN:
            pass


def true_set(naive: Naive, question: Question) -> set[Fact]:
    found = true_key(naive, question)
    assert isinstance(found, set)
    return found


def shown(facts: list[Fact]) -> str:
    return f"The answer is: {' '.join('(' + ' '.join(fact) + ')' for fact in facts) or 'None'}"


@pytest.mark.parametrize("seed", some(SEEDS, 6))
def test_keys_and_grades_are_those_of_a_brute_force(seed: int) -> None:
    domain, problem = random_strips(seed)
    naive, questions = Naive.of(domain, problem), make_benchmark(domain, problem, seed=seed).questions
    assert_open_keys(naive, questions)
    assert_other_keys(naive, questions)
    assert_grades(naive, questions)


def assert_grades(naive: Naive, questions: list[Question]) -> None:
    """Grade answers without a key."""
    graded = 0
    for question in questions:
        if question.form is Form.OPEN and question.task not in (Task.PROGRESSION, Task.PLAN):
            prover = prover_of(question.domain, question.problem, 20_000, 0)
            for answer, right in answers_to(naive, question):
                found = judge(replace(question, key=None), answer, prover)
                assert found.right is right, (question.id, answer, found)
                graded += 1
    assert graded > 10


@pytest.mark.parametrize("seed", some(SEEDS, 4))
@pytest.mark.parametrize("most", [0, 6])
def test_what_is_proven_without_all_states_holds_by_brute_force(seed: int, most: int) -> None:
    domain, problem = random_strips(seed)
    prover, naive = Prover(Space(prepare(domain, problem)), most=most), Naive.of(domain, problem)
    states = naive.distances(naive.init)
    facts = sorted(naive.changing)
    proofs = {pair: prover.fact(*pair) for pair in combinations_with_replacement(facts, 2)}
    for pair, proof in proofs.items():
        assert proof.holds in (None, any(state.issuperset(pair) for state in states)), (pair, proof)
        if proof.plan is not None:
            assert all(failure.step is None for failure in prover.space.model.simulator.run(proof.plan).failures)
    assert sum(proof.holds is not None for proof in proofs.values()) > len(proofs) // 2
    assert prover.plan is None or prover.is_valid(prover.plan)
    for fact in facts:
        landmark = prover.landmark(fact)
        if fact not in naive.init | naive.goal:
            assert landmark.holds in (None, naive.shortest(naive.init, fact) is None), (fact, landmark)


def test_questions_about_plans_are_made_where_states_are_too_many() -> None:
    blocks = bundle("blocks")
    made = make_benchmark(blocks.domain.read_text(), blocks.problem.read_text(), most=3, seed=2)
    assert {Task.VALIDATION, Task.JUSTIFICATION, Task.PLAN} <= {question.task for question in made.questions}
    assert [(problem.steps, problem.proven) for problem in made.problems] == [(8, False)]


def test_a_key_of_the_data_decides_only_where_there_is_no_proof() -> None:
    domain, problem = random_strips(4)
    prover = Prover(Space(prepare(domain, problem)), most=0, work=0)
    naive = Naive.of(domain, problem)
    states = naive.distances(naive.init)
    reached = next(fact for fact in naive.changing if any(fact in s for s in states) and fact not in naive.init)
    question = Question(
        id="1", task=Task.REACHABILITY, form=Form.OPEN, context="", question="", key=[f"({' '.join(reached)})"]
    )
    assert judge(question, shown([reached]), prover).why == "by the key of the data"
    whole = Prover(Space(prepare(domain, problem)))
    assert judge(question, shown([reached]), whole).right is False


def test_an_effect_is_right_with_both_lists() -> None:
    question = Question(
        id="1",
        task=Task.PROGRESSION,
        form=Form.OPEN,
        context="",
        question="",
        key={"pos": ["(empty-ferry)", "(at c2 l1)"], "neg": ["(on c2)"]},
    )
    prover = prover_of(*random_strips(0), 10, 0)
    assert judge(question, "[(at c2 l1) (empty-ferry)] [(on c2)]", prover).right is True
    assert judge(
        question, "**Positive Effects:** (at c2 l1), (empty-ferry)\n**Negative Effects:** (on c2)", prover
    ).right
    assert judge(question, "[(at c2 l1)] [(on c2)]", prover).right is False
    assert judge(question, "It becomes empty.", prover).is_understood is False


# --- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The answer is yes.", True),
        ("**Final Answer**: No", False),
        ("Yes, because no other car is on board.", True),
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
        ("The ferry is at l0", 0),
    ],
)
def test_a_letter(text: str, said: int | None) -> None:
    choices = ("The ferry is at l0", "the car is at l1", "none", "the ferry is empty")
    assert letter(text, choices) == said


@pytest.mark.parametrize(
    ("text", "said"), [("4", 4), ("The answer is 12.", 12), ("None", -1), ("3 or 4?", 3), ("x", None)]
)
def test_a_number(text: str, said: int | None) -> None:
    assert index(text) == said


def test_lists_and_none() -> None:
    assert groups("1. (board C1 l0)\n2. (sail l0 l1)") == (("board", "c1", "l0"), ("sail", "l0", "l1"))
    assert is_none("The answer is None.") and not is_none("None of (a b)")
    assert effects("[(a)] [(b c), (d)]") == (frozenset({("a",)}), frozenset({("b", "c"), ("d",)}))
    assert effects("[] []") == (frozenset(), frozenset())


# --- questions of a domain -----------------------------------------------------------------------


def test_a_seed_makes_the_same_problems_everywhere_and_another_seed_others() -> None:
    blocks = bundle("blocks")
    texts = blocks.domain.read_text(), blocks.problem.read_text()
    first = make_benchmark(*texts, number=2, steps=range(3, 5), seed=1)
    assert first.questions == make_benchmark(*texts, number=2, steps=range(3, 5), seed=1).questions
    assert first.problems != make_benchmark(*texts, number=2, steps=range(3, 5), seed=2, tasks=()).problems
    for problem in first.problems:
        naive = Naive.of(re.sub(r";.*", "", texts[0]), problem.text)
        assert naive.shortest(naive.init) == problem.steps
        assert problem.steps in (3, 4)


_MAKE = """
from pathlib import Path
from validator.grading.acpbench.benchmark import make_benchmark
texts = [Path(f"domains/blocks/{name}.pddl").read_text() for name in ("domain", "problem")]
print(make_benchmark(*texts, number=2, steps=range(3, 6), seed=7).questions)
"""


@pytest.mark.deep
def test_no_order_of_a_set_comes_in() -> None:
    def made(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", _MAKE]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout

    assert len({made(seed) for seed in ("1", "2", "3")}) == 1


def test_questions_are_written_and_read_in_acpbench_layout(tmp_path: Path) -> None:
    questions = make_benchmark(*random_strips(0), seed=0).questions
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(question_value(each)) + "\n" for each in questions))
    read = list(read_questions([path]))
    assert [replace(each, extra={}) for each in read] == [replace(each, extra={}) for each in questions]
    assert question_of(question_value(read[0]), "") == read[0]


RICH = """(define (domain rich) (:requirements :adl :derived-predicates)
  (:types place box) (:constants depot - place)
  (:predicates (at ?b - box ?p - place) (road ?p ?q - place) (wet ?b - box) (open ?p - place) (near ?p ?q - place)
    (dry) (held ?b - box) (free))
  (:derived (near ?p ?q - place) (or (road ?p ?q) (exists (?m - place) (and (road ?p ?m) (open ?m) (near ?m ?q)))))
  (:derived (dry) (forall (?b - box) (not (wet ?b))))
  (:action move :parameters (?b - box ?p ?q - place)
    :precondition (and (at ?b ?p) (near ?p ?q) (not (= ?p ?q)) (or (dry) (open ?q)))
    :effect (and (at ?b ?q) (not (at ?b ?p)) (when (open ?q) (wet ?b))
      (forall (?o - box) (when (and (at ?o ?q) (wet ?b)) (wet ?o)))))
  (:action shut :parameters (?p - place)
    :precondition (and (open ?p) (imply (exists (?b - box) (at ?b ?p)) (= ?p depot))) :effect (not (open ?p)))
  (:action wipe :parameters (?b - box) :precondition (not (dry)) :effect (not (wet ?b))))"""
RICH_PROBLEM = """(define (problem rich-1) (:domain rich) (:objects a b - box p q - place)
  (:init (at a p) (at b depot) (road p q) (road q depot) (road depot p) (open q) (wet b))
  (:goal (and (forall (?b - box) (at ?b q)) (or (dry) (not (open q))))))"""


def agrees_with_the_simulator(model: Prepared, seed: int, states: int) -> int:
    """Compare what can be executed, and the states behind it, with the simulator on a random walk; return how much."""
    space, chance, compared = Space(model), random.Random(seed), 0
    state, relaxed = space.init, space.relaxation.reached(space.init)
    for _ in range(states):
        assert not state & ~relaxed
        assert space.is_goal(state) is model.simulator.run_from(space.facts(state), Plan(parts=())).is_valid
        can = []
        for operator in chance.sample(space.operators, min(30, len(space.operators))):
            trace = model.simulator.run_from(space.facts(state), [operator.step])
            assert operator.is_applicable(state) is trace.is_sound, operator.step
            if trace.is_sound:
                can.append(operator)
                assert space.facts(operator.apply(state)) == list(trace.states())[-1], operator.step
            compared += 1
        if not can:
            break
        state = chance.choice(can).apply(state)
    return compared


def test_conditions_of_any_kind_conditional_effects_and_derived_facts_are_those_of_the_simulator() -> None:
    model = prepare(RICH, RICH_PROBLEM)
    assert sum(agrees_with_the_simulator(model, seed, 8) for seed in range(3)) > 100


@pytest.mark.deep
@pytest.mark.parametrize("name", ["miconic-simpleadl", "openstacks-opt08-adl", "schedule", "blocks"])
def test_competition_models_are_those_of_the_simulator(name: str) -> None:
    folder = SHARED / "data" / "ipc" / name
    if not folder.is_dir():
        pytest.skip("the competition models are not here")
    model = prepare(folder / "domain.pddl", folder / "problem.pddl")
    assert agrees_with_the_simulator(model, 1, 15) >= 30


def test_questions_about_a_rich_model_have_right_keys() -> None:
    made = make_benchmark(RICH, RICH_PROBLEM, seed=3)
    assert {question.task for question in made.questions} >= {Task.APPLICABILITY, Task.REACHABILITY, Task.VALIDATION}
    assert made.problems[0].steps > 1
    model = prepare(RICH, RICH_PROBLEM)
    applicable = next(q for q in made.questions if q.task is Task.APPLICABILITY and q.form is Form.OPEN)
    places = ("p", "q", "depot")
    typed = [("move", *w) for w in product("ab", places, places)] + [("shut", p) for p in places]
    steps = [Step(name=words[0], args=words[1:]) for words in (*typed, ("wipe", "a"), ("wipe", "b"))]
    assert applicable.key == sorted(str(step) for step in steps if model.simulator.run([step]).is_sound)


def test_fresh_problems_of_a_rich_model_are_as_long_as_said() -> None:
    made = make_benchmark(RICH, RICH_PROBLEM, number=2, steps=range(2, 4), tasks=(Task.PLAN,), seed=1)
    for problem in made.problems:
        assert Prover(Space(prepare(RICH, problem.text))).distance == problem.steps in range(2, 4)
        assert "(near" not in problem.text and "(dry" not in problem.text


def test_the_command_makes_files_and_the_grader_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks, folder = bundle("blocks"), tmp_path / "fresh"
    arguments = [str(blocks.domain), "--instances", "1", "--steps", "2-3", "--task", "app", "--task", "plan"]
    assert main(["benchmark", *arguments, "-o", str(folder)]) == 0
    assert "app" in capsys.readouterr().out
    questions = list(read_questions([folder / "questions.jsonl"]))
    said = {Form.BOOL: lambda q: f"The answer is {q.key}.", Form.CHOICE: lambda q: q.key}
    lines = [{"id": q.id, "model": "m", "answer": said[q.form](q)} for q in questions if q.form in said]
    answers = folder / "answers.jsonl"
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines) + "{torn\n")
    results = str(folder / "results.jsonl")
    words = [str(answers), "--questions", str(folder / "questions.jsonl"), "--table", "-o", results]
    assert main(["eval", "acpbench", *words]) == 0
    shown = capsys.readouterr()
    assert "1 lines are no answers" in shown.err
    assert re.search(r"plan +gen +m +1 +0 +0 +0 +0 +1", shown.out)
    assert main(["summary", results, "--by", "form"]) == 0
    assert re.search(r"gen +2 +0 +0.0%.*\n +mcq +1 +1 +100.0%", capsys.readouterr().out)


def test_missing_answers_count_and_two_questions_of_one_id_need_their_group(tmp_path: Path) -> None:
    one = Question(id="7", task=Task.APPLICABILITY, form=Form.BOOL, context="", question="?", key="yes")
    other = replace(one, task=Task.LANDMARKS, key="no")
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


def test_a_plan_is_graded_by_execution_in_words_too() -> None:
    blocks = bundle("blocks")
    texts = blocks.domain.read_text(), blocks.problem.read_text()
    question = next(q for q in make_benchmark(*texts, tasks=[Task.PLAN]).questions)
    good = (blocks.domain.parent / "good.plan").read_text()
    graded = [grade(Answered(question=question, model="m", text=text)) for text in (good, "(lift a)", "no idea")]
    assert [each.outcome for each in graded] == ["right", "wrong", "not understood"]
