"""A constructed answer key: PlanBench's answers in many phrasings whose truth a brute force knows, graded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.grading.test_planbench_tasks import DOMAIN, TEMPLATES
from tests.support.depth import deep
from tests.support.edit_oracle import State
from tests.support.naive_strips import Fact, Naive
from validator.cli import main

COLORS = {"a": "red block", "b": "blue block", "c": "orange block"}


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
    empty = Naive(DOMAIN, _problem([("handempty",), *_table()], [("on", "a", "b")]))
    states = [state for state in empty.ways(empty.init) if ("handempty",) in state]
    init, end = chance.choice(states), chance.choice(states)
    goal = [fact for fact in sorted(end) if fact[0] == "on"] or [("ontable", "a"), ("ontable", "c")]
    problem = _problem(sorted(init), goal)
    return Instance(Naive(DOMAIN, problem), problem)


def _table() -> list[Fact]:
    return [(name, block) for name in ("clear", "ontable") for block in COLORS]


def _problem(init: list[Fact], goal: list[Fact]) -> str:
    facts = (" ".join(f"({' '.join(fact)})" for fact in facts) for facts in (init, goal))
    return "(define (problem p) (:domain blocks) (:objects a b c) (:init {}) (:goal (and {})))".format(*facts)


def altered(naive: Naive, plan: list[Fact], chance: Random) -> list[Fact]:
    """Return the plan, a part of it, one with another step, one with steps that lead back, or two steps exchanged."""
    place = chance.randrange(len(plan) + 1)
    match chance.randrange(5):
        case 1:
            return plan[:place]
        case 2:
            return [*plan[:place], chance.choice(naive.actions), *plan[place + 1 :]]
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


def asked_of(one: Instance, chance: Random) -> Iterator[Asked]:
    naive = one.naive
    best = naive.shortest(naive.init)
    assert best is not None
    for task in ("task_1_plan_generation", "task_5_plan_generalization"):
        plan = altered(naive, best, chance)
        yield task, statement(naive.init, naive.goal), phrased(plan, chance), naive.is_plan(plan)
    plan = altered(naive, best, chance)
    cheapest = naive.is_plan(plan) and len(plan) == len(best)
    yield "task_2_plan_optimality", statement(naive.init, naive.goal), phrased(plan, chance), cheapest
    states = [state for state in naive.ways(naive.init) if ("handempty",) in state]
    for task in ("task_4_plan_reuse", "task_8_1_goal_shuffling"):
        goal = frozenset(chance.sample(sorted(chance.choice(states)), 2))
        shortest = naive.shortest(naive.init, goal)
        assert shortest is not None
        plan = altered(naive, shortest, chance)
        yield task, statement(naive.init, goal), phrased(plan, chance), naive.is_plan(plan, goal)
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
        plan.append(chance.choice([step for step in naive.actions if step in naive.following(state)]))
        state = naive.following(state)[plan[-1]]
    told = set(state)
    if chance.random() < 0.5:
        told ^= {chance.choice(naive.changing)}
    prompt = (
        f"[STATEMENT]\nAs initial conditions I have that, {listed(naive.init)}.\n I have executed the following action "
        "sequence:\n\n[ACTION SEQUENCE]\n{}\n[ACTION SEQUENCE END]\n[RESULTING STATE]\n"
    ).format("\n".join(map(said, plan)))
    yield "task_7_plan_execution", prompt, listed(sorted(told)), told == state


@pytest.mark.usefixtures("in_threads")
@pytest.mark.parametrize("instances", [6, deep(24)])
def test_planbenchs_tasks_are_graded_by_the_key(
    instances: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [tmp_path / "instances" / "blocksworld" / name for name in ("generated_basic", "generated")]
    for folder in folders:
        folder.mkdir(parents=True)
    (tmp_path / "instances" / "blocksworld" / "generated_domain.pddl").write_text(DOMAIN)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "blocksworld.yaml").write_text(json.dumps(TEMPLATES))
    files: dict[str, list[dict[str, object]]] = {}
    key: dict[tuple[str, str], bool] = {}
    for number in range(1, instances + 1):
        chance = Random(number)
        one = instance(chance)
        for folder in folders:
            (folder / f"instance-{number}.pddl").write_text(one.problem)
        for task, prompt, answer, right in asked_of(one, chance):
            theirs = right if number > 1 else not right  # PlanBench's own verdict is wrong of the first
            judged = {"llm_correct_binary" if "verification" in task else "llm_correct": theirs}
            item = {"instance_id": number, "query": prompt, "llm_raw_response": answer, **judged}
            files.setdefault(task, []).append(item)
            key[task, str(number)] = right
    (tmp_path / "results").mkdir()
    for task, items in files.items():
        value = {"task": task, "domain": "blocksworld", "engine": "m", "instances": items}
        (tmp_path / "results" / f"{task}.json").write_text(json.dumps(value))
    given = ["--instances", str(tmp_path / "instances"), "--configs", str(tmp_path / "configs"), "--workers", "1"]
    assert main(["eval", "planbench", str(tmp_path / "results"), *given, "--format", "json"]) == 0
    grades = json.loads(capsys.readouterr().out)
    assert len(grades) == len(key) == instances * 7 and 2 * instances < sum(key.values()) < 6 * instances
    wrong = [grade for grade in grades if grade["ours"] is not key[grade["task"], grade["instance"]]]
    assert not wrong, [(each["id"], each["ours"], each["why"]) for each in wrong]
    differ = [grade for grade in grades if grade["difference"]]
    assert {grade["instance"] for grade in differ} == {"1"} and len(differ) == 7 and all(each["why"] for each in differ)
    assert {each["difference"] for each in differ if each["task"][5] in "37"} == {"read otherwise"}
