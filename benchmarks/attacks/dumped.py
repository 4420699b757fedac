"""Attacks on the modified problem as PDDL: its cheapest plan costs as many changed lines as the nearest plan has."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.attacks.classical import text_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, Oracle, random_case
from tests.support.random_schemas import random_schema
from tests.support.random_worlds import states_of, wrong_walk
from validator import prepare
from validator.errors import ModelError
from validator.reading.tokens import tokenize
from validator.up.edit.problem import dump, edit_problem
from validator.up.pddl import read_up

__all__ = ["KINDS"]

_MOST_STATES = 60


def _attack(seed: int) -> Iterator[str]:
    """Write the modified problem of a plan, read it as any other model, and look for its cheapest plan."""
    draw = Random(f"dumped {seed}")
    if seed % 2:
        *texts, plan = random_case(("strips", "adl", "conditional")[seed // 2 % 3], seed)
    else:
        texts = list(random_schema(seed, CHEAP))
        oracle = Oracle(*texts)
        if "(:derived" in texts[0] or not oracle.steps or states_of(oracle, _MOST_STATES) is None:
            return
        plan = wrong_walk(oracle, draw, draw.randint(0, 3), draw.choice((0, 1, 2)), to_goal=draw.random() < 0.7)
    texts[0] = texts[0].replace(" :derived-predicates", "")  # of which unified-planning reads nothing
    oracle, with_goal = Oracle(*texts), draw.random() < 0.6
    with TemporaryDirectory() as name:
        files = [Path(name) / f"{each}.pddl" for each in ("d", "p")]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text, encoding="utf-8")
        try:
            problem = read_up(*files)
        except (ModelError, ValueError):
            yield outcome(False)
            return
        read = tokenize(text_of(plan), prepare(*texts).vocabulary)
        try:
            dump(edit_problem(problem, read, with_goal=with_goal, policy="edits"), Path(name))
        except ModelError:
            yield outcome(False)
            return
        dumped = [(Path(name) / f"{each}.pddl").read_text(encoding="utf-8") for each in ("domain", "problem")]
    least = oracle.nearest(plan, "valid" if with_goal else "sound", "edits", 1)
    found = Oracle(*dumped).nearest((), "optimal", "edits", 1)
    told = (texts, plan, with_goal, dumped, least, found)
    assert (None if found is None else found[0]) == (None if least is None else Fraction(least[0])), told
    yield outcome(True)


KINDS = (
    Kind(
        name="the modified problem as PDDL",
        against="Dijkstra over states and places of the plan; over states of the modified problem",
        attack=_attack,
        share=4,
    ),
)
