"""What the benchmarks measure on: models that are found, plans that are broken, samples; always the same ones."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from benchmarks.cases import Case, Model, corrupt, find_cases, find_models, sample
from benchmarks.measure import Cost
from benchmarks.nearest import Answer
from benchmarks.repair import Result, contradictions
from tests.support.depth import deep
from validator import check

DOMAIN = """
(define (domain lamps) (:predicates (lit ?l) (lamp ?l))
  (:action press :parameters (?l) :precondition (and (lamp ?l) (not (lit ?l))) :effect (lit ?l)))
"""
PROBLEM = (
    "(define (problem two) (:domain lamps) (:objects a b) (:init (lamp a) (lamp b)) (:goal (and (lit a) (lit b))))"
)


def folder(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


# --- models --------------------------------------------------------------------------------------


def test_every_problem_with_a_domain_near_it_is_a_model(tmp_path: Path) -> None:
    found = find_models(
        folder(
            tmp_path,
            {
                "one/domain.pddl": DOMAIN,
                "one/p.pddl": PROBLEM,
                "deep/er/d.pddl": DOMAIN,
                "deep/er/p1.pddl": PROBLEM,
                "deep/er/p2.pddl": PROBLEM,
                "paired/p1-domain.pddl": DOMAIN,
                "paired/p2-domain.pddl": DOMAIN,
                "paired/p1.pddl": PROBLEM,
                "lonely/domain.pddl": DOMAIN,
                "many/a.pddl": DOMAIN,
                "many/b.pddl": DOMAIN,
                "many/p.pddl": PROBLEM,
                "named/a.pddl": DOMAIN,
                "named/b.pddl": DOMAIN.replace("domain lamps", "domain others"),
                "named/p.pddl": PROBLEM,
                "above/domain.pddl": DOMAIN,
                "above/instances/p1.pddl": PROBLEM,
            },
        )
    )
    shown = [(model.name, model.domain.name) if isinstance(model, Model) else model for model in found]
    assert shown == [
        ("above/instances", "domain.pddl"),
        ("deep/er/p1", "d.pddl"),
        ("deep/er/p2", "d.pddl"),
        "many: no cases: 2 domains for it",
        ("named", "a.pddl"),
        ("one", "domain.pddl"),
        ("paired", "p1-domain.pddl"),
    ]


@pytest.mark.planner
@pytest.mark.parametrize("plan", [None, deep("(press b)\n(press a)\n"), deep("(press a)\n")])
def test_plans_are_broken_reproducibly_with_or_without_a_good_one(tmp_path: Path, plan: str | None) -> None:
    """A plan that is not valid is no good one, and one is made."""
    files = {"m/domain.pddl": DOMAIN, "m/problem.pddl": PROBLEM} | ({} if plan is None else {"m/x.plan": plan})
    cases, notes = find_cases(folder(tmp_path, files))
    assert notes == []
    assert [case.corruptions for case in cases] == [1, 1, 2, 2, 4, 4, 8, 8]
    assert find_cases(tmp_path) == (cases, [])
    assert not any(check(DOMAIN, PROBLEM, case.plan or "()", repair=False).determination for case in cases)


# --- corruptions and samples ---------------------------------------------------------------------


def test_one_corruption_drops_swaps_inserts_or_replaces_a_step() -> None:
    steps, pool = ["a", "b", "c"], ["x"]
    seen = {tuple(corrupt(steps, pool, 1, Random(seed))) for seed in range(300)}
    dropped = {("a", "b"), ("a", "c"), ("b", "c")}
    swapped = {("b", "a", "c"), ("c", "b", "a"), ("a", "c", "b")}
    inserted = {("x", "a", "b", "c"), ("a", "x", "b", "c"), ("a", "b", "x", "c"), ("a", "b", "c", "x")}
    replaced = {("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x")}
    assert seen == dropped | swapped | inserted | replaced
    assert steps == ["a", "b", "c"]


def cases(models: int, trials: int) -> list[Case]:
    return [
        Case(
            model=Model(name=f"m{model}", domain=Path(), problem=Path()),
            name=f"{number}.{trial}",
            corruptions=number,
            plan="",
        )
        for model in range(models)
        for number in (1, 2, 4, 8)
        for trial in range(trials)
    ]


def test_a_sample_has_as_many_of_each_corruption_and_models_in_turn() -> None:
    every = cases(12, 2)
    chosen = sample(every, 24)
    assert chosen == sample(every, 24)
    for number in (1, 2, 4, 8):
        assert sum(case.corruptions == number for case in chosen) == 6
    for model in range(12):
        assert sum(case.model.name == f"m{model}" for case in chosen) == 2


# --- what the answers say ------------------------------------------------------------------------


def result(who: str, found: int | None, lower: int = 0, *, proven: bool = False, edits: int | None = None) -> Result:
    case = cases(1, 1)[0]
    case = Case(model=case.model, name="x", corruptions=1, plan="", edits=None if edits is None else Fraction(edits))
    answer = Answer(found=None if found is None else Fraction(found), lower=Fraction(lower), proven=proven)
    return Result(case=case, who=who, cost=Cost(own=1, children=2, wall=9), answer=answer)


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([result("one", 3, 3, proven=True), result("other", 3, 3, proven=True)], []),
        ([result("one", 3, 3, proven=True), result("other", 7, 1)], []),
        ([result("one", None), result("other", None)], []),
        ([result("one", 3, 3, proven=True), result("other", 2, 1)], ["m0 x: one proves at least 3, other has found 2"]),
        ([result("one", 5, 4), result("other", 3, 3, proven=True)], ["m0 x: one proves at least 4, other has found 3"]),
        ([result("one", 2, 1, edits=3)], ["m0 x: index proves at least 3, one has found 2"]),
    ],
)
def test_answers_that_contradict_each_other_are_wrong(results: list[Result], said: list[str]) -> None:
    assert list(contradictions(results)) == said
