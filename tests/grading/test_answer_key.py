"""A constructed answer key: answers in many phrasings whose truth a brute force knows, graded by the commands.

PlanBench's prompts and answers are written here, ACPBench's answers are given to questions without their keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.grading.test_acpbench import is_so, quoted
from tests.grading.test_planbench_tasks import DOMAIN, TEMPLATES
from tests.support.naive_strips import Fact, Naive, State, random_strips
from validator.cli import main
from validator.grading.acpbench.benchmark import make_benchmark
from validator.grading.acpbench.questions import Form, Question, Task, question_value

pytestmark = pytest.mark.deep
COLORS = {"a": "red block", "b": "blue block", "c": "orange block"}


# --- PlanBench -----------------------------------------------------------------------------------


def said(fact: Fact) -> str:
    text = (TEMPLATES["predicates"] | TEMPLATES["actions"])[fact[0]]
    return str(text.format(*(COLORS[name] for name in fact[1:])))


def listed(facts: State | list[Fact]) -> str:
    texts = [said(fact) for fact in sorted(facts)]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


@dataclass(frozen=True)
class Instance:
    """A problem with three blocks, for the brute force and as PDDL."""

    naive: Naive
    problem: str


def instance(chance: Random) -> Instance:
    empty = Naive.of(DOMAIN, _problem([("handempty",), *_table()], [("on", "a", "b")]))
    states = [state for state in empty.distances(empty.init) if ("handempty",) in state]
    init, end = chance.choice(states), chance.choice(states)
    goal = [fact for fact in sorted(end) if fact[0] == "on"] or [("ontable", "a"), ("ontable", "c")]
    problem = _problem(sorted(init), goal)
    return Instance(Naive.of(DOMAIN, problem), problem)


def _table() -> list[Fact]:
    return [(name, block) for name in ("clear", "ontable") for block in COLORS]


def _problem(init: list[Fact], goal: list[Fact]) -> str:
    facts = (" ".join(f"({' '.join(fact)})" for fact in facts) for facts in (init, goal))
    return "(define (problem p) (:domain blocks) (:objects a b c) (:init {}) (:goal (and {})))".format(*facts)


def plan_from(naive: Naive, start: State, goal: State) -> list[Fact]:
    """Return a shortest plan, by going down the distances from the goal's nearest state."""
    best: dict[State, list[Fact]] = {start: []}
    waiting = [start]
    for state in waiting:
        if goal <= state:
            return best[state]
        for step in naive.actions:
            if naive.applicable(step, state) and (then := naive.after(step, state)) not in best:
                best[then] = [*best[state], step]
                waiting.append(then)
    raise AssertionError


def altered(naive: Naive, plan: list[Fact], chance: Random) -> list[Fact]:
    """Return the plan, a part of it, one with another step, one with steps that lead back, or two steps exchanged."""
    place = chance.randrange(len(plan) + 1)
    match chance.randrange(5):
        case 1:
            return plan[:place]
        case 2:
            return [*plan[:place], chance.choice(list(naive.actions)), *plan[place + 1 :]]
        case 3:
            back = {"pick-up": "put-down", "put-down": "pick-up", "stack": "unstack", "unstack": "stack"}
            step = plan[place - 1] if place else ("pick-up", "a")
            return [*plan[:place], (back[step[0]], *step[1:]), step, *plan[place:]]
        case 4:
            return [*plan[:-2], *plan[-1:], *plan[-2:-1]]
    return plan


FORMS = (
    ("{}", "{}", "\n"),
    ("Sure, here is my plan:\n\n{}\n[PLAN END]", "{}", "\n"),
    ("{}\n\nThis reaches the goal.", "{number}. {}", "\n"),
    ("To do this:\n{}", "- **{}**", "\n"),
    ("[PLAN]\n{}\n[PLAN END]", "({})", "\n"),
    ("{}", "Step {number}: {}.", "\n"),
)


def phrased(plan: list[Fact], chance: Random) -> str:
    whole, line, between = chance.choice(FORMS)
    in_pddl = line == "({})"
    texts = [" ".join(step) if in_pddl else said(step) for step in plan]
    if not plan:
        return "The goal holds already, so the plan is empty: no actions are needed."
    return whole.format(between.join(line.format(text, number=n) for n, text in enumerate(texts, 1)))


def statement(init: State, goal: State) -> str:
    return (
        f"[STATEMENT]\nAs initial conditions I have that, {listed(init)}.\nMy goal is to have that {listed(goal)}.\n\n"
        "My plan is as follows:\n\n[PLAN]\n"
    )


Asked = tuple[str, str, str, bool]
"""The task, the prompt, the answer, and whether it is right."""


def is_plan(naive: Naive, plan: list[Fact], start: State, goal: State) -> bool:
    state = start
    for step in plan:
        if not naive.applicable(step, state):
            return False
        state = naive.after(step, state)
    return goal <= state


def asked_of(one: Instance, chance: Random) -> Iterator[Asked]:
    naive = one.naive
    best = plan_from(naive, naive.init, naive.goal)
    for task in ("task_1_plan_generation", "task_5_plan_generalization"):
        plan = altered(naive, best, chance)
        yield task, statement(naive.init, naive.goal), phrased(plan, chance), naive.is_plan(plan)
    plan = altered(naive, best, chance)
    cheapest = naive.is_plan(plan) and len(plan) == len(best)
    yield "task_2_plan_optimality", statement(naive.init, naive.goal), phrased(plan, chance), cheapest
    states = [state for state in naive.distances(naive.init) if ("handempty",) in state]
    for task in ("task_4_plan_reuse", "task_8_1_goal_shuffling"):
        goal = frozenset(chance.sample(sorted(chance.choice(states)), 2))
        plan = altered(naive, plan_from(naive, naive.init, goal), chance)
        right = is_plan(naive, plan, naive.init, goal)
        yield task, statement(naive.init, goal), phrased(plan, chance), right
    yield from _looked_at(one, best, chance)


def _looked_at(one: Instance, best: list[Fact], chance: Random) -> Iterator[Asked]:
    """Yield a question whether a plan is valid, and one what state a sequence leads to."""
    naive = one.naive
    shown = altered(naive, best, chance) or best or [("pick-up", "a")]
    text = "\n".join(map(said, shown))
    prompt = statement(naive.init, naive.goal).replace("[PLAN]\n", f"[PLAN]\n{text}\n[PLAN END]\n\n[VERIFICATION]\n")
    claim = chance.random() < 0.5
    answer = chance.choice(("The above plan is {}.", "{}", "I checked each step. The plan is {}."))
    word = ("valid", "invalid")[not claim]
    yield "task_3_plan_verification", prompt, answer.format(word), claim is naive.is_plan(shown)
    plan: list[Fact] = []
    state = naive.init
    for _ in range(chance.randint(1, 4)):
        plan.append(chance.choice([step for step in naive.actions if naive.applicable(step, state)]))
        state = naive.after(plan[-1], state)
    told = set(state)
    if chance.random() < 0.5:
        told ^= {chance.choice(naive.changing)}
    prompt = (
        f"[STATEMENT]\nAs initial conditions I have that, {listed(naive.init)}.\n I have executed the following action "
        "sequence:\n\n[ACTION SEQUENCE]\n{}\n[ACTION SEQUENCE END]\n[RESULTING STATE]\n"
    ).format("\n".join(map(said, plan)))
    yield "task_7_plan_execution", prompt, listed(sorted(told)), told == state


def test_planbenchs_tasks_are_graded_by_the_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [tmp_path / "instances" / "blocksworld" / name for name in ("generated_basic", "generated")]
    for folder in folders:
        folder.mkdir(parents=True)
    (tmp_path / "instances" / "blocksworld" / "generated_domain.pddl").write_text(DOMAIN)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "blocksworld.yaml").write_text(json.dumps(TEMPLATES))
    files: dict[str, list[dict[str, object]]] = {}
    key: dict[tuple[str, str], bool] = {}
    for number in range(1, 25):
        chance = Random(number)
        one = instance(chance)
        for folder in folders:
            (folder / f"instance-{number}.pddl").write_text(one.problem)
        for task, prompt, answer, right in asked_of(one, chance):
            files.setdefault(task, []).append({"instance_id": number, "query": prompt, "llm_raw_response": answer})
            key[task, str(number)] = right
    (tmp_path / "results").mkdir()
    for task, items in files.items():
        value = {"task": task, "domain": "blocksworld", "engine": "m", "instances": items}
        (tmp_path / "results" / f"{task}.json").write_text(json.dumps(value))
    given = ["--instances", str(tmp_path / "instances"), "--configs", str(tmp_path / "configs"), "--workers", "1"]
    assert main(["eval", "planbench", str(tmp_path / "results"), *given, "--format", "json"]) == 0
    grades = json.loads(capsys.readouterr().out)
    assert len(grades) == len(key) == 24 * 7 and 50 < sum(key.values()) < 130
    wrong = [grade for grade in grades if grade["ours"] is not key[grade["task"], grade["instance"]]]
    assert not wrong, [(each["id"], each["ours"], each["why"]) for each in wrong]


# --- ACPBench ------------------------------------------------------------------------------------

YES_NO = ("{}", "The answer is {}.", "**{}**", "Let me think. The final answer is: {}.", "{}, because I looked.")
LETTERS = ("{}", "({})", "The answer is {}.", "**Answer:** {}", "I choose option {}.")


def answered(naive: Naive, question: Question, chance: Random) -> Iterator[tuple[str, bool]]:
    """Yield an answer with its truth by brute force; what is not a claim about one thing is left out."""
    if question.form is Form.BOOL:
        claim = chance.random() < 0.5
        yield chance.choice(YES_NO).format("Yes" if claim else "No"), claim is (question.key == "yes")
    elif question.form is Form.CHOICE:
        right = [place for place, text in enumerate(question.choices) if is_so(naive, question, text)]
        place = chance.randrange(len(question.choices))
        yield chance.choice(LETTERS).format("ABCD"[place]), [place] == right
    elif question.task is Task.APPLICABILITY:
        can = {step for step in naive.actions if naive.applicable(step, naive.init)}
        told = can ^ ({chance.choice(list(naive.actions))} if chance.random() < 0.5 else set())
        if told:
            yield "The answer is: " + ", ".join(f"({' '.join(step)})" for step in sorted(told)), told == can
    elif question.task is Task.VALIDATION:
        first = naive.run(quoted(question))[0]
        place = chance.choice((first, chance.randrange(len(quoted(question)) or 1)))
        yield f"The answer is: {'None' if place < 0 else place}", place == first
    elif question.task is Task.PLAN:
        plan = plan_from(naive, naive.init, naive.goal)
        if chance.random() < 0.5:
            plan = [*plan[:-1], chance.choice(list(naive.actions))]
        if plan:
            yield "\n".join(f"({' '.join(step)})" for step in plan), naive.is_plan(plan)


def test_acpbenchs_questions_are_graded_by_the_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions, lines = [], []
    key: dict[tuple[str, str, str], bool] = {}
    for seed in range(1, 16):
        domain, problem = random_strips(seed)
        naive, chance = Naive.of(domain, problem), Random(seed)
        for question in make_benchmark(domain, problem, seed=seed).questions:
            for answer, right in answered(naive, question, chance):
                value = question_value(question)
                name = f"{seed}-{question.task.value}-{question.form.value}"
                questions.append(value | {"id": name})
                lines.append({"id": name, "model": "m", "answer": answer})
                key[name, question.task.value, question.form.value] = right
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(value)}\n" for value in questions))
    (tmp_path / "answers.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    given = ["--questions", str(tmp_path / "questions.jsonl"), "--format", "json"]
    assert main(["eval", "acpbench", str(tmp_path / "answers.jsonl"), *given]) == 0
    grades = json.loads(capsys.readouterr().out)
    assert len(grades) == len(key) > 140
    wrong = [each for each in grades if each["right"] is not key[each["id"], each["task"], each["form"]]]
    assert not wrong, wrong
