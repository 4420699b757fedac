"""Attacks on what is told in VAL's place: which plans are valid, and at which value, in which order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER, Oracle
from tests.support.naive_reference import Reference
from tests.support.random_beyond import sequential
from tests.support.random_worlds import random_world, states_of, wrong_walk
from validator.cli import main

__all__ = ["KINDS"]

_MOST_STATES = 300

_Told = tuple[bool, Fraction | None]
"""whether a plan is valid, and its value; None where the definitions leave it open"""


def _attack(seed: int) -> Iterator[str]:
    draw = Random(f"valued {seed}")
    found = _with_numbers(seed, draw) if seed % 2 else _of_steps(seed, draw)
    if found is None:
        return
    domain, problem, plans = found
    with TemporaryDirectory() as named:
        folder = Path(named)
        (folder / "d.pddl").write_text(domain)
        (folder / "p.pddl").write_text(problem)
        names = []
        for number, (text, _) in enumerate(plans):
            names.append(str(folder / f"{number}.plan"))
            (folder / f"{number}.plan").write_text(text)
        files = [str(folder / "d.pddl"), str(folder / "p.pddl"), *names]
        code, told = _run("val-compat", *files)
        short = _run("val-compat", "-S", *files)
    answers = [answer for _, answer in plans]
    about = (domain, problem, plans, told, short)
    assert (code, short[0]) == (sum(not is_valid for is_valid, _ in answers),) * 2, about
    _compare_plans(names, answers, told, about)
    for printed, (is_valid, value) in zip(short[1].splitlines(), answers, strict=True):
        assert (printed == "failed") is not is_valid and (not is_valid or _is(printed, value)), about
    _compare_list(names, answers, told, "(:metric minimize" in problem, about)
    yield outcome(True)


def _run(*words: str) -> tuple[int, str]:
    with redirect_stdout(StringIO()) as out:
        code = main(list(words))
    return code, out.getvalue()


def _with_numbers(seed: int, draw: Random) -> tuple[str, str, list[tuple[str, _Told]]] | None:
    """Return a model with numbers, preferences and constraints, and plans of it."""
    case = sequential(seed)
    plans = []
    for _ in range(draw.randint(1, 4)):
        lines = [line for line in case.plan.splitlines() if draw.random() < 0.8]
        text = "\n".join(draw.sample(lines, len(lines))) or "; empty plan"
        told = Reference(case.domain, case.problem).verdict(text)
        if told is None or (told[0] and told[1] is None and "(:metric" in case.problem):
            return None  # the definitions leave it open
        plans.append((text, (told[0], Fraction(len(lines)) if told[1] is None else told[1])))
    return case.domain, case.problem, plans


def _of_steps(seed: int, draw: Random) -> tuple[str, str, list[tuple[str, _Told]]] | None:
    domain, problem = random_world(seed, (CHEAP, DEAR, DEARER)[seed // 2 % 3])
    oracle = Oracle(domain, problem)
    if states_of(oracle, _MOST_STATES) is None or not oracle.steps:
        return None
    known, plans = set(map(str, oracle.steps)), []
    for _ in range(draw.randint(1, 4)):
        walk = wrong_walk(oracle, draw, draw.randint(0, 4), draw.choice((0, 0, 1)), to_goal=draw.random() < 0.8)
        lines = [line for line in walk if line in known]
        end = oracle.run(lines)
        is_valid = end is not None and oracle.is_goal(end[0])
        cost = None if end is None else oracle.begun + sum(end[1])
        plans.append(("\n".join(lines) or "; empty plan", (is_valid, cost)))
    return domain, problem, plans


def _is(printed: str, value: Fraction | None) -> bool:
    return value is None or abs(Fraction(printed.strip()) - value) <= abs(value) / 10**9


def _compare_plans(names: list[str], answers: list[_Told], told: str, about: object) -> None:
    parts = re.split(r"^Checking plan: (.*)$", told.partition("\nSuccessful plans:")[0], flags=re.MULTILINE)
    assert parts[1::2] == names, about
    for (is_valid, value), part in zip(answers, parts[2::2], strict=True):
        values = re.findall(r"^Final value: (\S+) $", part, re.MULTILINE)
        assert bool(values) is is_valid is ("Plan valid" in part), about
        assert not values or _is(values[0], value), about


def _compare_list(names: list[str], answers: list[_Told], told: str, is_cost: bool, about: object) -> None:
    """Compare the list at the end, which has the better plans first where costs are minimised."""
    listed = told.partition("\nSuccessful plans:")[2].partition("\n\nFailed plans:")[0]
    found = [
        (name, Fraction(value))
        for part in listed.split("\nValue: ")[1:]
        for value in (part.split("\n")[0],)
        for name in re.findall(r"(\S+\.plan) ", part)
    ]
    assert sorted(name for name, _ in found) == [
        name for name, (is_valid, _) in zip(names, answers, strict=True) if is_valid
    ], about
    values = [value for _, value in found]
    assert values == sorted(values, reverse=not is_cost), about


KINDS = (Kind(name="in VAL's place: values", against="a second executor", attack=_attack, share=6),)
