"""Small random models with constraints on the trajectory and preferences, whose plans of a few steps are all tried.

Beside them they have what goes together with both: steps of no cost and of decimals, conditional effects, a derived
predicate. Every plan is executed by the second executor of ``naive_reference``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

from tests.support.naive_reference import Reference, World

__all__ = ["LONGEST", "Constrained", "constrained"]

LONGEST = 4
"""steps of the longest plans that are tried"""

_PRICES = ("0", "1", "2", "0.5", "1.25")
_WEIGHTS = ("1", "3", "0.5")

Names = tuple[str, ...]


@dataclass(frozen=True)
class Constrained:
    """A model and a plan of it, by the names of its steps, some of which the model has not."""

    domain: str
    problem: str
    prices: Mapping[str, Fraction]
    plan: Names

    def verdict(self, names: Sequence[str]) -> tuple[bool, Fraction | None]:
        """Return whether a plan is valid, and what it costs."""
        found = Reference(self.domain, self.problem).verdict(text_of(names))
        assert found is not None, names  # without times nothing is left open
        return found[0], found[1]

    def is_sound(self, names: Sequence[str]) -> bool:
        """Return whether the steps can be executed, whatever the goal and the constraints say."""
        reference = Reference(self.domain, self.problem)
        world = reference.initial()
        acts = reference.ground()
        for name in names:
            after = reference.after(acts[name,], world) if (name,) in acts else None
            if after is None:
                return False
            world = after
        return True

    def states(self, names: Sequence[str]) -> list[World]:
        """Return the states that steps lead through which can be executed, the initial one too."""
        reference = Reference(self.domain, self.problem)
        acts, worlds = reference.ground(), [reference.initial()]
        for name in names:
            after = reference.after(acts[name,], worlds[-1])
            assert after is not None, names
            worlds.append(after)
        return worlds

    def rest(self, past: list[World], facts: Iterable[str], names: Sequence[str]) -> tuple[bool, Fraction | None]:
        """Return whether steps are a valid rest behind states, from some facts on, and what it costs by itself."""
        init = f"(:init {' '.join(f'({fact})' for fact in facts)} (= (total-cost) 0))"
        problem = re.sub(r"\(:init [^=]*\(= \(total-cost\) 0\)\)", init, self.problem)
        return Reference(self.domain, problem).after_states(past, text_of(names))

    def valid(self) -> dict[Names, Fraction | None]:
        """Return all valid plans of a few steps, with what they cost."""
        plans = (names for size in range(LONGEST + 1) for names in product(self.prices, repeat=size))
        judged = ((names, self.verdict(names)) for names in plans)
        return {names: cost for names, (is_valid, cost) in judged if is_valid}

    @property
    def text(self) -> str:
        return text_of(self.plan)


def text_of(names: Sequence[str]) -> str:
    return "".join(f"({name})\n" for name in names) or "; empty plan"


def constrained(seed: int, *, is_hard: bool | None = None) -> Constrained:
    """Return a random model; ``is_hard`` says whether all constraints are hard or all are preferences."""
    draw = Random(f"constrained {seed}")
    has_derived = draw.random() < 0.3

    def literal(*, derived: bool = False) -> str:
        atom = draw.choice("pqrd" if derived and has_derived else "pqr")
        return f"({atom})" if draw.random() < 0.65 else f"(not ({atom}))"

    def condition() -> str:
        kind = draw.random()
        if kind < 0.7:
            return literal(derived=True)
        return f"({draw.choice(('and', 'or', 'imply'))} {literal(derived=True)} {literal()})"

    def modal() -> str:
        one, other = condition(), condition()
        return draw.choice(
            (
                f"(always {one})",
                f"(sometime {one})",
                f"(at-most-once {one})",
                f"(sometime-after {one} {other})",
                f"(sometime-before {one} {other})",
                f"(at end {one})",
            )
        )

    weights = dict[str, str]()

    def soft(body: str) -> str:
        name = draw.choice("mn")
        weights[name] = draw.choice(_WEIGHTS)
        return f"(preference {name} {body})"

    prices = {name: draw.choice(_PRICES) for name in ("a", "b", "c")}
    actions = []
    for name, price in prices.items():
        conditions = [literal(derived=True) for _ in range(draw.choice((0, 1, 1, 2)))]
        conditions += [soft(literal())] if is_hard is not True and draw.random() < 0.15 else []
        effects = [literal() for _ in range(draw.choice((1, 1, 2)))]
        effects += [f"(when {literal()} {literal()})"] if draw.random() < 0.25 else []
        actions.append(
            f"(:action {name} :parameters () :precondition (and {' '.join(conditions)})"
            f" :effect (and {' '.join(effects)} (increase (total-cost) {price})))"
        )
    goal = [literal(derived=True) for _ in range(draw.choice((0, 1, 1)))]
    goal += [soft(condition())] if is_hard is not True and draw.random() < 0.4 else []
    constraints = []
    for _ in range(draw.choice((1, 1, 2))):
        hard = is_hard if is_hard is not None else draw.random() < 0.5
        constraints.append(modal() if hard else soft(modal()))
    costs = ["(total-cost)", *(f"(* {weight} (is-violated {name}))" for name, weight in sorted(weights.items()))]
    metric = costs[0]
    for cost in costs[1:]:
        metric = f"(+ {metric} {cost})"
    derived = "(:derived (d) (and (p) (not (q))))" if has_derived else ""
    domain = f"""(define (domain d) (:requirements :adl :action-costs :constraints :preferences :derived-predicates)
      (:predicates (p) (q) (r){" (d)" if has_derived else ""}) (:functions (total-cost)) {derived}
      {" ".join(actions)})"""
    init = " ".join(f"({atom})" for atom in "pqr" if draw.random() < 0.4)
    problem = f"""(define (problem n) (:domain d) (:init {init} (= (total-cost) 0)) (:goal (and {" ".join(goal)}))
      (:constraints (and {" ".join(constraints)})) (:metric minimize {metric}))"""
    plan = tuple(draw.choice("abc" if draw.random() < 0.95 else "x") for _ in range(draw.randint(0, 4)))
    return Constrained(domain, problem, {name: Fraction(price) for name, price in prices.items()}, plan)
