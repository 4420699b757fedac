"""Small random models with numbers and time, as PDDL, with random plans: for comparison with other validators."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

ATOMS = ("(p)", "(q)", "(r a)", "(r b)")
VALUES = ("(x)", "(y)", "(z a)", "(z b)")


@dataclass(frozen=True)
class Sample:
    domain: str
    problem: str
    plan: str


def _literal(random: Random) -> str:
    atom = random.choice(ATOMS)
    return atom if random.random() < 0.6 else f"(not {atom})"


def _expression(random: Random, depth: int = 1) -> str:
    kind = random.random()
    if kind < 0.4 or depth == 0:
        return random.choice((*VALUES, *VALUES, str(random.randint(0, 3)), "0.5"))
    operator = random.choice("+-*")
    return f"({operator} {_expression(random, depth - 1)} {_expression(random, depth - 1)})"


def _comparison(random: Random) -> str:
    return f"({random.choice(('<', '<=', '=', '>=', '>'))} {_expression(random)} {_expression(random)})"


def _condition(random: Random) -> str:
    kind = random.random()
    if kind < 0.45:
        return _literal(random)
    if kind < 0.85:
        return _comparison(random)
    if kind < 0.93:
        return f"(or {_literal(random)} {_comparison(random)})"
    return f"(forall (?o - thing) (>= (z ?o) {random.randint(-1, 1)}))"


def _changes(random: Random) -> list[str]:
    """Return effects; each atom and each value is changed at most once, since peers disagree about more."""
    atoms = random.sample(ATOMS, random.randint(0, 2))
    effects = [atom if random.random() < 0.6 else f"(not {atom})" for atom in atoms]
    changed = random.sample(VALUES, random.randint(0, 2))
    operators = ("assign", "increase", "decrease")
    return effects + [f"({random.choice(operators)} {value} {_expression(random)})" for value in changed]


def _frame(random: Random, body: str, requirements: str, timed: str, plan: str) -> Sample:
    domain = f"""(define (domain d) (:requirements :typing :negative-preconditions :disjunctive-preconditions
      :universal-preconditions :conditional-effects :numeric-fluents :equality {requirements})
      (:types thing) (:constants a b - thing)
      (:predicates (p) (q) (r ?o - thing) (begun)) (:functions (x) (y) (z ?o - thing))
      {body})"""
    facts = " ".join(atom for atom in ATOMS if random.random() < 0.5)
    values = " ".join(f"(= {value} {random.randint(0, 3)})" for value in VALUES)
    goal = _condition(random)
    problem = f"(define (problem n) (:domain d) (:init {facts} {values} {timed}) (:goal (and {goal})))"
    return Sample(domain, problem, plan)


def numeric(seed: int) -> Sample:
    """Return a model with numbers and a sequence of steps."""
    random = Random(seed)
    actions = []
    for number in range(3):
        effects = _changes(random)
        if random.random() < 0.3:
            effects.append(f"(when {_condition(random)} (p))")
        conditions = " ".join(_condition(random) for _ in range(random.randint(0, 2)))
        actions.append(
            f"(:action a{number} :parameters () :precondition (and {conditions}) :effect (and {' '.join(effects)}))"
        )
    plan = "\n".join(f"(a{random.randrange(3)})" for _ in range(random.randint(0, 4)))
    return _frame(random, "\n".join(actions), "", "", plan or "; empty")


def temporal(seed: int, *, are_apart: bool = True) -> Sample:
    """Return a model with durative actions and timed literals, and a plan all of whose happenings are apart.

    Without ``are_apart`` happenings often meet, or are nearer than epsilon. Something changes at every start:
    unified-planning overlooks an interval at whose beginning nothing does.
    """
    random = Random(seed)
    actions, lengths = [], []
    for number in range(3):
        lengths.append(random.randint(1, 6))
        conditions = [
            f"({random.choice(('at start', 'over all', 'at end'))} {_condition(random)})"
            for _ in range(random.randint(0, 2))
        ]
        effects = [f"(at start {effect})" for effect in ("(begun)", *_changes(random))]
        effects += [f"(at end {effect})" for effect in _changes(random)]
        actions.append(
            f"(:durative-action a{number} :parameters () :duration (and (>= ?duration 1) (<= ?duration {lengths[-1]}))"
            f" :condition (and {' '.join(conditions)}) :effect (and {' '.join(effects)}))"
        )
    used: set[Fraction] = set()
    lines: list[str] = []
    for _ in range(random.randint(1, 4)):
        number = random.randrange(3)
        start, length = Fraction(random.randint(0, 80), 10), Fraction(random.randint(10, 10 * lengths[number] + 1), 10)
        if not are_apart:
            start = Fraction(round(start)) + random.choice((Fraction(0), Fraction(0), Fraction(1, 2000)))
            length = Fraction(random.randint(1, lengths[number]))
        if not are_apart or not used & {start, start + length}:
            used |= {start, start + length}
            lines.append(f"{float(start)}: (a{number}) [{float(length)}]")
    facts = []
    for _ in range(random.randint(0, 2)):
        time = Fraction(random.randint(1, 80), 10) + Fraction(1, 20)
        if time < max(used) and time not in used:
            used.add(time)
            facts.append(f"(at {float(time)} {_literal(random)})")
    requirements = ":durative-actions :duration-inequalities :timed-initial-literals"
    return _frame(random, "\n".join(actions), requirements, " ".join(facts), "\n".join(lines))
